"""From a dossier to issues, checks and a decision: every code, every severity, every threshold."""

import json
import math
from datetime import date
from typing import Any

import pytest

from tests.support.dossiers import a_device, a_document, a_dossier, a_selfie
from truename.rules.answers import CheckName, Outcome
from truename.rules.checks import CHECKS
from truename.rules.config import Action, FilterMode, TransactionType
from truename.rules.dossier import CustomerStatus, Dossier, EarlierRecord, FaceSearch
from truename.rules.evidence import (
    DocumentType,
    FaceComparison,
    FacePair,
    LivenessEvidence,
    SelfieGender,
)
from truename.rules.issues import SEVERITY_OF, Issue, IssueCode, Severity, catalogue, has_fraud_signs
from truename.rules.verdict import Decision, evaluate

BOTH, DOCUMENT_ONLY, SELFIE_ONLY = TransactionType


def issues(dossier: Dossier) -> dict[str, Issue]:
    return {issue.code.name: issue for issue in evaluate(dossier).issues}


def the_issue(dossier: Dossier, code: IssueCode) -> Issue:
    found = evaluate(dossier).issues
    assert [issue.code for issue in found] == [code]
    return found[0]


def matching(**expected: object) -> dict[str, Any]:
    return {"document_policy": {"data_matching": expected}}


def name_of(value: str, score: float = 1.0) -> dict[str, object]:
    return {"value": value, "similarity_min_score": score}


def eligibility(mode: FilterMode, *documents: tuple[str, DocumentType, bool]) -> dict[str, Any]:
    listed = [{"country": country, "type": kind, "allow_expired": expired} for country, kind, expired in documents]
    return {"document_policy": {"document_eligibility": {"filter_mode": mode, "target_documents": listed}}}


def test_a_dossier_in_order_is_approved_with_no_issue() -> None:
    for kind in TransactionType:
        verdict = evaluate(a_dossier(transaction_type=kind))
        assert (verdict.decision, verdict.issues) == (Decision.APPROVED, ())


# ── the customer ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", TransactionType)
def test_a_blocked_customer_is_rejected_in_every_transaction(kind: TransactionType) -> None:
    dossier = a_dossier(transaction_type=kind, customer_status=CustomerStatus.BLOCKED)
    assert the_issue(dossier, IssueCode.CUSTOMER_BLOCKED).severity is Severity.REJECTION
    assert evaluate(dossier).decision is Decision.REJECTED


@pytest.mark.parametrize("kind", TransactionType)
def test_a_suspicious_customer_is_only_warned_of(kind: TransactionType) -> None:
    dossier = a_dossier(transaction_type=kind, customer_status=CustomerStatus.SUSPICIOUS)
    assert the_issue(dossier, IssueCode.CUSTOMER_SUSPICIOUS).severity is Severity.WARNING
    assert evaluate(dossier).decision is Decision.APPROVED


# ── the device ─────────────────────────────────────────────────────────────────────────────────────────────

DEVICE_SIGNS = [
    ({"compromised": True}, IssueCode.COMPROMISED_DEVICE, "on_compromised_device"),
    ({"developer_mode": True}, IssueCode.DEVELOPER_MODE_ENABLED, "on_developer_mode"),
    ({"emulator": True}, IssueCode.EMULATOR_DETECTED, "on_emulator"),
    ({"vpn_or_proxy": True}, IssueCode.VPN_OR_PROXY_DETECTED, "on_vpn_or_proxy"),
    ({"mock_location": True}, IssueCode.MOCK_LOCATION_DETECTED, "on_gps_mock_location"),
    ({"gps_country": "CL"}, IssueCode.GEO_IP_MISMATCH, "on_gps_ip_location_mismatch"),
]


@pytest.mark.parametrize("kind", TransactionType)
@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize(("sign", "code", "field"), DEVICE_SIGNS)
def test_a_device_sign_is_as_grave_as_its_policy_says(
    sign: dict[str, Any], code: IssueCode, field: str, action: Action, kind: TransactionType
) -> None:
    dossier = a_dossier(transaction_type=kind, device=a_device(**sign), config={"device_policy": {field: action}})
    issue = the_issue(dossier, code)
    assert (issue.severity, issue.policy) == (SEVERITY_OF[action], f"/device_policy/{field}")
    assert evaluate(dossier).decision is (Decision.REJECTED if action is Action.REJECT else Decision.APPROVED)


