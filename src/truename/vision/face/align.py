"""A face turned, scaled and cropped the way a network was taught to see it."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.face.detect import Points
from truename.vision.images import fitted

SFACE_SIDE: Final = 112
SFACE_POINTS: Final = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]], np.float32
)
"""Where eyes, nose and mouth corners stand in the embedding's 112×112 input."""


def align(picture: Picture, points: Points, target: Points = SFACE_POINTS, side: int = SFACE_SIDE) -> Picture:
    """Warp the face so that its points come to lie on the target's, by rotation, scale and shift only."""
    return warp(picture, similarity(points, target), side)


def similarity(source: Points, target: Points) -> NDArray[np.float64]:
    """The 2×3 rotation, scale and shift that brings `source` closest to `target` (Umeyama, least squares)."""
    a, b = source.astype(np.float64), target.astype(np.float64)
    mean_a, mean_b = a.mean(0), b.mean(0)
    a, b = a - mean_a, b - mean_b
    u, spread, vt = np.linalg.svd(b.T @ a / len(a))
    sign = np.diag([1.0, np.sign(np.linalg.det(u) * np.linalg.det(vt)) or 1.0])
    rotation = u @ sign @ vt
    scale = float(np.trace(np.diag(spread) @ sign) / max(a.var(0).sum(), 1e-9))
    return np.hstack([scale * rotation, (mean_b - scale * rotation @ mean_a)[:, None]])


def warp(picture: Picture, matrix: NDArray[np.float64], side: int) -> Picture:
    """Sample a square of `side` pixels; a large face is averaged down first, since plain sampling would skip pixels."""
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    if scale < 0.5:
        picture, matrix = _shrunk_crop(picture, matrix, side, 2 * scale)
    warped = cv2.warpAffine(picture, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(warped, np.uint8)


def _shrunk_crop(
    picture: Picture, matrix: NDArray[np.float64], side: int, factor: float
) -> tuple[Picture, NDArray[np.float64]]:
    """The part of the picture that the warp samples, scaled by `factor`, and the matrix that fits it."""
    corners = np.array([[0, 0, 1], [side, 0, 1], [0, side, 1], [side, side, 1]], np.float64)
    back = cv2.invertAffineTransform(matrix)
    seen = corners @ back.T
    low = np.floor(np.clip(seen.min(0) - 2, 0, [picture.shape[1] - 1, picture.shape[0] - 1])).astype(int)
    high = np.ceil(np.clip(seen.max(0) + 2, low + 1, [picture.shape[1], picture.shape[0]])).astype(int)
    crop = picture[low[1] : high[1], low[0] : high[0]]
    small = fitted(crop, (max(1, round(crop.shape[1] * factor)), max(1, round(crop.shape[0] * factor))))
    scale_x, scale_y = crop.shape[1] / small.shape[1], crop.shape[0] / small.shape[0]
    # Small pixel centre → large pixel centre → target.
    out_of_crop = np.array(
        [[scale_x, 0, low[0] + scale_x / 2 - 0.5], [0, scale_y, low[1] + scale_y / 2 - 0.5], [0, 0, 1]]
    )
    return small, np.asarray(matrix @ out_of_crop, np.float64)
