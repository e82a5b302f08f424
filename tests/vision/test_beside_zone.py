"""Is print beside a trusted zone read until it confirms the zone, and in full where it does not?"""

from collections.abc import Callable
from datetime import date

import numpy as np
import pytest

from truename.rules.evidence import FieldName, ReadValue, Source
from truename.vision.document.print.beside_zone import ISSUE_CONFIDENCE, read_until_confirmed
from truename.vision.document.print.read import Quad, TextLine

TODAY = date(2026, 11, 15)
ZONE = {
    FieldName.SURNAMES: "MUELLER",
    FieldName.GIVEN_NAMES: "ANNA MARIA",
    FieldName.DOCUMENT_NUMBER: "C01X00T47",
    FieldName.DATE_OF_BIRTH: "1984-08-12",
    FieldName.DATE_OF_EXPIRY: "2031-03-09",
}
PAGE = [
    ("MÜLLER", 40),
    ("ANNA MARIA", 40),
    ("C01X00T47", 44),
    ("12.08.1984", 36),
    ("09 MAR/MARS 2031", 36),
    ("10 MAR/MARS 2021", 36),
    ("Name / Surname / Nom", 18),
    ("Vornamen / Given names", 18),
]


def zone(**changed: str) -> dict[FieldName, ReadValue]:
    values = {**ZONE, **{FieldName[name]: value for name, value in changed.items()}}
    return {name: ReadValue(value=value, source=Source.MRZ, confidence=0.99) for name, value in values.items()}


class Page:
    """Lines of print one below the other, which count how often they are read."""

    def __init__(self, lines: list[tuple[str, int]]) -> None:
        self.quads: list[Quad] = []
        self.read_lines: list[str] = []
        for row, (text, height) in enumerate(lines):
            top, right = 60.0 * row, 0.5 * height * len(text)
            self.quads.append(np.array([[0, top], [right, top], [right, top + height], [0, top + height]], np.float32))
        self._texts = [text for text, _ in lines]

    def read(self, quad: Quad, _: object) -> TextLine:
        text = self._texts[round(float(quad[0, 1]) / 60)]
        self.read_lines.append(text)
        return TextLine(text, 0.9, quad)


def test_print_that_confirms_the_zone_is_read_no_further():
    page = Page(PAGE)
    found = read_until_confirmed(page.quads, zone(), page.read, TODAY)
    assert found.values is not None
    assert found.values[FieldName.SURNAMES][0].value == "MÜLLER"
    assert found.values[FieldName.DATE_OF_ISSUE][0].value == "2021-03-10"
    assert not any("Surname" in text for text in page.read_lines)


def test_print_that_says_another_name_confirms_nothing():
    page = Page([("SCHNEIDER", 40), *PAGE[1:]])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is None


def test_print_that_says_another_number_confirms_nothing():
    page = Page([*PAGE[:2], ("C01X00T74", 44), *PAGE[3:]])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is None


def test_the_largest_lines_are_read_first_and_none_of_a_form_that_no_value_has():
    square, long = ("X", 60), ("X" * 30, 50)
    page = Page([*reversed(PAGE), square, long])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is not None
    assert page.read_lines[0] == "C01X00T47"
    assert sorted(page.read_lines) == sorted(text for text, height in PAGE if height > 18)


def test_names_are_taken_from_print_and_the_rest_from_the_zone_each_as_sure_as_its_line():
    page = Page([(" MÜLLER ", 40), PAGE[1], ("No. C01 X00 T47", 44), *PAGE[3:]])
    found = read_until_confirmed(page.quads, zone(), page.read, TODAY)
    assert found.values is not None
    said = {name: (one.value, one.source, one.confidence) for name, (one,) in found.values.items()}
    assert said == {
        FieldName.SURNAMES: ("MÜLLER", Source.VISUAL, 0.9),
        FieldName.GIVEN_NAMES: ("ANNA MARIA", Source.VISUAL, 0.9),
        FieldName.DOCUMENT_NUMBER: ("C01X00T47", Source.VISUAL, 0.9),
        FieldName.DATE_OF_BIRTH: ("1984-08-12", Source.VISUAL, 0.9),
        FieldName.DATE_OF_EXPIRY: ("2031-03-09", Source.VISUAL, 0.9),
        FieldName.DATE_OF_ISSUE: ("2021-03-10", Source.VISUAL, ISSUE_CONFIDENCE),
    }


