"""Is the person alive, the same everywhere, of the expected age and gender, and on no blocklist?"""

import json
import math
from typing import Any

import pytest

from tests.support.dossiers import (
    a_dossier,
    a_selfie,
    issues_of,
    the_only_issue,
)
from truename.dashboard.listing.rows import telling_score
from truename.rules.config import Action, Config, TransactionType
from truename.rules.dossier import FaceSearch
from truename.rules.evidence import (
    FaceComparison,
    FacePair,
    SelfieGender,
)
from truename.rules.explain import explain
from truename.rules.issues import SEVERITY_OF, IssueCode, Severity
from truename.rules.results import CheckName, Outcome
from truename.rules.searched_faces import LEAST_SCORE, FaceHit, SearchedFaces, SearchedList
from truename.rules.verdict import Decision, evaluate

BOTH, _, SELFIE_ONLY = TransactionType


# ── liveness, faces, age and gender ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [BOTH, SELFIE_ONLY])
@pytest.mark.parametrize(
    ("score", "alive"), [(0.85, True), (0.8499999, False), (1.0, True), (0.0, False), (math.nan, False)]
)
def test_a_person_is_alive_from_the_threshold_upwards(score: float, alive: bool, kind: TransactionType) -> None:
    dossier = a_dossier(transaction_type=kind, liveness=score)
    assert (evaluate(dossier).decision is Decision.APPROVED) is alive
    if not alive:
        issue = the_only_issue(dossier, IssueCode.LIVENESS_LOW_CONFIDENCE)
        assert issue.details == {"score": score if score > 0 else 0.0, "threshold": 0.85}
        json.dumps(issue.as_dict(), allow_nan=False)


def test_no_liveness_evidence_is_a_score_of_nought() -> None:
    issue = the_only_issue(a_dossier(liveness=None), IssueCode.LIVENESS_LOW_CONFIDENCE)
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
        (
            FaceComparison(score=None, reason="OTHER_FACE_MODEL"),
            {"score": None, "threshold": 0.85, "reason": "OTHER_FACE_MODEL"},
        ),
        (FaceComparison(score=None), {"score": None, "threshold": 0.85, "reason": "NO_FACE"}),
    ],
)
@pytest.mark.parametrize("pair", FacePair)
def test_each_pair_of_faces_has_its_own_code(pair: FacePair, comparison: FaceComparison, details: Any) -> None:
    alike = dict.fromkeys(FacePair, FaceComparison(score=0.95))
    issue = the_only_issue(a_dossier(face_similarity={**alike, pair: comparison}), FACE_CODES[pair])
    assert (issue.details, issue.severity) == (details, Severity.REJECTION)


def test_a_comparison_that_is_missing_fails() -> None:
    assert list(issues_of(a_dossier(face_similarity={}))) == ["DOCUMENT_VS_LIVENESS_FACE_MISMATCH"]
    assert len(issues_of(a_dossier(face_similarity={}, has_reference_face=True))) == 3
    only_one = {FacePair.DOCUMENT_AND_LIVENESS: 0.9, FacePair.LIVENESS_AND_REFERENCE: 0.9}
    assert list(issues_of(a_dossier(face_similarity=only_one))) == ["DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH"]


def test_a_customer_without_reference_face_is_compared_with_the_document_alone() -> None:
    verdict = evaluate(a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.9}))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.LIVENESS_VS_REFERENCE_FACE) is Outcome.NOT_RUN


def test_a_selfie_alone_is_compared_only_with_the_reference() -> None:
    dossier = a_dossier(transaction_type=SELFIE_ONLY, face_similarity={}, has_reference_face=True)
    assert list(issues_of(dossier)) == ["LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH"]


@pytest.mark.parametrize("kind", [BOTH, SELFIE_ONLY])
def test_face_comparison_can_be_switched_off(kind: TransactionType) -> None:
    off = {"biometric_policy": {"require_face_comparison": False}}
    dossier = a_dossier(transaction_type=kind, config=off, face_similarity=dict.fromkeys(FacePair, 0.0))
    assert the_only_issue(dossier, IssueCode.FACE_COMPARISON_DISABLED).severity is Severity.INFORMATIONAL
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
        assert the_only_issue(dossier, IssueCode.LIVENESS_AGE_OUT_OF_RANGE).details["reason"] == reason


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
        assert the_only_issue(dossier, IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED).severity is Severity.REJECTION


# ── face search ────────────────────────────────────────────────────────────────────────────────────────────

FOUND: dict[str, Any] = {"repeated_face": True, "internal_blocklist_match": True, "global_blocklist_match": True}
LISTS = {
    "customers": IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE,
    "account_blocklist": IssueCode.INTERNAL_FACE_BLACKLIST_MATCH,
    "installation_blocklist": IssueCode.GLOBAL_FACE_BLACKLIST_MATCH,
}


