"""The machine-readable zone as text: ICAO's own specimens, other formats, dates, issuers, and whatever is composed."""

from datetime import date
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truename.rules.evidence import MrzFormat
from truename.rules.national_numbers import is_valid
from truename.sandbox.drawing import mrz_lines
from truename.vision.document.mrz import national
from truename.vision.document.mrz.fields import (
    birth_date,
    country_of,
    expiry_date,
    is_known_issuer,
    is_without_end,
    parse,
    split_names,
)
from truename.vision.document.mrz.layouts import LAYOUTS, check_digit, verify

TODAY = date(2026, 11, 15)
PASSPORT = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
CARD = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")
LARGE_CARD = ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6")
VISA_A = ("V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<")
VISA_B = ("V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<")
LONG_NUMBER = ("I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2", "STEVENSON<<PETER<JOHN<<<<<<<<<")
"""All of these are printed in ICAO 9303 parts 4 to 7."""
FRENCH_CARD = ("IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6")

RUSSIAN_INTERNAL = mrz_lines.russian_internal(
    "W2GOLEVA", "7LI8 SERGEEVNA", "4511123456", date(1985, 7, 12), "F", date(2012, 8, 15)
)
"""An invented holder: series 4511, number 123456."""


@pytest.mark.parametrize(("text", "digit"), [("520727", "3"), ("AB2134<<<", "5"), ("L898902C3", "6"), ("", "0")])
def test_check_digits_are_those_of_part_3(text: str, digit: str) -> None:
    assert check_digit(text) == digit


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (PASSPORT, MrzFormat.TD3),
        (CARD, MrzFormat.TD1),
        (LARGE_CARD, MrzFormat.TD2),
        (VISA_A, MrzFormat.MRV_A),
        (VISA_B, MrzFormat.MRV_B),
        (FRENCH_CARD, MrzFormat.FRENCH_ID),
    ],
)
def test_published_specimens_are_valid_in_every_check_digit(lines: tuple[str, ...], kind: MrzFormat) -> None:
    mrz = parse(lines)
    assert mrz is not None
    assert (mrz.format, mrz.valid) == (kind, True), mrz.check_digits


def test_the_passport_of_utopia_is_read_field_by_field() -> None:
    mrz = parse(PASSPORT)
    assert mrz is not None
    assert (mrz.surnames, mrz.given_names, mrz.names_truncated) == ("ERIKSSON", "ANNA MARIA", False)
    assert (mrz.document_code, mrz.issuer, mrz.nationality, mrz.sex) == ("P", "UTO", "UTO", "F")
    assert (mrz.document_number, mrz.personal_number) == ("L898902C3", "ZE184226B")
    assert (mrz.date_of_birth, mrz.date_of_expiry) == ("740812", "120415")


def test_a_long_document_number_runs_on_into_the_optional_data() -> None:
    mrz = parse(LONG_NUMBER)
    assert mrz is not None
    assert mrz.document_number == "D23145890734"
    assert mrz.check_digits["document_number"]
    assert mrz.personal_number == ""


def test_the_old_french_card_has_its_own_places_and_no_expiry() -> None:
    mrz = parse(FRENCH_CARD)
    assert mrz is not None
    assert (mrz.surnames, mrz.given_names, mrz.sex) == ("BERTHIER", "CORINNE", "F")
    assert (mrz.document_number, mrz.date_of_birth, mrz.date_of_expiry) == ("880692310285", "651206", None)


def test_the_internal_passport_of_russia_is_decoded() -> None:
    mrz = parse(RUSSIAN_INTERNAL)
    assert mrz is not None
    assert (mrz.format, mrz.valid) == (MrzFormat.RUSSIAN_ID, True), mrz.check_digits
    assert (mrz.surnames, mrz.given_names) == ("ЩЁГОЛЕВА", "ЮЛИЯ СЕРГЕЕВНА")
    assert (mrz.document_number, mrz.personal_number) == ("4511123456", "")
    assert (mrz.date_of_issue, mrz.issuing_authority) == ("120815", "770-001")
    assert mrz.date_of_expiry == "<<<<<<"