@pytest.mark.parametrize("field", ["compromised", "developer_mode", "emulator", "vpn_or_proxy", "mock_location"])
def test_a_device_sign_that_is_unknown_is_not_run(field: str) -> None:
    verdict = evaluate(a_dossier(device=a_device(**{field: None})))
    assert [answer.outcome for answer in verdict.checks].count(Outcome.NOT_RUN) == 1 + NOT_RUN_IN_ORDER
    assert verdict.issues == ()


NOT_RUN_IN_ORDER = [answer.outcome for answer in evaluate(a_dossier()).checks].count(Outcome.NOT_RUN)


@pytest.mark.parametrize("unknown", [{"gps_country": None}, {"ip_country": None}])
def test_places_are_compared_only_when_both_are_known(unknown: dict[str, None]) -> None:
    assert evaluate(a_dossier(device=a_device(**unknown))).outcome(CheckName.GPS_IP_LOCATION) is Outcome.NOT_RUN


# ── the document ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [BOTH, DOCUMENT_ONLY])
@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (None, "NOT_EXAMINED"),
        (a_document(recognised=False, reason="NO_DOCUMENT"), "NO_DOCUMENT"),
        (a_document(recognised=False), "NOT_RECOGNISED"),
        (a_document(country=None), "NOT_RECOGNISED"),
        (a_document(type=None), "NOT_RECOGNISED"),
        (a_document(country="TH", type=DocumentType.TEMP_PERMIT_ID), "NOT_IN_SUPPORTED_LIST"),
    ],
)
def test_a_document_that_is_not_known_is_not_supported(document: Any, reason: str, kind: TransactionType) -> None:
    found = issues(a_dossier(transaction_type=kind, document=document))
    issue = found["DOCUMENT_TYPE_NOT_SUPPORTED"]
    assert (issue.severity, issue.details["reason"], issue.policy) == (Severity.REJECTION, reason, None)


PASSPORT, NATIONAL_ID = DocumentType.PASSPORT, DocumentType.NATIONAL_ID


@pytest.mark.parametrize(
    ("mode", "listed", "eligible"),
    [
        (FilterMode.ALLOW, [("AR", PASSPORT, False)], True),
        (FilterMode.ALLOW, [("CL", PASSPORT, False), ("AR", NATIONAL_ID, False)], False),
        (FilterMode.ALLOW, [], False),
        (FilterMode.REJECT, [("AR", PASSPORT, False)], False),
        (FilterMode.REJECT, [("CL", PASSPORT, False), ("AR", NATIONAL_ID, False)], True),
        (FilterMode.REJECT, [], True),
    ],
)
def test_eligibility_in_both_modes(mode: FilterMode, listed: list[Any], eligible: bool) -> None:
    dossier = a_dossier(config=eligibility(mode, *listed))
    if eligible:
        assert evaluate(dossier).issues == ()
    else:
        issue = the_issue(dossier, IssueCode.DOCUMENT_NOT_ELIGIBLE)
        assert issue.details == {"filter_mode": mode, "country": "AR", "type": "PASSPORT"}
        assert issue.severity is Severity.REJECTION


@pytest.mark.parametrize(("today", "expired"), [(date(2030, 1, 31), False), (date(2030, 2, 1), True)])
def test_a_document_is_valid_through_its_date_of_expiry(today: date, expired: bool) -> None:
    assert ("EXPIRED_DOCUMENT" in issues(a_dossier(today=today))) is expired


@pytest.mark.parametrize(
    ("listed", "expired"),
    [
        ([("AR", PASSPORT, True)], False),
        ([("AR", PASSPORT, False)], True),
        ([("AR", NATIONAL_ID, True), ("CL", PASSPORT, True), ("AR", PASSPORT, False)], True),
    ],
)
def test_an_expired_document_needs_an_entry_of_its_exact_kind(listed: list[Any], expired: bool) -> None:
    document = a_document(date_of_expiry="2026-03-13")
    dossier = a_dossier(document=document, config=eligibility(FilterMode.ALLOW, *listed))
    assert ("EXPIRED_DOCUMENT" in issues(dossier)) is expired


