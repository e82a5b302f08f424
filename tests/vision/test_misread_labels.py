"""Labels of layout files that nobody here had seen: half misread, without a space, above values from the right."""

from datetime import date
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from benchmarks.worse_photographs import tilted

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder, Script
from truename.vision.document.print.dates import Order
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.names import parted
from truename.vision.document.print.read import Recognised
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value
from truename.vision.document.read import read_document
from truename.vision.document.two_readings import settled

TODAY = date(2026, 11, 15)

TANZANIA = """
country = "TZ"
languages = ["en", "fr"]
issuers = ["United Republic of Tanzania"]
[[documents]]
kind = "NATIONAL_ID"
version = "2013"
known_from = "description"
form = "ID-1"
titles = ["Citizen Identity Card"]
dates = "DD.MM.YYYY"
[documents.fields]
surnames = { labels = ["Jina / Surname", "Nom de famille"] }
given_names = { labels = ["Majina / Given names"] }
gender = { labels = ["Jinsi / Gender"], printed = ["Mme / Male", "Mke / Female"] }
document_number = { labels = ["Nº"], formats = ["############@"] }
[[documents]]
kind = "DRIVER_LICENSE"
version = "2010"
known_from = "description"
form = "ID-1"
titles = ["Driving licence"]
dates = "DD.MM.YYYY"
[documents.fields]
surnames = { labels = ["Ukoo"], number = "1" }
given_names = { labels = ["Majina mengine"], number = "2" }
"""
MAURITIUS = """
country = "MU"
languages = ["en"]
issuers = ["Republic of Mauritius"]
[[documents]]
kind = "NATIONAL_ID"
version = "2013"
known_from = "description"
form = "ID-1"
titles = ["National Identity Card"]
dates = "DD MON YYYY"
[documents.fields]
surnames = { labels = ["Surname"], label_below = true }
given_names = { labels = ["First Name"], label_below = true }
gender = { labels = ["Gender"], label_below = true }
date_of_birth = { labels = ["Date of Birth"], label_below = true }
document_number = { labels = ["Id Number"], formats = ["@{DD}{MM}{YY}######@"], label_below = true }
date_of_issue = { labels = ["Date of Issue"], label_below = true }
"""
OMAN = """
country = "OM"
languages = ["ar"]
issuers = ["سلطنة عمان"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2012"
known_from = "description"
form = "ID-1"
titles = ["رخصة سياقة"]
script = "Arabic"
dates = "DD/MM/YYYY"
[documents.fields]
document_number = { labels = ["رقم الرخصة"], formats = ["########"] }
date_of_birth = { labels = ["تاريخ الميلاد"] }
date_of_issue = { labels = ["تاريخ الإصدار"] }
date_of_expiry = { labels = ["تاريخ الانتهاء"] }
"""
VIETNAM = """
country = "VN"
languages = ["vi", "en"]
issuers = ["Cộng hòa xã hội chủ nghĩa Việt Nam"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2013"
known_from = "description"
form = "ID-1"
titles = ["Giấy phép lái xe", "Driver's License"]
script = "Vietnamese"
dates = "DD/MM/YYYY"
labels_stand = "LEFT"
[documents.fields]
document_number = { labels = ["Số/No:"], formats = ["############"] }
full_name = { labels = ["Họ tên/Full name:"], order = "SURNAME_FIRST", script = "Vietnamese" }
date_of_birth = { labels = ["Ngày sinh/Date of Birth:"] }
nationality = { labels = ["Quốc tịch/Nationality:"], printed = ["VIỆT NAM"] }
"""


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Majina / Glven nmes", FieldName.GIVEN_NAMES),  # the stroke stands alone
        ("Jina / Suname", FieldName.SURNAMES),
        ("Nom de famlle", FieldName.SURNAMES),  # alike a label of the document of which `Nom` is another
    ],
)
def test_the_misread_half_of_a_label_is_no_name(tmp_path: Path, label: str, name: FieldName) -> None:
    with tried(tmp_path, TANZANIA, "TZ"):
        lines = [line(label, 300, 100, confidence=0.84), line("MWAMBA", 300, 126, 28)]
        found = read_fields(lines, "TZ", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found[name]] == ["MWAMBA"]


@pytest.mark.parametrize("label", ["NOMBRE / NAME", "NOMBRE /NAME", "NOMBRE/ NAME"])
def test_the_other_language_of_a_label_behind_the_documents_own_is_no_name(label: str) -> None:
    """Of a Spanish card whose zone has no room for the given names the holder was called NAME, at 0.79."""
    lines = [line(label, 300, 100), line("AINHOA", 300, 126, 28)]
    found = read_fields(lines, "ES", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found[FieldName.GIVEN_NAMES]] == ["AINHOA"]


@pytest.mark.parametrize("text", ["1 Uko MWAMBA", "1 Ukco MWAMBA"])
def test_behind_the_number_of_a_field_its_misread_label_is_no_part_of_the_value(tmp_path: Path, text: str) -> None:
    with tried(tmp_path, TANZANIA, "TZ"):
        found = read_fields([line(text, 300, 100, 28)], "TZ", DocumentType.DRIVER_LICENSE, TODAY)
    assert found[FieldName.SURNAMES][0].value == "MWAMBA"


