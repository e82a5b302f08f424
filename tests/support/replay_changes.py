"""What somebody may do to a recording that was sent before, so that it looks new; each takes and gives one picture."""

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np

from truename.vision.captures import Picture

Change = Callable[[Picture], Picture]


def cut(left: float, top: float, right: float, bottom: float) -> Change:
    """Take these shares off the edges."""

    def changed(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        rows = slice(round(top * height), round((1 - bottom) * height))
        return np.ascontiguousarray(picture[rows, round(left * width) : round((1 - right) * width)])

    return changed


def turned(degrees: float) -> Change:
    """Turn the picture within its edges."""

    def changed(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
        return np.asarray(cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return changed


def seen_from_aside(picture: Picture, share: float = 0.08) -> Picture:
    """As if a screen that shows it were filmed from one side."""
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    nearer = np.array([[0, 0], [-share * width, share * height], [-share * width, -share * height], [0, 0]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, corners + nearer)
    return np.asarray(cv2.warpPerspective(picture, matrix, (width, height), borderValue=(30, 30, 34)), np.uint8)


@cache
def _bulge(height: int, width: int, strength: float) -> tuple[np.ndarray, np.ndarray]:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across, down = (x - width / 2) / width, (y - height / 2) / height
    scale = 1 + strength * (across**2 + down**2)
    return across * scale * width + width / 2, down * scale * height + height / 2


def bulged(picture: Picture) -> Picture:
    """As through a poor lens."""
    x, y = _bulge(*picture.shape[:2], 0.25)
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def shades_bent(gamma: float) -> Change:
    """Darker or brighter between black and white."""
    table = (255 * (np.arange(256) / 255.0) ** gamma).astype(np.uint8)
    return lambda picture: np.asarray(cv2.LUT(picture, table), np.uint8)


def lit_from_one_side(picture: Picture) -> Picture:
    """Half as bright at one edge, half as bright again at the other."""
    light = np.linspace(0.5, 1.5, picture.shape[1])[None, :, None]
    return np.clip(picture * light, 0, 255).astype(np.uint8)


def darker_to_the_corners(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return (picture * np.clip(1.1 - 0.4 * (x * x + y * y), 0, 1)[..., None]).astype(np.uint8)


def framed(picture: Picture) -> Picture:
    """With a drawn border of a tenth around it."""
    edge = picture.shape[1] // 10
    return np.asarray(
        cv2.copyMakeBorder(picture, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(235, 60, 60)), np.uint8
    )


def border_over_it(picture: Picture) -> Picture:
    """With a border drawn over its edges."""
    edge, changed = picture.shape[1] // 12, picture.copy()
    changed[:edge] = changed[-edge:] = changed[:, :edge] = changed[:, -edge:] = (20, 90, 40)
    return changed


def with_a_banner(picture: Picture) -> Picture:
    """With a stripe of another colour and words over its lower fifth."""
    changed, (height, width) = picture.copy(), picture.shape[:2]
    changed[round(0.8 * height) :] = (250, 210, 40)
    cv2.putText(changed, "BREAKING NEWS", (width // 20, round(0.93 * height)), 0, width / 320, (20, 20, 20), 3)
    return changed


def with_a_sticker(picture: Picture) -> Picture:
    """With a disc over a part of it, forehead and hair."""
    changed, (height, width) = picture.copy(), picture.shape[:2]
    cv2.circle(changed, (round(0.62 * width), round(0.3 * height)), width // 9, (240, 120, 30), -1)
    cv2.circle(changed, (round(0.62 * width), round(0.3 * height)), width // 22, (20, 20, 20), -1)
    return changed


def noisy(picture: Picture) -> Picture:
    noise = np.random.default_rng(1).normal(0, 6, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def _then(first: Change, second: Change) -> Change:
    return lambda picture: second(first(picture))


CHANGES: dict[str, Change] = {
    "compressed again": lambda picture: picture,
    "cut by 4 pixels": cut(0.008, 0.006, 0.008, 0.006),
    "cut by 12 % all around": cut(0.12, 0.12, 0.12, 0.12),
    "cut at one corner": cut(0.12, 0.08, 0, 0),
    "shifted, what leaves at one edge coming in at the other": lambda picture: np.roll(
        picture, (picture.shape[0] // 16, picture.shape[1] // 8), axis=(0, 1)
    ),
    "turned by two degrees": turned(2),
    "turned by fifteen degrees": turned(15),
    "upside down": lambda picture: np.ascontiguousarray(picture[::-1, ::-1]),
    "on its side": lambda picture: np.ascontiguousarray(np.rot90(picture)),
    "mirrored, and cut": _then(cut(0.03, 0.01, 0.01, 0.01), lambda picture: np.ascontiguousarray(picture[:, ::-1])),
    "made smaller": lambda picture: np.asarray(
        cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA), np.uint8
    ),
    "made wider": lambda picture: np.asarray(cv2.resize(picture, None, fx=1.15, fy=1), np.uint8),
    "softer and darker": lambda picture: np.asarray(
        cv2.GaussianBlur((picture * 0.85).astype(np.uint8), (0, 0), picture.shape[1] / 320), np.uint8
    ),
    "noise added": noisy,
    "gamma 0.6": shades_bent(0.6),
    "gamma 1.6": shades_bent(1.6),
    "gamma 2.2": shades_bent(2.2),
    "lit from one side": lit_from_one_side,
    "darker to the corners": darker_to_the_corners,
    "other colours": lambda picture: np.ascontiguousarray(picture[..., [2, 0, 1]]),
    "in a drawn frame": framed,
    "a border drawn over it": border_over_it,
    "seen from aside": seen_from_aside,
    "through a poor lens": bulged,
    "with a banner": with_a_banner,
    "with a sticker": with_a_sticker,
    "all at once": _then(_then(cut(0.05, 0.02, 0.01, 0.04), seen_from_aside), _then(with_a_banner, shades_bent(1.5))),
}
"""By name, what was done to all frames of a recording alike."""


def shaken(pictures: list[Picture], seed: int = 0) -> list[Picture]:
    """Each frame shifted by a little of its own, which no warp of the whole recording can undo."""
    random = np.random.default_rng(seed)
    return [np.roll(one, tuple(random.integers(-6, 7, 2)), axis=(0, 1)) for one in pictures]
