"""Does what is around the face grow with it?

A person who comes closer leaves the room behind them where it was. A picture that is brought closer, or enlarged by a
program, takes its own background along.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.images import averaged
from truename.vision.liveness.shifted import Shift, compare
from truename.vision.liveness.views import View

Grey = NDArray[np.float32]
Matrix = NDArray[np.float64]
Room = tuple[Grey, NDArray[np.uint8]]
"""A small picture, and where in it the room is."""

SIDE: Final = 480
MIN_MATCHES: Final = 14
MIN_AGREEING: Final = 0.5
MIN_SPREAD: Final = 0.6
"""The corners must lie on both sides of the face."""
SMALL: Final = 96
"""Pixels across, where whole rooms are laid over each other."""
FEWEST_PIXELS: Final = 150
LEAST_CONTRAST: Final = 3.0
"""Grey levels: a plainer wall than this says nothing."""
ALIKE: Final = 0.9
"""How alike (correlation) the room must be once it was enlarged as the face was."""
BETTER: Final = 3.0
LEAST_CHANGE: Final = 0.004
"""What is left over of the room where it stood, against what is left over once it was enlarged as the face was: at most
0.7 of drawn heads that moved before a room, 0.6 to 20 where the picture was enlarged or made smaller."""
Shaken = tuple[float, tuple[Shift, ...]]
STOOD: Final = tuple((factor, tuple(product(range(-6, 7, 2), range(-6, 7, 2)))) for factor in (0.96, 1.0, 1.04))
GREW: Final = ((1.0, tuple(product(range(-1, 2), range(-1, 2)))),)
"""What a hand may do to a camera between two frames: scale and pixels. It is allowed to a room that stood, so that who
brings the telephone closer instead of the head is not refused."""


STRETCHED: Final = tuple(product((0.0, 0.5), (1.0, 1.25, 1.5, 1.75)))
"""What a picture may be stretched by, across and upright, as powers of the face's own growth: upright alone, or more so
than across. A network that knows faces measures less of that than there is, half of it for some."""


def scene_moves_along(straight: View, moved: View) -> bool:
    """Did the surroundings grow as the face did, as those of a picture that is brought closer do?"""
    growth, face = scene_growth(straight, moved), moved.size / straight.size
    if growth is not None:
        return abs(growth - face) < 0.25 * abs(face - 1)
    return _laid_over(straight, moved)


def _laid_over(straight: View, moved: View) -> bool:
    """Is the room, too plain for corners, where the face's own movement puts it, rather than where it was?"""
    before, after = straight.mesh.points[:468, :2].astype(np.float64), moved.mesh.points[:468, :2].astype(np.float64)
    factor = moved.size / straight.size
    scale = SMALL / straight.picture.shape[1]
    size = SMALL, max(8, round(straight.picture.shape[0] * scale))
    first, second = ((_soft(one, size), _room(one, size)) for one in (straight, moved))
    stood = _best_likeness(first, second, np.eye(2, 3), STOOD)
    grew: float | None = None
    for across, down in ((1.0, 1.0), *STRETCHED):
        by = np.array([factor**across, factor**down])
        shift = scale * (after.mean(0) - by * before.mean(0))
        likeness = _best_likeness(first, second, np.column_stack((np.diag(by), shift)), GREW)
        grew = max((one for one in (grew, likeness) if one is not None), default=None)
    if stood is None or grew is None or grew < ALIKE:
        return False
    return 1 - stood >= max(LEAST_CHANGE, BETTER * (1 - grew))


def _best_likeness(first: Room, second: Room, way: Matrix, shaken: Sequence[Shaken]) -> float | None:
    """The correlation of two rooms, one laid over the other on this way; None where there is too little to compare."""
    found = [_laid_likeness(first, second, way, factor, shifts) for factor, shifts in shaken]
    return max((likeness for one in found for likeness in one), default=None)