def test_a_kenyan_card_has_its_day_of_issue_and_the_number_of_its_holder_in_its_zone() -> None:
    """Its issuer is KYA, its end does not exist, and its last digit is that of the second line."""
    lines = mrz_lines.kenyan(
        "OTIENO", "ACHIENG MARY", "233400001", date(1985, 8, 12), "F", date(2012, 2, 22), "7654321"
    )
    mrz = parse(lines)
    assert mrz is not None
    assert (mrz.format, mrz.valid) == (MrzFormat.KENYAN_ID, True), mrz.check_digits
    assert (country_of(mrz.issuer), country_of(mrz.nationality)) == ("KE", "KE")
    assert (mrz.surnames, mrz.given_names) == ("OTIENO", "ACHIENG MARY")
    assert (mrz.document_number, mrz.personal_number) == ("233400001", "7654321")
    assert (mrz.date_of_birth, mrz.date_of_issue, mrz.date_of_expiry) == ("850812", "120222", None)


def test_a_romanian_card_has_parts_of_the_number_of_its_holder_and_may_end_decades_from_now() -> None:
    born, ends = date(1963, 6, 15), date(2081, 6, 15)
    lines = mrz_lines.td2("ROU", "POPA", "ANA", "XX123456", "ROU", born, "M", ends, "1123457", code="ID")
    mrz = parse(lines)
    assert mrz is not None
    assert (mrz.valid, mrz.document_number, mrz.personal_number) == (True, "XX123456", "1630615123457")
    assert is_valid("ro.cnp", mrz.personal_number)
    assert expiry_date(mrz.date_of_expiry or "", TODAY, mrz.issuer) == ends
    assert national.romanian_number("", "630615") == ""


def test_every_russian_letter_has_one_character_in_the_code() -> None:
    letters = "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
    assert national.russian_names("ABVGDE2JZIQKLMNOPRSTUFHC34WXY9678") == letters


@pytest.mark.parametrize(
    ("optional", "optional_2", "issuer", "number"),
    [
        ("12345678Z", "", "ESP", "12345678Z"),
        ("S34", "12345678<5", "CHL", "123456785"),
        ("05001", "1234567890", "COL", "1234567890"),
        ("1234567890", "", "COL", "1234567890"),
        ("", "85073003328", "BEL", "85073003328"),
        ("001190012345<<6", "", "VNM", "001190012345"),
    ],
)
def test_the_holders_number_is_found_where_each_country_writes_it(
    optional: str, optional_2: str, issuer: str, number: str
) -> None:
    lines = mrz_lines.td1(
        issuer, "PRUEBA", "ANA", "AAA000000", issuer, date(1980, 1, 1), "F", date(2030, 1, 1), optional, optional_2
    )
    mrz = parse(lines)
    assert mrz is not None
    assert mrz.personal_number == number


@pytest.mark.parametrize(
    ("six", "endless"), [("990101", True), ("991231", True), ("<<<<<<", True), ("990102", False), ("300101", False)]
)
def test_a_zone_without_end_has_fillers_or_the_year_99(six: str, endless: bool) -> None:
    assert is_without_end(six) is endless


def test_an_empty_personal_number_may_have_a_filler_as_its_check_digit() -> None:
    lines = ("P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<", "C01X00T478D<<6408125F2702283<<<<<<<<<<<<<<<4")
    mrz = parse(lines)
    assert mrz is not None
    assert mrz.valid
    assert mrz.issuer == "D"


@pytest.mark.parametrize(
    ("begin", "end", "name"),
    [
        (9, 10, "document_number"),
        (19, 20, "date_of_birth"),
        (27, 28, "date_of_expiry"),
        (42, 43, "personal_number"),
        (43, 44, "composite"),
    ],
)
def test_fillers_vouch_for_nothing_that_must_have_a_check_digit(begin: int, end: int, name: str) -> None:
    line = PASSPORT[1]
    mrz = parse((PASSPORT[0], line[:begin] + "<" * (end - begin) + line[end:]))
    assert mrz is not None
    assert not mrz.check_digits[name]


@pytest.mark.parametrize("column", [0, 9, 13, 19, 21, 27, 28, 42, 43])
def test_one_wrong_character_in_the_data_line_is_noticed(column: int) -> None:
    line = PASSPORT[1]
    other = {"L": "M", "Z": "Y"}.get(line[column]) or str((int(line[column]) + 1) % 10)
    mrz = parse((PASSPORT[0], line[:column] + other + line[column + 1 :]))
    assert mrz is not None
    assert not mrz.valid


