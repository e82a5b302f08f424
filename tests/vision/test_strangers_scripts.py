"""Documents of layout files that strangers wrote, in letters other than Latin: lines, numbers and sides of them."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.captures import Side
from truename.vision.document.folding import fold
from truename.vision.document.layouts_seen import from_titles
from truename.vision.document.limits import CHOSEN
from truename.vision.document.own_script import reader_for
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.scripts import tidy
from truename.vision.document.read import read_document
from truename.vision.document.script_of_page import in_own_script
from truename.vision.document.side import read_side, turned_over

TODAY = date(2026, 11, 15)

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
TUNISIA = """
country = "TN"
languages = ["ar", "fr"]
issuers = ["République Tunisienne", "الجمهورية التونسية"]
[[documents]]
kind = "NATIONAL_ID"
version = "1993"
known_from = "description"
form = "ID-1"
titles = ["بطاقة التعريف الوطنية"]
script = "Arabic"
dates = "DD/MM/YYYY"
labels_stand = "LEFT"
[documents.fields]
document_number = { labels = [], formats = ["########"] }
surnames = { labels = ["اللقب"], script = "Arabic" }
given_names = { labels = ["الاسم"], script = "Arabic" }
date_of_birth = { labels = ["تاريخ الولادة"] }
place_of_birth = { labels = ["مكانها"], script = "Arabic" }
"""
SERBIA = """
country = "RS"
languages = ["hr", "en"]
issuers = ["Republika Srbija"]
[[documents]]
kind = "NATIONAL_ID"
version = "1994"
known_from = "description"
form = "ID-2"
titles = ["ЛИЧНА КАРТА"]
script = "Cyrillic"
dates = "DD.MM.YYYY"
[documents.fields]
gender = { labels = ["пол"], printed = ["М", "Ж"], script = "Cyrillic" }
date_of_birth = { labels = ["датум рођења"] }
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

PERMIT = """
country = "SA"
languages = ["ar", "en"]
issuers = ["المملكة العربية السعودية"]
[[documents]]
kind = "RESIDENT_PERMIT"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["رخصة إقامة"]
zone = "TD1"
zone_side = "back"
dates = "DD/MM/YYYY"
script = "Arabic"
[documents.fields]
full_name = { labels = ["الاسم"], order = "GIVEN_FIRST", script = "Arabic" }
document_number = { labels = ["رقم الإقامة"], formats = ["##########"] }
date_of_birth = { labels = ["تاريخ الميلاد"] }
date_of_expiry = { labels = ["تاريخ الانتهاء"] }
"""


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


@pytest.mark.slow
@pytest.mark.parametrize("rotation", [3, 184])
def test_a_page_is_laid_as_the_face_on_it_stands(tmp_path: Path, rotation: float) -> None:
    """Which way Arabic letters stand is guessed wrong; and its title was lost beside the zone of the other side."""
    with tried(tmp_path, PERMIT, "SA") as layout:
        drawn = draw("SA", layout, seed=601)
        assert drawn.back is not None
        front = photograph(drawn.front, seed=601, rotation=rotation, perspective=0.2, background="wood")[0]
        back = photograph(drawn.back, seed=602, rotation=3, perspective=0.2, background="wood")[0]
        side = read_side(front, Side.FRONT, TODAY)
        found = read_document(front, back, TODAY).evidence
    assert side.is_upright
    assert (found.country, found.type) == ("SA", DocumentType.RESIDENT_PERMIT)
    assert found.mrz is not None
    assert found.mrz.valid


@pytest.mark.slow
@pytest.mark.parametrize("seed", [6, 10])
def test_an_arabic_name_beside_its_smaller_label_is_read_in_one_piece(tmp_path: Path, seed: int) -> None:
    """The names were torn, and a letter was lost."""
    with tried(tmp_path, TUNISIA, "TN") as layout:
        drawn = draw("TN", layout, seed=seed)
        photo, _ = photograph(drawn.front, seed=seed, rotation=3, perspective=0.2)
        found = read_document(photo, None, TODAY).evidence
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields


@pytest.mark.parametrize(("text", "sex"), [("Ж", "F"), ("М", "M"), ("M", "M"), ("F", "F"), ("K", None)])
def test_a_letter_that_the_document_does_not_print_tells_no_sex(tmp_path: Path, text: str, sex: str | None) -> None:
    """A woman was a man: of `Ж` the reader of Latin made a K, which means a man in another language."""
    with tried(tmp_path, SERBIA, "RS"):
        lines = [line("пол", 40, 100), line(text, 40, 125)]
        found = read_fields(lines, "RS", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found.get(FieldName.GENDER, [])] == ([sex] if sex else [])


def test_a_title_in_arabic_letters_is_known_with_one_of_them_misread(tmp_path: Path) -> None:
    """The kind was unknown: the letter that was misread has no Latin one, and what it was read as has two."""
    with tried(tmp_path, TUNISIA, "TN"):
        said = from_titles([line("بطاقة التغريف الوطنية", 40, 50)], "TN")
        other = from_titles([line("بطاقة الإقامة الوقتية", 40, 50)], "TN")
    assert (said.type, other.type) == (DocumentType.NATIONAL_ID, None)
