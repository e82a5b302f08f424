"""Is it the same face? A calibrated score, in which 0.85 means the same whatever the model."""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from truename.rules.evidence import FaceComparison
from truename.rules.strangers import SCORE_OF_FALSE_MATCHES
from truename.vision import models
from truename.vision.captures import FaceTemplate
from truename.vision.face import sface
from truename.vision.face.embed import cosine, template_sha256

NO_FACE: Final = "NO_FACE"
OTHER_FACE_MODEL: Final = "OTHER_FACE_MODEL"
"""The stored template was made by another recipe, and its picture is gone: nothing can be said."""
SHIPPED_CURVES: Final = ("sface.toml", "sface_alone.toml", "edgeface.toml")
"""One for each recipe; each names the hash of the templates that it was fitted for."""


@dataclass(frozen=True)
class Curve:
    """A rising, piecewise linear map from cosine to score."""

    cosines: tuple[float, ...]
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.cosines) != len(self.scores) or len(self.cosines) < 2:
            raise ValueError("a curve needs as many cosines as scores, and two at least")
        if any(np.diff(self.cosines) <= 0) or any(np.diff(self.scores) < 0):
            raise ValueError("a curve must rise")
        if self.scores[0] < 0 or self.scores[-1] > 1:
            raise ValueError("scores lie between 0 and 1")

    def score(self, similarity: float) -> float:
        """The score of a cosine."""
        return float(np.interp(similarity, self.cosines, self.scores))

    def cosine_at(self, score: float) -> float:
        """The least cosine that reaches a score."""
        return float(np.interp(score, self.scores, self.cosines))

    def cosine_of_strangers(self, share: float) -> float:
        """The cosine that this share of pairs of strangers reaches.

        Between the scores whose share is known by its logarithm; rarer than the rarest of them by an exponential tail,
        as the last two lie, which nobody has measured. At most 1.
        """
        known = [(math.log10(rare), self.cosine_at(score)) for rare, score in SCORE_OF_FALSE_MATCHES]
        rarity = math.log10(max(share, 1e-300))
        (before, cosine_before), (last, cosine_last) = known[-2:]
        if rarity < last:
            return min(1.0, cosine_last + (last - rarity) * (cosine_last - cosine_before) / (before - last))
        falling = known[::-1]
        return float(np.interp(rarity, [one for one, _ in falling], [cosine for _, cosine in falling]))

    @classmethod
    def of(cls, calibration: dict[str, Any]) -> "Curve":
        """The curve of a calibration file; raises KeyError or ValueError when it has none, or one that falls."""
        points = calibration["curve"]
        return cls(tuple(float(p["cosine"]) for p in points), tuple(float(p["score"]) for p in points))


def compare(one: FaceTemplate | None, other: FaceTemplate | None) -> FaceComparison:
    """The calibrated similarity of two faces; a missing face, or one of another recipe, is said and never scored."""
    if one is None or other is None:
        return FaceComparison(score=None, reason=NO_FACE)
    if one.model_sha256 != other.model_sha256:
        return FaceComparison(score=None, reason=OTHER_FACE_MODEL)
    return FaceComparison(score=curve().score(cosine(one, other)))


def curve() -> Curve:
    """The curve that was fitted for the very models in use; raises ModelUnavailable where there is none."""
    return _curve(models.model(sface.MODEL), template_sha256())


@cache
def _curve(row: models.Model, made_by: str) -> Curve:
    """The calibration that names the template's hash: the operator's own, or that of a shipped recipe."""
    for file in (row.calibration, *(SHIPPED_CURVES if row.is_shipped else ())):
        fitted = models.calibration(replace(row, calibration=file))
        if fitted["template_sha256"] == made_by:
            return Curve.of(fitted)
    raise models.ModelUnavailable(
        f"{row.name}: its calibration was fitted for other weights, or for another TRUENAME_FACE_RECIPE; "
        "run `truename calibrate`."
    )