@pytest.mark.parametrize(
    "lines", [(), ("",), ("P<UTO",), PASSPORT[:1], (PASSPORT[0], PASSPORT[1][:-1]), ("p" * 44, "q" * 44), CARD[:2]]
)
def test_lines_of_no_format_are_not_parsed(lines: tuple[str, ...]) -> None:
    assert parse(lines) is None


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("ERIKSSON<<ANNA<MARIA<<<", ("ERIKSSON", "ANNA MARIA", False)),
        ("VAN<DER<MUELLEN<<JAN<<<", ("VAN DER MUELLEN", "JAN", False)),
        ("ARKFREITH<<<<<<<<<<<<<<", ("ARKFREITH", "", False)),
        ("NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K", ("NILAVADHANANANDA", "CHAYAPA DEJTHAMRONG K", True)),
    ],
)
def test_names_are_split_and_a_full_field_is_called_truncated(field: str, names: tuple[str, str, bool]) -> None:
    assert split_names(field) == names


@pytest.mark.parametrize(
    ("six", "day"),
    [
        ("261115", date(2026, 11, 15)),
        ("261116", date(1926, 11, 16)),
        ("740812", date(1974, 8, 12)),
        ("000229", date(2000, 2, 29)),
        ("010229", None),
        ("85<<<<", None),
        ("851301", None),
    ],
)
def test_nobody_is_born_after_today(six: str, day: date | None) -> None:
    assert birth_date(six, TODAY) == day


@pytest.mark.parametrize(
    ("six", "day"),
    [
        ("310309", date(2031, 3, 9)),
        ("760101", date(2076, 1, 1)),
        ("770315", date(2077, 3, 15)),
        ("981231", date(1998, 12, 31)),
        ("<<<<<<", None),
    ],
)
def test_an_expiry_is_at_most_fifty_one_years_ahead(six: str, day: date | None) -> None:
    assert expiry_date(six, TODAY) == day


@pytest.mark.parametrize(
    ("code", "country"),
    [
        ("D<<", "DE"), ("D", "DE"), ("GBD", "GB"), ("GBN", "GB"), ("RKS", "XK"), ("FRA", "FR"),
        ("UTO", None), ("EUE", None), ("UNO", None), ("QQQ", None),
    ],
)  # fmt: skip
def test_issuer_codes_become_countries_where_there_is_one(code: str, country: str | None) -> None:
    assert country_of(code) == country
    assert is_known_issuer(code) == (code != "QQQ")


def test_every_place_of_every_layout_has_a_class_and_no_place_two_fields() -> None:
    for layout in LAYOUTS.values():
        places = [place for places in layout.fields.values() for place in places]
        digits = [check.digit for check in layout.checks]
        assert len(set(places)) == len(places)
        assert not set(places) & set(digits)
        assert set(places) | set(digits) == {
            (row, column) for row in range(layout.rows) for column in range(layout.length)
        }


_NAMES = st.text(ascii_uppercase, min_size=1, max_size=14)
_NUMBERS = st.text(ascii_uppercase + "0123456789", min_size=1, max_size=9)
_DAYS = st.dates(date(1930, 1, 1), TODAY)
_EXPIRIES = st.dates(date(2000, 1, 1), date(2060, 12, 31))
_ISSUERS = st.sampled_from(["UTO", "D", "FRA", "EUE", "RKS", "GBR"])


@given(
    _NAMES, _NAMES, _NUMBERS, _DAYS, _EXPIRIES, st.sampled_from("MF<"), _ISSUERS, st.sampled_from(["td1", "td2", "td3"])
)
def test_whatever_is_composed_is_parsed_back(
    surname: str, given_name: str, number: str, born: date, expires: date, sex: str, issuer: str, kind: str
) -> None:
    lines = getattr(mrz_lines, kind)(issuer, surname, given_name, number, issuer, born, sex, expires)
    mrz = parse(lines)
    assert mrz is not None
    assert mrz.valid
    assert mrz.document_number == number
    assert (mrz.surnames, mrz.given_names) == (surname, given_name) or mrz.names_truncated
    assert birth_date(mrz.date_of_birth, TODAY) == born
    assert expiry_date(mrz.date_of_expiry or "", TODAY) == expires
    assert (mrz.issuer, mrz.nationality) == (issuer, issuer)


@given(st.lists(st.text(ascii_uppercase + "0123456789<", min_size=30, max_size=30), min_size=3, max_size=3))
def test_noise_is_parsed_without_fault_and_hardly_ever_valid(lines: list[str]) -> None:
    mrz = parse(lines)
    assert mrz is not None
    assert mrz.check_digits == verify(LAYOUTS[MrzFormat.TD1], lines)
