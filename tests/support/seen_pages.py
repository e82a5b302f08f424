"""Pages as a camera sees them that is not held straight above."""

import cv2
import numpy as np

from truename.vision.captures import Picture


def seen_from_the_side(page: Picture, width: int, far: tuple[int, int], turned: float) -> Picture:
    """The page, so many pixels wide, with one side (two corners, clockwise from the top left) a third smaller."""
    height = round(page.shape[0] * width / page.shape[1])
    small = cv2.resize(page, (width, height), interpolation=cv2.INTER_AREA)
    middle, corners = np.array([width, height]) / 2, np.array([[0, 0], [width, 0], [width, height], [0, height]])
    along = np.abs(corners[far[1]] - corners[far[0]]) > 0
    seen = corners.astype(np.float64)
    for corner in far:
        seen[corner][along] += 0.36 * (middle - corners[corner])[along]
    angle = np.deg2rad(turned)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    seen = (0.8 * (seen - middle)) @ turn + middle
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32))
    photo = cv2.warpPerspective(small, matrix, (width, height), flags=cv2.INTER_AREA, borderValue=(80, 100, 120))
    return np.asarray(photo, np.uint8)
