"""What a comparison of what the document says with what is expected tells besides its outcome."""

from typing import Any

import pytest

from tests.support.dossiers import a_document, a_dossier, a_zone, the_only_issue
from truename.rules.evidence import DocumentType
from truename.rules.issues import IssueCode
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import evaluate


def matching(**expected: object) -> dict[str, Any]:
    return {"document_policy": {"data_matching": expected}}


@pytest.mark.parametrize("name", [CheckName.GIVEN_NAMES_MATCH, CheckName.SURNAMES_MATCH])
def test_a_name_that_matches_is_shown_with_its_score_and_the_threshold(name: CheckName) -> None:
    names = {
        "given_names": {"value": "Ana Marta", "similarity_min_score": 0.5},
        "surnames": {"value": "Peres O'Neill", "similarity_min_score": 0.5},
    }
    answer = next(answer for answer in evaluate(a_dossier(config=matching(**names))).checks if answer.check is name)
    assert answer.outcome is Outcome.PASSED
    assert answer.threshold == 0.5
    assert answer.score is not None
    assert 0.5 < answer.score < 1.0


@pytest.mark.parametrize(
    ("numbers", "digits", "reason"),
    [
        ({"document_number": "AAA000000", "personal_number": "12345678Z"}, {}, None),
        ({"document_number": "AAA000000", "personal_number": None}, {}, None),
        ({"document_number": None, "personal_number": "12345678Z"}, {}, None),
        ({"document_number": None, "personal_number": None}, {}, "NOT_EXTRACTED"),
        (
            {"document_number": "AAA000000", "personal_number": "12345678Z"},
            {"document_number": False},
            "CHECK_DIGIT_FAILED",
        ),
        (
            {"document_number": "AAA000000", "personal_number": "12345678Z"},
            {"personal_number": False},
            "CHECK_DIGIT_FAILED",
        ),
    ],
)
def test_of_two_numbers_neither_of_which_matches_it_is_said_what_was_wrong_with_either(
    numbers: dict[str, Any], digits: dict[str, bool], reason: str | None
) -> None:
    card = a_document(country="ES", type=DocumentType.NATIONAL_ID, **numbers).model_copy(
        update={"mrz": a_zone(**digits)}
    )
    issue = the_only_issue(
        a_dossier(document=card, config=matching(document_number="999999999")), IssueCode.DOCUMENT_NUMBER_MISMATCH
    )
    assert issue.details == ({} if reason is None else {"reason": reason})


def test_a_check_digit_that_fails_is_no_mismatch_where_nothing_is_expected() -> None:
    document = a_document().model_copy(update={"mrz": a_zone(date_of_birth=False, document_number=False)})
    assert evaluate(a_dossier(document=document)).issues == ()
