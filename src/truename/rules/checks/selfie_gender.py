"""Is the gender that the selfie shows the expected one? One that could not be estimated is not."""

from collections.abc import Iterator

from truename.rules.dossier import Dossier
from truename.rules.issues import WITH_SELFIE, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, not_run, passed

ASKS = (CheckName.SELFIE_GENDER,)
APPLIES_TO = WITH_SELFIE


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result; not run where the config expects no gender."""
    expected, selfie = dossier.config.biometric_policy.expected_gender, dossier.evidence.selfie
    if expected is None:
        yield not_run(CheckName.SELFIE_GENDER, "NOTHING_EXPECTED")
    elif selfie is None or selfie.gender is None:
        yield _mismatch({"reason": "NOT_ESTIMATED"})
    elif selfie.gender is expected:
        yield passed(CheckName.SELFIE_GENDER, score=selfie.gender_confidence)
    else:
        yield _mismatch({"score": selfie.gender_confidence})


def _mismatch(details: dict[str, str] | dict[str, float]) -> CheckResult:
    return failed(CheckName.SELFIE_GENDER, IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED, details)
