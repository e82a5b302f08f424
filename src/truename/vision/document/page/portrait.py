"""Cut the holder's portrait out of the page."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from truename.vision.captures import Picture
from truename.vision.face.detect import CLEAR_SCORE, MIN_EYE_DISTANCE, SURE_SCORE, Face, detect_faces

ROOM: Final = 0.45
"""Share of the face's size that is kept around it: the face models want forehead, ears and chin."""
SMALLEST: Final = 0.06
"""Share of the page's height; smaller faces are ghost images and holograms."""


@dataclass(frozen=True)
class Portrait:
    """The portrait, and the face found in the page."""

    picture: Picture
    face: Face
    second: Picture | None = None
    """The same face again, smaller, where the page repeats it."""

    @property
    def is_upright(self) -> bool:
        """Do the eyes stand above the mouth?"""
        eyes, mouth = self.face.points[:2, 1].mean(), self.face.points[3:, 1].mean()
        return bool(eyes < mouth)

    @property
    def is_sure(self) -> bool:
        """Is the face beyond doubt as it was found, so that it tells which way the page is up?"""
        return self.face.score >= SURE_SCORE


def find_portrait(page: Picture, persistent: bool = True, is_upright: bool = False) -> Portrait | None:
    """The largest face of the page; ghost images repeat it smaller.

    `persistent`: look closer where none is seen. `is_upright`: the page's print was read, so that it stands upright.
    """
    found = detect_faces(page, persistent=persistent, is_upright=is_upright)
    faces = [face for face in found if face.box[3] > SMALLEST * page.shape[0]]
    if not faces:
        return None
    ranked = sorted(faces, key=lambda found: -found.box[2] * found.box[3] * found.score)
    crop = _cut(page, ranked[0])
    if not crop.size:
        return None
    repeated = [face for face in ranked[1:] if face.score >= CLEAR_SCORE and face.eye_distance >= MIN_EYE_DISTANCE]
    return Portrait(crop, ranked[0], _cut(page, repeated[0]) if repeated else None)


def _cut(page: Picture, face: Face) -> Picture:
    left, top, width, height = face.box
    x0, y0 = max(0, round(left - ROOM * width)), max(0, round(top - ROOM * height))
    x1, y1 = round(left + (1 + ROOM) * width), round(top + (1 + ROOM) * height)
    return np.ascontiguousarray(page[y0:y1, x0:x1])
