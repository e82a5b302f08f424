"""THE CATALOGUE: every issue the analysis can emit, one row per code.

A row says: its group | the transaction types it applies to | its severity | what it means.
Severities are known only here: a check says what it found, the row and the config say how grave that is.
"""
# ruff: noqa: E501 - a table is read by its columns

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self

from truename.rules.config import Action, Config, TransactionType
from truename.rules.json_values import Json
from truename.rules.liveness_signs import LivenessSign


class Severity(StrEnum):
    """How grave an issue is; only a REJECTION rejects."""

    REJECTION = "REJECTION"
    WARNING = "WARNING"
    INFORMATIONAL = "INFORMATIONAL"


class Group(StrEnum):
    """What an issue is about."""

    DEVICE = "DEVICE"
    DOCUMENT_ELIGIBILITY = "DOCUMENT_ELIGIBILITY"
    DATA_MATCHING = "DATA_MATCHING"
    BIOMETRIC = "BIOMETRIC"
    BLOCKLIST = "BLOCKLIST"
    CUSTOMER = "CUSTOMER"


SEVERITY_OF: Final = {
    Action.REJECT: Severity.REJECTION,
    Action.WARN: Severity.WARNING,
    Action.IGNORE: Severity.INFORMATIONAL,
}


@dataclass(frozen=True, slots=True)
class Always:
    """A severity that no policy changes."""

    severity: Severity
    policy: None = None

    def in_config(self, config: Config) -> Severity:
        return self.severity


class SetBy:
    """A severity that follows the action of a config field."""

    __slots__ = ("_action", "policy")

    def __init__(self, path: str) -> None:
        self.policy = "/" + path.replace(".", "/")
        self._action = attrgetter(path)

    def in_config(self, config: Config) -> Severity:
        return SEVERITY_OF[self._action(config)]


set_by = SetBy
REJECTS: Final = Always(Severity.REJECTION)
WARNS: Final = Always(Severity.WARNING)
INFORMS: Final = Always(Severity.INFORMATIONAL)

EVERY_TYPE: Final = frozenset(TransactionType)
WITH_DOCUMENT: Final = frozenset(kind for kind in TransactionType if kind.has_document)
WITH_SELFIE: Final = frozenset(kind for kind in TransactionType if kind.has_selfie)
WITH_BOTH: Final = WITH_DOCUMENT & WITH_SELFIE

_DEVICE, _ELIGIBILITY, _MATCHING = Group.DEVICE, Group.DOCUMENT_ELIGIBILITY, Group.DATA_MATCHING
_BIOMETRIC, _BLOCKLIST, _CUSTOMER = Group.BIOMETRIC, Group.BLOCKLIST, Group.CUSTOMER


class IssueCode(Enum):
    """The 27 codes of the interface, and one that extends it; `.name` is the code as it is written."""

    # fmt: off
    COMPROMISED_DEVICE     = _DEVICE, EVERY_TYPE, set_by("device_policy.on_compromised_device"),       "The device is rooted or jailbroken, or runs under a debugger."
    DEVELOPER_MODE_ENABLED = _DEVICE, EVERY_TYPE, set_by("device_policy.on_developer_mode"),           "Developer mode is switched on."
    EMULATOR_DETECTED      = _DEVICE, EVERY_TYPE, set_by("device_policy.on_emulator"),                 "The capture was made on an emulator or simulator."
    VPN_OR_PROXY_DETECTED  = _DEVICE, EVERY_TYPE, set_by("device_policy.on_vpn_or_proxy"),             "The connection came through a VPN, a proxy or Tor."
    MOCK_LOCATION_DETECTED = _DEVICE, EVERY_TYPE, set_by("device_policy.on_gps_mock_location"),        "The reported GPS location is simulated."
    GEO_IP_MISMATCH        = _DEVICE, EVERY_TYPE, set_by("device_policy.on_gps_ip_location_mismatch"), "The GPS location and the IP address are in different countries."

    DOCUMENT_TYPE_NOT_SUPPORTED = _ELIGIBILITY, WITH_DOCUMENT, REJECTS, "The document was not recognised, or is none that can be read."
    DOCUMENT_NOT_ELIGIBLE       = _ELIGIBILITY, WITH_DOCUMENT, REJECTS, "The document is supported, but the eligibility rule excludes it."
    EXPIRED_DOCUMENT            = _ELIGIBILITY, WITH_DOCUMENT, REJECTS, "The document has expired, or its date of expiry could not be read."

    NAME_MISMATCH                     = _MATCHING, WITH_DOCUMENT, REJECTS, "The given names on the document are not those expected."
    SURNAME_MISMATCH                  = _MATCHING, WITH_DOCUMENT, REJECTS, "The surnames on the document are not those expected."
    GENDER_MISMATCH                   = _MATCHING, WITH_DOCUMENT, REJECTS, "The gender on the document is not the one expected."
    EXPECTED_DOCUMENT_TYPE_MISMATCH   = _MATCHING, WITH_DOCUMENT, REJECTS, "The document is not of the type expected."
    DOCUMENT_ISSUING_COUNTRY_MISMATCH = _MATCHING, WITH_DOCUMENT, REJECTS, "The document was not issued by the country expected."
    DOCUMENT_NUMBER_MISMATCH          = _MATCHING, WITH_DOCUMENT, REJECTS, "The number of the document is not the one expected."
    DATE_OF_BIRTH_MISMATCH            = _MATCHING, WITH_DOCUMENT, REJECTS, "The date of birth on the document is not the one expected."

    LIVENESS_LOW_CONFIDENCE                = _BIOMETRIC, WITH_SELFIE, REJECTS, "It is not certain enough that a living person was before the camera."
    DOCUMENT_VS_LIVENESS_FACE_MISMATCH     = _BIOMETRIC, WITH_BOTH,   REJECTS, "The live face is not the face on the document."
    LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH = _BIOMETRIC, WITH_SELFIE, REJECTS, "The live face is not the customer's reference face."
    DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH = _BIOMETRIC, WITH_BOTH,   REJECTS, "The face on the document is not the customer's reference face."
    FACE_COMPARISON_DISABLED               = _BIOMETRIC, WITH_SELFIE, INFORMS, "Face comparison was switched off."
    LIVENESS_GENDER_MISMATCH_EXPECTED      = _BIOMETRIC, WITH_SELFIE, REJECTS, "The gender estimated from the selfie is not the one expected."
    LIVENESS_AGE_OUT_OF_RANGE              = _BIOMETRIC, WITH_SELFIE, REJECTS, "The age estimated from the selfie is outside the expected range."
    ANOTHER_CUSTOMER_REPEATED_FACE         = _BIOMETRIC, WITH_SELFIE, set_by("biometric_policy.on_another_customer_repeated_face"), "The face is that of another customer."

    INTERNAL_FACE_BLACKLIST_MATCH = _BLOCKLIST, WITH_SELFIE, set_by("blacklist_policy.on_internal_face_blacklist_match"), "The face is on the account's own blocklist."
    GLOBAL_FACE_BLACKLIST_MATCH   = _BLOCKLIST, WITH_SELFIE, set_by("blacklist_policy.on_global_face_blacklist_match"),   "The face is on the platform-wide blocklist."

    CUSTOMER_SUSPICIOUS = _CUSTOMER, EVERY_TYPE, WARNS,   "The customer is marked as suspicious."
    CUSTOMER_BLOCKED    = _CUSTOMER, EVERY_TYPE, REJECTS, "The customer is blocked."
    # fmt: on

    def __init__(
        self, group: Group, applies_to: frozenset[TransactionType], severity: Always | SetBy, meaning: str
    ) -> None:
        self.group = group
        self.applies_to = applies_to
        self.severity = severity
        self.meaning = meaning
        self.place = len(type(self).__members__)
        """Where the row stands: issues are listed in this order."""

    __hash__ = object.__hash__

    @property
    def is_extension(self) -> bool:
        """The interface has its action and no code: what decides by codes may not know this one."""
        return self in EXTENSIONS

    def __str__(self) -> str:
        return self.name