def test_in_reject_mode_an_entry_speaks_of_expiry_too() -> None:
    document = a_document(date_of_expiry="2026-03-13")
    found = issues(a_dossier(document=document, config=eligibility(FilterMode.REJECT, ("AR", PASSPORT, True))))
    assert list(found) == ["DOCUMENT_NOT_ELIGIBLE"]
    found = issues(a_dossier(document=document, config=eligibility(FilterMode.REJECT, ("CL", PASSPORT, True))))
    assert list(found) == ["EXPIRED_DOCUMENT"]


@pytest.mark.parametrize("expiry", [None, "soon", "2026-02-30"])
def test_an_expiry_that_cannot_be_read_counts_as_expired(expiry: str | None) -> None:
    issue = the_issue(a_dossier(document=a_document(date_of_expiry=expiry)), IssueCode.EXPIRED_DOCUMENT)
    assert issue.details["reason"] == "NOT_EXTRACTED"


def test_a_kind_of_document_without_expiry_leaves_the_question_open() -> None:
    document = a_document(country="RU", type=NATIONAL_ID, date_of_expiry=None)
    verdict = evaluate(a_dossier(document=document))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.DOCUMENT_EXPIRY) is Outcome.INCONCLUSIVE


def test_where_expired_documents_are_allowed_an_unread_expiry_is_not_a_pass() -> None:
    document = a_document(date_of_expiry=None)
    verdict = evaluate(a_dossier(document=document, config=eligibility(FilterMode.ALLOW, ("AR", PASSPORT, True))))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.DOCUMENT_EXPIRY) is Outcome.NOT_RUN


# ── data matching ──────────────────────────────────────────────────────────────────────────────────────────

MATCHES = [
    ("given_names", name_of("María Ana"), name_of("Eva"), "given_names", IssueCode.NAME_MISMATCH),
    ("surnames", name_of("o’neill-pérez"), name_of("Ruiz"), "surnames", IssueCode.SURNAME_MISMATCH),
    ("gender", "F", "M", "gender", IssueCode.GENDER_MISMATCH),
    ("document_type", "PASSPORT", "NATIONAL_ID", None, IssueCode.EXPECTED_DOCUMENT_TYPE_MISMATCH),
    ("document_issuing_country", "AR", "CL", None, IssueCode.DOCUMENT_ISSUING_COUNTRY_MISMATCH),
    ("document_number", "ab123456", "AB123457", "document_number", IssueCode.DOCUMENT_NUMBER_MISMATCH),
    ("date_of_birth", "1990-04-23", "1990-04-24", "date_of_birth", IssueCode.DATE_OF_BIRTH_MISMATCH),
]


@pytest.mark.parametrize(("asked", "right", "wrong", "field", "code"), MATCHES)
def test_every_field_is_matched_and_every_mismatch_rejects(
    asked: str, right: Any, wrong: Any, field: str | None, code: IssueCode
) -> None:
    assert evaluate(a_dossier(config=matching(**{asked: right}))).issues == ()
    dossier = a_dossier(config=matching(**{asked: wrong}))
    assert the_issue(dossier, code).severity is Severity.REJECTION
    assert evaluate(dossier).decision is Decision.REJECTED


@pytest.mark.parametrize(("asked", "right", "wrong", "field", "code"), MATCHES)
def test_what_must_match_and_could_not_be_read_is_a_mismatch(
    asked: str, right: Any, wrong: Any, field: str | None, code: IssueCode
) -> None:
    unread = [None, a_document(**{field: None})] if field else [None, a_document(recognised=False)]
    for document in unread:
        issue = issues(a_dossier(document=document, config=matching(**{asked: right})))[code.name]
        assert (issue.severity, issue.details["reason"]) == (Severity.REJECTION, "NOT_EXTRACTED")


@pytest.mark.parametrize(("threshold", "matches"), [(0.9, True), (0.9001, False), (1.0, False), (0.1, True)])
def test_a_name_matches_from_the_threshold_upwards(threshold: float, matches: bool) -> None:
    document = a_document(given_names="JUAN PERES")
    dossier = a_dossier(document=document, config=matching(given_names=name_of("Juan Perez", threshold)))
    found = issues(dossier)
    assert (not found) is matches
    if found:
        assert found["NAME_MISMATCH"].details == {"score": 0.9, "threshold": threshold}


