"""Is the document supported, accepted, valid, and does it say what it should?"""

from datetime import date
from typing import Any

import pytest

from tests.support.dossiers import THE_SAME_PERSON, a_document, a_dossier, a_zone, issues_of, the_only_issue
from truename.rules.config import FilterMode, TransactionType
from truename.rules.evidence import DocumentEvidence, DocumentType
from truename.rules.issues import IssueCode, Severity
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, evaluate

BOTH, DOCUMENT_ONLY, _ = TransactionType


def without(field: str) -> DocumentEvidence:
    """A document of which this field could not be read."""
    unread: dict[str, Any] = {field: None}
    return a_document(**unread)


def matching(**expected: object) -> dict[str, Any]:
    return {"document_policy": {"data_matching": expected}}


def name_of(value: str, score: float = 1.0) -> dict[str, object]:
    return {"value": value, "similarity_min_score": score}


def eligibility(mode: FilterMode, *documents: tuple[str, DocumentType, bool]) -> dict[str, Any]:
    listed = [{"country": country, "type": kind, "allow_expired": expired} for country, kind, expired in documents]
    return {"document_policy": {"document_eligibility": {"filter_mode": mode, "target_documents": listed}}}


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
    found = issues_of(a_dossier(transaction_type=kind, document=document))
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
        issue = the_only_issue(dossier, IssueCode.DOCUMENT_NOT_ELIGIBLE)
        assert issue.details == {"filter_mode": mode, "country": "AR", "type": "PASSPORT"}
        assert issue.severity is Severity.REJECTION


@pytest.mark.parametrize(("today", "expired"), [(date(2030, 1, 31), False), (date(2030, 2, 1), True)])
def test_a_document_is_valid_through_its_date_of_expiry(today: date, expired: bool) -> None:
    assert ("EXPIRED_DOCUMENT" in issues_of(a_dossier(today=today))) is expired


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
    assert ("EXPIRED_DOCUMENT" in issues_of(dossier)) is expired


@pytest.mark.parametrize(("expiry", "outcome"), [("2026-03-13", Outcome.PASSED), (None, Outcome.NOT_RUN)])
def test_where_an_expired_document_is_allowed_the_check_says_that_this_is_why(
    expiry: str | None, outcome: Outcome
) -> None:
    config = eligibility(FilterMode.ALLOW, ("AR", PASSPORT, True))
    verdict = evaluate(a_dossier(document=a_document(date_of_expiry=expiry), config=config))
    answer = next(answer for answer in verdict.checks if answer.check is CheckName.DOCUMENT_EXPIRY)
    assert (answer.outcome, answer.reason) == (outcome, "EXPIRED_ALLOWED")


def test_an_entry_speaks_only_for_a_document_that_was_recognised() -> None:
    document = a_document(date_of_expiry="2026-03-13", recognised=False)
    dossier = a_dossier(document=document, config=eligibility(FilterMode.ALLOW, ("AR", PASSPORT, True)))
    assert list(issues_of(dossier)) == ["DOCUMENT_TYPE_NOT_SUPPORTED", "EXPIRED_DOCUMENT"]


def test_in_reject_mode_an_entry_speaks_of_expiry_too() -> None:
    document = a_document(date_of_expiry="2026-03-13")
    found = issues_of(a_dossier(document=document, config=eligibility(FilterMode.REJECT, ("AR", PASSPORT, True))))
    assert list(found) == ["DOCUMENT_NOT_ELIGIBLE"]
    found = issues_of(a_dossier(document=document, config=eligibility(FilterMode.REJECT, ("CL", PASSPORT, True))))
    assert list(found) == ["EXPIRED_DOCUMENT"]


