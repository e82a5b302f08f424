"""Is print beside a trusted zone read until it confirms the zone, and in full where it does not?"""

from datetime import date

import numpy as np
import pytest

from truename.rules.evidence import FieldName, ReadValue, Source
from truename.vision.document.print.beside_zone import read_until_confirmed
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


@pytest.mark.parametrize(
    "day",
    ["10 MAR/MARS 2011", "10 MAR/MARS 2027", "10 MAR/MARS 1984"],
    ids=["twenty years before its end", "after today", "before birth"],
)
def test_a_day_that_cannot_be_the_issue_has_all_print_read_so_that_its_label_is_seen(day):
    """Whoever put off the end in zone and print alike was never told: such a day was left out."""
    page = Page([*PAGE[:5], (day, 36), *PAGE[6:]])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is None


def test_a_line_in_another_order_says_the_same_day_and_no_other():
    page = Page([*PAGE[:3], ("08/12/1984", 36), *PAGE[4:]])
    assert read_until_confirmed(page.quads, zone(), page.read, TODAY).values is not None