@pytest.mark.parametrize("unreadable", ["", "---", "."])
def test_a_name_without_letters_was_not_read(unreadable: str) -> None:
    document = a_document(surnames=unreadable)
    dossier = a_dossier(document=document, config=matching(surnames=name_of("...", 0.1)))
    assert the_issue(dossier, IssueCode.SURNAME_MISMATCH).details["reason"] == "NOT_EXTRACTED"


# ── consistency with the earlier record ────────────────────────────────────────────────────────────────────

THE_SAME = EarlierRecord(given_names="Ana María", surnames="Pérez O'Neill", gender="F", date_of_birth=date(1990, 4, 23))


@pytest.mark.parametrize(
    ("change", "code", "severity"),
    [
        ({"given_names": "Ana"}, IssueCode.NAME_MISMATCH, Severity.WARNING),
        ({"surnames": "Pérez"}, IssueCode.SURNAME_MISMATCH, Severity.WARNING),
        ({"gender": "X"}, IssueCode.GENDER_MISMATCH, Severity.WARNING),
        ({"date_of_birth": date(1991, 4, 23)}, IssueCode.DATE_OF_BIRTH_MISMATCH, Severity.REJECTION),
    ],
)
def test_a_difference_from_the_record_is_told(change: dict[str, Any], code: IssueCode, severity: Severity) -> None:
    issue = the_issue(a_dossier(earlier_record=THE_SAME.model_copy(update=change)), code)
    assert (issue.severity, issue.details["compared_with"]) == (severity, "CUSTOMER_RECORD")


def test_another_document_of_the_same_person_agrees_with_the_record() -> None:
    other = a_document(country="CL", type=NATIONAL_ID, document_number="9")
    assert evaluate(a_dossier(document=other, earlier_record=THE_SAME)).issues == ()


def test_a_date_of_birth_that_cannot_be_compared_with_the_record_is_a_difference() -> None:
    issue = the_issue(
        a_dossier(document=a_document(date_of_birth=None), earlier_record=THE_SAME), IssueCode.DATE_OF_BIRTH_MISMATCH
    )
    assert issue.details == {"reason": "NOT_EXTRACTED", "compared_with": "CUSTOMER_RECORD"}


@pytest.mark.parametrize(
    ("field", "check"),
    [
        ("given_names", CheckName.GIVEN_NAMES_CONSISTENT),
        ("surnames", CheckName.SURNAMES_CONSISTENT),
        ("gender", CheckName.GENDER_CONSISTENT),
    ],
)
def test_names_and_gender_that_were_not_read_leave_consistency_open(field: str, check: CheckName) -> None:
    verdict = evaluate(a_dossier(document=a_document(**{field: None}), earlier_record=THE_SAME))
    assert verdict.issues == ()
    assert verdict.outcome(check) is Outcome.INCONCLUSIVE


def test_the_same_code_may_come_from_the_config_and_from_the_record() -> None:
    record = THE_SAME.model_copy(update={"surnames": "Ruiz"})
    found = evaluate(a_dossier(config=matching(surnames=name_of("Ruiz")), earlier_record=record)).issues
    assert [issue.severity for issue in found] == [Severity.REJECTION, Severity.WARNING]


# ── liveness, faces, age and gender ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [BOTH, SELFIE_ONLY])
@pytest.mark.parametrize(
    ("score", "alive"), [(0.85, True), (0.8499999, False), (1.0, True), (0.0, False), (math.nan, False)]
)
def test_a_person_is_alive_from_the_threshold_upwards(score: float, alive: bool, kind: TransactionType) -> None:
    dossier = a_dossier(transaction_type=kind, liveness=score)
    assert (evaluate(dossier).decision is Decision.APPROVED) is alive
    if not alive:
        issue = the_issue(dossier, IssueCode.LIVENESS_LOW_CONFIDENCE)
        assert issue.details["threshold"] == 0.85
        json.dumps(issue.as_dict(), allow_nan=False)