@pytest.mark.parametrize(
    ("country", "kind", "expiry", "reason"),
    [
        ("ES", NATIONAL_ID, "9999-12-31", None),
        ("VN", NATIONAL_ID, "9999-12-31", None),
        ("RO", NATIONAL_ID, "9999-12-31", None),
        ("RU", NATIONAL_ID, None, None),
        ("MY", NATIONAL_ID, None, None),
        ("DE", NATIONAL_ID, "9999-12-31", "WITHOUT_END_NOT_ISSUED"),
        ("ES", PASSPORT, "9999-12-31", "WITHOUT_END_NOT_ISSUED"),
        ("ES", NATIONAL_ID, None, "NOT_EXTRACTED"),
    ],
)
def test_a_document_is_without_end_only_if_the_table_says_that_its_kind_may_be(
    country: str, kind: DocumentType, expiry: str | None, reason: str | None
) -> None:
    verdict = evaluate(a_dossier(document=a_document(country=country, type=kind, date_of_expiry=expiry)))
    answer = next(answer for answer in verdict.checks if answer.check is CheckName.DOCUMENT_EXPIRY)
    if reason is None:
        assert (answer.outcome, answer.reason) == (Outcome.PASSED, "WITHOUT_END")
    else:
        assert (answer.outcome, answer.reason) == (Outcome.FAILED, reason)


def test_an_expiry_whose_check_digit_fails_is_no_good_reading() -> None:
    document = a_document().model_copy(update={"mrz": a_zone(date_of_expiry=False)})
    issue = the_only_issue(a_dossier(document=document), IssueCode.EXPIRED_DOCUMENT)
    assert issue.details["reason"] == "CHECK_DIGIT_FAILED"


@pytest.mark.parametrize("expiry", [None, "soon", "2026-02-30"])
def test_an_expiry_that_cannot_be_read_counts_as_expired(expiry: str | None) -> None:
    issue = the_only_issue(a_dossier(document=a_document(date_of_expiry=expiry)), IssueCode.EXPIRED_DOCUMENT)
    assert issue.details["reason"] == "NOT_EXTRACTED"


@pytest.mark.parametrize("country", ["KE", "BD"], ids=["Kenya, of before 2023", "Bangladesh, laminated"])
def test_a_card_that_bears_no_end_is_not_expired(country: str) -> None:
    card = a_document(country=country, type=NATIONAL_ID, date_of_expiry=None)
    assert evaluate(a_dossier(document=card)).outcome(CheckName.DOCUMENT_EXPIRY) is Outcome.INCONCLUSIVE


def test_a_kind_of_document_that_may_bear_no_expiry_leaves_the_question_open() -> None:
    document = a_document(country="CO", type=NATIONAL_ID, date_of_expiry=None)
    verdict = evaluate(a_dossier(document=document))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.DOCUMENT_EXPIRY) is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("country", "issued", "outcome"),
    [
        ("CH", "2023-05-02", Outcome.INCONCLUSIVE),
        ("DE", "2013-01-18", Outcome.INCONCLUSIVE),
        ("PL", "2004-06-01", Outcome.INCONCLUSIVE),
        ("DE", "2013-01-19", Outcome.FAILED),
        ("DE", None, Outcome.FAILED),
        ("GB", "2004-06-01", Outcome.FAILED),
    ],
)
def test_a_licence_of_the_union_from_before_2013_and_a_swiss_one_may_bear_no_date(
    country: str, issued: str | None, outcome: Outcome
) -> None:
    licence = a_document(country=country, type=DocumentType.DRIVER_LICENSE, date_of_expiry=None, date_of_issue=issued)
    verdict = evaluate(a_dossier(document=licence))
    assert verdict.outcome(CheckName.DOCUMENT_EXPIRY) is outcome
    expired = licence.model_copy(update={"fields": a_document(date_of_expiry="2025-01-01").fields})
    assert evaluate(a_dossier(document=expired)).outcome(CheckName.DOCUMENT_EXPIRY) is Outcome.FAILED


def test_where_expired_documents_are_allowed_an_unread_expiry_is_not_a_pass() -> None:
    document = a_document(date_of_expiry=None)
    verdict = evaluate(a_dossier(document=document, config=eligibility(FilterMode.ALLOW, ("AR", PASSPORT, True))))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.DOCUMENT_EXPIRY) is Outcome.NOT_RUN


