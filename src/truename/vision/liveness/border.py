"""Do straight edges frame the face, like those of a screen, a sheet of paper or a card?"""

from typing import Final

import cv2
import numpy as np

from truename.vision.captures import Picture
from truename.vision.face.detect import Face

SIDE: Final = 320
SHORTEST: Final = 0.2
"""Segments shorter than this share of the face's height are texture, not edges."""
UPRIGHT, LEVEL = 70.0, 20.0
LONGEST: Final = 1.5
"""What one side can count for: an edge half as long again as the face."""


def framing(picture: Picture, face: Face) -> float:
    """How much of the face is framed: the longest upright or level edge on each of its four sides, in face lengths.

    Rooms have edges too (doors, shelves), on one or two sides; 0 is open ground and 6 a complete frame.
    """
    height, width = picture.shape[:2]
    scale = SIDE / max(height, width)
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    left, top, wide, tall = (value * scale for value in face.box)
    segments = cv2.createLineSegmentDetector(0).detect(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))[0]
    if segments is None:
        return 0.0
    sides = dict.fromkeys(("left", "right", "top", "bottom"), 0.0)
    ends = segments[:, 0]
    long = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]) >= SHORTEST * tall
    for x1, y1, x2, y2 in ends[long]:
        slope = np.degrees(np.arctan2(abs(y2 - y1), abs(x2 - x1)))
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        if slope > UPRIGHT:
            length = _shared((y1, y2), (top - 0.5 * tall, top + 1.3 * tall)) / tall
            if left - 1.5 * wide < x < left - 0.05 * wide:
                sides["left"] = max(sides["left"], length)
            if left + 1.05 * wide < x < left + 2.5 * wide:
                sides["right"] = max(sides["right"], length)
        elif slope < LEVEL:
            length = _shared((x1, x2), (left - 0.5 * wide, left + 1.5 * wide)) / wide
            if top - 1.2 * tall < y < top - 0.15 * tall:
                sides["top"] = max(sides["top"], length)
            if top + 1.1 * tall < y < top + 2.2 * tall:
                sides["bottom"] = max(sides["bottom"], length)
    return float(sum(min(length, LONGEST) for length in sides.values()))


def _shared(ends: tuple[float, float], reach: tuple[float, float]) -> float:
    return max(0.0, min(max(ends), reach[1]) - max(min(ends), reach[0]))