def test_no_liveness_evidence_is_a_score_of_nought() -> None:
    issue = the_issue(a_dossier(liveness=None), IssueCode.LIVENESS_LOW_CONFIDENCE)
    assert issue.details == {"score": 0.0, "threshold": 0.85, "reason": "NOT_EXAMINED"}


@pytest.mark.parametrize(("similarity", "decision"), [(0.85, Decision.APPROVED), (0.8499, Decision.REJECTED)])
def test_a_face_matches_from_the_threshold_upwards(similarity: float, decision: Decision) -> None:
    dossier = a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: similarity})
    assert evaluate(dossier).decision is decision


FACE_CODES = {
    FacePair.DOCUMENT_AND_LIVENESS: IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH,
    FacePair.LIVENESS_AND_REFERENCE: IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH,
    FacePair.DOCUMENT_AND_REFERENCE: IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH,
}


@pytest.mark.parametrize(
    ("comparison", "details"),
    [
        (FaceComparison(score=0.5), {"score": 0.5, "threshold": 0.85}),
        (FaceComparison(score=math.nan), {"score": None, "threshold": 0.85, "reason": "NO_FACE"}),
        (FaceComparison(score=None, reason="NO_FACE"), {"score": None, "threshold": 0.85, "reason": "NO_FACE"}),
        (FaceComparison(score=None), {"score": None, "threshold": 0.85, "reason": "NO_FACE"}),
    ],
)
@pytest.mark.parametrize("pair", FacePair)
def test_each_pair_of_faces_has_its_own_code(pair: FacePair, comparison: FaceComparison, details: Any) -> None:
    alike = dict.fromkeys(FacePair, FaceComparison(score=0.95))
    issue = the_issue(a_dossier(face_similarity={**alike, pair: comparison}), FACE_CODES[pair])
    assert (issue.details, issue.severity) == (details, Severity.REJECTION)


def test_a_comparison_that_is_missing_fails() -> None:
    assert list(issues(a_dossier(face_similarity={}))) == ["DOCUMENT_VS_LIVENESS_FACE_MISMATCH"]
    assert len(issues(a_dossier(face_similarity={}, has_reference_face=True))) == 3
    only_one = {FacePair.DOCUMENT_AND_LIVENESS: 0.9, FacePair.LIVENESS_AND_REFERENCE: 0.9}
    assert list(issues(a_dossier(face_similarity=only_one))) == ["DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH"]


def test_a_customer_without_reference_face_is_compared_with_the_document_alone() -> None:
    verdict = evaluate(a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.9}))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.LIVENESS_VS_REFERENCE_FACE) is Outcome.NOT_RUN


def test_a_selfie_alone_is_compared_only_with_the_reference() -> None:
    dossier = a_dossier(transaction_type=SELFIE_ONLY, face_similarity={}, has_reference_face=True)
    assert list(issues(dossier)) == ["LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH"]


@pytest.mark.parametrize("kind", [BOTH, SELFIE_ONLY])
def test_face_comparison_can_be_switched_off(kind: TransactionType) -> None:
    off = {"biometric_policy": {"require_face_comparison": False}}
    dossier = a_dossier(transaction_type=kind, config=off, face_similarity=dict.fromkeys(FacePair, 0.0))
    assert the_issue(dossier, IssueCode.FACE_COMPARISON_DISABLED).severity is Severity.INFORMATIONAL
    verdict = evaluate(dossier)
    assert verdict.decision is Decision.APPROVED
    assert verdict.outcome(CheckName.DOCUMENT_VS_LIVENESS_FACE) is Outcome.NOT_RUN


@pytest.mark.parametrize(
    ("age", "least", "most", "reason"),
    [
        (18.0, 18, None, None),
        (17.9, 18, None, "BELOW_RANGE"),
        (30.9, None, 30, None),
        (31.0, None, 30, "ABOVE_RANGE"),
        (25.0, 18, 30, None),
        (40.0, 18, 30, "ABOVE_RANGE"),
        (math.nan, 0, 200, "NOT_ESTIMATED"),
        (None, 0, 200, "NOT_ESTIMATED"),
        (None, None, None, None),
    ],
)
def test_an_age_counts_in_whole_years(
    age: float | None, least: int | None, most: int | None, reason: str | None
) -> None:
    config = {"biometric_policy": {"expected_min_age": least, "expected_max_age": most}}
    dossier = a_dossier(selfie=None if age is None else a_selfie(age=age), config=config)
    if reason is None:
        assert evaluate(dossier).issues == ()
    else:
        assert the_issue(dossier, IssueCode.LIVENESS_AGE_OUT_OF_RANGE).details["reason"] == reason


