"""Looking at the frames of a live face once, however many sequences hold them, and what a refusal looks like."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tests.support.once import once
from truename.rules.evidence import LivenessEvidence, QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.vision.captures import Frame
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.views import View, view

ACCEPTED = 0.85


@lru_cache(maxsize=100)
def looked_at(image: bytes) -> View | QualityReason:
    """What is seen in a picture, with its template: looked at once, however many sequences and workers hold it."""
    return once(f"what is seen in {hashlib.sha256(image).hexdigest()}", lambda: _look(image))


def _look(image: bytes) -> View | QualityReason:
    seen = view(decode(image))
    if isinstance(seen, View):
        _ = seen.template  # it stays with the view: three quarters of the time
    return seen


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
