"""Is the age that the selfie shows within the expected range? An age that could not be estimated is outside."""

import math
from collections.abc import Iterator

from truename.rules.dossier import Dossier
from truename.rules.issues import WITH_SELFIE, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, not_run, passed

ASKS = (CheckName.SELFIE_AGE,)
APPLIES_TO = WITH_SELFIE


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result; not run where the config expects no age."""
    policy, selfie = dossier.config.biometric_policy, dossier.evidence.selfie
    least, most = policy.expected_min_age, policy.expected_max_age
    if least is None and most is None:
        yield not_run(CheckName.SELFIE_AGE, "NOTHING_EXPECTED")
        return
    limits = {"expected_min_age": least, "expected_max_age": most}
    if selfie is None or not math.isfinite(selfie.age):
        yield _out_of_range({"reason": "NOT_ESTIMATED", **limits})
        return
    # People count whole years: somebody of 30.7 is 30 and within a maximum of 30.
    years = math.floor(selfie.age)
    if least is not None and years < least:
        yield _out_of_range({"reason": "BELOW_RANGE", **limits, "margin": selfie.age_margin})
    elif most is not None and years > most:
        yield _out_of_range({"reason": "ABOVE_RANGE", **limits, "margin": selfie.age_margin})
    else:
        yield passed(CheckName.SELFIE_AGE)


def _out_of_range(details: dict[str, str | int | float | None]) -> CheckResult:
    return failed(CheckName.SELFIE_AGE, IssueCode.LIVENESS_AGE_OUT_OF_RANGE, details)
