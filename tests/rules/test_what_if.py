"""What would have changed a decision? Each change that is named really changes it."""

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings

from tests.support.any_dossier import dossiers
from tests.support.dossiers import THE_SAME_PERSON, a_device, a_document, a_dossier, a_selfie
from truename.rules.dossier import CustomerStatus
from truename.rules.evidence import DocumentType, FacePair
from truename.rules.explain import explain
from truename.rules.issues import IssueCode
from truename.rules.verdict import Decision, evaluate
from truename.rules.what_if import WhatIfKind

AGES = {"biometric_policy": {"expected_min_age": 18, "expected_max_age": 30}}
A_NUMBER = {"document_policy": {"data_matching": {"document_number": "77"}}}
BORN_OTHERWISE = THE_SAME_PERSON.model_copy(update={"date_of_birth": date(1991, 4, 23)})


def explained(dossier, *, blind=False):
    return explain(evaluate(dossier), dossier, blind=blind)


REJECTED: dict[str, tuple[dict[str, Any], str]] = {
    "a face": ({"face_similarity": {FacePair.DOCUMENT_AND_LIVENESS: 0.62}},
               "/biometric_policy/face_comparison_min_score"),
    "no face": ({"face_similarity": {}}, "/biometric_policy/require_face_comparison"),
    "liveness": ({"liveness": 0.5}, "/biometric_policy/liveness_min_score"),
    "an emulator": ({"device": a_device(emulator=True)}, "/device_policy/on_emulator"),
    "expired": ({"document": a_document(date_of_expiry="2020-01-01")}, "/document_policy/document_eligibility"),
    "a kind that is not listed": ({"config": {"document_policy": {"document_eligibility": {
        "filter_mode": "ALLOW", "target_documents": []}}}}, "/document_policy/document_eligibility"),
    "a kind that is refused": ({"config": {"document_policy": {"document_eligibility": {
        "filter_mode": "REJECT",
        "target_documents": [{"country": "AR", "type": "PASSPORT", "allow_expired": False}]}}}},
        "/document_policy/document_eligibility"),
    "a name": ({"config": {"document_policy": {"data_matching": {
        "surnames": {"value": "Perez", "similarity_min_score": 0.9}}}}},
        "/document_policy/data_matching/surnames/similarity_min_score"),
    "a number": ({"config": {"document_policy": {"data_matching": {"document_number": "77"}}}},
                 "/document_policy/data_matching/document_number"),
    "an age": ({"config": {"biometric_policy": {"expected_max_age": 20}}}, "/biometric_policy/expected_max_age"),
    "no age": ({"config": {"biometric_policy": {"expected_max_age": 20}}, "selfie": None},
               "/biometric_policy/expected_min_age and expected_max_age"),
    "a gender": ({"config": {"biometric_policy": {"expected_gender": "MALE"}}}, "/biometric_policy/expected_gender"),
}  # fmt: skip


@pytest.mark.parametrize("case", REJECTED)
def test_the_smallest_change_of_policy_is_named(case):
    changes, pointer = REJECTED[case]
    explanation = explained(a_dossier(**changes))
    (policy,) = [found for found in explanation.what_if if found.kind is WhatIfKind.POLICY]
    assert policy.decision is Decision.APPROVED
    assert [change.pointer for change in policy.changes] == [pointer]
    assert explanation.unchangeable == ()


AR_PASSPORT = {"country": "AR", "type": "PASSPORT", "allow_expired": False}
CL_PASSPORT = {"country": "CL", "type": "PASSPORT", "allow_expired": False}
EXPIRED = a_document(date_of_expiry="2020-01-01")


def eligible(mode: str, *listed: dict[str, object]) -> dict[str, Any]:
    return {"document_policy": {"document_eligibility": {"filter_mode": mode, "target_documents": list(listed)}}}


