"""Does the document agree with itself, and was the document itself photographed?"""

import pytest

from tests.support.dossiers import a_document, a_dossier, a_zone
from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.rules.evidence import (
    DocumentEvidence,
    DocumentField,
    DocumentType,
    FieldName,
    Quality,
    QualityReason,
    ReadValue,
    SideEvidence,
    Source,
)
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, evaluate


def judged(document: DocumentEvidence) -> tuple[Outcome, str | None]:
    """What the check answers; the decision stays what it would be without it."""
    verdict = evaluate(a_dossier(document=document))
    assert verdict.decision is Decision.APPROVED
    answer = next(answer for answer in verdict.checks if answer.check is CheckName.DOCUMENT_AUTHENTICITY)
    return answer.outcome, answer.reason


def with_other(
    name: FieldName, value: str, confidence: float = 0.9, source: Source = Source.VISUAL
) -> DocumentEvidence:
    document = a_document()
    other = ReadValue(value=value, source=source, confidence=confidence)
    field = document.fields[name].model_copy(update={"others": (other,)})
    return document.model_copy(update={"fields": {**document.fields, name: field}})


def test_a_document_that_agrees_with_itself_passes() -> None:
    assert judged(a_document()) == (Outcome.PASSED, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (FieldName.DATE_OF_BIRTH, "2008-04-23"),
        (FieldName.DATE_OF_EXPIRY, "2020-01-31"),
        (FieldName.GENDER, "M"),
        (FieldName.SURNAMES, "BERGSTROM"),
    ],
)
def test_print_that_surely_contradicts_the_zone_fails(name: FieldName, value: str) -> None:
    assert judged(with_other(name, value)) == (Outcome.FAILED, "SOURCES_CONTRADICT")


def test_the_zone_of_another_document_on_the_other_side_contradicts() -> None:
    other_zone = with_other(FieldName.DATE_OF_BIRTH, "2008-04-23", source=Source.MRZ)
    assert judged(other_zone) == (Outcome.FAILED, "SOURCES_CONTRADICT")


@pytest.mark.parametrize(
    "document",
    [
        with_other(FieldName.DATE_OF_BIRTH, "2008-04-23", confidence=0.6),
        with_other(FieldName.SURNAMES, "PERALTA NEIL"),
        with_other(FieldName.DOCUMENT_NUMBER, "12345678"),
    ],
)
def test_an_unsure_difference_leaves_the_question_open(document: DocumentEvidence) -> None:
    assert judged(document) == (Outcome.INCONCLUSIVE, "SOURCES_DIFFER")


def test_one_other_reading_that_agrees_does_not_settle_what_another_says() -> None:
    same, unsure = (
        ReadValue(value=value, source=Source.VISUAL, confidence=0.6) for value in ("1990-04-23", "2008-04-23")
    )
    document = a_document()
    field = document.fields[FieldName.DATE_OF_BIRTH].model_copy(update={"others": (same, unsure)})
    read = {**document.fields, FieldName.DATE_OF_BIRTH: field}
    assert judged(document.model_copy(update={"fields": read})) == (Outcome.INCONCLUSIVE, "SOURCES_DIFFER")


def test_of_a_card_both_sides_are_looked_at() -> None:
    card = a_document(country="DE", type=DocumentType.NATIONAL_ID)
    assert judged(card) == (Outcome.INCONCLUSIVE, "SIDE_MISSING")
    assert judged(card.model_copy(update={"back": SideEvidence()})) == (Outcome.PASSED, None)
    on_a_screen = SideEvidence(quality=Quality(reasons=(QualityReason.SCREEN,)))
    assert judged(card.model_copy(update={"back": on_a_screen})) == (Outcome.FAILED, "SCREEN")


def test_a_card_that_never_bears_an_end_agrees_with_itself_without_one() -> None:
    assert judged(a_document(country="RU", type=DocumentType.NATIONAL_ID, date_of_expiry=None)) == (
        Outcome.PASSED,
        None,
    )


def test_print_that_says_the_name_and_more_leaves_the_question_open_and_another_name_does_not() -> None:
    surnames = a_document().fields[FieldName.SURNAMES].value
    longer = f"{surnames} ALLAHVERDI QIZI EKATERINA DOLORES"
    assert judged(with_other(FieldName.SURNAMES, longer)) == (Outcome.INCONCLUSIVE, "SOURCES_DIFFER")
    other = "ALLAHVERDI QIZI EKATERINA DOLORES"
    assert judged(with_other(FieldName.SURNAMES, other)) == (Outcome.FAILED, "SOURCES_CONTRADICT")


@pytest.mark.parametrize(
    ("printed", "answer"),
    [
        ("MARIA", (Outcome.INCONCLUSIVE, "SOURCES_DIFFER")),
        ("LOS ANGELES", (Outcome.INCONCLUSIVE, "SOURCES_DIFFER")),
        ("MARTA", (Outcome.FAILED, "SOURCES_CONTRADICT")),
        ("LI XIU", (Outcome.FAILED, "SOURCES_CONTRADICT")),
    ],
)
def test_print_that_says_a_part_of_the_name_leaves_the_question_open(printed: str, answer: tuple[Outcome, str]) -> None:
    document = a_document(given_names="MARIA DE LOS ANGELES")
    other = ReadValue(value=printed, source=Source.VISUAL, confidence=0.9)
    read = document.fields[FieldName.GIVEN_NAMES].model_copy(update={"others": (other,)})
    fields = {**document.fields, FieldName.GIVEN_NAMES: read}
    assert judged(document.model_copy(update={"fields": fields})) == answer


def test_a_misread_letter_in_print_is_no_difference() -> None:
    assert judged(with_other(FieldName.SURNAMES, "PEREZ O'NEIL")) == (Outcome.PASSED, None)