def _laid_likeness(first: Room, second: Room, way: Matrix, factor: float, shifts: Sequence[Shift]) -> list[float]:
    """Of those shifts that leave enough to compare: how alike the second room is to the first one, made larger."""
    height, width = first[0].shape
    rim = max(max(abs(down), abs(right)) for down, right in shifts)
    larger = np.array(
        [[factor, 0, rim + (1 - factor) * width / 2], [0, factor, rim + (1 - factor) * height / 2]], np.float64
    )
    matrix, size = larger @ np.vstack((way, [0, 0, 1])), (width + 2 * rim, height + 2 * rim)
    drawn = cv2.warpAffine(first[0], matrix, size, flags=cv2.INTER_LINEAR)
    laid = cv2.warpAffine(first[1], matrix, size, flags=cv2.INTER_NEAREST)
    found = compare(second[0], second[1] > 0, np.asarray(drawn, np.float32), shifts, np.asarray(laid > 0))
    enough = (found.count >= FEWEST_PIXELS) & (found.contrast >= LEAST_CONTRAST)
    return [float(likeness) for likeness in found.likeness[enough]]


def _soft(seen: View, size: tuple[int, int]) -> Grey:
    return np.asarray(cv2.GaussianBlur(averaged(seen.grey, size), (0, 0), 1.0), np.float32)


def _room(seen: View, size: tuple[int, int]) -> NDArray[np.uint8]:
    """1 beside and above the head, well away from it: hair and scarves grow with the face of whoever wears them."""
    scale = size[0] / seen.picture.shape[1]
    left, top, wide, tall = (value * scale for value in seen.face.box)
    mask = np.ones(size[::-1], np.uint8)
    mask[int(max(0, top + 0.9 * tall)) :] = 0
    mask[[0, 1, -2, -1]] = mask[:, [0, 1, -2, -1]] = 0
    centre, axes = (int(left + wide / 2), int(top + 0.45 * tall)), (int(1.25 * wide), int(1.1 * tall))
    cv2.ellipse(mask, centre, axes, 0, 0, 360, 0, -1)
    return mask


def scene_growth(before: View, after: View) -> float | None:
    """By which factor the surroundings grew between two views; None where they are too plain to tell."""
    first, first_found = _features(before)
    second, second_found = _features(after)
    if first_found is None or second_found is None or len(first) < MIN_MATCHES or len(second) < MIN_MATCHES:
        return None
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
    matches = matcher.match(first_found, second_found)
    if len(matches) < MIN_MATCHES:
        return None
    source = np.array([first[match.queryIdx] for match in matches])
    target = np.array([second[match.trainIdx] for match in matches])
    move, agreeing = cv2.estimateAffinePartial2D(source, target, method=cv2.RANSAC, ransacReprojThreshold=4.0)
    if move is None or agreeing is None or int(agreeing.sum()) < max(MIN_MATCHES, MIN_AGREEING * len(matches)):
        return None
    # Corners on one small thing, such as hair that leaves the mask, do not speak for the room.
    if np.ptp(source[agreeing.ravel() == 1, 0]) < MIN_SPREAD * before.picture.shape[1]:
        return None
    return float(np.hypot(move[0, 0], move[1, 0]))


def _features(seen: View) -> tuple[list[tuple[float, float]], NDArray[np.uint8] | None]:
    """Corners beside and above the head (shoulders belong to the person), in pixels of the picture."""
    height, width = seen.picture.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    grey = averaged(seen.grey, (max(1, round(width * scale)), max(1, round(height * scale))))
    left, top, wide, tall = (value * scale for value in seen.face.box)
    mask = np.full(grey.shape, 255, np.uint8)
    mask[int(max(0, top + 0.9 * tall)) :] = 0
    centre = (int(left + wide / 2), int(top + tall * 0.45))
    cv2.ellipse(mask, centre, (int(wide * 1.25), int(tall * 1.1)), 0, 0, 360, 0, -1)
    found, descriptors = cv2.ORB.create(400, fastThreshold=12).detectAndCompute(grey, mask)
    return [(point.pt[0] / scale, point.pt[1] / scale) for point in found], None if descriptors is None else np.asarray(
        descriptors, np.uint8
    )
