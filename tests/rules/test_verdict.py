"""From a dossier to issues, checks and a decision."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.dossiers import (
    EVERYTHING_WRONG,
    THE_SAME_PERSON,
    a_device,
    a_document,
    a_dossier,
    the_only_issue,
)
from truename.rules.checks import CHECKS
from truename.rules.config import Action, TransactionType
from truename.rules.dossier import CustomerStatus, Dossier
from truename.rules.evidence import (
    FacePair,
    LivenessEvidence,
)
from truename.rules.issues import SEVERITY_OF, Issue, IssueCode, Severity, catalogue, has_fraud_signs
from truename.rules.liveness_signs import LivenessSign
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, evaluate


def test_a_dossier_in_order_is_approved_with_no_issue() -> None:
    for kind in TransactionType:
        verdict = evaluate(a_dossier(transaction_type=kind))
        assert (verdict.decision, verdict.issues) == (Decision.APPROVED, ())


# ── the customer ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", TransactionType)
def test_a_blocked_customer_is_rejected_in_every_transaction(kind: TransactionType) -> None:
    dossier = a_dossier(transaction_type=kind, customer_status=CustomerStatus.BLOCKED)
    assert the_only_issue(dossier, IssueCode.CUSTOMER_BLOCKED).severity is Severity.REJECTION
    assert evaluate(dossier).decision is Decision.REJECTED


@pytest.mark.parametrize("kind", TransactionType)
def test_a_suspicious_customer_is_only_warned_of(kind: TransactionType) -> None:
    dossier = a_dossier(transaction_type=kind, customer_status=CustomerStatus.SUSPICIOUS)
    assert the_only_issue(dossier, IssueCode.CUSTOMER_SUSPICIOUS).severity is Severity.WARNING
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
    issue = the_only_issue(dossier, code)
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


# ── which policies apply ───────────────────────────────────────────────────────────────────────────────────


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


def test_issues_stand_in_the_order_of_the_catalogue_whatever_they_were_found_by() -> None:
    changes: dict[str, Any] = {"customer_status": CustomerStatus.SUSPICIOUS, "liveness": 0.1}
    record = THE_SAME_PERSON.model_copy(update={"surnames": "Ruiz"})
    matching = {"surnames": {"value": "Ruiz", "similarity_min_score": 1.0}, "gender": "M"}
    config = {"document_policy": {"data_matching": matching}}
    found = evaluate(a_dossier(**changes, device=a_device(emulator=True), earlier_record=record, config=config)).issues
    assert [(issue.code.name, "compared_with" in issue.details) for issue in found] == [
        ("EMULATOR_DETECTED", False),
        ("SURNAME_MISMATCH", False),
        ("SURNAME_MISMATCH", True),
        ("GENDER_MISMATCH", False),
        ("LIVENESS_LOW_CONFIDENCE", False),
        ("CUSTOMER_SUSPICIOUS", False),
    ]


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
    stored = dossier.model_dump_json()
    assert Dossier.model_validate_json(stored) == dossier
    assert evaluate(Dossier.model_validate_json(stored)) == evaluate(dossier)


@pytest.mark.parametrize(
    "said", ['{"score": "0.9"}', '{"score": 0.9, "signs": ["SIGN"]}', '{"score": true}', '{"scores": 0.9}']
)
def test_stored_evidence_is_read_strictly(said: str) -> None:
    with pytest.raises(ValidationError):
        LivenessEvidence.model_validate_json(said)


def test_the_catalogue_has_27_codes_and_one_extension_with_the_severities_of_an_empty_config() -> None:
    rows = {row["code"]: row for row in catalogue()}
    assert len(rows) == 28
    assert [name for name, row in rows.items() if row["extension"]] == ["ANOTHER_CUSTOMER_REPEATED_FACE"]
    assert rows["EMULATOR_DETECTED"]["default_severity"] == "REJECTION"
    assert rows["EMULATOR_DETECTED"]["policy"] == "/device_policy/on_emulator"
    assert rows["VPN_OR_PROXY_DETECTED"]["default_severity"] == "WARNING"
    assert rows["FACE_COMPARISON_DISABLED"]["default_severity"] == "INFORMATIONAL"
    assert rows["NAME_MISMATCH"]["policy"] is None


# ── signs of fraud ─────────────────────────────────────────────────────────────────────────────────────────


FUMBLING = (
    LivenessSign.STEP_NOT_DONE,
    LivenessSign.FACE_LOST,
    LivenessSign.TOO_FEW_FRAMES,
    LivenessSign.SEVERAL_FACES,
    LivenessSign.NO_CHALLENGE,
    LivenessSign.WRONG_SIDE,
    LivenessSign.WRONG_ORDER,
    LivenessSign.JUMP,
)
"""What a clumsy or hurried person does: low liveness, but no sign of an attack."""


@pytest.mark.parametrize(
    ("changes", "fraud"),
    [
        ({}, False),
        ({"device": a_device(compromised=True)}, True),
        ({"device": a_device(emulator=True)}, True),
        ({"device": a_device(mock_location=True)}, True),
        ({"device": a_device(emulator=True), "config": {"device_policy": {"on_emulator": "IGNORE"}}}, False),
        ({"device": a_device(emulator=True), "config": {"device_policy": {"on_emulator": "WARN"}}}, True),
        ({"device": a_device(vpn_or_proxy=True, developer_mode=True, gps_country="CL")}, False),
        ({"face_similarity": {FacePair.DOCUMENT_AND_LIVENESS: 0.2}}, True),
        ({"face_similarity": {}}, False),
        ({"liveness": 0.4}, False),
        ({"liveness": None}, False),
        *[
            ({"liveness": LivenessEvidence(score=0.4, reason="CHALLENGE_FAILED", signs=(sign,))}, True)
            for sign in LivenessSign
            if sign not in FUMBLING
        ],
        ({"liveness": LivenessEvidence(score=0.4, reason="CHALLENGE_FAILED", signs=FUMBLING)}, False),
        ({"liveness": LivenessEvidence(score=0.4, signs=(*FUMBLING, LivenessSign.MOIRE))}, True),
        ({"liveness": LivenessEvidence(score=0.9, signs=(LivenessSign.MOIRE,))}, False),
        ({"document": None, "customer_status": CustomerStatus.BLOCKED}, False),
    ],
)
def test_fraud_signs_are_told_from_bad_pictures(changes: dict[str, Any], fraud: bool) -> None:
    assert has_fraud_signs(evaluate(a_dossier(**changes)).issues) is fraud
