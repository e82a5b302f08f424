"""Photographs as a phone or a hand takes them less well: from the side, small on a table, dim, shaken, compressed."""

from collections.abc import Callable
from random import Random
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture

KEYSTONE: Final = 0.18
"""How far each corner of the far side moves in, of that side."""


def as_it_is(picture: Picture, _: Random) -> Picture:
    return picture


def tilted(picture: Picture, chance: Random) -> Picture:
    """One side a third smaller, turned by up to 15 degrees, with some of a table around it."""
    return seen_from_the_side(picture, chance, KEYSTONE, 15, 0.8)


def seen_from_the_side(
    picture: Picture, chance: Random, keystone: float, most_degrees: float, share: float, least_degrees: float = 0
) -> Picture:
    """One side smaller by twice the keystone, turned by so many degrees either way, and so much smaller."""
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    middle = np.array([width, height]) / 2
    far = chance.randrange(4)
    pair = [far, (far + 1) % 4]
    along = corners[pair[0]] != corners[pair[1]]
    seen = corners.copy()
    for corner in pair:
        seen[corner][along] += 2 * keystone * (middle - corners[corner])[along]
    degrees = chance.uniform(-most_degrees, most_degrees)
    angle = np.deg2rad(degrees if not least_degrees else np.copysign(max(abs(degrees), least_degrees), degrees))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    seen = (share * (seen - middle)) @ turn + middle
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32))
    warped = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_AREA, borderValue=(120, 100, 80))
    return np.asarray(warped, np.uint8)


def on_a_table(picture: Picture, chance: Random) -> Picture:
    """A third of the scene, somewhere on a table with a grain."""
    height, width = picture.shape[:2]
    tall, wide = round(height * 1.8), round(width * 1.8)
    grain = cv2.resize(_noise(chance, (tall // 8, wide // 8), 18), (wide, tall))
    table = _clipped(np.array([chance.randint(60, 200) for _ in range(3)], np.float32) + grain[..., None])
    top, left = chance.randrange(tall - height), chance.randrange(wide - width)
    table[top : top + height, left : left + width] = picture
    return table


def smaller(picture: Picture, _: Random) -> Picture:
    return np.asarray(cv2.resize(picture, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA), np.uint8)


def flattened(picture: Picture, _: Random) -> Picture:
    """As if seen from below: four fifths as tall."""
    return np.asarray(cv2.resize(picture, None, fx=1, fy=0.8, interpolation=cv2.INTER_AREA), np.uint8)


def upside_down(picture: Picture, _: Random) -> Picture:
    return np.ascontiguousarray(np.rot90(picture, 2))


def shaken(picture: Picture, chance: Random) -> Picture:
    """Blurred along or across, by a three hundred and fiftieth of the width."""
    reach = max(3, picture.shape[1] // 350)
    kernel = np.zeros((reach, reach), np.float32)
    kernel[reach // 2] = 1 / reach
    return np.asarray(cv2.filter2D(picture, -1, kernel if chance.random() < 0.5 else kernel.T), np.uint8)


def shaded(picture: Picture, chance: Random) -> Picture:
    """From a third of the light on one side to all of it on the other."""
    return lit_from_one_side(picture, chance, 0.35)


def lit_from_one_side(picture: Picture, chance: Random, darkest: float) -> Picture:
    light = np.linspace(darkest, 1.1, picture.shape[1])[:: chance.choice((1, -1))]
    return _clipped(picture * light[None, :, None])


def dim(picture: Picture, chance: Random) -> Picture:
    return _clipped(picture * 0.3 + _noise(chance, picture.shape, 7))


def glare(picture: Picture, chance: Random) -> Picture:
    height, width = picture.shape[:2]
    down, along = np.mgrid[:height, :width]
    y, x = height * chance.uniform(0.3, 0.7), width * chance.uniform(0.2, 0.8)
    spot = np.exp(-((down - y) ** 2 + (along - x) ** 2) / (2 * (0.12 * width) ** 2))
    return _clipped(picture + 190 * spot[..., None])


def compressed(picture: Picture, _: Random) -> Picture:
    return compressed_to(picture, 35)


def compressed_to(picture: Picture, quality: int) -> Picture:
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _noise(chance: Random, shape: tuple[int, ...], spread: float) -> NDArray[np.float32]:
    return np.random.default_rng(chance.randrange(2**32)).normal(0, spread, shape).astype(np.float32)


def _clipped(values: NDArray[np.floating]) -> Picture:
    return np.asarray(np.clip(values, 0, 255), np.uint8)


DISTURBANCES: Final[dict[str, Callable[[Picture, Random], Picture]]] = {
    one.__name__: one
    for one in (
        as_it_is,
        tilted,
        on_a_table,
        smaller,
        flattened,
        upside_down,
        shaken,
        shaded,
        dim,
        glare,
        compressed,
    )
}