@pytest.mark.parametrize(
    ("config", "document", "was", "to"),
    [
        (eligible("ALLOW"), a_document(), "ALLOW of 0 listed", "ALLOW with {}"),
        (eligible("ALLOW", CL_PASSPORT), a_document(), "ALLOW of 1 listed", "ALLOW with {}"),
        (eligible("REJECT", AR_PASSPORT, CL_PASSPORT), a_document(), "REJECT of 2 listed", "REJECT without {}"),
        ({}, EXPIRED, "left out", "ALLOW with {} and its allow_expired true"),
        (eligible("ALLOW", AR_PASSPORT), EXPIRED, "ALLOW of 1 listed", "ALLOW with {} and its allow_expired true"),
        (eligible("REJECT", CL_PASSPORT), EXPIRED, "REJECT of 1 listed", "ALLOW with {} and its allow_expired true"),
    ],
)
def test_the_list_that_would_have_accepted_a_document_is_named_and_blindly_without_its_kind(
    config: dict[str, Any], document: Any, was: str, to: str
):
    for blind, kind in ((False, "PASSPORT of AR"), (True, "this kind of document")):
        found = explained(a_dossier(config=config, document=document), blind=blind).what_if
        (change,) = [change for one in found if one.kind is WhatIfKind.POLICY for change in one.changes]
        assert (change.pointer, change.was) == ("/document_policy/document_eligibility", was)
        assert change.to == to.format(kind)


def test_the_smallest_limits_that_would_have_refused_an_approved_person_are_named_the_nearest_first():
    limits = {"liveness_min_score": 0.5, "face_comparison_min_score": 0.9}
    found = explained(a_dossier(config={"biometric_policy": limits}, liveness=0.913)).what_if
    assert {one.decision for one in found} == {Decision.REJECTED}
    assert [(change.pointer, change.was, change.to) for one in found for change in one.changes] == [
        ("/biometric_policy/face_comparison_min_score", "0.90", "0.96"),
        ("/biometric_policy/liveness_min_score", "0.50", "0.92"),
    ]


def test_one_lower_limit_serves_three_comparisons():
    scores = {
        FacePair.DOCUMENT_AND_LIVENESS: 0.8,
        FacePair.LIVENESS_AND_REFERENCE: 0.6,
        FacePair.DOCUMENT_AND_REFERENCE: 0.7,
    }
    policy = explained(a_dossier(face_similarity=scores)).what_if[0]
    assert [(change.was, change.to) for change in policy.changes] == [("0.85", "0.60")]


def test_a_document_of_no_assigned_country_is_explained_without_a_list_that_cannot_name_it():
    dossier = a_dossier(document=a_document(country="XU", date_of_expiry="2019-08-07"))
    issues = [issue.code for issue in evaluate(dossier).issues]
    assert IssueCode.EXPIRED_DOCUMENT in issues
    changes = [change for one in explained(dossier).what_if for change in one.changes]
    assert not [change for change in changes if change.to.startswith("ALLOW")]


def test_what_no_policy_changes_is_named_instead():
    explanation = explained(a_dossier(customer_status=CustomerStatus.BLOCKED))
    assert explanation.unchangeable == (IssueCode.CUSTOMER_BLOCKED,)
    assert [found.kind for found in explanation.what_if] == [WhatIfKind.EVIDENCE]
    born_otherwise = a_dossier(document=a_document(date_of_birth="1991-01-01"), earlier_record=THE_SAME_PERSON)
    assert explained(born_otherwise).unchangeable == (IssueCode.DATE_OF_BIRTH_MISMATCH,)
    unsupported = explained(a_dossier(document=a_document(country="AQ", type=DocumentType.DRIVER_LICENSE)))
    assert unsupported.what_if == ()


@pytest.mark.parametrize(
    ("config", "selfie", "pointer", "was", "to"),
    [
        ({"expected_gender": "MALE"}, a_selfie(), "/evidence/selfie/gender", "FEMALE", "MALE"),
        ({"expected_gender": "MALE"}, None, "/evidence/selfie/gender", "none", "MALE"),
        ({"expected_min_age": 40}, a_selfie(35), "/evidence/selfie/age", "35", "40"),
        ({"expected_max_age": 30}, a_selfie(35), "/evidence/selfie/age", "35", "30"),
        ({"expected_min_age": 40}, None, "/evidence/selfie/age", "none", "40"),
        ({"expected_max_age": 30}, None, "/evidence/selfie/age", "none", "30"),
    ],
)
def test_another_selfie_that_would_have_been_approved_is_named(config, selfie, pointer, was, to):
    found = explained(a_dossier(selfie=selfie, config={"biometric_policy": config})).what_if
    (evidence,) = [one for one in found if one.kind is WhatIfKind.EVIDENCE]
    assert evidence.decision is Decision.APPROVED
    assert [(change.pointer, change.was, change.to) for change in evidence.changes] == [(pointer, was, to)]


