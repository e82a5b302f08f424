"""The colours of skin, face and room in frames of one face that looks straight on, by the same pixels in all."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.views import View

Vector = NDArray[np.float64]

CHEEKS_AND_FOREHEAD: Final = (50, 101, 118, 117, 205, 280, 330, 347, 346, 425, 9, 151, 108, 337, 67, 297)
"""Mesh points on skin that a screen lights, away from eyes, lips and brows."""
PATCH: Final = 0.05
"""The side of the patch around each, of the face's height."""
DARKEST, BRIGHTEST = 12, 245
"""Pixels outside are noise, or clipped."""
GAMMA: Final = 2.2
"""Light is a picture's values to this power."""
LOG_LIGHT: Final = GAMMA * np.log(np.maximum(np.arange(256), 1).astype(np.float64))
"""The logarithm of the light of each value; of none, that of the least."""
FEWEST: Final = 60
"""Pixels by which a colour is told."""
FACE_POINTS: Final = 468


def skin_of(shown: Sequence[View]) -> list[NDArray[np.uint8]]:
    """The pixels of cheeks and forehead in each frame, in the same order."""
    half = max(2, round(PATCH * float(np.median([one.size for one in shown])) / 2))
    side = 2 * half + 1
    return [
        np.concatenate(
            [
                cv2.getRectSubPix(one.picture, (side, side), (float(x), float(y))).reshape(-1, 3)
                for x, y in one.mesh.points[list(CHEEKS_AND_FOREHEAD), :2]
            ]
        )
        for one in shown
    ]


def points_of(shown: Sequence[View]) -> NDArray[np.uint8]:
    """The colour at each point of the face, brows and lips with it: frame, point, primary."""
    made = []
    for one in shown:
        across, down = np.asarray(one.mesh.points[:FACE_POINTS, :2], np.float32).T[..., None]
        made.append(cv2.remap(cv2.blur(one.picture, (3, 3)), across, down, cv2.INTER_LINEAR)[:, 0])
    return np.asarray(made, np.uint8)


def rooms_of(shown: Sequence[View]) -> list[NDArray[np.uint8]]:
    """The pixels beside and above the head, those that are there in every frame, in the same order.

    Frames of another size than the first are brought to its size: else nobody could say which pixels are the same, and
    who sends frames of several sizes would not be asked for one rule.
    """
    size = shown[0].picture.shape[1::-1]
    common = np.logical_and.reduce([_brought_to(size, _where(one), cv2.INTER_NEAREST) for one in shown]) > 0
    return [_brought_to(size, one.picture, cv2.INTER_AREA)[common] for one in shown]


def _brought_to(size: tuple[int, ...], picture: NDArray[np.uint8], how: int) -> NDArray[np.uint8]:
    if picture.shape[1::-1] == size:
        return picture
    return np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8)


def _where(seen: View) -> NDArray[np.uint8]:
    """1 where the room is."""
    height, width = seen.picture.shape[:2]
    left, top, wide, tall = seen.face.box
    mask = np.ones((height, width), np.uint8)
    mask[int(max(0.0, top + 0.9 * tall)) :] = 0
    centre = (int(left + wide / 2), int(top + 0.45 * tall))
    cv2.ellipse(mask, centre, (int(wide), int(tall)), 0, 0, 360, 0, -1)
    return mask


def lights_of(frames: Sequence[NDArray[np.uint8]]) -> list[Vector | None]:
    """Of each the mean over its pixels of the logarithm of the light of each primary; None if too few are usable.

    A camera's gains move every pixel's logarithm by as much, whichever pixels a hand that moves brings into sight; the
    logarithm of a mean is that of the brightest of them.
    """
    return [LOG_LIGHT[pixels].mean(0) if len(pixels) >= FEWEST else None for pixels in _usable(frames)]


def tint_of(light: Vector) -> Vector:
    """Its colour, as log(R/G) and log(B/G)."""
    return np.array([light[0] - light[1], light[2] - light[1]])


def _usable(frames: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Those pixels that are neither dark nor clipped in any of the frames.

    A camera that exposes anew clips the brightest of them, and what is left has another colour than the whole. Where
    too few are left, each frame is measured by its own.
    """
    usable = [(pixels.min(1) >= DARKEST) & (pixels.max(1) <= BRIGHTEST) for pixels in frames]
    common = np.logical_and.reduce(usable)
    if int(common.sum()) >= FEWEST:
        usable = [common] * len(frames)
    return [pixels[good] for pixels, good in zip(frames, usable, strict=True)]
