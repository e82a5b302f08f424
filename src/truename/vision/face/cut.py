"""Cut a face out for people to look at: the eyes on the same two points in every picture, and nothing else done.

Two faces that are cut so can be laid side by side or over one another. Turned, scaled and shifted only: no light, no
colour and no shape is changed, so that what a person compares is what the camera saw.
"""

from typing import Final

import numpy as np

from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.face.align import similarity, warp
from truename.vision.face.detect import Face, Points, detect_faces
from truename.vision.face.mesh import mesh
from truename.vision.images import encode_jpeg

WIDTH: Final = 480
HEIGHT: Final = 600
EYES: Final = np.array([[168.0, 264.0], [312.0, 264.0]], np.float32)
"""Where the person's right and left eye lie: a face with hair, ears and chin then fits the frame."""
QUALITY: Final = 92
CORNERS: Final = ((33, 133), (263, 362))
"""Points of the mesh: outer and inner corner of the right and of the left eye."""
MIN_PRESENCE: Final = 0.5


def cut_face(picture: Picture) -> Picture | None:
    """The largest face with its eyes on `EYES`, WIDTH × HEIGHT; None when no face is found.

    What lies beyond the picture's edge is black.
    """
    faces = detect_faces(picture)
    if not faces:
        return None
    beside = (HEIGHT - WIDTH) // 2
    target = EYES + np.array([beside, 0], np.float32)
    matrix = similarity(eyes_of(picture, faces[0]), target)
    upright = warp(picture, matrix, HEIGHT)
    # A tilted head is measured less exactly than an upright one: look once more at the first cut.
    if again := detect_faces(upright, persistent=False):
        better = similarity(eyes_of(upright, again[0]), target)
        matrix = better @ np.vstack([matrix, [0.0, 0.0, 1.0]])
    square = warp(picture, matrix, HEIGHT)
    return np.ascontiguousarray(square[:, beside : beside + WIDTH])


def eyes_of(picture: Picture, face: Face) -> Points:
    """The middles of the person's right and left eye, between their corners: where somebody looks does not move them.

    By the mesh, which is several times as exact as the detector; where it cannot follow the face, by the detector.
    """
    found = mesh(picture, face)
    if found.presence < MIN_PRESENCE:
        return face.points[:2]
    return np.array([found.points[list(corners), :2].mean(0) for corners in CORNERS], np.float32)


def cut_jpeg(data: bytes) -> bytes:
    """The cut of a stored picture as a JPEG; the picture itself where no face is found in it.

    Raises ImageRefused when it cannot be decoded.
    """
    found = cut_face(decode(data))
    return data if found is None else encode_jpeg(found, QUALITY)
