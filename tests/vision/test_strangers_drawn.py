"""Documents of layout files that strangers wrote, a sixth time: how they are drawn, and what was not read of them."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from tests.support.layout_files import line, tried
from truename.rules.authenticity_signs import speaking
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Issue, Person
from truename.vision.captures import Side
from truename.vision.document import classify
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import DocumentLayout
from truename.vision.document.layouts_seen import from_titles
from truename.vision.document.limits import CHOSEN
from truename.vision.document.mrz.fields import parse
from truename.vision.document.own_script import reader_for
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.scripts import tidy
from truename.vision.document.read import read_document
from truename.vision.document.script_of_page import in_own_script
from truename.vision.document.side import read_side, turned_over

TODAY = date(2026, 11, 15)

MACAU = """
country = "MO"
languages = ["pt", "en"]
issuers = ["Região Administrativa Especial de Macau"]
[[documents]]
kind = "RESIDENT_PERMIT"
version = "2013"
known_from = "description"
form = "ID-1"
titles = ["Bilhete de identidade de residente permanente"]
zone = "TD1"
zone_side = "back"
years = [3]
dates = "DD-MM-YYYY"
[documents.fields]
surnames = { labels = ["Apelido"] }
given_names = { labels = ["Nome"] }
date_of_birth = { labels = ["Data de nascimento"] }
document_number = { labels = [], formats = ["#######(#)"] }
date_of_issue = { labels = ["Data de emissão"] }
date_of_expiry = { labels = ["Válido até"] }
"""
BHUTAN = """
country = "BT"
languages = ["en"]
issuers = ["Royal Government of Bhutan"]
[[documents]]
kind = "TEMP_PERMIT_ID"
version = "2020"
known_from = "description"
form = "ID-1"
titles = ["Foreign Worker Permit"]
dates = "YYYY-MM-DD"
[documents.fields]
full_name = { labels = [], below_title = 1, order = "SURNAME_COMMA" }
document_number = { labels = ["Work Permit No"], formats = ["#########"] }
personal_number = { labels = ["Passport No"], formats = ["@#######"] }
date_of_expiry = { labels = ["Valid upto"] }
"""
SYRIA = """
country = "SY"
languages = ["ar"]
issuers = ["الجمهورية العربية السورية"]
[[documents]]
kind = "NATIONAL_ID"
version = "2000"
known_from = "description"
form = "ID-1"
titles = ["البطاقة الشخصية"]
dates = "DD-MM-YYYY"
script = "Arabic"
[documents.fields]
given_names = { labels = ["الاسم الأول"], script = "Arabic" }
surnames = { labels = ["النسبة"], script = "Arabic" }
date_of_birth = { labels = ["تاريخ الولادة"] }
document_number = { labels = ["الرقم الوطني"], formats = ["###-########"] }
gender = { labels = ["الجنس"], printed = ["ذكر", "أنثى"], script = "Arabic", side = "back" }
date_of_issue = { labels = ["تاريخ المنح"], side = "back" }
card_number = { labels = ["رقم البطاقة"], formats = ["########"], side = "back" }
"""
GEORGIA = """
country = "GE"
languages = ["ka", "en"]
issuers = ["საქართველო", "Georgia"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2011"
known_from = "description"
form = "ID-1"
titles = ["მართვის მოწმობა", "Driving licence"]
plate = "GE"
dates = "DD.MM.YYYY"
script = "Georgian"
[documents.fields]
surnames = { labels = [], number = "1", script = "Georgian" }
given_names = { labels = [], number = "2", script = "Georgian" }
date_of_birth = { labels = [], number = "3" }
date_of_expiry = { labels = [], number = "4b" }
document_number = { labels = [], number = "5", formats = ["@@#######"] }
"""
INDIA = """
country = "IN"
languages = ["hi", "en"]
issuers = ["Government of India", "भारत सरकार"]
[[documents]]
kind = "NATIONAL_ID"
version = "health account"
known_from = "description"
form = "ID-1"
titles = ["आयुष्मान भारत", "Ayushman Bharat Health Account"]
marks = ["Ayushman Bharat Health Account"]
dates = "DD-MM-YYYY"
labels_stand = "LEFT"
script = "Devanagari"
[documents.fields]
full_name = { labels = ["नाम/Name:"], order = "GIVEN_FIRST", script = "Devanagari", latin_below = true }
date_of_birth = { labels = ["जन्म तिथि/Date of Birth:"] }
"""
ISRAEL = """
country = "IL"
languages = ["he", "en"]
issuers = ["State of Israel", "מדינת ישראל"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2018"
known_from = "description"
form = "ID-1"
titles = ["רישיון נהיגה", "Driving licence"]
dates = "DD.MM.YYYY"
labels_stand = "LEFT"
script = "Hebrew"
[documents.fields]
surnames = { labels = [], number = "1", script = "Hebrew" }
given_names = { labels = [], number = "2", script = "Hebrew" }
date_of_birth = { labels = [], number = "3" }
date_of_issue = { labels = [], number = "4a" }
date_of_expiry = { labels = [], number = "4b" }
personal_number = { labels = [], number = "4d", formats = ["#########"], scheme = "il.idnr" }
document_number = { labels = [], number = "5", formats = ["#######"] }
"""
BELARUS = """
country = "BY"
languages = ["ru", "en"]
issuers = ["Республика Беларусь"]
[[documents]]
kind = "NATIONAL_ID"
version = "military"
known_from = "description"
form = "ID-3"
titles = ["Военный билет"]
dates = "DD MONTH YYYY"
script = "Cyrillic"
labels_stand = "LEFT"
[documents.fields]
document_number = { labels = ["Серия и №"], formats = ["МР #######"] }
surnames = { labels = ["1. Фамилия"], script = "Cyrillic" }
"""


@pytest.fixture
def macau(tmp_path: Path) -> Iterator[DocumentLayout]:
    with tried(tmp_path, MACAU, "MO") as layout:
        yield layout


def test_a_number_with_brackets_stands_in_the_zone_without_them(macau: DocumentLayout) -> None:
    """Drawing it ended in a traceback."""
    drawn = draw("MO", macau, seed=5)
    zone = parse(drawn.mrz)
    assert zone is not None
    assert zone.valid
    printed = drawn.fields[FieldName.DOCUMENT_NUMBER]
    assert printed.endswith(")")
    assert zone.document_number == printed.replace("(", "").replace(")", "")


def test_letters_of_another_alphabet_stand_in_the_zone_as_those_of_the_same_form(tmp_path: Path) -> None:
    with tried(tmp_path, BELARUS.replace("dates =", 'zone = "TD3"\ndates ='), "BY") as layout:
        drawn = draw("BY", layout, seed=5)
    assert drawn.fields[FieldName.DOCUMENT_NUMBER].startswith("МР ")
    assert drawn.mrz[1].startswith("MP")


def test_a_drawn_document_is_valid_for_as_long_as_its_layout_gives_it(macau: DocumentLayout) -> None:
    """Every one was valid for ten years, so that our own signs spoke against what we had drawn."""
    drawn = draw("MO", macau, seed=5)
    dates = (FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY)
    assert [drawn.fields[name] for name in dates] == ["2026-03-10", "2029-03-09"]
    ended = draw("MO", macau, seed=5, issue=Issue(expires=date(2020, 2, 29)))
    assert [ended.fields[name] for name in dates] == ["2017-02-28", "2020-02-29"]


@pytest.mark.slow
def test_no_sign_speaks_against_a_card_of_few_years_that_was_photographed(macau: DocumentLayout) -> None:
    drawn = draw("MO", macau, seed=5)
    assert drawn.back is not None
    front, back = (photograph(page, seed=5, rotation=3, perspective=0.2)[0] for page in (drawn.front, drawn.back))
    found = read_document(front, back, TODAY).evidence
    assert list(speaking(found.authenticity or {})) == []


def test_a_name_below_the_title_is_drawn_and_read_in_the_order_of_its_layout(tmp_path: Path) -> None:
    with tried(tmp_path, BHUTAN, "BT") as layout:
        drawn = draw("BT", layout, Person("DE LA TORRE", "ANA", "F", date(1980, 1, 2)), seed=3)
        found = read_document(drawn.front, None, TODAY).evidence
    assert (found.value(FieldName.SURNAMES), found.value(FieldName.GIVEN_NAMES)) == ("DE LA TORRE", "ANA")


def test_a_name_below_the_title_may_part_by_its_lines(tmp_path: Path) -> None:
    """The file was accepted, and no name read."""
    text = BHUTAN.replace('below_title = 1, order = "SURNAME_COMMA"', "below_title = 2, surname_lines = 1")
    with tried(tmp_path, text, "BT"):
        lines = [line("FOREIGN WORKER PERMIT", 40, 50), line("DE LA TORRE", 300, 110), line("ANA MARIA", 300, 150)]
        found = read_fields(lines, "BT", DocumentType.TEMP_PERMIT_ID, TODAY)
    assert found[FieldName.SURNAMES][0].value == "DE LA TORRE"
    assert found[FieldName.GIVEN_NAMES][0].value == "ANA MARIA"


@pytest.mark.parametrize("number", ["Passport No", "Passport No J4896972"])
def test_a_label_of_a_permit_that_names_a_passport_makes_no_passport_of_it(tmp_path: Path, number: str) -> None:
    lines = [
        line("ROYAL GOVERNMENT OF BHUTAN", 40, 10, 30),
        line("FOREIGN WORKER PERMIT", 40, 50),
        line(number, 300, 200),
    ]
    with tried(tmp_path, BHUTAN, "BT"):
        said = classify.combine(classify.from_print(lines), from_titles(lines, "BT"))
    assert (said.country, said.type) == ("BT", DocumentType.TEMP_PERMIT_ID)


def test_what_a_document_calls_itself_is_nobodys_surname(tmp_path: Path) -> None:
    with tried(tmp_path, SYRIA, "SY"):
        lines = [
            line("البطاقة الشخصية", 300, 60, 26),
            line("الاسم الأول", 300, 110, 20),
            line("مريم سالم علي", 300, 135, 30),
            line("تاريخ الولادة", 300, 260, 20),
            line("12-08-1985", 300, 285, 30),
        ]
        found = read_fields(lines, "SY", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.GIVEN_NAMES][0].value == "مريم سالم علي"
    assert FieldName.SURNAMES not in found


def test_a_number_that_begins_with_letters_of_its_script_is_read_behind_a_misread_label(tmp_path: Path) -> None:
    with tried(tmp_path, BELARUS, "BY"):
        lines = [line("ВОЕННЫЙ БИЛЕТ", 40, 50), line("Серияим- МР 4971986", 300, 100)]
        found = read_fields(lines, "BY", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "МР 4971986"


@pytest.mark.slow
def test_a_state_that_writes_its_name_in_georgian_is_drawn_in_letters_that_can_be_read(tmp_path: Path) -> None:
    with tried(tmp_path, GEORGIA, "GE") as layout:
        drawn = draw("GE", layout, seed=601)
        photo = photograph(drawn.front, seed=601, rotation=3, perspective=0.2, background="wood")[0]
        found = read_document(photo, None, TODAY).evidence
    assert (found.country, found.type) == ("GE", DocumentType.DRIVER_LICENSE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [601, 602])
def test_a_short_label_and_its_value_in_one_box_are_read_apart(tmp_path: Path, seed: int) -> None:
    with tried(tmp_path, SYRIA, "SY") as layout:
        drawn = draw("SY", layout, seed=seed)
        assert drawn.back is not None
        front, back = (
            photograph(page, seed=seed + at, rotation=3, perspective=0.2, background="wood")[0]
            for at, page in enumerate((drawn.front, drawn.back))
        )
        found = read_document(front, back, TODAY).evidence
    named = (FieldName.SURNAMES, FieldName.GENDER)
    printed = drawn.fields | drawn.back_fields
    assert [found.value(name) for name in named] == [printed[name] for name in named]


@pytest.mark.slow
def test_a_back_without_a_heading_is_read_the_other_way_up_where_only_so_its_letters_can_be(tmp_path: Path) -> None:
    """Its dates were missed: it had been laid on its head, and nothing on it said so."""
    with tried(tmp_path, SYRIA, "SY") as layout:
        back = draw("SY", layout, seed=601).back
        assert back is not None
        photo = photograph(back, seed=601, rotation=3, perspective=0.2)[0]
        level = read_side(photo, Side.BACK, TODAY)
        reader = reader_for("SY", DocumentType.NATIONAL_ID)
        assert reader is not None
        ways = (in_own_script(side, reader, CHOSEN) for side in (level, turned_over(level)))
        read = [[line.text for line in one.lines] for one in ways]
    assert all("تاريخ المنح" in texts for texts in read)


@pytest.mark.slow
@pytest.mark.parametrize("rotation", [3, 97])
def test_a_label_is_parted_from_a_word_that_reaches_the_edge_of_its_line(tmp_path: Path, rotation: float) -> None:
    """The word was taken for a stroke along the edge, and the line cut where it had stood; or only the English half of
    the label can be read."""
    with tried(tmp_path, INDIA, "IN") as layout:
        drawn = draw("IN", layout, seed=601)
        photo = photograph(drawn.front, seed=601, rotation=rotation, perspective=0.2, background="wood")[0]
        found = read_document(photo, None, TODAY).evidence
    assert found.value(FieldName.GIVEN_NAMES) == drawn.fields[FieldName.GIVEN_NAMES]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("light", "background", "rotation", "perspective", "noise"),
    [(0.45, "dark", -6, 0.3, 4.0), (1.0, "wood", 3, 0.2, 3.0)],
)
def test_a_page_with_an_empty_middle_is_not_left_on_its_side_and_its_numbers_are_read_beside_other_letters(
    tmp_path: Path, light: float, background: str, rotation: float, perspective: float, noise: float
) -> None:
    """In the dark nothing at all was read of it; in the light the 2 before the given name was not seen."""
    with tried(tmp_path, ISRAEL, "IL") as layout:
        drawn = draw("IL", layout, seed=601)
        photo, _ = photograph(
            drawn.front,
            seed=601,
            light=light,
            background=background,
            rotation=rotation,
            perspective=perspective,
            noise=noise,
        )
        found = read_document(photo, None, TODAY).evidence
    assert (found.country, found.type) == ("IL", DocumentType.DRIVER_LICENSE)
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields


def test_vowels_that_arabic_does_not_print_are_no_part_of_what_was_read() -> None:
    assert tidy("محمد خَالد يَوَسَفَ") == "محمد خالد يوسف"
    assert fold("خَالد") == fold("خالد")


def test_the_letters_of_a_country_on_its_plate_stand_clear_of_the_heading(tmp_path: Path) -> None:
    """The state's name began upon a third letter."""
    with tried(tmp_path, GEORGIA.replace('plate = "GE"', 'plate = "NMK"'), "GE") as layout:
        page = draw("GE", layout, seed=601).front
    dark = (page[20:58, 30:300].min(axis=2) < 90).any(axis=0)
    ink = np.flatnonzero(dark)
    assert np.diff(ink).max() >= 15
