"""Is this frame of a face good enough to be used? Asked at once, while the person can still do something about it."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from truename.rules.evidence import Quality, QualityReason
from truename.vision.captures import Picture
from truename.vision.face.detect import MIN_EYE_DISTANCE, Face
from truename.vision.images import averaged
from truename.vision.liveness.views import View, view

MIN_FACE_EYES: Final = 2 * MIN_EYE_DISTANCE
"""Pixels between the eyes: relief and texture need about twice what a comparison needs."""
DARK: Final = 0.16
"""Mean lightness of the face (0 to 1) below which its texture is noise."""
BLURRED: Final = 0.10
"""Sharpness below this: measured on faces blurred by a Gaussian of 6 % of the eye distance."""
CUT_OFF: Final = 0.08
"""The share of the mesh's points that may lie outside the picture."""


@dataclass(frozen=True)
class FrameQuality:
    """Whether a frame can be used, and what is wrong with it."""

    usable: bool
    reasons: tuple[QualityReason, ...] = ()


def measure_frame(picture: Picture) -> FrameQuality:
    """Look at one frame, quickly: one face, near enough, whole, lit and sharp."""
    seen = view(picture)
    if not isinstance(seen, View):
        return FrameQuality(False, (seen,))
    reasons = quality_of(seen).reasons
    if seen.maybe_another:  # asked for again it is gone, unless there is somebody
        reasons = (*reasons, QualityReason.SEVERAL_FACES)
    return FrameQuality(not reasons, reasons)


def quality_of(seen: View) -> Quality:
    """Measure the face's sharpness and light, and say what is wrong."""
    picture, face = seen.picture, seen.face
    height, width = picture.shape[:2]
    chip = _chip(picture, face)
    light = float(chip.mean()) / 255
    sharp = _sharpness(chip)
    reasons = []
    if face.eye_distance < MIN_FACE_EYES:
        reasons.append(QualityReason.FACE_TOO_SMALL)
    x, y = seen.mesh.points[:, 0], seen.mesh.points[:, 1]
    if float(((x < 0) | (x >= width) | (y < 0) | (y >= height)).mean()) > CUT_OFF:
        reasons.append(QualityReason.CROPPED)
    if light < DARK:
        reasons.append(QualityReason.TOO_DARK)
    elif sharp < BLURRED:
        reasons.append(QualityReason.BLURRED)
    return Quality(
        reasons=tuple(reasons), sharpness=round(sharp, 4), brightness=round(light, 4), width=width, height=height
    )


def _chip(picture: Picture, face: Face) -> Picture:
    """The inner face at 128 × 128, grey."""
    left, top, wide, tall = face.box
    rows = slice(max(0, int(top)), max(1, int(top + tall)))
    columns = slice(max(0, int(left)), max(1, int(left + wide)))
    return averaged(np.asarray(cv2.cvtColor(picture[rows, columns], cv2.COLOR_RGB2GRAY), np.uint8), (128, 128))


def _sharpness(chip: Picture) -> float:
    """Detail at two pixels of 128 against all contrast, as a number from 0 to 1."""
    values = chip.astype(np.float32)
    edges = float(cv2.Laplacian(values, cv2.CV_32F).std())
    return float(np.clip(edges / (values.std() + 1.0), 0.0, 1.0))
