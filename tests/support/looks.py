"""Looking at the frames of a live face once, however many sequences hold them, and what a refusal looks like."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from truename.rules.evidence import LivenessEvidence, QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.vision.captures import Frame
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.views import View, view

ACCEPTED = 0.85


@lru_cache(maxsize=100)
def looked_at(image: bytes) -> View | QualityReason:
    """What is seen in a picture, with its template: looked at once, however many sequences hold it."""
    return view(decode(image))


def views_of(frames: Sequence[Frame]) -> list[View | QualityReason]:
    """As `view_all`."""
    views: list[View | QualityReason] = []
    for number, frame in enumerate(frames):
        seen = looked_at(frame.image)
        if isinstance(seen, View):
            template = seen.template
            seen = replace(seen, number=number, step=frame.step, at_ms=frame.at_ms)
            vars(seen)["template"] = template
        views.append(seen)
    return views


def assert_refused(evidence: LivenessEvidence, *signs: LivenessSign) -> None:
    assert evidence.score < ACCEPTED
    assert evidence.reason is not None
    assert set(map(str, signs)) <= set(evidence.signs), evidence.signs
