"""Was a living person before the camera? No evidence, and no live face, is a score of 0."""

import math
from collections.abc import Iterator

from truename.rules.dossier import Dossier
from truename.rules.evidence import LivenessEvidence
from truename.rules.issues import WITH_SELFIE, IssueCode
from truename.rules.json_values import Json
from truename.rules.results import CheckName, CheckResult, failed, passed

ASKS = (CheckName.LIVENESS,)
APPLIES_TO = WITH_SELFIE

NOT_EXAMINED = LivenessEvidence(score=0.0, reason="NOT_EXAMINED")


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result: passed from the config's threshold upwards, otherwise failed with score, reason and signs."""
    liveness = dossier.evidence.liveness or NOT_EXAMINED
    threshold = dossier.config.biometric_policy.liveness_min_score
    score = liveness.score if math.isfinite(liveness.score) else 0.0
    if score >= threshold:
        yield passed(CheckName.LIVENESS, score=score, threshold=threshold)
        return
    details: dict[str, Json] = {"score": score, "threshold": threshold}
    if liveness.reason:
        details["reason"] = liveness.reason
    if liveness.signs:
        details["signs"] = sorted(liveness.signs)
    yield failed(CheckName.LIVENESS, IssueCode.LIVENESS_LOW_CONFIDENCE, details)