def searched(score: float | None, chance_score: float = 0.5) -> SearchedList:
    hits = () if score is None else (FaceHit(id="a face", score=score), FaceHit(id="another", score=score / 2))
    return SearchedList(searched=12, chance_score=chance_score, hits=hits)


@pytest.mark.parametrize("mode", [FaceSearch.OFF, FaceSearch.REPORT])
def test_a_search_emits_nothing_unless_it_is_enforced(mode: FaceSearch) -> None:
    for seen in (FOUND, {"searched_faces": SearchedFaces(**dict.fromkeys(LISTS, searched(0.99)))}):
        verdict = evaluate(a_dossier(face_search=mode, **seen))
        assert verdict.issues == ()
        shown = Outcome.NOT_RUN if mode is FaceSearch.OFF else Outcome.FAILED
        assert verdict.outcome(CheckName.REPEATED_FACE) is shown
        assert verdict.outcome(CheckName.INTERNAL_BLOCKLIST) is shown
        assert verdict.outcome(CheckName.GLOBAL_BLOCKLIST) is shown


@pytest.mark.parametrize("where", LISTS)
def test_a_face_counts_as_found_from_a_score_that_is_stricter_than_ones_own_and_grows_with_the_list(where: str) -> None:
    for score, chance, found in [
        (0.949, 0.5, False),
        (0.95, 0.5, True),
        (0.965, 0.97, False),
        (0.97, 0.97, True),
        (None, 0.5, False),
    ]:
        faces = SearchedFaces.model_validate({where: searched(score, chance)})
        dossier = a_dossier(face_search=FaceSearch.ENFORCE, searched_faces=faces)
        if found:
            issue = the_only_issue(dossier, LISTS[where])
            assert issue.severity is Severity.REJECTION
            assert issue.details == {"score": score, "threshold": max(0.95, chance), "searched": 12}
        else:
            assert evaluate(dossier).issues == ()
    assert Config().biometric_policy.face_comparison_min_score < LEAST_SCORE


def test_a_search_needs_no_score_but_finds_from_one_on() -> None:
    for score, said in [(0.4, "passed: 0.40, found from 0.9612"), (0.97, "failed: 0.97, found from 0.9612")]:
        faces = SearchedFaces(customers=searched(score, 0.9612))
        dossier = a_dossier(face_search=FaceSearch.ENFORCE, searched_faces=faces)
        verdict = evaluate(dossier)
        explanation = explain(verdict, dossier)
        assert said in [one.sentence for one in explanation.checks if one.check is CheckName.REPEATED_FACE]
        assert telling_score([check.as_dict() for check in verdict.checks]) == (0.95, 0.85), "of a comparison"
    assert explanation.sentence == "Rejected: the face is that of another customer: 0.97, found from 0.9612."


def test_without_face_comparison_no_face_is_looked_for() -> None:
    off = {"biometric_policy": {"require_face_comparison": False}}
    verdict = evaluate(a_dossier(face_search=FaceSearch.ENFORCE, config=off, **FOUND))
    assert [issue.code for issue in verdict.issues] == [IssueCode.FACE_COMPARISON_DISABLED]
    assert verdict.outcome(CheckName.REPEATED_FACE) is Outcome.NOT_RUN


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize(
    ("found", "code", "field"),
    [
        ("repeated_face", IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE, "on_another_customer_repeated_face"),
        ("internal_blocklist_match", IssueCode.INTERNAL_FACE_BLACKLIST_MATCH, "on_internal_face_blacklist_match"),
        ("global_blocklist_match", IssueCode.GLOBAL_FACE_BLACKLIST_MATCH, "on_global_face_blacklist_match"),
    ],
)
def test_an_enforced_search_follows_its_policy(found: str, code: IssueCode, field: str, action: Action) -> None:
    seen: dict[str, Any] = {found: True}
    part = "biometric_policy" if code.is_extension else "blacklist_policy"
    dossier = a_dossier(face_search=FaceSearch.ENFORCE, config={part: {field: action}}, **seen)
    issue = the_only_issue(dossier, code)
    assert (issue.severity, issue.policy) == (SEVERITY_OF[action], f"/{part}/{field}")


def test_a_search_that_did_not_take_place_is_inconclusive_and_never_a_pass() -> None:
    verdict = evaluate(a_dossier(face_search=FaceSearch.ENFORCE, searched_faces=SearchedFaces()))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.REPEATED_FACE) is Outcome.INCONCLUSIVE
    assert verdict.outcome(CheckName.GLOBAL_BLOCKLIST) is Outcome.INCONCLUSIVE
