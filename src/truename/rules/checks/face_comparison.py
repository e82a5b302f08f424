"""Is it the same face in the selfie, on the document and in our records?"""

import math
from collections.abc import Iterator

from truename.rules.dossier import Dossier
from truename.rules.evidence import FaceComparison, FacePair
from truename.rules.issues import WITH_SELFIE, IssueCode
from truename.rules.json_values import Json
from truename.rules.results import CheckName, CheckResult, Finding, failed, not_run, passed

ASKS = (
    CheckName.DOCUMENT_VS_LIVENESS_FACE,
    CheckName.LIVENESS_VS_REFERENCE_FACE,
    CheckName.DOCUMENT_VS_REFERENCE_FACE,
)
APPLIES_TO = WITH_SELFIE

PAIRS = {
    FacePair.DOCUMENT_AND_LIVENESS: (ASKS[0], IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH),
    FacePair.LIVENESS_AND_REFERENCE: (ASKS[1], IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH),
    FacePair.DOCUMENT_AND_REFERENCE: (ASKS[2], IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH),
}
WITH_REFERENCE = frozenset({FacePair.LIVENESS_AND_REFERENCE, FacePair.DOCUMENT_AND_REFERENCE})
NOT_COMPARED = FaceComparison(score=None)


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result for each pair of faces that this type of transaction has; none is run where the config says so."""
    policy, seen = dossier.config.biometric_policy, dossier.evidence.face_similarity
    if not policy.require_face_comparison:
        first, *others = (not_run(name, "DISABLED") for name in ASKS)
        yield first._replace(finding=Finding(IssueCode.FACE_COMPARISON_DISABLED))
        yield from others
        return
    has_reference = dossier.has_reference_face or not WITH_REFERENCE.isdisjoint(seen)
    for pair, (name, code) in PAIRS.items():
        if dossier.transaction_type not in code.applies_to:
            yield not_run(name, "NOT_PART_OF_THIS_TRANSACTION_TYPE")
        elif pair in WITH_REFERENCE and not has_reference:
            yield not_run(name, "NO_REFERENCE_FACE")
        else:
            yield _same(name, code, seen.get(pair, NOT_COMPARED), policy.face_comparison_min_score)


def _same(name: CheckName, code: IssueCode, comparison: FaceComparison, threshold: float) -> CheckResult:
    score = comparison.score if comparison.score is not None and math.isfinite(comparison.score) else None
    if score is not None and score >= threshold:
        return passed(name, score=score, threshold=threshold)
    details: dict[str, Json] = {"score": score, "threshold": threshold}
    if score is None or comparison.reason:
        details["reason"] = comparison.reason or "NO_FACE"
    return failed(name, code, details)