@pytest.mark.parametrize(
    ("expected", "selfie", "matches"),
    [
        ("FEMALE", a_selfie(gender=SelfieGender.FEMALE), True),
        ("MALE", a_selfie(gender=SelfieGender.FEMALE), False),
        ("MALE", a_selfie(gender=None), False),
        ("MALE", None, False),
        (None, None, True),
    ],
)
def test_a_gender_that_is_not_the_expected_one_rejects(expected: str | None, selfie: Any, matches: bool) -> None:
    dossier = a_dossier(selfie=selfie, config={"biometric_policy": {"expected_gender": expected}})
    if matches:
        assert evaluate(dossier).issues == ()
    else:
        assert the_issue(dossier, IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED).severity is Severity.REJECTION


# ── face search ────────────────────────────────────────────────────────────────────────────────────────────

FOUND = {"repeated_face": True, "internal_blocklist_match": True, "global_blocklist_match": True}


@pytest.mark.parametrize("mode", [FaceSearch.OFF, FaceSearch.REPORT])
def test_blocklists_emit_nothing_unless_they_are_enforced(mode: FaceSearch) -> None:
    verdict = evaluate(a_dossier(face_search=mode, **FOUND))
    assert verdict.issues == ()
    shown = Outcome.NOT_RUN if mode is FaceSearch.OFF else Outcome.FAILED
    assert verdict.outcome(CheckName.REPEATED_FACE) is shown
    assert verdict.outcome(CheckName.INTERNAL_BLOCKLIST) is shown


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize(
    ("found", "code", "field"),
    [
        ("internal_blocklist_match", IssueCode.INTERNAL_FACE_BLACKLIST_MATCH, "on_internal_face_blacklist_match"),
        ("global_blocklist_match", IssueCode.GLOBAL_FACE_BLACKLIST_MATCH, "on_global_face_blacklist_match"),
    ],
)
def test_an_enforced_blocklist_follows_its_policy(found: str, code: IssueCode, field: str, action: Action) -> None:
    config = {"blacklist_policy": {field: action}}
    issue = the_issue(a_dossier(face_search=FaceSearch.ENFORCE, config=config, **{found: True}), code)
    assert (issue.severity, issue.policy) == (SEVERITY_OF[action], f"/blacklist_policy/{field}")


def test_a_search_that_did_not_run_is_inconclusive_and_a_repeated_face_has_no_code() -> None:
    verdict = evaluate(a_dossier(face_search=FaceSearch.ENFORCE, repeated_face=True))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.REPEATED_FACE) is Outcome.FAILED
    assert verdict.outcome(CheckName.GLOBAL_BLOCKLIST) is Outcome.INCONCLUSIVE


# ── which policies apply ───────────────────────────────────────────────────────────────────────────────────

EVERYTHING_WRONG: dict[str, Any] = {
    "document": None,
    "liveness": None,
    "face_similarity": {},
    "has_reference_face": True,
    "selfie": None,
    "customer_status": CustomerStatus.BLOCKED,
    "earlier_record": THE_SAME,
    "face_search": FaceSearch.ENFORCE,
    "device": a_device(
        compromised=True, developer_mode=True, emulator=True, vpn_or_proxy=True, mock_location=True, gps_country="CL"
    ),
    "config": {
        "document_policy": {"data_matching": {asked: right for asked, right, *_ in MATCHES}},
        "biometric_policy": {"expected_gender": "MALE", "expected_min_age": 18},
    },
    **FOUND,
}


@pytest.mark.parametrize("kind", TransactionType)
def test_a_transaction_emits_only_codes_of_its_type(kind: TransactionType) -> None:
    found = {issue.code for issue in evaluate(a_dossier(transaction_type=kind, **EVERYTHING_WRONG)).issues}
    other_ways = {
        IssueCode.DOCUMENT_NOT_ELIGIBLE,
        IssueCode.EXPIRED_DOCUMENT,
        IssueCode.FACE_COMPARISON_DISABLED,
        IssueCode.CUSTOMER_SUSPICIOUS,
    }
    assert found == {code for code in IssueCode if kind in code.applies_to} - other_ways


