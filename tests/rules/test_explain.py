"""Why was it decided so? Sentences made from facts, and changes that really change the decision."""

import re
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.dossiers import (
    EVERYTHING_EXPECTED,
    EVERYTHING_WRONG,
    THE_SAME_PERSON,
    a_device,
    a_document,
    a_dossier,
    a_selfie,
)
from truename.rules import strangers, text
from truename.rules.config import TransactionType
from truename.rules.dossier import EarlierRecord
from truename.rules.evidence import FacePair
from truename.rules.explain import explain
from truename.rules.issues import IssueCode, Severity
from truename.rules.questions import QUESTIONS
from truename.rules.results import CheckName, CheckResult, Outcome
from truename.rules.verdict import Verdict, evaluate

PERSONAL: dict[str, Any] = {
    "given_names": "Ximena",
    "surnames": "Quispe",
    "document_number": "ZQ998877",
    "date_of_birth": "1971-02-03",
    "date_of_expiry": "2019-08-07",
}


def explained(dossier, *, blind=False):
    return explain(evaluate(dossier), dossier, blind=blind)


def texts(value):
    """Every text in an explanation, however deep."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from texts(getattr(value, field.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from texts(part)
    elif isinstance(value, str):
        yield value


def words(explanation):
    return {word for text in texts(explanation) for word in re.findall(r"[\w-]+", text)}


def test_a_rejection_is_one_sentence_with_what_was_measured_and_needed():
    explanation = explained(a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.6234}))
    assert explanation.sentence == "Rejected: the live face is not the face on the document: 0.62, needed 0.85."
    (issue,) = explanation.issues
    assert (issue.measured, issue.limit) == ("0.62", "0.85")
    assert issue.limit_set_by == "/biometric_policy/face_comparison_min_score"
    assert issue.severity_set_by is None
    assert issue.strangers == "about 1 in 100 pairs of strangers score this high or higher"


def test_an_approval_says_its_warnings_and_which_field_made_them_so():
    explanation = explained(a_dossier(device=a_device(vpn_or_proxy=True)))
    assert explanation.sentence == (
        "Approved: nothing was found that rejects, with 1 warning: the connection came through a VPN, a proxy or Tor."
    )
    assert explanation.issues[0].severity_set_by == "/device_policy/on_vpn_or_proxy"
    assert "Had /device_policy/on_vpn_or_proxy been REJECT instead of WARN" in explanation.what_if[0].sentence


def test_an_approval_counts_warnings_and_nothing_that_only_informs():
    ignored: dict[str, Any] = {"config": {"device_policy": {"on_emulator": "IGNORE"}}}
    assert explained(a_dossier()).sentence == "Approved: nothing was found that rejects."
    assert explained(a_dossier(device=a_device(emulator=True), **ignored)).reason == "nothing was found that rejects"
    two = a_device(emulator=True, vpn_or_proxy=True, developer_mode=True)
    assert explained(a_dossier(device=two, **ignored)).reason == (
        "nothing was found that rejects, with 2 warnings: developer mode is switched on; "
        "the connection came through a VPN, a proxy or Tor"
    )


AGES = {"biometric_policy": {"expected_min_age": 18, "expected_max_age": 30}}
A_NUMBER = {"document_policy": {"data_matching": {"document_number": "77"}}}
BORN_OTHERWISE = THE_SAME_PERSON.model_copy(update={"date_of_birth": date(1991, 4, 23)})
EXPLAINED: dict[str, tuple[dict[str, Any], str, str | None, str | None, str | None]] = {
    "places": (
        {"device": a_device(gps_country="CL")},
        "the GPS location and the IP address are in different countries: location in CL, address in AR",
        "location in CL, address in AR", None, None),
    "too young": (
        {"config": AGES, "selfie": a_selfie(16.9)},
        "the age estimated from the selfie is outside the expected range: 16 years, needed at least 18 and at most 30; "
        "the estimated age is below the expected range",
        "16 years", "at least 18 and at most 30", "/biometric_policy/expected_min_age"),
    "too old": (
        {"config": {"biometric_policy": {"expected_max_age": 30}}, "selfie": a_selfie(31.0)},
        "the age estimated from the selfie is outside the expected range: 31 years, needed at most 30; "
        "the estimated age is above the expected range",
        "31 years", "at most 30", "/biometric_policy/expected_max_age"),
    "no age": (
        {"config": {"biometric_policy": {"expected_min_age": 18}}, "selfie": None},
        "the age estimated from the selfie is outside the expected range: "
        "the value could not be estimated from the selfie",
        None, "at least 18", "/biometric_policy/expected_min_age"),
    "a gender": (
        {"config": {"biometric_policy": {"expected_gender": "MALE"}}},
        "the gender estimated from the selfie is not the one expected: FEMALE, needed MALE",
        "FEMALE", "MALE", "/biometric_policy/expected_gender"),
    "expired": (
        {"document": a_document(date_of_expiry="2020-01-01")},
        "the document has expired, or its date of expiry could not be read: PASSPORT of AR; "
        "the date of expiry has passed",
        "PASSPORT of AR", None, "/document_policy/document_eligibility"),
    "a number": (
        {"config": A_NUMBER}, "the number of the document is not the one expected",
        None, None, "/document_policy/data_matching/document_number"),
    "the record": (
        {"earlier_record": BORN_OTHERWISE},
        "the date of birth on the document is not the one expected: compared with the customer's earlier document",
        None, None, None),
    "liveness": (
        {"liveness": 0.5}, "it is not certain enough that a living person was before the camera: 0.50, needed 0.85",
        "0.50", "0.85", "/biometric_policy/liveness_min_score"),
}  # fmt: skip


@pytest.mark.parametrize("case", EXPLAINED)
def test_an_issue_says_what_was_found_what_was_needed_and_which_field_says_so(case):
    changes, sentence, measured, limit, limit_set_by = EXPLAINED[case]
    (issue,) = explained(a_dossier(**changes)).issues
    assert issue.sentence == sentence
    assert (issue.measured, issue.limit, issue.limit_set_by) == (measured, limit, limit_set_by)
    assert issue.strangers is None


def test_a_check_says_its_score_in_strangers_only_where_faces_were_compared():
    checks = {check.check: check for check in explained(a_dossier()).checks}
    face, liveness = checks[CheckName.DOCUMENT_VS_LIVENESS_FACE], checks[CheckName.LIVENESS]
    assert (face.sentence, liveness.sentence) == ("passed: 0.95, needed 0.85", "passed: 0.97, needed 0.85")
    assert face.strangers == strangers.in_strangers(0.95)
    assert liveness.strangers is None
    assert checks[CheckName.CUSTOMER_STATUS].sentence == "passed"


def test_three_reasons_are_named_and_no_rest_is_counted():
    signs = a_device(compromised=True, emulator=True, mock_location=True)
    assert explained(a_dossier(device=signs)).sentence == (
        "Rejected: the device is rooted or jailbroken, or runs under a debugger; the capture was made on an emulator "
        "or simulator; the reported GPS location is simulated."
    )


def test_a_sentence_names_three_reasons_and_counts_the_rest():
    explanation = explained(a_dossier(**EVERYTHING_WRONG))
    rejections = [issue for issue in explanation.issues if issue.severity is Severity.REJECTION]
    assert explanation.sentence.endswith(f"; and {len(rejections) - 3} more.")


def test_what_did_not_run_or_could_not_tell_is_said_as_such():
    explanation = explained(a_dossier(transaction_type=TransactionType.DOCUMENT_ONLY, device=a_device(emulator=None)))
    said = {check.check: check.sentence for check in explanation.without_result}
    assert said[CheckName.EMULATOR].startswith("did not run: the device or the connection does not tell")
    assert said[CheckName.LIVENESS] == "did not run: this type of transaction captures no such thing"
    assert CheckName.DOCUMENT_SUPPORTED not in said


def test_every_check_has_its_question():
    assert QUESTIONS.keys() == set(CheckName)


# ── without personal values ────────────────────────────────────────────────────────────────────────────────


def everything_personal():
    expected = {
        **EVERYTHING_EXPECTED,
        "given_names": {"value": "Wilhelmina", "similarity_min_score": 0.9},
        "surnames": {"value": "Okonkwo", "similarity_min_score": 0.9},
        "document_number": "KK112233",
        "date_of_birth": "1969-07-21",
    }
    return a_dossier(
        document=a_document(**PERSONAL, country="CL"),
        selfie=a_selfie(age=57.3),
        device=a_device(gps_country="PE", ip_country="UY"),
        earlier_record=THE_SAME_PERSON,
        config={
            "device_policy": {"on_gps_ip_location_mismatch": "REJECT"},
            "document_policy": {"data_matching": expected},
            "biometric_policy": {"expected_gender": "MALE", "expected_max_age": 43},
        },
    )


def test_the_blind_explanation_holds_no_value_of_the_person():
    values = {"PE", "UY", "CL", "57", "43", "MALE", "PASSPORT", "Wilhelmina", "KK112233", "1969-07-21"}
    values |= {str(value) for value in PERSONAL.values()} | {"Okonkwo"}
    assert words(explained(everything_personal())) >= {"PE", "UY", "CL", "57", "43", "MALE", "PASSPORT"}
    assert words(explained(everything_personal(), blind=True)) & values == set()
    assert {issue.code for issue in explained(everything_personal(), blind=True).issues} >= {
        IssueCode.NAME_MISMATCH,
        IssueCode.GEO_IP_MISMATCH,
        IssueCode.LIVENESS_AGE_OUT_OF_RANGE,
    }


def test_two_names_are_compared_once_however_often_the_dossier_is_judged_again(monkeypatch: pytest.MonkeyPatch):
    """With 200 letters of many scripts in each name, an explanation held the event loop for more than a second."""
    compared: list[tuple[str, str]] = []
    plainly = text._similarity

    def watched(one: str, other: str) -> float:
        compared.append((one, other))
        return plainly(one, other)

    monkeypatch.setattr(text, "_similarity", watched)
    one, other = ("Ё Жя שו لي ا α ա ґ " * 15)[:200], ("لي ё שו Щ ω ա ї क " * 15)[:200]
    expected = {name: {"value": one, "similarity_min_score": 1.0} for name in ("given_names", "surnames")}
    dossier = a_dossier(
        **{
            **EVERYTHING_WRONG,
            "document": a_document(given_names=other, surnames=other[1:], date_of_expiry="2019-08-07"),
            "earlier_record": EarlierRecord(given_names=one[1:], surnames=one[2:], date_of_birth=date(1970, 1, 1)),
            "config": {"document_policy": {"data_matching": {**EVERYTHING_EXPECTED, **expected}}},
        }
    )
    verdict = evaluate(dossier)
    compared.clear()
    said = explain(verdict, dossier)
    assert len(compared) == len(set(compared)) < 10
    assert said.issues
    compared.clear()
    assert evaluate(dossier) == verdict
    assert compared, "outside of an explanation nothing of a name is remembered"


def test_a_stored_verdict_is_explained_without_its_evidence():
    verdict = evaluate(a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.62}))
    stored = Verdict(
        verdict.decision, verdict.issues, tuple(CheckResult.from_dict(check.as_dict()) for check in verdict.checks)
    )
    explanation = explain(stored)
    assert explanation.sentence == "Rejected: the live face is not the face on the document: 0.62, needed 0.85."
    assert explanation.what_if == ()
    assert [check.outcome for check in explanation.checks].count(Outcome.FAILED) == 1


def test_a_stored_verdict_says_the_age_needed_and_not_the_one_that_was_seen():
    stored = evaluate(a_dossier(config=AGES))
    (issue,) = explain(stored).issues
    assert (issue.measured, issue.limit) == (None, "at least 18 and at most 30")


def test_a_reason_that_only_another_version_knows_is_kept_and_not_explained():
    verdict = evaluate(a_dossier(face_similarity={}))
    (issue,) = verdict.issues
    stored = verdict._replace(issues=(issue._replace(details={**issue.details, "reason": "OF_ANOTHER_VERSION"}),))
    (said,) = explain(stored).issues
    assert (said.reason, said.sentence) == ("OF_ANOTHER_VERSION", "the live face is not the face on the document")


# ── scores in strangers ────────────────────────────────────────────────────────────────────────────────────


def test_the_ruler_in_strangers():
    assert [(mark.score, mark.one_in) for mark in strangers.RULER] == [
        (0.35, 10), (0.60, 100), (0.75, 1_000), (0.85, 10_000), (0.91, 100_000), (0.95, 1_000_000)
    ]  # fmt: skip
    for mark in strangers.RULER:
        assert round(strangers.one_in(mark.score)) == mark.one_in
        assert strangers.in_strangers(mark.score).startswith(f"about 1 in {mark.one_in:,} pairs of strangers")
    assert strangers.in_strangers(0.99).startswith("fewer than 1 in 1,000,000")
    assert strangers.in_strangers(0.0).startswith("most pairs of strangers")


@given(st.floats(-0.5, 1.5), st.floats(-0.5, 1.5))
def test_a_higher_score_is_never_commoner(one, other):
    low, high = sorted((one, other))
    assert strangers.one_in(low) <= strangers.one_in(high)
    assert 0 <= strangers.place_on_ruler(low) <= strangers.place_on_ruler(high) <= 1
