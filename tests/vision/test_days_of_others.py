"""What cannot be read is missing: the day of issue, which stands beside a birth, is nobody's birth."""

from datetime import date

import pytest

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 15)
LICENCE = DocumentType.DRIVER_LICENSE


def test_a_day_that_has_a_label_of_its_own_is_no_birth_though_that_label_is_near() -> None:
    """The birth under the glare of a lamp was the day of issue, at 0.53."""
    lines = [
        line("Date of birth", 300, 100, 16),
        line("Date of issue", 300, 134, 16),
        line("10.03.2021", 300, 154, 24),
    ]
    found = read_fields(lines, "KE", LICENCE, TODAY)
    assert found[FieldName.DATE_OF_ISSUE][0].value == "2021-03-10"
    assert FieldName.DATE_OF_BIRTH not in found


@pytest.mark.parametrize(
    ("first", "last", "born"),
    [
        ("10.03.2021", "09.03.2031", None),
        ("10.03.2021", "10.03.2031", None),
        ("10.03.2016", "10.03.2031", None),
        ("10.03.1985", "09.03.2031", "1985-03-10"),
        ("11.07.1990", "09.03.2001", "1990-07-11"),
        ("11.07.2008", "09.03.2031", "2008-07-11"),
    ],
)
def test_of_two_days_as_far_apart_as_documents_are_valid_neither_is_a_birth(
    first: str, last: str, born: str | None
) -> None:
    lines = [line(first, 300, 154, 24), line("Date of expiry", 300, 200, 16), line(last, 300, 220, 24)]
    found = read_fields(lines, "KE", LICENCE, TODAY)
    assert found[FieldName.DATE_OF_EXPIRY][0].value == date(*map(int, reversed(last.split(".")))).isoformat()
    assert [value.value for value in found.get(FieldName.DATE_OF_BIRTH, [])] == ([born] if born else [])


@pytest.mark.parametrize(("label", "value"), [("Nationality", "KENYA"), ("Place of birth", "NAIROBI")])
def test_what_has_a_label_of_its_own_is_nobodys_name(label: str, value: str) -> None:
    """Of somebody whose name could not be read, the surname was the nationality, at 0.52."""
    lines = [line("Surname", 300, 100, 16), line(label, 300, 134, 16), line(value, 300, 154, 24)]
    found = read_fields(lines, "KE", LICENCE, TODAY)
    assert FieldName.SURNAMES not in found