def test_every_check_is_listed_once_whatever_the_transaction() -> None:
    assert sorted(name for check in CHECKS for name in check.ASKS) == sorted(CheckName)
    for kind in TransactionType:
        for dossier in (a_dossier(transaction_type=kind), a_dossier(transaction_type=kind, **EVERYTHING_WRONG)):
            listed = [answer.check for answer in evaluate(dossier).checks]
            assert listed == [name for check in CHECKS for name in check.ASKS]


def test_details_carry_no_personal_data() -> None:
    secrets = ["ANA", "María", "PEREZ", "123", "1990", "04-23", "2030"]
    document = a_document(
        date_of_expiry="2020-01-01", document_number="ZZ-123", given_names="ANA", date_of_birth="1990-01-01"
    )
    verdict = evaluate(a_dossier(**{**EVERYTHING_WRONG, "document": document}))
    assert len(verdict.issues) > 20
    shown = json.dumps(verdict.as_dict())
    assert not [secret for secret in secrets if secret in shown]


def test_a_verdict_and_its_issues_are_plain_data() -> None:
    verdict = evaluate(a_dossier(**EVERYTHING_WRONG))
    plain = json.loads(json.dumps(verdict.as_dict(), allow_nan=False))
    assert plain["decision"] == "REJECTED"
    assert list(plain["issues"][0]) == ["code", "severity", "group", "policy", "details"]
    assert [Issue.from_dict(issue) for issue in plain["issues"]] == list(verdict.issues)


@pytest.mark.parametrize("dossier", [a_dossier(), a_dossier(**EVERYTHING_WRONG)])
def test_a_dossier_is_judged_the_same_after_it_was_stored(dossier: Dossier) -> None:
    stored = json.loads(json.dumps(dossier.model_dump(mode="json")))
    assert Dossier.model_validate(stored) == dossier
    assert Dossier.model_validate_json(dossier.model_dump_json()) == dossier
    assert evaluate(Dossier.model_validate(stored)) == evaluate(dossier)


def test_the_catalogue_has_27_codes_with_the_severities_of_an_empty_config() -> None:
    rows = {row["code"]: row for row in catalogue()}
    assert len(rows) == 27
    assert rows["EMULATOR_DETECTED"]["default_severity"] == "REJECTION"
    assert rows["EMULATOR_DETECTED"]["policy"] == "/device_policy/on_emulator"
    assert rows["VPN_OR_PROXY_DETECTED"]["default_severity"] == "WARNING"
    assert rows["FACE_COMPARISON_DISABLED"]["default_severity"] == "INFORMATIONAL"
    assert rows["NAME_MISMATCH"]["policy"] is None


# ── signs of fraud ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "fraud"),
    [
        ({}, False),
        ({"device": a_device(compromised=True)}, True),
        ({"device": a_device(emulator=True)}, True),
        ({"device": a_device(mock_location=True)}, True),
        ({"device": a_device(emulator=True), "config": {"device_policy": {"on_emulator": "IGNORE"}}}, False),
        ({"device": a_device(vpn_or_proxy=True, developer_mode=True, gps_country="CL")}, False),
        ({"face_similarity": {FacePair.DOCUMENT_AND_LIVENESS: 0.2}}, True),
        ({"face_similarity": {}}, False),
        ({"liveness": 0.4}, False),
        ({"liveness": None}, False),
        ({"liveness": LivenessEvidence(score=0.4, signs=("MOIRE",))}, True),
        ({"liveness": LivenessEvidence(score=0.4, reason="SPOOF_SIGNS")}, True),
        ({"liveness": LivenessEvidence(score=0.9, signs=("MOIRE",))}, False),
        ({"document": None, "customer_status": CustomerStatus.BLOCKED}, False),
    ],
)
def test_fraud_signs_are_told_from_bad_pictures(changes: dict[str, Any], fraud: bool) -> None:
    assert has_fraud_signs(evaluate(a_dossier(**changes)).issues) is fraud
