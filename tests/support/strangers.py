"""Somebody else: the only face that ships in a package, made into another person's.

Narrower, with other distances between eyes, nose and mouth, a beard and heavy brows: the embedding's cosine to the
original is below 0.2, as between two people.
"""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.support.faces import framed_still
from truename.vision.captures import Picture
from truename.vision.face.detect import Face, detect_faces
from truename.vision.face.mesh import mesh

LIPS = [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185]
BROWS = ([70, 63, 105, 66, 107], [300, 293, 334, 296, 336])


@lru_cache(maxsize=1)
def another_person() -> Picture:
    """A picture of a person who is not the astronaut, framed like a selfie."""
    still = framed_still()
    return _with_brows(_with_beard(_reshaped(still, detect_faces(still)[0])))


def _reshaped(still: Picture, face: Face) -> Picture:
    """Move eyes apart, nose and mouth towards each other, and make the face narrower."""
    height, width = still.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    eye_right, eye_left, nose, *corners = face.points
    mouth = np.mean(corners, axis=0)
    unit = face.eye_distance
    from_x, from_y = x.copy(), y.copy()
    for (at_x, at_y), reach, right, down, grow in (
        (eye_right, 0.45, -0.2, 0.0, 0.0),
        (eye_left, 0.45, 0.2, 0.0, 0.0),
        (nose, 0.40, 0.0, -0.2, -0.35),
        (mouth, 0.50, 0.0, 0.2, -0.3),
    ):
        near = np.exp(-(((x - at_x) / (reach * unit)) ** 2) - ((y - at_y) / (reach * unit)) ** 2)
        from_x += near * (right * unit - grow * (x - at_x))
        from_y += near * (down * unit - grow * (y - at_y))
    middle = float(face.points.mean(0)[0])
    from_x = (from_x - middle) / 0.75 + middle
    return np.asarray(cv2.remap(still, from_x, from_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _mesh_points(picture: Picture) -> NDArray[np.int32]:
    return mesh(picture, detect_faces(picture)[0]).points[:, :2].astype(np.int32)


def _with_beard(picture: Picture) -> Picture:
    face = detect_faces(picture)[0]
    points = _mesh_points(picture)
    low = points[:468][points[:468, 1] > face.points[2][1] + 0.12 * face.eye_distance]
    mask = np.zeros(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, cv2.convexHull(low), 1.0)
    cv2.fillPoly(mask, [points[LIPS]], 0.0)
    soft = cv2.GaussianBlur(mask, (0, 0), 4)[..., None]
    hairs = np.random.default_rng(0).normal(18, 14, (*picture.shape[:2], 1))
    return np.clip(picture * (1 - 0.72 * soft) + soft * hairs, 0, 255).astype(np.uint8)


def _with_brows(picture: Picture) -> Picture:
    points = _mesh_points(picture)
    thick = int(0.13 * detect_faces(picture)[0].eye_distance)
    drawn = picture.copy()
    for brow in BROWS:
        cv2.polylines(drawn, [points[brow]], False, (30, 22, 18), thick)
    return drawn
