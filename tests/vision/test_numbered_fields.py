"""Fields that are numbered, as on driving licences: a number points at what stands beside it, whatever that says."""

from datetime import date

import pytest

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.authenticity.agreement import impossible_dates
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.read import TextLine
from truename.vision.document.reconcile import reconcile

TODAY = date(2026, 11, 15)
LICENCE = DocumentType.DRIVER_LICENSE


def licence(**lost: str) -> list[TextLine]:
    """The lines of a Belgian licence, numbers and values apart; `lost` says what was read instead of some."""
    rows = {
        "1": ("1.", "PEETERS"), "2": ("2.", "ANNA"), "3": ("3.", "20.05.1984"), "4a": ("4a.", "10.03.2021"),
        "4b": ("4b.", "09.03.2031"), "4c": ("4c.", "OFFICE 14"),
    }  # fmt: skip
    lines = [line("ROYAUME DE BELGIQUE", 130, 17, 33), line("PERMIS DE CONDUIRE", 130, 52, 24)]
    for at, (name, (number, value)) in enumerate(rows.items()):
        number, value = lost.get(f"number_{name}", number), lost.get(f"value_{name}", value)
        lines += [line(number, 318, 120 + 46 * at, 20)] if number else []
        lines += [line(value, 362, 115 + 46 * at, 29)] if value else []
    return lines


def test_a_day_below_a_bare_number_is_not_its_own_and_accuses_nobody() -> None:
    # Of the day of issue nothing was read, and of the number below it the first figure as a letter.
    fields = reconcile({}, {}, read_fields(licence(value_4a="", number_4b="Ab."), "BE", LICENCE, TODAY))
    issued = fields.get(FieldName.DATE_OF_ISSUE)
    assert issued is None or issued.value != "2031-03-09"
    assert not impossible_dates(fields, "BE", LICENCE, TODAY)
    whole = read_fields(licence(), "BE", LICENCE, TODAY)
    assert whole[FieldName.DATE_OF_ISSUE][0].value == "2021-03-10"
    assert whole[FieldName.DATE_OF_EXPIRY][0].value == "2031-03-09"


def test_a_name_below_the_number_of_one_that_was_lost_is_not_taken_for_it() -> None:
    found = read_fields(licence(value_1="", number_2=""), "BE", LICENCE, TODAY)
    sure = [one.value for one in found.get(FieldName.SURNAMES, []) if one.confidence >= 0.6]
    assert sure == []


@pytest.mark.parametrize("name", ["SEX", "POL"])
def test_somebody_may_be_called_like_the_label_of_a_field_that_has_none_on_the_document(name: str) -> None:
    lines = [line("LIETUVOS RESPUBLIKA", 130, 17, 33), line("VAIRUOTOJO PAŽYMĖJIMAS", 130, 52, 24)]
    lines += [line(f"1. {name}", 318, 115, 29), line("2. ANNA", 318, 161, 29), line("3. 1984-05-20", 318, 207, 29)]
    found = read_fields(lines, "LT", LICENCE, TODAY)
    assert found[FieldName.SURNAMES][0].value == name
    assert found[FieldName.GIVEN_NAMES][0].value == "ANNA"
    assert FieldName.GENDER not in found


def test_a_label_that_the_document_prints_is_believed_behind_a_misread_number() -> None:
    # An American licence has a label at each number: of `15 SEX F` the five was lost.
    lines = [line("WASHINGTON DRIVER LICENSE", 130, 17, 33), line("1 SEX F", 318, 115, 29)]
    found = read_fields(lines, "US", LICENCE, TODAY)
    assert found[FieldName.GENDER][0].value == "F"
    assert FieldName.SURNAMES not in found


BRITISH = [
    line("UK", 60, 17, 40), line("DRIVING LICENCE", 290, 17, 40),
    line("1.", 318, 120), line("MORGAN", 362, 115, 29), line("2.", 318, 166), line("DR SARAH MEREDYTH", 362, 161, 29),
    line("5.", 318, 212), line("MORGA753116SM9IJ 35", 362, 207, 29), line("8.", 318, 258),
]  # fmt: skip


def test_the_figures_behind_a_british_number_are_no_part_of_it_and_the_title_none_of_the_name() -> None:
    found = read_fields(BRITISH, "GB", LICENCE, TODAY)
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "MORGA753116SM9IJ"
    assert found[FieldName.DOCUMENT_NUMBER][0].confidence > 0.75
    assert found[FieldName.GIVEN_NAMES][0].value == "SARAH MEREDYTH"


def test_a_portrait_that_was_read_as_a_figure_labels_nothing() -> None:
    # The 8 of an address, half as tall as the page: everything on it stood in its reach.
    found = read_fields([*BRITISH, line("8", 0, 110, 500)], "GB", LICENCE, TODAY)
    assert found[FieldName.GIVEN_NAMES][0].value == "SARAH MEREDYTH"
    assert FieldName.ADDRESS not in found


def test_a_number_says_more_than_words_that_are_only_alike_a_label() -> None:
    # `Valide du`, from when on the licences of Québec are valid, is alike what others print at the end.
    lines = [
        line("CANADA", 130, 17, 33), line("PERMIS DE CONDUIRE", 130, 52, 24), line("Québec", 400, 17, 33),
        line("4a Valide du", 318, 166), line("2023-04-01", 560, 161, 26),
        line("4b Expire le", 318, 212), line("2031-04-12", 560, 207, 26),
    ]  # fmt: skip
    found = read_fields(lines, "CA", LICENCE, TODAY)
    assert found[FieldName.DATE_OF_ISSUE][0].value == "2023-04-01"
    assert [value.value for value in found[FieldName.DATE_OF_EXPIRY]] == ["2031-04-12"]


def test_a_label_behind_its_number_that_was_misread_is_no_name_where_one_stands_beside_it() -> None:
    # A licence without a layout file: which words it prints behind its numbers is not known.
    def read(*others: TextLine) -> list[str]:
        lines = [line("1. Sumame", 318, 120), *others, line("3. Date of birth", 318, 166), line("25/12/1979", 580, 163)]
        return [value.value for value in read_fields(lines, "TZ", LICENCE, TODAY).get(FieldName.SURNAMES, [])]

    assert read(line("MWAKASEGE", 580, 117, 26)) == ["MWAKASEGE"]
    assert read() == ["Sumame"]