EXTENSIONS: Final = frozenset({IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE})
"""Codes that the interface does not have; emitted only where an account enforces its face search."""


AGAINST_THE_RECORD: Final[Mapping[IssueCode, Always]] = {
    IssueCode.DATE_OF_BIRTH_MISMATCH: REJECTS,
    IssueCode.NAME_MISMATCH: WARNS,
    IssueCode.SURNAME_MISMATCH: WARNS,
    IssueCode.GENDER_MISMATCH: WARNS,
}
"""Severities of a difference from the customer's last approved document: names and gender can lawfully change."""

Details = Mapping[str, Any]
"""Scores, thresholds, reasons and codes of countries and types; never a name, a number or a date of a person."""


class Issue(NamedTuple):
    """One issue of one transaction, with the severity that its config gives it."""

    code: IssueCode
    severity: Severity
    policy: str | None
    """JSON pointer, inside the config, of the field that set the severity."""
    details: Details

    def as_dict(self) -> dict[str, Json]:
        """As it is stored and shown."""
        return {
            "code": self.code.name,
            "severity": self.severity.value,
            "group": self.code.group.value,
            "policy": self.policy,
            "details": dict(self.details),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        return cls(IssueCode[stored["code"]], Severity(stored["severity"]), stored["policy"], stored["details"])


def catalogue() -> list[dict[str, str | bool | list[str] | None]]:
    """The catalogue as plain rows, with the severities of an empty config."""
    defaults = Config()
    return [
        {
            "code": code.name,
            "group": code.group.value,
            "default_severity": code.severity.in_config(defaults).value,
            "policy": code.severity.policy,
            "applies_to": [kind.value for kind in TransactionType if kind in code.applies_to],
            "explanation": code.meaning,
            "extension": code.is_extension,
        }
        for code in IssueCode
    ]


# ── signs of fraud ─────────────────────────────────────────────────────────────────────────────────────────

_SIGNS: Final = frozenset(
    {IssueCode.COMPROMISED_DEVICE, IssueCode.EMULATOR_DETECTED, IssueCode.MOCK_LOCATION_DETECTED},
)
_FACE_MISMATCHES: Final = frozenset(
    {
        IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH,
        IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH,
        IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH,
    }
)


def has_fraud_signs(issues: Iterable[Issue]) -> bool:
    """Does any issue point to fraud, rather than to a bad picture?

    A spoof counts when signs of an attack were seen: a low score in poor light, a step not done or a face that was lost
    is no crime. A face mismatch counts when two faces were compared, not when one was missing. What the integrator
    chose to ignore does not count.
    """
    return any(_is_fraud_sign(issue) for issue in issues if issue.severity is not Severity.INFORMATIONAL)


def _is_fraud_sign(issue: Issue) -> bool:
    if issue.code is IssueCode.LIVENESS_LOW_CONFIDENCE:
        return any(LivenessSign(sign).is_attack for sign in issue.details.get("signs", ()))
    if issue.code in _FACE_MISMATCHES:
        return issue.details.get("score") is not None
    return issue.code in _SIGNS
