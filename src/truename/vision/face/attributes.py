"""How old does this person look, and which gender? Estimates, each with its own error."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.rules.evidence import SelfieEstimate, SelfieGender
from truename.vision import models, runtime
from truename.vision.captures import Picture
from truename.vision.face.align import align
from truename.vision.face.mesh import Mesh

EYES_AND_NOSE: Final = (263, 362, 33, 133, 2)
"""Left eye outer and inner corner, right eye outer and inner corner, foot of the nose."""
PLACES: Final = np.array(
    [
        [0.8595674595992, 0.2134981538014],
        [0.6460604764104, 0.2289674387677],
        [0.1205750620789, 0.2137274526848],
        [0.3340850613712, 0.2290642403242],
        [0.4901123135679, 0.6277975316475],
    ],
    np.float32,
)
"""Where those points stand in a square around the mean face, before padding (as dlib's models were trained)."""
PADDING: Final = 0.2
AGE_SIDE: Final = 64
GENDER_SIDE: Final = 32
CHANNEL_MEANS: Final = np.array([122.782, 117.001, 104.298], np.float32)[:, None, None]
LOOKS: Final = (0.9, 1.1)
"""Scales of the chips over which an estimate is averaged, with their mirror images: on 100 faces of UTKFace these four
chips, chosen on them, err by 6.2 years, one by 6.8, eighteen of more scales and shifts by 6.4; on all 401 by 6.5."""
YEARS: Final = np.array([0.25, *range(1, 81)], np.float32)


def estimate(picture: Picture, found: Mesh, scales: Sequence[float] = LOOKS) -> SelfieEstimate:
    """Age and gender of a face whose mesh is known; `scales` are those of the chips that are looked at."""
    age = models.calibration(models.model("age"))
    gender = models.calibration(models.model("gender"))
    female, male = (float(share) for share in _mean_over_looks(picture, found, "gender", GENDER_SIDE, scales))
    surer = max(female, male)
    looks = SelfieGender.MALE if male > female else SelfieGender.FEMALE
    return SelfieEstimate(
        age=round(float(np.clip(age["slope"] * raw_age(picture, found, scales) + age["intercept"], 0, 120)), 1),
        age_margin=float(age["mean_absolute_error"]),
        gender=looks if surer >= gender["least_confidence"] else None,
        gender_confidence=round(surer, 4),
    )


def raw_age(picture: Picture, found: Mesh, scales: Sequence[float] = LOOKS) -> float:
    """The network's expected age, before calibration."""
    return float(_mean_over_looks(picture, found, "age", AGE_SIDE, scales) @ YEARS)


def _mean_over_looks(
    picture: Picture, found: Mesh, name: str, side: int, scales: Sequence[float]
) -> NDArray[np.float32]:
    """Class probabilities of the face, averaged over slightly different chips and their mirror images."""
    target = (PLACES + PADDING) / (1 + 2 * PADDING) * side
    points = np.ascontiguousarray(found.points[list(EYES_AND_NOSE), :2])
    places = [((target - side / 2) * scale + side / 2).astype(np.float32) for scale in scales]
    chips = [align(picture, points, place, side) for place in places]
    both = np.stack([*chips, *(chip[:, ::-1] for chip in chips)]).transpose(0, 3, 1, 2).astype(np.float32)
    network = runtime.onnx(name, np.zeros((2, 3, side, side), np.float32))
    return np.asarray(network.run((both - CHANNEL_MEANS) / 256)[0].mean(0), np.float32)
