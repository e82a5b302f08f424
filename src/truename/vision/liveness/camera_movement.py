"""How did the camera move between two views of a head, by what is seen around the face?"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.views import View

Matrix = NDArray[np.float64]

CORNERS: Final = 300
FEWEST_CORNERS: Final = 12
"""With fewer than these nothing is said: any shift and turn fits a handful of them."""
FOUND_WITHIN: Final = 2.0
"""Pixels from where one movement of all puts a corner."""
BESIDE_FACE: Final = 0.08
"""Of the face's width: so near to it no corner is followed."""


def camera_movement(before: View, after: View) -> Matrix | None:
    """The shift, turn and scale that moves most corners around the face; None where too few can be followed.

    A 3 × 3 matrix from the first picture to the second, which is brought to the size of the first before.
    """
    height, width = before.grey.shape
    same = after.grey.shape == before.grey.shape
    grey = after.grey if same else np.asarray(cv2.resize(after.grey, (width, height)), np.uint8)
    corners = cv2.goodFeaturesToTrack(before.grey, CORNERS, 0.01, 4, mask=_around(before))
    if corners is None or len(corners) < FEWEST_CORNERS:
        return None
    start = np.asarray(corners, np.float32)
    found, reached, _ = cv2.calcOpticalFlowPyrLK(
        before.grey, grey, start, np.empty(0, np.float32), winSize=(21, 21), maxLevel=4
    )
    followed = reached.ravel() > 0
    if int(followed.sum()) < FEWEST_CORNERS:
        return None
    move, _ = cv2.estimateAffinePartial2D(
        start[followed], found[followed], method=cv2.RANSAC, ransacReprojThreshold=FOUND_WITHIN
    )
    # A scale of nothing cannot be undone; no hand does that to a camera.
    if move is None or not 0.25 < float(np.hypot(move[0, 0], move[1, 0])) < 4:
        return None
    sizes = np.diag([after.grey.shape[1] / width, after.grey.shape[0] / height, 1.0])
    return np.asarray(sizes @ np.vstack((move, [0, 0, 1])), np.float64)


def _around(seen: View) -> NDArray[np.uint8]:
    mask = np.full(seen.grey.shape, 255, np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(seen.mesh.points[:468, :2].astype(np.int32)), 0)
    side = max(3, int(BESIDE_FACE * seen.face.box[2])) | 1
    return np.asarray(cv2.erode(mask, np.ones((side, side), np.uint8)), np.uint8)