def test_a_glance_is_enough_for_a_number_or_date_that_was_not_found_yet_and_for_no_name():
    page, enough = Page([*PAGE[:6], ("12.08.1984", 35)]), []

    def read(quad: Quad, is_enough: Callable[[str], bool] | None) -> TextLine:
        line = page.read(quad, None)
        enough.append((line.text, is_enough is not None and is_enough(line.text)))
        return line

    assert read_until_confirmed(page.quads, zone(), read, TODAY).values is not None
    assert dict(enough[:5]) == {
        "C01X00T47": True,
        "MÜLLER": False,
        "ANNA MARIA": False,
        "12.08.1984": True,
        "09 MAR/MARS 2031": True,
    }
    assert enough[5:] == [("10 MAR/MARS 2021", False), ("12.08.1984", False)]


@pytest.mark.parametrize(("printed", "confirms"), [("MUELIER", True), ("MÖLLER", True), ("MUESLI", False)])
def test_a_name_with_a_misread_letter_is_the_same_name(printed, confirms):
    page = Page([(printed, 40), *PAGE[1:]])
    assert (read_until_confirmed(page.quads, zone(), page.read, TODAY).values is not None) is confirms


def test_print_that_says_another_date_confirms_nothing():
    page = Page(PAGE)
    assert read_until_confirmed(page.quads, zone(DATE_OF_BIRTH="1994-08-12"), page.read, TODAY).values is None


def test_a_zone_without_a_date_of_expiry_is_never_confirmed_alone():
    page = Page(PAGE)
    without = zone()
    del without[FieldName.DATE_OF_EXPIRY]
    assert read_until_confirmed(page.quads, without, page.read, TODAY).values is None
    assert page.read_lines == []


def test_two_days_that_could_be_the_issue_are_no_day_of_issue():
    page = Page([*PAGE[:6], ("11.04.2022", 36)])
    found = read_until_confirmed(page.quads, zone(), page.read, TODAY)
    assert found.values is not None
    assert FieldName.DATE_OF_ISSUE not in found.values


def test_print_without_a_day_of_issue_confirms_the_zone_and_says_none():
    page = Page(PAGE[:5])
    found = read_until_confirmed(page.quads, zone(), page.read, TODAY)
    assert found.values is not None
    assert FieldName.DATE_OF_ISSUE not in found.values


@pytest.mark.parametrize(("height", "is_read"), [(27, True), (26, False)])
def test_the_day_of_issue_may_be_set_a_quarter_smaller_than_the_other_dates(height, is_read):
    page = Page([*PAGE[:5], ("10 MAR/MARS 2021", height)])
    found = read_until_confirmed(page.quads, zone(), page.read, TODAY)
    assert found.values is not None
    assert (FieldName.DATE_OF_ISSUE in found.values) is is_read


@pytest.mark.parametrize("day", ["15.11.2026", "31.12.2020", "01.01.2020"])
def test_a_day_up_to_today_and_eleven_years_before_the_end_may_be_the_issue(day):
    page = Page([*PAGE[:5], (day, 36)])
    found = read_until_confirmed(page.quads, zone(), page.read, TODAY)
    assert found.values is not None
    assert FieldName.DATE_OF_ISSUE in found.values


@pytest.mark.parametrize(
    "day",
    ["31 DEC/DEC 2019", "16 NOV/NOV 2026", "10 MAR/MARS 1984"],
    ids=["twelve years before its end", "after today", "before birth"],
)
def test_a_day_that_cannot_be_the_issue_has_all_print_read_so_that_its_label_is_seen(day):
    """Whoever put off the end in zone and print alike was never told: such a day was left out."""
    page = Page([*PAGE[:5], (day, 36), *PAGE[6:]])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is None


def test_a_day_after_the_end_cannot_be_the_issue():
    page = Page([*PAGE[:4], ("09 MAR/MARS 2025", 36), ("10 MAR/MARS 2025", 36)])
    ended = zone(DATE_OF_EXPIRY="2025-03-09")
    assert read_until_confirmed(page.quads, ended, page.read, TODAY).values is None


def test_a_date_of_the_zone_with_its_month_first_is_no_day_of_issue():
    page = Page([*PAGE[:4], ("12/08/2025", 36), PAGE[5]])
    found = read_until_confirmed(page.quads, zone(DATE_OF_EXPIRY="2025-12-08"), page.read, TODAY)
    assert found.values is not None
    assert found.values[FieldName.DATE_OF_ISSUE][0].value == "2021-03-10"


def test_a_line_in_another_order_says_the_same_day_and_no_other():
    page = Page([*PAGE[:3], ("08/12/1984", 36), *PAGE[4:]])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is not None