@pytest.mark.parametrize("kind", [NATIONAL_ID, DocumentType.RESIDENT_PERMIT])
@pytest.mark.parametrize("expected", ["12345678Z", "AAA000000"])
def test_where_people_know_a_card_by_their_own_number_either_matches_and_the_check_says_which(
    expected: str, kind: DocumentType
) -> None:
    card, german = (
        a_document(country=country, type=kind, document_number="AAA000000", personal_number="12345678-Z")
        for country in ("ES", "DE")
    )
    verdict = evaluate(a_dossier(document=card, config=matching(document_number=expected)))
    answer = next(answer for answer in verdict.checks if answer.check is CheckName.DOCUMENT_NUMBER_MATCH)
    which = "MATCHED_DOCUMENT_NUMBER" if expected == "AAA000000" else "MATCHED_PERSONAL_NUMBER"
    assert (verdict.issues, answer.outcome, answer.reason) == ((), Outcome.PASSED, which)
    elsewhere = a_dossier(document=german, config=matching(document_number="12345678Z"))
    the_only_issue(elsewhere, IssueCode.DOCUMENT_NUMBER_MISMATCH)
    by_its_own = evaluate(a_dossier(document=german, config=matching(document_number="AAA000000")))
    answer = next(answer for answer in by_its_own.checks if answer.check is CheckName.DOCUMENT_NUMBER_MATCH)
    assert (answer.outcome, answer.reason) == (Outcome.PASSED, None)


@pytest.mark.parametrize(
    ("field", "expected", "code"),
    [
        ("document_number", "ab123456", IssueCode.DOCUMENT_NUMBER_MISMATCH),
        ("date_of_birth", "1990-04-23", IssueCode.DATE_OF_BIRTH_MISMATCH),
    ],
)
def test_what_a_zone_says_against_its_check_digit_never_matches(field: str, expected: str, code: IssueCode) -> None:
    document = a_document().model_copy(update={"mrz": a_zone(**{field: False})})
    issue = the_only_issue(a_dossier(document=document, config=matching(**{field: expected})), code)
    assert issue.details == {"reason": "CHECK_DIGIT_FAILED"}


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
    issue = the_only_issue(dossier, code)
    assert issue.severity is Severity.REJECTION
    assert "reason" not in issue.details  # it was read, and says something else
    assert evaluate(dossier).decision is Decision.REJECTED


@pytest.mark.parametrize(("asked", "right", "wrong", "field", "code"), MATCHES)
def test_what_must_match_and_could_not_be_read_is_a_mismatch(
    asked: str, right: Any, wrong: Any, field: str | None, code: IssueCode
) -> None:
    unread = [None, without(field)] if field else [None, a_document(recognised=False)]
    for document in unread:
        issue = issues_of(a_dossier(document=document, config=matching(**{asked: right})))[code.name]
        assert (issue.severity, issue.details["reason"]) == (Severity.REJECTION, "NOT_EXTRACTED")
        assert issue.details.get("score", 0.0) == 0.0


@pytest.mark.parametrize(("threshold", "matches"), [(0.9, True), (0.9001, False), (1.0, False), (0.1, True)])
def test_a_name_matches_from_the_threshold_upwards(threshold: float, matches: bool) -> None:
    document = a_document(given_names="JUAN PERES")
    dossier = a_dossier(document=document, config=matching(given_names=name_of("Juan Perez", threshold)))
    found = issues_of(dossier)
    assert (not found) is matches
    if found:
        assert found["NAME_MISMATCH"].details == {"score": 0.9, "threshold": threshold}


