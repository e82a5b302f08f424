"""What a check can result in: it passed, it failed, it could not tell, or it was not run. Never a severity."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self

from truename.rules.issues import Details, IssueCode
from truename.rules.json_values import Json


class CheckName(StrEnum):
    """Every check there is."""

    CUSTOMER_STATUS = "CUSTOMER_STATUS"
    COMPROMISED_DEVICE = "COMPROMISED_DEVICE"
    DEVELOPER_MODE = "DEVELOPER_MODE"
    EMULATOR = "EMULATOR"
    VPN_OR_PROXY = "VPN_OR_PROXY"
    MOCK_LOCATION = "MOCK_LOCATION"
    GPS_IP_LOCATION = "GPS_IP_LOCATION"
    DOCUMENT_SUPPORTED = "DOCUMENT_SUPPORTED"
    DOCUMENT_ELIGIBLE = "DOCUMENT_ELIGIBLE"
    DOCUMENT_EXPIRY = "DOCUMENT_EXPIRY"
    DOCUMENT_AUTHENTICITY = "DOCUMENT_AUTHENTICITY"
    GIVEN_NAMES_MATCH = "GIVEN_NAMES_MATCH"
    SURNAMES_MATCH = "SURNAMES_MATCH"
    GENDER_MATCH = "GENDER_MATCH"
    DOCUMENT_TYPE_MATCH = "DOCUMENT_TYPE_MATCH"
    ISSUING_COUNTRY_MATCH = "ISSUING_COUNTRY_MATCH"
    DOCUMENT_NUMBER_MATCH = "DOCUMENT_NUMBER_MATCH"
    DATE_OF_BIRTH_MATCH = "DATE_OF_BIRTH_MATCH"
    GIVEN_NAMES_CONSISTENT = "GIVEN_NAMES_CONSISTENT"
    SURNAMES_CONSISTENT = "SURNAMES_CONSISTENT"
    GENDER_CONSISTENT = "GENDER_CONSISTENT"
    DATE_OF_BIRTH_CONSISTENT = "DATE_OF_BIRTH_CONSISTENT"
    LIVENESS = "LIVENESS"
    DOCUMENT_VS_LIVENESS_FACE = "DOCUMENT_VS_LIVENESS_FACE"
    LIVENESS_VS_REFERENCE_FACE = "LIVENESS_VS_REFERENCE_FACE"
    DOCUMENT_VS_REFERENCE_FACE = "DOCUMENT_VS_REFERENCE_FACE"
    SELFIE_GENDER = "SELFIE_GENDER"
    SELFIE_AGE = "SELFIE_AGE"
    REPEATED_FACE = "REPEATED_FACE"
    INTERNAL_BLOCKLIST = "INTERNAL_BLOCKLIST"
    GLOBAL_BLOCKLIST = "GLOBAL_BLOCKLIST"


class Outcome(StrEnum):
    """What a check came to; NOT_RUN and INCONCLUSIVE are never a pass."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_RUN = "NOT_RUN"


NO_DETAILS: Final[Details] = MappingProxyType({})


class Finding(NamedTuple):
    """Something to emit an issue for; how grave it is stands in the catalogue."""

    code: IssueCode
    details: Details = NO_DETAILS
    against_the_record: bool = False
    """Found by comparison with the customer's earlier document instead of the config."""


class CheckResult(NamedTuple):
    """The result of one check."""

    check: CheckName
    outcome: Outcome
    score: float | None = None
    threshold: float | None = None
    reason: str | None = None
    finding: Finding | None = None

    def as_dict(self) -> dict[str, Json]:
        """As it is stored and shown; the finding stands among the issues."""
        return {
            "check": self.check.value,
            "result": self.outcome.value,
            "score": self.score,
            "threshold": self.threshold,
            "reason": self.reason,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """A stored result; the finding that it led to stands among the issues."""
        outcome = Outcome(stored["result"])
        return cls(CheckName(stored["check"]), outcome, stored["score"], stored["threshold"], stored["reason"])


# Some thirty results are given in each judgement: made as plain tuples they cost half of what the class's call does.
_make: Final = tuple.__new__


def passed(
    check: CheckName, *, score: float | None = None, threshold: float | None = None, reason: str | None = None
) -> CheckResult:
    """A check that found nothing wrong."""
    return _make(CheckResult, (check, Outcome.PASSED, score, threshold, reason, None))


def failed(
    check: CheckName, code: IssueCode | None, details: Details, *, against_the_record: bool = False
) -> CheckResult:
    """A failure; its score, threshold and reason are those of the details."""
    finding = None if code is None else _make(Finding, (code, details, against_the_record))
    if not details:
        return _make(CheckResult, (check, Outcome.FAILED, None, None, None, finding))
    score, threshold, reason = details.get("score"), details.get("threshold"), details.get("reason")
    return _make(CheckResult, (check, Outcome.FAILED, score, threshold, reason, finding))


def inconclusive(check: CheckName, reason: str) -> CheckResult:
    """A check that was run and could not tell, with the reason."""
    return _make(CheckResult, (check, Outcome.INCONCLUSIVE, None, None, reason, None))


def not_run(check: CheckName, reason: str) -> CheckResult:
    """A check that was not asked, or for which nothing is known, with the reason."""
    return _make(CheckResult, (check, Outcome.NOT_RUN, None, None, reason, None))
