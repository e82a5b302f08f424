"""Dates with the names of months in every language, and with words between their parts."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import tried
from truename.rules.evidence import FieldName
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import languages
from truename.vision.document.print.date_forms import date_in_form
from truename.vision.document.print.dates import find_dates
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)
MONTHS = [
    (code, number, name)
    for code, one in languages().items()
    for number, names in enumerate(one.months, 1)
    for name in names
]
BOLIVIA = """
country = "BO"
languages = ["es"]
issuers = ["Estado Plurinacional de Bolivia"]
[[documents]]
kind = "NATIONAL_ID"
version = "2009"
known_from = "description"
form = "ID-1"
titles = ["Cédula de identidad"]
years = [6, 10]
dates = "DD de MONTH de YYYY"
[documents.fields]
document_number = { labels = ["No."], formats = ["#######"] }
surnames = { labels = ["Apellidos"] }
given_names = { labels = ["Nombres"] }
date_of_birth = { labels = ["Nacido el"], beside = true }
date_of_issue = { labels = ["Emitida el"], beside = true }
date_of_expiry = { labels = ["Expira el"], beside = true }
"""


@pytest.mark.parametrize("code", sorted({code for code, _, _ in MONTHS}))
def test_every_month_of_every_language_is_read(code: str) -> None:
    """Thirty languages had no months: `12 Agustus 1985` and `12 августа 1985` were no dates."""
    named = [(number, name) for one, number, name in MONTHS if one == code]
    for number, name in named:
        for text in (f"12 {name} 1985", f"12 {name.upper()} 1985"):
            assert find_dates(text, today=TODAY) == [date(1985, number, 12)], text


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("06 2月/FEB 2012", date(2012, 2, 6)),
        ("06 2/FEB 2012", date(2012, 2, 6)),
        ("062 /FEB 2012", date(2012, 2, 6)),
        ("13 12月/DEC2031", date(2031, 12, 13)),
        ("0112/DEC 2031", date(2031, 12, 1)),
        ("15 4월/APR 2024", date(2024, 4, 15)),
        ("5 12/MAY 2024", date(2024, 5, 12)),
        ("4a. 5/MAY 2024", date(2024, 5, 5)),
        ("31 JAN /JAN 06", date(2006, 1, 31)),
        ("12 FEB/FEB 2016", date(2016, 2, 12)),
        ("22 FÉV/FEB 2016", date(2016, 2, 22)),
        ("31 /JAN 2016", date(2016, 1, 31)),
    ],
)
def test_a_month_in_figures_before_its_name_is_not_the_day(text: str, day: date) -> None:
    """Passports of China print both, and the reader of Latin letters leaves the sign out: every such date was wrong."""
    assert find_dates(text, today=TODAY) == [day]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("ISS: 2022-Sep-14", [date(2022, 9, 14)]),
        ("2027 SEP 30", [date(2027, 9, 30)]),
        ("1985-SEP-3 2027-OCT-30", [date(1985, 9, 3), date(2027, 10, 30)]),
        ("12 MAR 2021 05 APR 2031", [date(2021, 3, 12), date(2031, 4, 5)]),
        ("12 MAR 2021 APR 05 2031", [date(2021, 3, 12), date(2031, 4, 5)]),
        ("1985 SEP 3 2027 OCT 30", [date(1985, 9, 3), date(2027, 10, 30)]),
        ("APR 05 2031 MAY 06 2041", [date(2031, 4, 5), date(2041, 5, 6)]),
        ("2022-Box-14", []),
    ],
)
def test_a_month_by_its_name_may_stand_behind_the_year(text: str, days: list[date]) -> None:
    """Licences of British Columbia print `2022-Sep-14`: none of their days was read."""
    assert find_dates(text, today=TODAY) == days


@pytest.mark.parametrize("code", ["ar", "cs", "da", "fi", "hu", "id", "lt", "ms", "ru", "sv", "uk"])
def test_a_language_names_all_of_its_months(code: str) -> None:
    assert len(languages()[code].months) == 12
    assert all(languages()[code].months)


def test_no_name_means_two_months() -> None:
    """Which language a line is in, nobody knows: Croatian has no months here, its October is the Czech November."""
    meant: dict[str, set[int]] = {}
    for _, number, name in MONTHS:
        meant.setdefault(fold(name), set()).add(number)
    assert {name: numbers for name, numbers in meant.items() if len(numbers) > 1} == {}


@pytest.mark.parametrize(
    ("text", "form", "day"),
    [
        ("12 de agosto de 1985", "DD de MONTH de YYYY", date(1985, 8, 12)),
        ("12 DEAGOSTO DE1985", "DD de MONTH de YYYY", date(1985, 8, 12)),
        ("12 agosto 1985", "DD de MONTH de YYYY", date(1985, 8, 12)),
        ("3 de diciembre de 1985", "DD de MONTH de YYYY", date(1985, 12, 3)),
        ("3 DECEMBER 1985", "DD de MONTH de YYYY", date(1985, 12, 3)),
        ("ngày 12 tháng 08 năm 1985", "ngày DD tháng MM năm YYYY", date(1985, 8, 12)),
        ("12 thâng 08 nam 1985", "ngày DD tháng MM năm YYYY", date(1985, 8, 12)),
        ("1985 m. rugpjūčio 12 d.", "YYYY m. MONTH DD d.", date(1985, 8, 12)),
        ("1985年08月12日", "YYYY年MM月DD日", date(1985, 8, 12)),
        ("1985. 08. 12", "YYYY. MM. DD.", date(1985, 8, 12)),
        ("12 de nada de 1985", "DD de MONTH de YYYY", None),
        ("1112281985", "DD de MM de YYYY", None),
        ("12 of some words in the 08 of 1985", "DD de MM de YYYY", None),
    ],
)
def test_a_form_may_have_words_between_its_parts(text: str, form: str, day: date | None) -> None:
    assert date_in_form(text, form, TODAY) == day


@pytest.mark.slow
def test_dates_in_words_are_drawn_and_read_as_the_file_says(tmp_path: Path) -> None:
    """Such a file was refused."""
    with tried(tmp_path, BOLIVIA, "BO") as layout:
        drawn = draw("BO", layout, seed=4)
        photo, _ = photograph(drawn.front, seed=4, rotation=3, perspective=0.2)
        found = read_document(photo, None, TODAY).evidence
    dates = (FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY)
    assert {name: found.value(name) for name in dates} == {name: drawn.fields[name] for name in dates}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("07 0CT 1969", date(1969, 10, 7)),
        ("23-N0V-1979", date(1979, 11, 23)),
        ("0CT0BER 7, 1969", date(1969, 10, 7)),
        ("10MAR2020", date(2020, 3, 10)),
        ("10 MAR 2020", date(2020, 3, 10)),
    ],
)
def test_a_nought_in_the_name_of_a_month_is_a_letter(text: str, day: date) -> None:
    """A card of Argentina had no date of birth, and was given that of its issue."""
    assert find_dates(text) == [day]


def test_a_nought_in_the_name_of_a_month_is_a_letter_in_a_form_of_a_layout_too() -> None:
    assert date_in_form("1969 0CT 07", "YYYY MON DD", date(2026, 11, 15)) == date(1969, 10, 7)