@pytest.mark.parametrize(
    ("expected", "printed"),
    [("TSIRIULNIKOVA", "ЦИРЮЛЬНИКОВА"), ("ЦИРЮЛЬНИКОВА", "TSIRIULNIKOVA"), ("Papadopoulou", "ΠΑΠΑΔΟΠΟΥΛΟΥ")],
)
def test_a_name_expected_in_latin_letters_matches_its_print_in_another_script_and_the_other_way(
    expected: str, printed: str
) -> None:
    config = matching(surnames=name_of(expected, 1.0))
    verdict = evaluate(a_dossier(document=a_document(surnames=printed), config=config))
    assert IssueCode.SURNAME_MISMATCH not in {issue.code for issue in verdict.issues}
    stranger = evaluate(a_dossier(document=a_document(surnames="НОЗДРИНА"), config=config))
    assert IssueCode.SURNAME_MISMATCH in {issue.code for issue in stranger.issues}


@pytest.mark.parametrize("unreadable", ["", "---", "."])
def test_a_name_without_letters_was_not_read(unreadable: str) -> None:
    document = a_document(surnames=unreadable)
    dossier = a_dossier(document=document, config=matching(surnames=name_of("...", 0.1)))
    assert the_only_issue(dossier, IssueCode.SURNAME_MISMATCH).details["reason"] == "NOT_EXTRACTED"


# ── consistency with the earlier record ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("change", "code", "severity"),
    [
        ({"given_names": "Ana"}, IssueCode.NAME_MISMATCH, Severity.WARNING),
        ({"surnames": "Peres O'Neill"}, IssueCode.SURNAME_MISMATCH, Severity.WARNING),
        ({"gender": "X"}, IssueCode.GENDER_MISMATCH, Severity.WARNING),
        ({"date_of_birth": date(1991, 4, 23)}, IssueCode.DATE_OF_BIRTH_MISMATCH, Severity.REJECTION),
    ],
)
def test_a_difference_from_the_record_is_told(change: dict[str, Any], code: IssueCode, severity: Severity) -> None:
    issue = the_only_issue(a_dossier(earlier_record=THE_SAME_PERSON.model_copy(update=change)), code)
    assert (issue.severity, issue.details["compared_with"]) == (severity, "CUSTOMER_RECORD")
    assert "reason" not in issue.details


def test_names_that_agree_with_the_record_are_shown_with_their_score() -> None:
    checks = {answer.check: answer for answer in evaluate(a_dossier(earlier_record=THE_SAME_PERSON)).checks}
    for name in (CheckName.GIVEN_NAMES_CONSISTENT, CheckName.SURNAMES_CONSISTENT):
        assert (checks[name].outcome, checks[name].score, checks[name].threshold) == (Outcome.PASSED, 1.0, 1.0)


def test_marks_in_the_place_of_a_name_leave_consistency_open() -> None:
    verdict = evaluate(a_dossier(document=a_document(given_names="---"), earlier_record=THE_SAME_PERSON))
    assert verdict.issues == ()
    assert verdict.outcome(CheckName.GIVEN_NAMES_CONSISTENT) is Outcome.INCONCLUSIVE


def test_another_document_of_the_same_person_agrees_with_the_record() -> None:
    other = a_document(country="CL", type=NATIONAL_ID, document_number="9")
    assert evaluate(a_dossier(document=other, earlier_record=THE_SAME_PERSON)).issues == ()


def test_a_date_of_birth_that_cannot_be_compared_with_the_record_is_a_difference() -> None:
    issue = the_only_issue(
        a_dossier(document=a_document(date_of_birth=None), earlier_record=THE_SAME_PERSON),
        IssueCode.DATE_OF_BIRTH_MISMATCH,
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
    verdict = evaluate(a_dossier(document=without(field), earlier_record=THE_SAME_PERSON))
    assert verdict.issues == ()
    assert verdict.outcome(check) is Outcome.INCONCLUSIVE


def test_the_same_code_may_come_from_the_config_and_from_the_record() -> None:
    record = THE_SAME_PERSON.model_copy(update={"surnames": "Ruiz"})
    found = evaluate(a_dossier(config=matching(surnames=name_of("Ruiz")), earlier_record=record)).issues
    assert [issue.severity for issue in found] == [Severity.REJECTION, Severity.WARNING]
