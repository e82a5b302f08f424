"""Days of other calendars: as they are counted, read in the words of a layout file, drawn and compared with a zone."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.document.calendars import MONTHS, Calendar, from_ours, last_day, to_ours
from truename.vision.document.days_by_sight import as_machine_says
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries, languages, read_country
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.unheeded import unheeded
from truename.vision.document.layouts.wrong import WrongLayout
from truename.vision.document.print.date_forms import date_in_form
from truename.vision.document.print.fields import read_fields
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)

SAUDI = """
country = "SA"
languages = ["ar", "en"]
issuers = ["Kingdom of Saudi Arabia", "المملكة العربية السعودية"]
[[documents]]
kind = "NATIONAL_ID"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["بطاقة الهوية الوطنية"]
dates = "HHHH/MM/DD"
labels_stand = "LEFT"
script = "Arabic"
[documents.fields]
full_name = { labels = ["الاسم"], order = "GIVEN_FIRST", script = "Arabic" }
document_number = { labels = ["رقم الهوية"], formats = ["##########"], script = "Arabic" }
date_of_birth = { labels = ["تاريخ الميلاد"], script = "Arabic" }
date_of_expiry = { labels = ["تاريخ الانتهاء"], script = "Arabic" }
"""
IRAN = """
country = "IR"
languages = ["fa", "en"]
issuers = ["Islamic Republic of Iran", "جمهوری اسلامی ایران"]
[[documents]]
kind = "NATIONAL_ID"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["کارت ملی"]
dates = "JJJJ/MM/DD"
labels_stand = "LEFT"
script = "Arabic"
[documents.fields]
document_number = { labels = ["شماره ملی"], formats = ["##########"], script = "Arabic" }
given_names = { labels = ["نام"], script = "Arabic" }
surnames = { labels = ["نام خانوادگی"], script = "Arabic" }
date_of_birth = { labels = ["تاریخ تولد"], script = "Arabic" }
date_of_expiry = { labels = ["پایان اعتبار"], script = "Arabic" }
"""
NEPAL = """
country = "NP"
languages = ["ne", "en"]
issuers = ["Government of Nepal", "नेपाल सरकार"]
[[documents]]
kind = "NATIONAL_ID"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["नागरिकता प्रमाणपत्र", "Citizenship Certificate"]
marks = ["Citizenship Certificate"]
dates = "VVVV-MM-DD"
labels_stand = "LEFT"
script = "Devanagari"
[documents.fields]
full_name = { labels = ["नाम थर"], order = "GIVEN_FIRST", script = "Devanagari" }
document_number = { labels = ["Certificate No."], formats = ["##-##-##-#####"] }
date_of_birth = { labels = ["जन्म मिति"], script = "Devanagari" }
date_of_issue = { labels = ["Date of issue"], dates = "DD MON YYYY" }
"""
ETHIOPIA = """
country = "ET"
languages = ["en"]
issuers = ["Federal Democratic Republic of Ethiopia"]
[[documents]]
kind = "NATIONAL_ID"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["Resident identity card"]
dates = "DD/MM/YYYY"
dates_again = "DD/MM/EEEE"
[documents.fields]
surnames = { labels = ["Surname"] }
given_names = { labels = ["Given name"] }
date_of_birth = { labels = ["Date of birth"], again = "Birth by our calendar" }
date_of_issue = { labels = ["Issued in the month of"], dates = "DD MONTH EEEE" }
date_of_expiry = { labels = ["Date of expiry"] }
document_number = { labels = ["Card number"], formats = ["@@######"] }
"""
TAIWAN = """
country = "TW"
languages = ["en"]
issuers = ["Republic of China"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["Driving licence"]
dates = "RRR/MM/DD"
[documents.fields]
surnames = { labels = ["Surname"] }
given_names = { labels = ["Given name"] }
date_of_birth = { labels = ["Date of birth"] }
date_of_expiry = { labels = ["Valid until"] }
document_number = { labels = ["Licence number"], formats = ["@#########"] }
"""
FILES = (
    ("SA", SAUDI),
    ("SA", SAUDI.replace("HHHH/MM/DD", "DD-MM-HHHH")),  # seen from left to right, the year comes first
    ("SA", SAUDI.replace("HHHH/MM/DD", "DD.MM.HHHH")),  # a full stop is a dot, and so is a nought
    ("IR", IRAN),
    ("NP", NEPAL),
    ("ET", ETHIOPIA),
    ("TW", TAIWAN),
)


@pytest.mark.parametrize(
    ("calendar", "counted", "day"),
    [
        (Calendar.HIJRI, (1445, 9, 1), date(2024, 3, 11)),  # the first day of Ramadan 2024 in Saudi Arabia
        (Calendar.HIJRI, (1343, 1, 1), date(1924, 8, 1)),
        (Calendar.SOLAR_HIJRI, (1357, 11, 22), date(1979, 2, 11)),  # the day of the revolution
        (Calendar.SOLAR_HIJRI, (1400, 1, 1), date(2021, 3, 21)),
        (Calendar.SOLAR_HIJRI, (1403, 12, 30), date(2025, 3, 20)),  # a leap year
        (Calendar.ETHIOPIAN, (2000, 1, 1), date(2007, 9, 12)),  # their millennium
        (Calendar.ETHIOPIAN, (2015, 13, 6), date(2023, 9, 11)),
        (Calendar.BIKRAM_SAMBAT, (2072, 1, 12), date(2015, 4, 25)),  # the day of the earthquake
        (Calendar.BIKRAM_SAMBAT, (2077, 1, 1), date(2020, 4, 13)),
        (Calendar.BUDDHIST, (2530, 8, 12), date(1987, 8, 12)),
        (Calendar.MINGUO, (88, 9, 21), date(1999, 9, 21)),  # Taiwan's earthquake, known by this date
    ],
)
def test_a_known_day_is_the_same_in_both_calendars(
    calendar: Calendar, counted: tuple[int, int, int], day: date
) -> None:
    assert to_ours(calendar, *counted) == day
    assert from_ours(calendar, day) == counted


@pytest.mark.parametrize("calendar", list(Calendar))
def test_every_day_of_a_life_is_one_day_there_and_back(calendar: Calendar) -> None:
    days = [date(1925, 1, 1) + timedelta(days=at) for at in range(0, 43_000, 3)]
    counted = [from_ours(calendar, day) for day in days]
    assert [to_ours(calendar, *one) for one in counted if one] == days
    assert len(set(counted)) == len(days)


@pytest.mark.parametrize(
    ("calendar", "counted"),
    [
        (Calendar.HIJRI, (1445, 1, 30)), (Calendar.HIJRI, (1445, 13, 1)), (Calendar.HIJRI, (1600, 1, 1)),
        (Calendar.SOLAR_HIJRI, (1400, 12, 30)), (Calendar.SOLAR_HIJRI, (1400, 7, 31)),
        (Calendar.SOLAR_HIJRI, (1400, 1, 32)),
        (Calendar.SOLAR_HIJRI, (9, 1, 1)), (Calendar.ETHIOPIAN, (2016, 13, 6)), (Calendar.ETHIOPIAN, (2016, 1, 31)),
        (Calendar.BIKRAM_SAMBAT, (2077, 1, 32)), (Calendar.BIKRAM_SAMBAT, (2200, 1, 1)), (Calendar.MINGUO, (88, 2, 29)),
    ],
)  # fmt: skip
def test_a_day_that_a_calendar_does_not_have_is_none(calendar: Calendar, counted: tuple[int, int, int]) -> None:
    assert to_ours(calendar, *counted) is None


def test_a_year_ends_on_the_day_before_the_next() -> None:
    assert last_day(Calendar.SOLAR_HIJRI, 1403) == date(2025, 3, 20)
    assert last_day(Calendar.ETHIOPIAN, 2015) == date(2023, 9, 11)


def test_every_language_names_all_months_of_a_calendar() -> None:
    named = [
        (code, calendar, len(months)) for code, one in languages().items() for calendar, months in one.months_of.items()
    ]
    assert len(named) >= 7
    assert [one for one in named if one[2] != MONTHS[one[1]]] == []


@pytest.mark.parametrize(
    ("text", "form", "day"),
    [
        ("1445/09/01", "HHHH/MM/DD", date(2024, 3, 11)),
        ("١٤٤٥/٠٩/٠١", "HHHH/MM/DD", date(2024, 3, 11)),
        ("01 رمضان 1445", "DD MONTH HHHH", date(2024, 3, 11)),
        ("12 ربيع الأول 1445", "DD MONTH HHHH", date(2023, 9, 27)),
        ("1 Dhu al-Hijjah 1445", "DD MONTH HHHH", date(2024, 6, 7)),
        ("۱۳۵۷/۱۱/۲۲", "JJJJ/MM/DD", date(1979, 2, 11)),
        ("۲۲ بهمن ۱۳۵۷", "DD MONTH JJJJ", date(1979, 2, 11)),
        ("22-Bahman-1357", "DD-MON-JJJJ", date(1979, 2, 11)),
        ("२०७२-०१-१२", "VVVV-MM-DD", date(2015, 4, 25)),
        ("१२ वैशाख २०७२", "DD MONTH VVVV", date(2015, 4, 25)),
        ("6 Pagume 2015", "DD MONTH EEEE", date(2023, 9, 11)),
        ("06/13/2015", "DD/MM/EEEE", date(2023, 9, 11)),
        ("088/09/21", "RRR/MM/DD", date(1999, 9, 21)),
        ("0880921", "RRRMMDD", date(1999, 9, 21)),
        ("12/08/2530", "DD/MM/BBBB", date(1987, 8, 12)),
        ("1445/13/01", "HHHH/MM/DD", None),
        ("2024/03/11", "HHHH/MM/DD", None),
        ("12 Someday 1445", "DD MONTH HHHH", None),
    ],
)
def test_a_date_is_read_in_the_calendar_of_its_form(text: str, form: str, day: date | None) -> None:
    assert date_in_form(text, form, TODAY) == day


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("HHHH/MM/DD", "HHH/MM/DD", "`documents[0].dates`: HHH/MM/DD is made of other parts than DD, MM,"),
        ("HHHH/MM/DD", "HHHH/MM", "`documents[0].dates`: HHHH/MM must have one day, one month and one year"),
        ("HHHH/MM/DD", "HHHH/YYYY/MM/DD", "must have one day, one month and one year"),
        ('labels = ["الاسم"]', 'labels = ["الاسم"], dates = "DD/MM/HHHH"', "full_name.dates`: only a date"),
        (
            'labels = ["تاريخ الميلاد"]',
            'labels = ["تاريخ الميلاد"], dates = "DD/HHHH"',
            "`documents[0].fields.date_of_birth.dates`: DD/HHHH must have one day, one month and one year",
        ),
    ],
)
def test_a_date_that_cannot_be_written_so_is_refused(tmp_path: Path, was: str, now: str, said: str) -> None:
    file = tmp_path / "sa.toml"
    file.write_text(SAUDI.replace(was, now, 1), "utf-8")
    with pytest.raises(WrongLayout, match=r".") as refused:
        read_country(file)
    assert said in str(refused.value)


@pytest.mark.parametrize(("form", "told"), [("DD MONTH HHHH", True), ("DD MM HHHH", True), ("DD.MM.HHHH", False)])
def test_a_file_is_told_of_dates_that_are_not_read_in_arabic_figures(tmp_path: Path, form: str, told: bool) -> None:
    file = tmp_path / "sa.toml"
    file.write_text(SAUDI.replace("HHHH/MM/DD", form), "utf-8")
    said = unheeded(read_country(file))
    assert [f"in Arabic figures {form} is not read" in one for one in said] == [True, True] * told


def test_a_day_under_its_second_label_is_read_in_its_second_calendar(tmp_path: Path) -> None:
    """Ethiopian years are years of ours, too: 1978 is 1978 or 1985, and only the label tells which."""
    lines = [
        line("Date of birth", 40, 100), line("12/08/1985", 40, 130, 28),
        line("Birth by our calendar", 400, 100), line("06/12/1977", 400, 130, 28),
        line("Issued in the month of", 40, 200), line("1 Meskerem 2015", 40, 230, 28),
    ]  # fmt: skip
    with tried(tmp_path, ETHIOPIA, "ET"):
        found = read_fields(lines, "ET", DocumentType.NATIONAL_ID, TODAY)
        alone = read_fields(lines[2:4], "ET", DocumentType.NATIONAL_ID, TODAY)
    assert {one.value for one in found[FieldName.DATE_OF_BIRTH]} == {"1985-08-12"}
    assert found[FieldName.DATE_OF_ISSUE][0].value == "2022-09-11"
    assert alone[FieldName.DATE_OF_BIRTH][0].value == "1985-08-12"


def test_dates_of_another_calendar_are_told_apart_without_labels_and_are_no_number(tmp_path: Path) -> None:
    lines = [line("1405/11/26", 40, 100), line("1442/07/26", 40, 200), line("1452/07/26", 40, 300)]
    with tried(tmp_path, SAUDI, "SA"):
        found = read_fields(lines, "SA", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.DATE_OF_BIRTH][0].value == "1985-08-12"
    assert found[FieldName.DATE_OF_ISSUE][0].value == "2021-03-10"
    assert found[FieldName.DATE_OF_EXPIRY][0].value > "2030-01-01"
    assert FieldName.DOCUMENT_NUMBER not in found


def test_a_year_of_ours_is_not_believed_where_the_file_says_another_calendar(tmp_path: Path) -> None:
    """2045 is a year to come of ours, and 1988 in Nepal."""
    lines = [line("जन्म मिति", 40, 100), line("2045-05-12", 240, 100)]
    with tried(tmp_path, NEPAL, "NP"):
        found = read_fields(lines, "NP", DocumentType.NATIONAL_ID, TODAY)
    assert [one.value for one in found[FieldName.DATE_OF_BIRTH]] == ["1988-08-28"]


@pytest.mark.parametrize(("off", "same"), [(0, True), (1, True), (-2, True), (3, False)])
def test_a_lunar_day_beside_a_zone_may_be_two_days_off(tmp_path: Path, off: int, same: bool) -> None:
    """The moon is seen a day later than the table has it: that accuses nobody. Other calendars are exact."""
    born = date(1985, 8, 12)
    zone = {FieldName.DATE_OF_BIRTH: _read(born, Source.MRZ)}
    printed = {FieldName.DATE_OF_BIRTH: [_read(born + timedelta(days=off), Source.VISUAL)]}
    with tried(tmp_path, SAUDI, "SA") as lunar:
        [settled] = as_machine_says(printed, [zone, {}], [lunar])[FieldName.DATE_OF_BIRTH]
    assert (settled.value == born.isoformat()) is same
    assert settled.source is Source.VISUAL
    with tried(tmp_path, IRAN, "IR") as solar:
        [exact] = as_machine_says(printed, [zone, {}], [solar])[FieldName.DATE_OF_BIRTH]
    assert exact == printed[FieldName.DATE_OF_BIRTH][0]


@pytest.mark.slow
@pytest.mark.parametrize(("country", "text"), FILES)
def test_a_document_of_another_calendar_is_drawn_and_read_in_ours(tmp_path: Path, country: str, text: str) -> None:
    with tried(tmp_path, text, country) as layout:
        drawn = draw(country, layout, seed=606)
        photo = photograph(drawn.front, seed=606, rotation=3, perspective=0.2, background="wood")[0]
        found = read_document(photo, None, TODAY).evidence
    dates = {name: value for name, value in drawn.fields.items() if name.startswith("date_of")}
    assert (found.country, found.type) == (country, drawn.type)
    assert {name: found.value(name) for name in dates} == dates
    assert found.front is not None
    assert set(dates) <= set(found.front.places)


def test_a_persian_label_is_known_though_the_reader_of_arabic_does_not_know_its_letters() -> None:
    assert fold("نام خانوادكى") == fold("نام خانوادگی")
    assert fold("بايان اعتبار") == fold("پایان اعتبار")


def _read(day: date, source: Source) -> ReadValue:
    return ReadValue(value=day.isoformat(), source=source, confidence=0.9)


def test_a_day_of_the_year_that_is_printed_alone_is_that_of_the_zone() -> None:
    ine = next(one for one in countries()["MX"].documents if LayoutField.DATE_OF_EXPIRY in one.fields)
    printed = {FieldName.DATE_OF_EXPIRY: [ReadValue(value="2031-12-31", source=Source.VISUAL, confidence=0.9)]}
    for said, given in (("2031-03-09", "2031-03-09"), ("2030-03-09", "2031-12-31")):
        zone = {FieldName.DATE_OF_EXPIRY: ReadValue(value=said, source=Source.MRZ, confidence=0.99)}
        [day] = as_machine_says(printed, [zone, {}], [ine])[FieldName.DATE_OF_EXPIRY]
        assert day.value == given
    drawn = draw("MX", ine, seed=1)
    assert drawn.mrz[1][8:14] == "311231"
    assert drawn.fields[FieldName.DATE_OF_EXPIRY] == "2031-12-31"
