"""A second person, drawn from the one still: other proportions, heavy brows, a beard, another tone of skin.

There is one photograph that may be used (`sheet.still`). A comparison of faces looks at proportions and at the darkness
of brows, eyes and mouth, so these are what is changed, by moving points of the face's mesh and painting over it.
"""

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RBFInterpolator

from truename.sandbox.drawing.sheet import Picture, astronaut_portrait
from truename.vision.face.detect import detect_faces
from truename.vision.face.mesh import mesh

Points = NDArray[np.float64]

BETWEEN_THE_EYES, UNDER_THE_NOSE = 168, 2
OUTLINE = np.array(
    [
        *(10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152),
        *(148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109),
    ]
)
EYES = (
    np.array([33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7]),
    np.array([263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249]),
)
BROWS = (
    np.array([70, 63, 105, 66, 107, 55, 65, 52, 53, 46]),
    np.array([300, 293, 334, 296, 336, 285, 295, 282, 283, 276]),
)
NOSE = np.array([1, 2, 4, 5, 6, 168, 197, 195, 98, 327, 94, 19, 48, 278, 64, 294, 129, 358])
MOUTH = np.array(
    [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146, 78, 308, 13, 14]
)
MOVED = np.unique(np.concatenate((OUTLINE, *EYES, *BROWS, NOSE, MOUTH)))
"""Points of the mesh that are given another place; the picture between them follows."""
DARK_HAIR = np.array((38, 30, 26), np.float32)


@cache
def another_portrait() -> Picture:
    """Somebody else's face, framed as a passport photo."""
    portrait = cv2.resize(astronaut_portrait(), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    picture = np.asarray(portrait, np.uint8)
    found = mesh(picture, detect_faces(picture)[0]).points[:, :2].astype(np.float64)
    places = _other_proportions(found)
    face = _pulled(picture, found, places)
    for brow in BROWS:
        face = _painted(face, _filled(face, places[brow]), soft=3, cover=0.8)
    lower = OUTLINE[places[OUTLINE, 1] > places[UNDER_THE_NOSE, 1]]
    lips = cv2.dilate(_filled(face, places[MOUTH]), np.ones((5, 5)))
    beard = np.asarray(cv2.subtract(_filled(face, places[lower]), lips), np.uint8)
    return _darker(_painted(face, beard, soft=6, cover=0.9))


def _other_proportions(points: Points) -> Points:
    """Small eyes close together under low brows, a broad long nose, a small low mouth, a wide jaw."""
    places = points.copy()
    height = float(np.ptp(points[OUTLINE, 1]))
    middle, top = points[BETWEEN_THE_EYES]
    for eye, brow in zip(EYES, BROWS, strict=True):
        centre = points[eye].mean(0)
        nearer = np.array([(centre[0] - middle) * -0.2, 0.03 * height])
        places[eye] = centre + nearer + (points[eye] - centre) * 0.75
        places[brow] = points[brow] + [(points[brow].mean(0)[0] - middle) * -0.2, 0.05 * height]
    places[NOSE] = [middle, top] + (points[NOSE] - [middle, top]) * [1.5, 1.25]
    lips = points[MOUTH].mean(0)
    places[MOUTH] = lips + [0, 0.05 * height] + (points[MOUTH] - lips) * [0.75, 1.2]
    down = np.clip((points[OUTLINE, 1] - top) / (points[:, 1].max() - top), 0, 1)
    wide = np.where(points[OUTLINE, 1] > top, 1 + 0.3 * down, 0.95)
    places[OUTLINE, 0] = middle + (points[OUTLINE, 0] - middle) * wide
    places[OUTLINE, 1] += 0.08 * height * down
    return places


def _pulled(picture: Picture, points: Points, places: Points) -> Picture:
    """The picture with its points in other places, smoothly; its edges stay."""
    height, width = picture.shape[:2]
    along = np.linspace(0, 1, 6)
    edge = np.array([(x, y) for at in along for x, y in ((at, 0), (at, 1), (0, at), (1, at))]) * [width - 1, height - 1]
    ends, first = np.unique(np.vstack((places[MOVED], edge)), axis=0, return_index=True)
    begins = np.vstack((points[MOVED], edge))[first]
    rows, columns = np.mgrid[0:height:4, 0:width:4]
    asked = np.column_stack((columns.ravel(), rows.ravel())).astype(np.float64)
    shift = RBFInterpolator(ends, begins - ends, kernel="thin_plate_spline", smoothing=1.0)(asked)
    whole = cv2.resize(shift.reshape(*rows.shape, 2).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    pulled = cv2.remap(picture, x + whole[..., 0], y + whole[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(pulled, np.uint8)


def _filled(picture: Picture, points: Points) -> NDArray[np.uint8]:
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(points.astype(np.int32)), 255)
    return mask


def _painted(picture: Picture, mask: NDArray[np.uint8], soft: float, cover: float) -> Picture:
    """Hair over the mask, with soft edges and a little grain."""
    grain = np.random.default_rng(0).normal(0, 1, mask.shape).astype(np.float32)
    hair = DARK_HAIR + cv2.GaussianBlur(grain, (0, 0), 1.2)[..., None] * 20
    share = cv2.GaussianBlur(mask, (0, 0), soft).astype(np.float32)[..., None] / 255 * cover
    return np.clip(picture * (1 - share) + hair * share, 0, 255).astype(np.uint8)


def _darker(picture: Picture) -> Picture:
    lab = cv2.cvtColor(picture, cv2.COLOR_RGB2LAB).astype(np.float32)
    lab[..., 0] = 255 * (lab[..., 0] / 255) ** 1.4
    return np.asarray(cv2.cvtColor(np.clip(lab, 0, 255).astype(np.uint8), cv2.COLOR_LAB2RGB), np.uint8)
