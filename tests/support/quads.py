"""Four corners beside four others."""

import cv2
import numpy as np


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Common area over joint area, whichever corner each begins with."""
    one, other = cv2.convexHull(one.astype(np.float32)), cv2.convexHull(other.astype(np.float32))
    common, _ = cv2.intersectConvexConvex(one, other)
    return float(common / (cv2.contourArea(one) + cv2.contourArea(other) - common))
