"""Printed words become fields; dates of many countries."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.print.date_forms import DateForms, date_in_form
from truename.vision.document.print.dates import (
    Order,
    PrintedDate,
    find_dates,
    has_date,
    in_order_of_life,
    printed_dates,
)
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12.08.1985", date(1985, 8, 12)),
        ("16 02 1991", date(1991, 2, 16)),
        ("07. 02. 1995", date(1995, 2, 7)),
        ("30-10-1992", date(1992, 10, 30)),
        ("1994/02/05", date(1994, 2, 5)),
        ("31 MAY 1988", date(1988, 5, 31)),
        ("23 NOV/NOV 1979", date(1979, 11, 23)),
        ("12 AUG/AOUT 85", date(1985, 8, 12)),
        ("5 de febrero de 1994", date(1994, 2, 5)),
        ("03 Ağustos 1990", date(1990, 8, 3)),
        ("June 3, 1990", date(1990, 6, 3)),
        ("12081985", date(1985, 8, 12)),
        ("13/05/99", date(1999, 5, 13)),
        ("١٩٨٥/٠٨/١٢", date(1985, 8, 12)),
        ("۱۹۸۵/۰۸/۱۲", date(1985, 8, 12)),
        ("12 ส.ค. 2528", date(1985, 8, 12)),
        ("เกิดวันที่ 23 พ.ย. 2522", date(1979, 11, 23)),
        ("๑๒ สิงหาคม ๒๕๒๘", date(1985, 8, 12)),
        # Of a day in two calendars, that of ours.
        ("1405/11/25 هـ 1985/08/12 م", date(1985, 8, 12)),
    ],
)
def test_dates_are_read_as_many_countries_print_them(text: str, day: date) -> None:
    assert find_dates(text, today=TODAY) == [day]


@pytest.mark.parametrize(
    ("text", "form", "day"),
    [
        ("79/11/23", "YY/MM/DD", date(1979, 11, 23)),
        ("05.03.09", "YY.MM.DD", date(2005, 3, 9)),
        ("19791123", "YYYYMMDD", date(1979, 11, 23)),
        ("231179", "DDMMYY", date(1979, 11, 23)),
        ("NOV-23-1979", "MON-DD-YYYY", date(1979, 11, 23)),
        ("1979 NOV 23", "YYYY MON DD", date(1979, 11, 23)),
        ("11/03/1979", "MM/DD/YYYY", date(1979, 11, 3)),
        ("99/99/99", "YY/MM/DD", None),
        ("1979112", "YYYYMMDD", None),
    ],
)
def test_a_date_is_read_in_the_form_that_its_layout_says(text: str, form: str, day: date | None) -> None:
    assert date_in_form(text, form, date(2026, 11, 15)) == day
    dating = Dating(Order.DAY_FIRST, date(2026, 11, 15), may_be_without_end=False, forms=DateForms((form,)))
    assert as_value(LayoutField.DATE_OF_BIRTH, text, dating) == (day.isoformat() if day else None)


def test_the_month_comes_first_where_the_country_writes_so() -> None:
    assert find_dates("04/07/1990", Order.MONTH_FIRST, today=TODAY) == [date(1990, 4, 7)]
    assert find_dates("04/07/1990", Order.DAY_FIRST, today=TODAY) == [date(1990, 7, 4)]


def test_a_two_digit_year_lies_ahead_only_for_an_expiry() -> None:
    assert find_dates("05.05.31", future=True, today=TODAY) == [date(2031, 5, 5)]
    assert find_dates("05.05.31", today=TODAY) == [date(1931, 5, 5)]
    assert find_dates("05.05.66", future=True, today=TODAY) == [date(2066, 5, 5)]
    assert find_dates("05.05.67", future=True, today=TODAY) == [date(1967, 5, 5)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("15.11.26", date(2026, 11, 15)),
        ("17.11.26", date(2026, 11, 17)),
        ("18.11.26", date(1926, 11, 18)),
        ("31 DEC 26", date(1926, 12, 31)),
    ],
)
def test_a_two_digit_year_of_this_year_lies_in_the_past_by_its_day(text: str, day: date) -> None:
    """Somebody of ninety-nine was born this year, later than today; it may be two days later already elsewhere."""
    assert find_dates(text, today=TODAY) == [day]


@pytest.mark.parametrize(
    "text", ["31.02.1990", "99/99/9999", "ABC", "12", "123456789012", "1447/03/15 هـ", "12.08.2528"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_dates(text, today=TODAY) == []


@pytest.mark.parametrize(
    ("text", "bears_one"),
    [
        ("Valid until 12.08.85", True),
        ("05 MAY 61", True),
        ("1447/03/15", True),
        ("15.03.1405", True),
        ("12.08.2528", True),
        ("12.08.2728", False),
        ("2451234567", False),
        ("No. 12 / 13", False),
    ],
)
def test_a_line_bears_a_date_in_whichever_calendar_and_century(text: str, bears_one: bool) -> None:
    assert has_date(text) is bears_one


def in_words(*texts: str) -> list[str]:
    """The days meant by dates whose labels are not known."""
    printed = [printed for text in texts for printed in printed_dates(text)]
    assert len(printed) == len(texts)
    return [day.isoformat() for day in in_order_of_life(printed, TODAY)]


def test_unlabelled_dates_of_two_figures_are_read_so_that_a_life_comes_of_it() -> None:
    birth, issue, expiry = "12.08.85", "10.03.21", "09.03.31"
    meant = ["1985-08-12", "2021-03-10", "2031-03-09"]
    assert in_words(expiry, birth, issue) == in_words(birth, issue, expiry, birth) == meant
    assert in_words("09.03.2031", "12.08.1985", "10.03.2021") == meant
    assert in_words(birth) == []
    assert in_words("12.08.1985") == meant[:1]


@pytest.mark.parametrize(
    ("texts", "is_one"),
    [
        (("12.08.85", "10.03.2021", "09.03.2041"), True),  # valid for twenty years
        (("12.08.85", "10.03.2021", "09.03.2042"), False),
        (("12.08.85", "15.11.2026", "09.03.2036"), True),  # issued today
        (("12.08.85", "16.11.2026", "09.03.2036"), False),
        (("12.08.40", "10.03.1986", "09.03.1996"), True),  # a paper of thirty years ago
        (("12.08.40", "10.03.1986", "09.03.1995"), False),
        (("12.08.27", "10.03.2026", "09.03.2036"), True),  # a holder of ninety-nine
        (("12.08.85", "01.02.1995", "01.03.2001", "01.04.2011", "10.03.2021", "09.03.2031"), False),  # too many
    ],
)
def test_what_is_no_life_is_not_guessed(texts: tuple[str, ...], is_one: bool) -> None:
    assert bool(in_words(*texts)) is is_one


def test_values_stand_below_their_labels_or_to_the_right() -> None:
    lines = [
        line("Nazwisko / Surname", 300, 100, 14), line("KOWALSKA", 300, 118),
        line("Imiona / Given names", 300, 160, 14), line("ANNA MARIA", 300, 178),
        line("Płeć / Sex", 300, 220, 14), line("K", 300, 238), line("PESEL:", 500, 220), line("85081212345", 580, 220),
        line("Data urodzenia", 300, 280), line("12.08.1985", 480, 280),
        line("Termin ważności", 300, 320), line("31.01.2032", 480, 320),
    ]  # fmt: skip
    found = read_fields(lines, "PL", DocumentType.NATIONAL_ID, TODAY)
    assert {name: values[0].value for name, values in found.items()} == {
        FieldName.SURNAMES: "KOWALSKA",
        FieldName.GIVEN_NAMES: "ANNA MARIA",
        FieldName.GENDER: "F",
        FieldName.PERSONAL_NUMBER: "85081212345",
        FieldName.DATE_OF_BIRTH: "1985-08-12",
        FieldName.DATE_OF_EXPIRY: "2032-01-31",
    }


def test_label_and_value_may_share_a_line_and_two_surnames_are_joined() -> None:
    lines = [
        line("PRIMER APELLIDO: BURGOS", 100, 100), line("SEGUNDO APELLIDO: RIVERO", 100, 140),
        line("NOMBRE: SALMA", 100, 180), line("SEXO: MUJER", 100, 220), line("NACIONALIDAD: ESPAÑOLA", 100, 260),
        line("DNI NUM 19621806E", 100, 300),
    ]  # fmt: skip
    found = read_fields(lines, "ES", DocumentType.NATIONAL_ID, TODAY)
    values = {name: listed[0].value for name, listed in found.items()}
    assert values[FieldName.SURNAMES] == "BURGOS RIVERO"
    assert values[FieldName.GIVEN_NAMES] == "SALMA"
    assert values[FieldName.GENDER] == "F"
    assert values[FieldName.NATIONALITY] == "ES"
    assert values[FieldName.DOCUMENT_NUMBER] == "19621806E"


def test_a_misread_label_still_points_at_its_value() -> None:
    found = read_fields([line("Date of birtb", 100, 100, 12), line("07.06.1972", 100, 116)], None, None, TODAY)
    assert found[FieldName.DATE_OF_BIRTH][0].value == "1972-06-07"


def test_numbers_name_the_fields_of_a_licence_and_five_means_another_thing_in_america() -> None:
    lines = [line("1.", 50, 100), line("SAMPLE", 100, 100), line("5", 50, 140), line("1234567890123456", 100, 140),
             line("4d DLN D12345678", 50, 180)]  # fmt: skip
    europe = read_fields(lines, "DE", DocumentType.DRIVER_LICENSE, TODAY)
    america = read_fields(lines, "US", DocumentType.DRIVER_LICENSE, TODAY)
    assert europe[FieldName.SURNAMES][0].value == "SAMPLE"
    assert europe[FieldName.DOCUMENT_NUMBER][0].value in ("1234567890123456", "D12345678")
    assert america[FieldName.DOCUMENT_NUMBER][0].value == "D12345678"


def test_three_dates_without_readable_labels_are_birth_issue_and_expiry() -> None:
    lines = [line("30.03.2016", 100, 200), line("07.02.1995-685R", 100, 100), line("30.03.2021", 100, 300)]
    found = read_fields(lines, "FI", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.DATE_OF_BIRTH][0].value == "1995-02-07"
    assert found[FieldName.DATE_OF_EXPIRY][0].value == "2021-03-30"
    assert found[FieldName.DATE_OF_EXPIRY][0].confidence < 0.6


def test_the_day_of_issue_is_not_the_birth_where_that_stands_on_the_other_side() -> None:
    lines = [line("Fecha de expedición", 100, 100), line("10.03.2021", 100, 130),
             line("Fecha de vencimiento", 100, 200), line("09.03.2031", 100, 230)]  # fmt: skip
    found = read_fields(lines, "BO", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.DATE_OF_ISSUE][0].value == "2021-03-10"
    assert FieldName.DATE_OF_BIRTH not in found


@pytest.mark.parametrize(
    ("printed", "birth", "expiry"),
    [
        (("12.05.58", "10.01.05", "09.01.15"), "1958-05-12", "2015-01-09"),
        (("12.05.58", "10.01.21", "09.01.31"), "1958-05-12", "2031-01-09"),
        (("03.02.1988", "10.01.15", "09.01.25"), "1988-02-03", "2025-01-09"),
        # The life can be read in two ways (1930, 2021, 2031 or 1931, 2021, 2030): neither is guessed.
        (("01.02.30", "10.01.21", "09.01.31"), None, None),
        (("12.05.75", "10.01.05"), "1975-05-12", None),
    ],
)
def test_years_of_two_digits_without_labels_make_a_life_and_never_a_longer_validity(
    printed: tuple[str, ...], birth: str | None, expiry: str | None
) -> None:
    lines = [line(text, 100, 100 * place) for place, text in enumerate(printed, 1)]
    found = read_fields(lines, "FI", DocumentType.NATIONAL_ID, TODAY)
    read = {name: values[0].value for name, values in found.items()}
    assert (read.get(FieldName.DATE_OF_BIRTH), read.get(FieldName.DATE_OF_EXPIRY)) == (birth, expiry)


@given(
    st.dates(date(1930, 1, 1), date(2005, 12, 31)),
    st.dates(date(2006, 1, 1), date(2026, 11, 15)),
    st.integers(2, 15),
    st.permutations(range(3)),
)
def test_no_reading_of_two_digit_years_outlives_what_is_printed(
    birth: date, issue: date, years: int, places: list[int]
) -> None:
    expiry = issue.replace(year=issue.year + years, day=min(issue.day, 28))
    days = [birth, issue, expiry]
    meant = in_order_of_life(
        [PrintedDate(days[at].year % 100, days[at].month, days[at].day, True) for at in places], TODAY
    )
    assert not meant or meant[-1] <= expiry


@pytest.mark.parametrize("text", ["01 01 9999", "01-01-9999", "31.12.9999", "PERMANENTE", "Không thời hạn", "trajno"])
def test_a_card_that_says_it_has_no_end_is_read_so_only_where_its_kind_may_have_none(text: str) -> None:
    lines = [line("VALIDEZ", 100, 100, 14), line(text, 100, 118)]
    spain = read_fields(lines, "ES", DocumentType.NATIONAL_ID, TODAY)
    assert spain[FieldName.DATE_OF_EXPIRY][0].value == "9999-12-31"
    for country, kind in (("ES", DocumentType.PASSPORT), ("DE", DocumentType.NATIONAL_ID)):
        assert FieldName.DATE_OF_EXPIRY not in read_fields(lines, country, kind, TODAY)


def test_a_holders_name_is_never_taken_for_a_label() -> None:
    found = read_fields([line("Prénoms", 100, 100, 14), line("ERIKA", 100, 118)], "FR", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.GIVEN_NAMES][0].value == "ERIKA"