def test_a_value_that_says_itself_is_read_behind_a_stroke(tmp_path: Path) -> None:
    """Of `Jinsi / Gender Mke / Female` the middle was lost."""
    with tried(tmp_path, TANZANIA, "TZ"):
        found = read_fields([line("Jinsi /Female", 300, 100, 28)], "TZ", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.GENDER][0].value == "F"


@pytest.mark.parametrize("text", ["Nº914993190172E", "N°914993190172E", "N° 914993190172E"])
def test_the_sign_of_a_number_is_its_label_whichever_small_o_was_read(tmp_path: Path, text: str) -> None:
    with tried(tmp_path, TANZANIA, "TZ"):
        found = read_fields([line(text, 300, 100, 28)], "TZ", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "914993190172E"
    assert fold("C.I. N°") == fold("C.I. Nº") == "CINO"


def test_short_names_with_a_comma_between_them_are_names() -> None:
    dating = Dating(Order.DAY_FIRST, TODAY, may_be_without_end=False)
    assert as_value(LayoutField.FULL_NAME, "NG, LI", dating) == "NG, LI"
    assert as_value(LayoutField.FULL_NAME, "A-/:B", dating) is None


@pytest.mark.parametrize("name", ["MWAMBA", "СОКОЛОВА"])
def test_one_word_is_not_parted_into_a_letter_and_the_rest(name: str) -> None:
    whole = ReadValue(value=name, source=Source.VISUAL, confidence=0.9)
    found = parted([whole], FieldLayout(order=NameOrder.SURNAME_FIRST))
    assert {part: [value.value for value in values] for part, values in found.items()} == {LayoutField.SURNAMES: [name]}


@pytest.mark.slow
def test_many_fields_with_their_labels_below_stay_on_the_page(tmp_path: Path) -> None:
    with tried(tmp_path, MAURITIUS, "MU") as layout:
        drawn = draw("MU", layout, seed=500)
        found = read_document(drawn.front, None, TODAY).evidence
    assert {name: found.value(name) for name in drawn.fields} == dict(drawn.fields)


@pytest.mark.slow
@pytest.mark.parametrize("places", [("ABOVE",), ("ABOVE", "BELOW", "LEFT")])
def test_from_the_right_labels_are_drawn_where_the_file_says(tmp_path: Path, places: tuple[str, ...]) -> None:
    pages = []
    for stands in places:
        text = OMAN.replace('script = "Arabic"\n', f'script = "Arabic"\nlabels_stand = "{stands}"\n', 1)
        with tried(tmp_path, text, "OM") as layout:
            drawn = draw("OM", layout, seed=500)
            found = read_document(drawn.front, None, TODAY).evidence
        assert {name: found.value(name) for name in drawn.fields} == dict(drawn.fields)
        pages.append(drawn.front)
    assert not any(np.array_equal(one, other) for one, other in combinations(pages, 2))


def test_a_vietnamese_name_behind_a_label_in_two_languages_is_believed_of_the_reader_of_its_letters() -> None:
    latin = line("Ho tên/ull name: V NGQC ÁNH", 0, 0, confidence=0.94)
    own = Recognised("Họ tên/Full name: VŨ NGỌC ÁNH", 0.93)
    assert settled(latin, own, Script.VIETNAMESE).text == own.text
    date_in_latin = line("Ngày sinh/Date of Birth: 12/08/1985", 0, 0)
    dated = settled(date_in_latin, Recognised("Ngày sinh/Date of Bith: 12/08/1935", 0.92), Script.VIETNAMESE)
    assert dated.text == "Ngày sinh/Date of Birth: 12/08/1985"


@pytest.mark.slow
def test_a_vietnamese_name_is_read_on_a_tilted_card_with_labels_in_two_languages(tmp_path: Path) -> None:
    with tried(tmp_path, VIETNAM, "VN") as layout:
        drawn = draw("VN", layout, seed=502)
        photo = tilted(photograph(drawn.front, seed=502, rotation=3, perspective=0.2, background="wood")[0], Random(1))
        found = read_document(photo, None, TODAY).evidence
    assert {name: found.value(name) for name in drawn.fields} == dict(drawn.fields)
    assert found.value(FieldName.NATIONALITY) == "VN"


ISSUED = """
country = "LB"
languages = ["en"]
issuers = ["Republic of Lebanon"]
[[documents]]
kind = "TEMP_PERMIT_ID"
version = "2020"
known_from = "description"
form = "ID-1"
titles = ["Work permit"]
dates = "DD/MM/YYYY"
[documents.fields]
surnames = { labels = ["Family names"] }
document_number = { labels = ["Permit number"], formats = ["#######"] }
date_of_issue = { labels = ["Date of issue"] }
"""


def test_a_label_that_lost_a_letter_points_at_the_date_or_number_behind_it_and_at_no_name(tmp_path: Path) -> None:
    """`Date of ssue 10/03/2026` had no label; words behind one that was misread may be the rest of it."""
    texts = ("Date of ssue 10/03/2026", "Permt number 7654321", "Famly names of the holder")
    with tried(tmp_path, ISSUED, "LB"):
        lines = [line(text, 40, 100 + 60 * at) for at, text in enumerate(texts)]
        found = read_fields(lines, "LB", DocumentType.TEMP_PERMIT_ID, TODAY)
    assert found[FieldName.DATE_OF_ISSUE][0].value == "2026-03-10"
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "7654321"
    assert FieldName.SURNAMES not in found
