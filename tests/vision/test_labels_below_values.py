"""Labels below their values, on documents of which no layout file says so."""

from datetime import date

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 15)
VALUE_AND_LABEL = (
    ("OSEI-BONSU", "Last Name"),
    ("AKOSUA", "First Name"),
    ("1988/03/09", "Birth Date"),
    ("F", "Sex"),
    ("2021/06/30", "Date of Issue"),
    ("2031/06/30", "Expiry Date"),
)
TRUTH = {
    FieldName.SURNAMES: "OSEI-BONSU",
    FieldName.GIVEN_NAMES: "AKOSUA",
    FieldName.DATE_OF_BIRTH: "1988-03-09",
    FieldName.GENDER: "F",
    FieldName.DATE_OF_ISSUE: "2021-06-30",
    FieldName.DATE_OF_EXPIRY: "2031-06-30",
}
APART = 40
"""From a line to the next: pairs stand no farther from each other than within."""


def read(*rows: str, country: str | None = "JM") -> dict[FieldName, str]:
    printed = [line(text, 100, 100 + APART * at) for at, text in enumerate(rows)]
    found = read_fields(printed, country, DocumentType.DRIVER_LICENSE, TODAY)
    return {name: found[name][0].value for name in TRUTH if name in found}


def test_each_value_is_that_of_the_label_below_it() -> None:
    """Names and days had moved by one, and were stated at 0.9."""
    assert read(*(text for pair in VALUE_AND_LABEL for text in pair)) == TRUTH


def test_a_value_that_was_lost_moves_no_other() -> None:
    lost = [text for pair in VALUE_AND_LABEL for text in pair if text != "1988/03/09"]
    found = read(*lost)
    assert FieldName.DATE_OF_BIRTH not in found
    assert found[FieldName.DATE_OF_EXPIRY] == "2031-06-30"
    assert found[FieldName.SURNAMES] == "OSEI-BONSU"


def test_labels_above_their_values_stay_above() -> None:
    upside = [text for value, label in VALUE_AND_LABEL for text in (label, value)]
    assert read(*upside) == TRUTH
    assert read(*(text for text in upside if text != "2031/06/30")).get(FieldName.DATE_OF_EXPIRY) is None


def test_nobody_is_born_after_today() -> None:
    """The end of a voter's card beside a label that was misread for that of the birth, at 0.89."""
    assert FieldName.DATE_OF_BIRTH not in read("Date of birth", "2031/03/09")
    assert read("Date of birth", "1988/03/09") == {FieldName.DATE_OF_BIRTH: "1988-03-09"}
