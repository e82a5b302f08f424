"""Documents of layout files that nobody here had seen: what they taught the reader, each in a file of its own."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.documents import Expiry
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing import mrz_lines
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Person
from truename.vision.document import classify
from truename.vision.document.barcode.payloads import understand
from truename.vision.document.barcode.read import read_barcode
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.supported import supported_by
from truename.vision.document.mrz.fields import parse
from truename.vision.document.print.fields import read_fields
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)

BULGARIA = """
country = "BG"
languages = ["bg", "en"]
issuers = ["Република България", "Republic of Bulgaria"]
[[documents]]
kind = "RESIDENT_PERMIT"
version = "2010"
known_from = "description"
form = "ID-1"
titles = ["Разрешение за пребиваване", "Residence card"]
zone = "TD1"
zone_side = "back"
dates = "DD.MM.YYYY"
script = "Cyrillic"
labels_stand = "BELOW"
[documents.fields]
surnames = { labels = ["Фамилия / Surname"], script = "Cyrillic" }
given_names = { labels = ["Име / Given names"], script = "Cyrillic" }
gender = { labels = ["Пол / Sex"], printed = ["мъж", "жена"], script = "Cyrillic" }
document_number = { labels = ["№ / Card No"], formats = ["6########"] }
date_of_issue = { labels = ["Издаден / Issued"] }
date_of_expiry = { labels = ["Валиден до / Valid until"] }
date_of_birth = { labels = ["Дата на раждане / Date of birth"], side = "back" }
"""
ARABIA = """
country = "SA"
languages = ["ar", "en"]
issuers = ["المملكة العربية السعودية", "Kingdom of Saudi Arabia"]
[[documents]]
kind = "RESIDENT_PERMIT"
version = "2018"
known_from = "description"
form = "ID-1"
titles = ["هوية مقيم", "Resident Identity"]
script = "Arabic"
labels_stand = "LEFT"
dates = "YYYY/MM/DD"
[documents.fields]
full_name = { labels = ["الاسم"], script = "Arabic", order = "GIVEN_FIRST", latin_below = true }
document_number = { labels = ["الرقم"], formats = ["2#########"], script = "Arabic" }
date_of_birth = { labels = ["تاريخ الميلاد"], script = "Arabic" }
date_of_expiry = { labels = ["تاريخ الانتهاء"], script = "Arabic" }
"""
VISA = """
country = "AU"
languages = ["en"]
issuers = ["Australia"]
[[documents]]
kind = "TEMP_PERMIT_ID"
version = "visa label"
known_from = "description"
form = "ID-3"
titles = ["Visa"]
zone = "MRV_A"
dates = "DD MON YYYY"
[documents.fields]
surnames = { labels = ["Family name"] }
given_names = { labels = ["Given names"] }
document_number = { labels = ["Number"], formats = ["@########"] }
date_of_birth = { labels = ["Date of birth"] }
"""
ISRAEL = """
country = "IL"
languages = ["he", "en"]
issuers = ["State of Israel"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2017"
known_from = "description"
form = "ID-1"
titles = ["Driving licence"]
dates = "DD.MM.YYYY"
[documents.fields]
personal_number = { number = "4d", labels = [], before = "ID ", formats = ["#########"] }
document_number = { number = "5", labels = [], formats = ["#######"] }
"""


def test_behind_the_stroke_of_a_label_stands_no_value_however_badly_it_was_read(tmp_path: Path) -> None:
    with tried(tmp_path, BULGARIA.replace('labels_stand = "BELOW"', ""), "BG"):
        lines = [line("Фамилия /Sna", 300, 100, confidence=0.84), line("СОКОЛОВА", 300, 126, 28)]
        found = read_fields(lines, "BG", DocumentType.RESIDENT_PERMIT, TODAY)
    assert found[FieldName.SURNAMES][0].value == "СОКОЛОВА"


def test_what_a_document_calls_itself_is_no_label_with_a_value(tmp_path: Path) -> None:
    with tried(tmp_path, BULGARIA, "BG"):
        found = read_fields([line("RESIDENCE CARD", 40, 50, 26)], "BG", DocumentType.RESIDENT_PERMIT, TODAY)
    assert FieldName.ADDRESS not in found


@pytest.mark.parametrize(("word", "sex"), [("- жена", "F"), ("мъж", None)])
def test_the_word_for_the_sex_is_known_though_its_label_was_lost(tmp_path: Path, word: str, sex: str | None) -> None:
    """Where it has letters enough to mean nothing else."""
    with tried(tmp_path, BULGARIA, "BG"):
        found = read_fields([line(word, 300, 100)], "BG", DocumentType.RESIDENT_PERMIT, TODAY)
    assert [value.value for value in found.get(FieldName.GENDER, [])] == ([sex] if sex else [])


def test_the_number_of_a_field_says_more_than_two_letters_before_its_value(tmp_path: Path) -> None:
    with tried(tmp_path, ISRAEL, "IL"):
        lines = [line("4d. ID 990926768", 300, 100), line("5. 7971538", 300, 150)]
        found = read_fields(lines, "IL", DocumentType.DRIVER_LICENSE, TODAY)
    assert found[FieldName.PERSONAL_NUMBER][0].value == "990926768"
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "7971538"


def test_a_visa_is_what_a_layout_file_says_and_nothing_without_one(tmp_path: Path) -> None:
    with tried(tmp_path, VISA, "AU") as layout:
        drawn = draw("AU", layout, seed=5)
        read = parse(drawn.mrz)
        assert read is not None
        assert (read.valid, read.document_code, read.issuer) == (True, "V", "AUS")
        found = classify.from_mrz(drawn.mrz, valid=True)
        assert (found.country, found.type) == ("AU", DocumentType.TEMP_PERMIT_ID)
        [row] = supported_by([countries()["AU"]])
        assert row.expiry is Expiry.BEARS_DATE
    assert classify.from_mrz(drawn.mrz, valid=True).type is None


def test_what_is_drawn_on_the_back_is_told(tmp_path: Path) -> None:
    with tried(tmp_path, BULGARIA, "BG") as layout:
        drawn = draw("BG", layout, seed=4)
    assert drawn.back_fields == {FieldName.DATE_OF_BIRTH: "1985-08-12"}
    assert FieldName.DATE_OF_BIRTH not in drawn.fields


@pytest.mark.parametrize(("code", "version"), [("US", "AAMVA"), ("US", "state identification card"), ("CA", "AAMVA")])
def test_the_barcode_of_a_layout_is_drawn_on_the_back_and_says_what_the_front_prints(code: str, version: str) -> None:
    layout = next(one for one in countries()[code].documents if one.version == version)
    drawn = draw(code, layout, seed=6)
    assert drawn.back is not None
    seen = read_barcode(drawn.back)
    assert seen is not None
    said = understand(seen.payload)
    assert said is not None
    assert (said.country, said.type) == (code, layout.kind)
    named = (FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY)
    assert {name: said.fields[name] for name in named} == {name: drawn.fields[name] for name in named}


def test_a_number_too_long_for_the_zone_of_two_short_lines_runs_on_behind() -> None:
    lines = mrz_lines.td2("SEN", "DIOP", "AWA", "0028511061686", "SEN", date(1990, 5, 1), "F", TODAY)
    read = parse(lines)
    assert read is not None
    assert (read.valid, read.document_number) == (True, "0028511061686")


@pytest.mark.slow
def test_a_permit_in_other_letters_whose_zone_says_id_is_a_permit_and_its_labels_stand_below(tmp_path: Path) -> None:
    """As a card of identity its labels were taken to stand above, and the day of expiry for that of issue."""
    with tried(tmp_path, BULGARIA, "BG") as layout:
        drawn = draw("BG", layout, seed=4)
        assert drawn.back is not None
        front, back = (photograph(page, seed=4, rotation=2, perspective=0.2)[0] for page in (drawn.front, drawn.back))
        found = read_document(front, back, TODAY).evidence
    assert (found.country, found.type) == ("BG", DocumentType.RESIDENT_PERMIT)
    dates = (FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY, FieldName.DATE_OF_BIRTH)
    assert [found.value(name) for name in dates] == ["2021-03-10", "2031-03-09", "1985-08-12"]
    assert FieldName.ADDRESS not in found.fields


@pytest.mark.slow
def test_a_permit_that_calls_itself_so_in_its_own_letters_alone_is_one(tmp_path: Path) -> None:
    with tried(tmp_path, BULGARIA.replace(', "Residence card"', ""), "BG") as layout:
        drawn = draw("BG", layout, seed=4)
        found = read_document(drawn.front, drawn.back, TODAY).evidence
    assert (found.country, found.type) == ("BG", DocumentType.RESIDENT_PERMIT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [777, 805])
def test_a_page_in_other_letters_is_turned_over_where_its_words_in_latin_ones_are_read_only_so(
    tmp_path: Path, seed: int
) -> None:
    """Nothing at all was read of it, though it says in English whose it is."""
    with tried(tmp_path, ARABIA, "SA") as layout:
        drawn = draw("SA", layout, seed=seed)
        photo = photograph(drawn.front, seed=seed, rotation=3, perspective=0.2, background="wood")[0]
        found = read_document(photo, None, TODAY).evidence
    assert (found.country, found.type) == ("SA", DocumentType.RESIDENT_PERMIT)
    named = (FieldName.SURNAMES, FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_EXPIRY)
    assert [found.value(name) for name in named] == [drawn.fields[name] for name in named]


@pytest.mark.slow
def test_long_names_and_labels_are_drawn_beside_nothing_else(tmp_path: Path) -> None:
    """In two columns the number lay upon the surname."""
    labels = ("Apellidos / Surname", "Nombres / Given names", "Género / Gender", "Salvadoreño por / Salvadorean by",
              "Lugar y fecha de nacimiento / Date of birth", "Fecha de expedición / Date of issue",
              "Fecha de expiración / Date of expiry", "Número único de identidad / Unique identity number")  # fmt: skip
    names = ("surnames", "given_names", "gender", "place_of_birth", "date_of_birth", "date_of_issue", "date_of_expiry",
             "document_number")  # fmt: skip
    fields = "\n".join(f'{name} = {{ labels = ["{label}"] }}' for name, label in zip(names, labels, strict=True))
    head = VISA[: VISA.index("surnames =")].replace('zone = "MRV_A"\n', "").replace('"ID-3"', '"ID-1"')
    with tried(tmp_path, head + fields, "AU") as layout:
        person = Person("VAN DER BERGH-OYELARAN", "TOBIAS", "M", date(1979, 7, 24))
        drawn = draw("AU", layout, person, seed=301)
        found = read_document(drawn.front, None, TODAY).evidence
    named = (FieldName.SURNAMES, FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_EXPIRY)
    assert [found.value(name) for name in named] == [drawn.fields[name] for name in named]


def test_of_two_days_of_validity_the_later_is_the_expiry() -> None:
    """Every Romanian card was accused whose first day was read as its last, against the zone."""
    lines = [line("Valabilitate/Validite/Validity", 100, 100, 14), line("03.08.20-09.03.2031", 100, 118)]
    found = read_fields(lines, "RO", DocumentType.NATIONAL_ID, TODAY)
    assert [one.value for one in found[FieldName.DATE_OF_EXPIRY]] == ["2031-03-09"]
