"""THE LIST of scenarios: each by name, with what it shows and the issues that it gives.

A scenario changes one thing in a verification that would be approved. Where an issue can only come from a rule that is
not set by default (something expected, a document excluded), `config` names that rule; the issues are those of a
transaction with this config, and with nothing but defaults where it is empty. A test runs each.
"""
# ruff: noqa: E501 - a table is read by its rows

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from truename.rules.config import TransactionType
from truename.rules.issues import EVERY_TYPE, WITH_BOTH, WITH_DOCUMENT, IssueCode, Severity

Json = Mapping[str, object]
R, W, I = Severity.REJECTION, Severity.WARNING, Severity.INFORMATIONAL  # noqa: E741


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One thing that can happen, on purpose."""

    name: str
    sentence: str
    applies_to: frozenset[TransactionType]
    says: Json
    """What differs from an approval, as the body of a simulation says it."""
    issues: tuple[tuple[IssueCode, Severity], ...] = ()
    status: str = "APPROVED"
    config: Json = field(default_factory=dict)
    """What the transaction must be created with for these issues; empty: nothing."""


def _row(
    name: str,
    sentence: str,
    says: Json,
    *issues: tuple[IssueCode, Severity],
    to: frozenset[TransactionType] | None = None,
    status: str | None = None,
    config: Json | None = None,
) -> Scenario:
    """A row of the list: what is not said follows from the issues."""
    rejected = any(severity is R for _, severity in issues)
    return Scenario(
        name=name,
        sentence=sentence,
        applies_to=to or frozenset.intersection(EVERY_TYPE, *(code.applies_to for code, _ in issues)),
        says=says,
        issues=issues,
        status=status or ("REJECTED" if rejected else "APPROVED"),
        config=config or {},
    )


def _reads(**fields: str | None) -> Json:
    return {"document": {"fields": fields}}


def _device(**facts: object) -> Json:
    return {"device": facts}


def _face(pair: str, score: float | None) -> Json:
    return {"faces": {pair: score}}


def _matching(**expected: object) -> Json:
    return {"document_policy": {"data_matching": expected}}


def _name(value: str) -> Json:
    return {"value": value, "similarity_min_score": 0.9}


C = IssueCode
_UNREAD: Final = _reads(
    given_names=None,
    surnames=None,
    document_number=None,
    personal_number=None,
    date_of_birth=None,
    date_of_issue=None,
    date_of_expiry=None,
)
_ELIGIBLE: Final = {
    "document_policy": {
        "document_eligibility": {
            "filter_mode": "ALLOW",
            "target_documents": [{"country": "ES", "type": "PASSPORT", "allow_expired": False}],
        }
    }
}
_ALLOWS_EXPIRED: Final = {
    "document_policy": {
        "document_eligibility": {
            "filter_mode": "ALLOW",
            "target_documents": [{"country": "ES", "type": "NATIONAL_ID", "allow_expired": True}],
        }
    }
}

# fmt: off
SCENARIOS: Final[tuple[Scenario, ...]] = (
    _row("approved", "Everything is in order, whatever the config expects.", {}),
    # ── device
    _row("compromised-device", "The phone is rooted, jailbroken or under a debugger.", _device(compromised=True), (C.COMPROMISED_DEVICE, R)),
    _row("developer-mode", "Developer mode is switched on.", _device(developer_mode=True), (C.DEVELOPER_MODE_ENABLED, W)),
    _row("emulator", "The capture was made on an emulator.", _device(emulator=True), (C.EMULATOR_DETECTED, R)),
    _row("vpn-or-proxy", "The connection came through a VPN, a proxy or Tor.", _device(vpn_or_proxy=True), (C.VPN_OR_PROXY_DETECTED, W)),
    _row("mock-location", "The reported location is simulated.", _device(mock_location=True), (C.MOCK_LOCATION_DETECTED, R)),
    _row("gps-ip-mismatch", "The phone is in one country and its address in another.", _device(gps_country="ES", ip_country="RU"), (C.GEO_IP_MISMATCH, W)),
    _row("device-unknown", "The device tells nothing, so that no check of it is run.", _device(compromised=None, developer_mode=None, emulator=None, vpn_or_proxy=None, mock_location=None, gps_country=None, ip_country=None)),
    # ── which document
    _row("no-document", "No document is in the picture.", {"document": {"recognised": False, "reason": "NO_DOCUMENT"}}, (C.DOCUMENT_TYPE_NOT_SUPPORTED, R)),
    _row("document-not-recognised", "Text was read, but the layout is none that is known.", {"document": {"recognised": False, "reason": "UNKNOWN_LAYOUT"}}, (C.DOCUMENT_TYPE_NOT_SUPPORTED, R)),
    _row("document-not-supported", "Country and type were read, and are not in the list of supported documents.", {"document": {"country": "JP", "type": "NATIONAL_ID"}}, (C.DOCUMENT_TYPE_NOT_SUPPORTED, R)),
    _row("document-unreadable", "The kind of the document is known, and nothing else could be read.", _UNREAD, (C.DOCUMENT_TYPE_NOT_SUPPORTED, R), (C.EXPIRED_DOCUMENT, R)),
    _row("document-not-examined", "The pictures of the document could not be examined.", {"document": None}, (C.DOCUMENT_TYPE_NOT_SUPPORTED, R)),
    _row("document-not-eligible", "A supported document that the eligibility rule excludes.", {"document": {"country": "AR", "type": "NATIONAL_ID"}}, (C.DOCUMENT_NOT_ELIGIBLE, R), config=_ELIGIBLE),
    _row("expired-document", "The document expired in 2019.", _reads(date_of_expiry="2019-04-30"), (C.EXPIRED_DOCUMENT, R)),
    _row("expired-document-allowed", "The document expired in 2019, and the eligibility rule allows that.", _reads(date_of_expiry="2019-04-30"), to=WITH_DOCUMENT, config=_ALLOWS_EXPIRED),
    _row("expiry-not-read", "The date of expiry could not be read.", _reads(date_of_expiry=None), (C.EXPIRED_DOCUMENT, R)),
    _row("document-without-end", "The document is one that never expires.", _reads(date_of_expiry="9999-12-31"), to=WITH_DOCUMENT),
    # ── does it agree with itself? A check, never an issue
    _row("check-digits-wrong", "Check digits of the machine-readable zone are wrong.", {"document": {"zone": "INVALID"}}, to=WITH_DOCUMENT),
    _row("sources-contradict", "Print and zone give different dates of birth.", {"document": {"other_readings": {"date_of_birth": "1991-05-17"}}}, to=WITH_DOCUMENT),
    _row("screen-photographed", "A screen was photographed instead of the document.", {"document": {"front_quality": ["SCREEN"]}}, to=WITH_DOCUMENT),
    _row("photocopy", "A copy was photographed instead of the document.", {"document": {"front_quality": ["PHOTOCOPY"]}}, to=WITH_DOCUMENT),
    _row("zone-not-read", "The machine-readable zone was not read, so that nothing confirms the print.", {"document": {"zone": "UNREAD"}}, to=WITH_DOCUMENT),
    # ── what the document says
    _row("name-mismatch", "Other given names than expected.", _reads(given_names="WOLFGANG"), (C.NAME_MISMATCH, R), config=_matching(given_names=_name("Ana María"))),
    _row("name-not-read", "The given names that are expected could not be read.", _reads(given_names=None), (C.NAME_MISMATCH, R), config=_matching(given_names=_name("Ana María"))),
    _row("surname-mismatch", "Other surnames than expected.", _reads(surnames="SCHMIDT"), (C.SURNAME_MISMATCH, R), config=_matching(surnames=_name("Pérez"))),
    _row("gender-mismatch", "Another gender than expected.", _reads(gender="X"), (C.GENDER_MISMATCH, R), config=_matching(gender="F")),
    _row("document-type-mismatch", "Another type of document than expected.", {"document": {"type": "PASSPORT"}}, (C.EXPECTED_DOCUMENT_TYPE_MISMATCH, R), config=_matching(document_type="NATIONAL_ID")),
    _row("issuing-country-mismatch", "A document of another country than expected.", {"document": {"country": "FR"}}, (C.DOCUMENT_ISSUING_COUNTRY_MISMATCH, R), config=_matching(document_issuing_country="ES")),
    _row("document-number-mismatch", "Another number than expected.", _reads(document_number="Q9999999", personal_number="Q9999999"), (C.DOCUMENT_NUMBER_MISMATCH, R), config=_matching(document_number="AB123456")),
    _row("date-of-birth-mismatch", "Another date of birth than expected.", _reads(date_of_birth="1953-02-01"), (C.DATE_OF_BIRTH_MISMATCH, R), config=_matching(date_of_birth="1990-05-17")),
    # ── and what the customer's last approved one said
    _row("name-changed", "Other given names than on the customer's last document.", {"earlier_record": {"given_names": "WOLFGANG"}}, (C.NAME_MISMATCH, W)),
    _row("surname-changed", "Other surnames than on the customer's last document.", {"earlier_record": {"surnames": "SCHMIDT"}}, (C.SURNAME_MISMATCH, W)),
    _row("gender-changed", "Another gender than on the customer's last document.", {"earlier_record": {"gender": "X"}}, (C.GENDER_MISMATCH, W)),
    _row("date-of-birth-changed", "Another date of birth than on the customer's last document.", {"earlier_record": {"date_of_birth": "1953-02-01"}}, (C.DATE_OF_BIRTH_MISMATCH, R)),
    # ── faces
    _row("liveness-low", "It is not certain enough that a living person was there; no attack was seen.", {"liveness": {"score": 0.05}}, (C.LIVENESS_LOW_CONFIDENCE, R)),
    _row("spoof", "A photographed screen was held before the camera.", {"liveness": {"score": 0.02, "reason": "SPOOF_SIGNS", "signs": ["MOIRE", "FLAT_MOTION"]}}, (C.LIVENESS_LOW_CONFIDENCE, R)),
    _row("challenge-failed", "The movements that were asked for were not made.", {"liveness": {"score": 0.05, "reason": "CHALLENGE_FAILED", "signs": ["STEP_NOT_DONE"]}}, (C.LIVENESS_LOW_CONFIDENCE, R)),
    _row("face-mismatch", "The live face is not the one on the document.", _face("DOCUMENT_AND_LIVENESS", 0.02), (C.DOCUMENT_VS_LIVENESS_FACE_MISMATCH, R)),
    _row("no-face-on-document", "The document shows no face to compare with.", _face("DOCUMENT_AND_LIVENESS", None), (C.DOCUMENT_VS_LIVENESS_FACE_MISMATCH, R)),
    _row("reference-face-mismatch", "The live face is not the customer's reference face.", _face("LIVENESS_AND_REFERENCE", 0.02), (C.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH, R)),
    _row("document-reference-face-mismatch", "The face on the document is not the customer's reference face.", _face("DOCUMENT_AND_REFERENCE", 0.02), (C.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH, R)),
    _row("face-comparison-disabled", "The config has switched face comparison off.", {}, (C.FACE_COMPARISON_DISABLED, I), config={"biometric_policy": {"require_face_comparison": False}}),
    _row("selfie-gender-mismatch", "The selfie shows another gender than expected.", {"selfie": {"gender": "MALE"}}, (C.LIVENESS_GENDER_MISMATCH_EXPECTED, R), config={"biometric_policy": {"expected_gender": "FEMALE"}}),
    _row("too-young", "The selfie shows somebody younger than expected.", {"selfie": {"age": 14}}, (C.LIVENESS_AGE_OUT_OF_RANGE, R), config={"biometric_policy": {"expected_min_age": 18}}),
    _row("too-old", "The selfie shows somebody older than expected.", {"selfie": {"age": 91}}, (C.LIVENESS_AGE_OUT_OF_RANGE, R), config={"biometric_policy": {"expected_max_age": 65}}),
    _row("internal-blocklist", "The face is on the account's own blocklist.", {"face_search": {"internal_blocklist_match": True}}, (C.INTERNAL_FACE_BLACKLIST_MATCH, R)),
    _row("global-blocklist", "The face is on the platform-wide blocklist.", {"face_search": {"global_blocklist_match": True}}, (C.GLOBAL_FACE_BLACKLIST_MATCH, R)),
    _row("repeated-face", "The face belongs to another customer, too.", {"face_search": {"repeated_face": True}}, (C.ANOTHER_CUSTOMER_REPEATED_FACE, R)),
    # ── the customer
    _row("customer-suspicious", "The customer is moved to SUSPICIOUS, and stays there.", {"customer_status": "SUSPICIOUS"}, (C.CUSTOMER_SUSPICIOUS, W)),
    _row("customer-blocked", "The customer is moved to BLOCKED, and stays there.", {"customer_status": "BLOCKED"}, (C.CUSTOMER_BLOCKED, R)),
    # ── other ends
    _row("rejection-in-review", "A rejection waits for a person; decide it by `…/review`.", {**_face("DOCUMENT_AND_LIVENESS", 0.7), "manual_review": True}, (C.DOCUMENT_VS_LIVENESS_FACE_MISMATCH, R), to=WITH_BOTH, status="IN_REVIEW"),
    _row("doubtful-document-in-review", "A document that contradicts itself waits for a person.", {"document": {"zone": "INVALID"}, "manual_review": True}, to=WITH_DOCUMENT, status="IN_REVIEW"),
    _row("in-progress", "The person has begun, and not ended.", {"status": "IN_PROGRESS"}, status="IN_PROGRESS"),
    _row("processing", "The capture was submitted, and the analysis takes its time.", {"status": "PROCESSING"}, status="PROCESSING"),
    _row("expired", "The person did not end in time.", {"status": "EXPIRED"}, status="EXPIRED"),
    _row("cancelled", "The transaction is cancelled before its end.", {"status": "CANCELLED"}, status="CANCELLED"),
    _row("analysis-failed", "The analysis could not be finished after its retries.", {"status": "FAILED"}, status="FAILED"),
)
# fmt: on
BY_NAME: Final[Mapping[str, Scenario]] = {row.name: row for row in SCENARIOS}
USUAL: Final = SCENARIOS[0]
