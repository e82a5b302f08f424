"""Does what is around the face grow with it?

A person who comes closer leaves the room behind them where it was. A picture that is brought closer, or enlarged by a
program, takes its own background along.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.views import View

SIDE: Final = 480
MIN_MATCHES: Final = 14
MIN_AGREEING: Final = 0.5
MIN_SPREAD: Final = 0.6
"""The corners must lie on both sides of the face."""


def scene_moves_along(straight: View, moved: View) -> bool:
    """Did the surroundings grow as the face did, as those of a picture that is brought closer do?"""
    growth, face = scene_growth(straight, moved), moved.size / straight.size
    return growth is not None and abs(growth - face) < 0.25 * abs(face - 1)


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
    grey = cv2.cvtColor(seen.picture, cv2.COLOR_RGB2GRAY)
    grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    left, top, wide, tall = (value * scale for value in seen.face.box)
    mask = np.full(grey.shape, 255, np.uint8)
    mask[int(max(0, top + 0.9 * tall)) :] = 0
    centre = (int(left + wide / 2), int(top + tall * 0.45))
    cv2.ellipse(mask, centre, (int(wide * 1.25), int(tall * 1.1)), 0, 0, 360, 0, -1)
    found, descriptors = cv2.ORB.create(400, fastThreshold=12).detectAndCompute(grey, mask)
    return [(point.pt[0] / scale, point.pt[1] / scale) for point in found], None if descriptors is None else np.asarray(
        descriptors, np.uint8
    )