def test_a_zone_whose_check_digits_fail_speaks_against_the_document_when_it_was_read_for_sure() -> None:
    sure, unsure = (
        a_document().model_copy(update={"mrz": a_zone(composite=False, readers_agree=agree)}) for agree in (True, False)
    )
    assert judged(sure) == (Outcome.FAILED, "CHECK_DIGITS_FAILED")
    assert judged(unsure) == (Outcome.INCONCLUSIVE, "CHECK_DIGITS_FAILED")


def test_a_zone_that_was_guessed_with_right_check_digits_neither_proves_a_document_nor_speaks_against_it() -> None:
    guessed = a_zone(confidence=0.05).model_copy(update={"valid": False})
    assert judged(a_document().model_copy(update={"mrz": guessed})) == (Outcome.INCONCLUSIVE, "UNREADABLE")


@pytest.mark.parametrize("reason", [QualityReason.SCREEN, QualityReason.PHOTOCOPY])
def test_a_screen_or_a_copy_is_not_the_document(reason: QualityReason) -> None:
    front = SideEvidence(quality=Quality(reasons=(reason,)))
    assert judged(a_document().model_copy(update={"front": front})) == (Outcome.FAILED, reason)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (a_document().model_copy(update={"mrz": None}), "NO_ZONE"),
        (a_document().model_copy(update={"front": None}), "SIDE_MISSING"),
        (a_document(given_names=None), "NOT_EXTRACTED"),
        (a_document(country="GB", type=DocumentType.DRIVER_LICENSE), "NOTHING_TO_COMPARE"),
        (a_document(country="US", type=DocumentType.DRIVER_LICENSE), "NO_BARCODE"),
    ],
)
def test_what_could_not_be_compared_is_never_a_pass(document: DocumentEvidence, reason: str) -> None:
    assert judged(document) == (Outcome.INCONCLUSIVE, reason)


def test_a_licence_whose_barcode_was_read_needs_no_zone() -> None:
    read = a_document(country="US", type=DocumentType.DRIVER_LICENSE).model_copy(
        update={"mrz": None, "barcode_kind": "AAMVA", "back": SideEvidence()}
    )
    assert judged(read) == (Outcome.PASSED, None)
    # What was taken for a zone on a card that bears none does not speak against it.
    taken_for_a_zone = read.model_copy(update={"mrz": a_zone(composite=False)})
    assert judged(taken_for_a_zone) == (Outcome.INCONCLUSIVE, "CHECK_DIGITS_FAILED")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (None, "NOT_EXAMINED"),
        (a_document(recognised=False), "NOT_RECOGNISED"),
        (a_document(country="TH", type=DocumentType.TEMP_PERMIT_ID), "NOT_RECOGNISED"),
    ],
)
def test_a_document_that_nobody_knows_is_no_pass_either(document: DocumentEvidence | None, reason: str) -> None:
    checks = evaluate(a_dossier(document=document)).checks
    answer = next(answer for answer in checks if answer.check is CheckName.DOCUMENT_AUTHENTICITY)
    assert (answer.outcome, answer.reason) == (Outcome.INCONCLUSIVE, reason)


@pytest.mark.parametrize("marks", [None, "", "---", ". ."])
def test_a_recognised_document_of_which_nothing_was_read_is_unreadable(marks: str | None) -> None:
    blank = a_document().model_copy(update={"fields": {}})
    if marks is not None:
        read = DocumentField(value=marks, source=Source.VISUAL, confidence=0.9)
        fields = dict.fromkeys((FieldName.SURNAMES, FieldName.DOCUMENT_NUMBER), read)
        blank = blank.model_copy(update={"fields": fields})
    verdict = evaluate(a_dossier(document=blank))
    assert verdict.decision is Decision.REJECTED
    assert verdict.issues[0].as_dict()["code"] == "DOCUMENT_TYPE_NOT_SUPPORTED"
    assert verdict.issues[0].details == {"reason": "UNREADABLE", "country": "AR", "type": "PASSPORT"}


def test_a_measured_sign_beyond_its_limit_fails_the_check_and_says_by_how_much() -> None:
    document = a_document().model_copy(update={"authenticity": {AuthenticitySign.ZONE_SPACING: 0.7}})
    verdict = evaluate(a_dossier(document=document))
    answer = next(answer for answer in verdict.checks if answer.check is CheckName.DOCUMENT_AUTHENTICITY)
    assert (answer.outcome, answer.reason) == (Outcome.FAILED, "ZONE_SPACING")
    assert (answer.score, answer.threshold) == (0.7, LIMITS[AuthenticitySign.ZONE_SPACING].limit)
    assert verdict.decision is Decision.APPROVED
    assert verdict.issues == ()


@pytest.mark.parametrize("sign", AuthenticitySign)
def test_each_sign_speaks_beyond_its_limit_only_and_fails_only_where_it_counts(sign: AuthenticitySign) -> None:
    limit = LIMITS[sign]
    beyond, within = (limit.limit - 0.1, limit.limit) if limit.low_speaks else (limit.limit, limit.limit - 0.1)
    fails = (Outcome.FAILED, sign.value) if limit.fails else (Outcome.PASSED, None)
    assert judged(a_document().model_copy(update={"authenticity": {sign: beyond}})) == fails
    assert judged(a_document().model_copy(update={"authenticity": {sign: within}})) == (Outcome.PASSED, None)


def test_evidence_from_before_there_were_signs_is_judged_as_it_was() -> None:
    stored = a_document().model_dump_json(exclude={"authenticity"})
    assert judged(DocumentEvidence.model_validate_json(stored)) == (Outcome.PASSED, None)