NAME_MATCHING = {"document_policy": {"data_matching": {"surnames": {"value": "Perez", "similarity_min_score": 0.9}}}}
SEEN: dict[str, tuple[dict[str, Any], tuple[str, str, str], str | None]] = {
    "an emulator": ({"device": a_device(emulator=True)}, ("/evidence/device/emulator", "true", "false"), None),
    "places": ({"device": a_device(gps_country="CL"),
                "config": {"device_policy": {"on_gps_ip_location_mismatch": "REJECT"}}},
               ("/evidence/device/ip_country", "AR", "CL"), "the country of the location"),
    "expired": ({"document": a_document(date_of_expiry="2020-01-01")},
                ("/evidence/document/fields/date_of_expiry", "2020-01-01", "2026-03-14"),
                "the day of the capture or later"),
    "no expiry": ({"document": a_document(date_of_expiry=None)},
                  ("/evidence/document/fields/date_of_expiry", "not read", "2026-03-14"),
                  "the day of the capture or later"),
    "a number": ({"config": A_NUMBER},
                 ("/evidence/document/fields/document_number", "AB-123.456", "77"), "the value expected"),
    "a name": ({"config": NAME_MATCHING}, ("/evidence/document/fields/surnames", "PEREZ O'NEILL", "Perez"),
               "the value expected"),
    "a birth": ({"earlier_record": BORN_OTHERWISE},
                ("/evidence/document/fields/date_of_birth", "1990-04-23", "1991-04-23"), "the value expected"),
    "an age": ({"config": AGES}, ("/evidence/selfie/age", "35", "30"), "an age within the range"),
    "a gender": ({"config": {"biometric_policy": {"expected_gender": "MALE"}}},
                 ("/evidence/selfie/gender", "FEMALE", "MALE"), "the gender expected"),
    "a face": ({"face_similarity": {FacePair.DOCUMENT_AND_LIVENESS: 0.62}},
               ("/evidence/face_similarity/DOCUMENT_AND_LIVENESS/score", "0.62", "0.85 or more"), None),
    "no face": ({"face_similarity": {}},
                ("/evidence/face_similarity/DOCUMENT_AND_LIVENESS/score", "none", "0.85 or more"), None),
    "liveness": ({"liveness": 0.5}, ("/evidence/liveness/score", "0.50", "0.85 or more"), None),
    "a customer": ({"customer_status": CustomerStatus.BLOCKED}, ("/customer_status", "BLOCKED", "ACTIVE"), None),
}  # fmt: skip


@pytest.mark.parametrize("case", SEEN)
def test_what_would_have_had_to_be_seen_is_named_and_blindly_without_a_value_of_the_person(case):
    changes, change, hidden = SEEN[case]
    for blind, named in ((False, change), (True, (change[0], "a value of the person", hidden) if hidden else change)):
        what_if = explained(a_dossier(**changes), blind=blind).what_if
        (evidence,) = [one for one in what_if if one.kind is WhatIfKind.EVIDENCE]
        assert evidence.decision is Decision.APPROVED
        assert [(one.pointer, one.was, one.to) for one in evidence.changes] == [named]


@pytest.mark.parametrize("case", ["a number", "an age", "a gender"])
def test_a_change_of_policy_is_named_blindly_without_a_value_of_the_person(case):
    changes, pointer = REJECTED[case]
    (policy,) = [one for one in explained(a_dossier(**changes), blind=True).what_if if one.kind is WhatIfKind.POLICY]
    assert [(change.pointer, change.was) for change in policy.changes] == [(pointer, "a value of the person")]
    assert not {"77", "20", "35", "MALE", "FEMALE"} & set(re.findall(r"\w+", policy.sentence))


def test_of_a_document_that_was_not_recognised_no_value_would_have_helped():
    unread = a_dossier(document=a_document(recognised=False), config=A_NUMBER)
    assert explained(unread).what_if == ()


@settings(max_examples=settings().max_examples * 3 // 2)
@given(dossiers)
def test_whatever_is_said_to_change_a_decision_was_judged(dossier):
    verdict = evaluate(dossier)
    explanation = explain(verdict, dossier)
    for found in explanation.what_if:
        assert found.decision is not verdict.decision
        assert found.changes
    if verdict.decision is Decision.APPROVED:
        assert explanation.unchangeable == ()
    elif explanation.unchangeable:
        assert all(found.kind is WhatIfKind.EVIDENCE for found in explanation.what_if)
    else:
        assert any(found.kind is WhatIfKind.POLICY for found in explanation.what_if)
