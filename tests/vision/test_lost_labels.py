"""Labels that were misread, lost or glued to their values still do not cost the values."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.sheet import Sheet
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import read_country
from truename.vision.document.layouts.own import trying
from truename.vision.document.print.behind_label import whole_names
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.read import TextLine

TODAY = date(2026, 11, 15)


def line(text: str, x: float, y: float, tall: float = 20.0) -> TextLine:
    wide = 0.55 * tall * max(len(text), 1)
    quad = np.array([[x, y], [x + wide, y], [x + wide, y + tall], [x, y + tall]], np.float32)
    return TextLine(text, 0.98, quad)


BADLY_READ = 0.7
"""How sure the reader is of small print in colour."""


def badly_read(text: str, x: float, y: float) -> TextLine:
    return TextLine(text, BADLY_READ, line(text, x, y, 12).quad)


def values_of(lines: list[TextLine], country: str, kind: DocumentType, with_zone: bool = False) -> dict[FieldName, str]:
    found = read_fields(lines, country, kind, TODAY, with_zone=with_zone)
    return {name: values[0].value for name, values in found.items()}


def test_a_label_in_two_languages_is_known_though_the_stroke_between_them_and_some_letters_were_misread() -> None:
    # A passport of Estonia, of which there is no layout file: the words come from its languages.
    lines = [
        badly_read("PERERONNANIM:SUROCAME", 300, 100), line("KANGRO", 300, 116),
        badly_read("TESNIMED GVEN HAMES", 300, 160), line("KEN", 300, 176),
        badly_read("DOKUMENDI NUNBR DOCUMENT NUMSER", 300, 220), line("AA6150062", 300, 236),
        line("29.05.1990", 300, 300),
    ]  # fmt: skip
    found = values_of(lines, "EE", DocumentType.PASSPORT)
    assert found[FieldName.SURNAMES] == "KANGRO"
    assert found[FieldName.GIVEN_NAMES] == "KEN"
    assert found[FieldName.DOCUMENT_NUMBER] == "AA6150062"


def test_names_without_readable_labels_are_the_first_two_lines_of_their_column_and_half_believed() -> None:
    lines = [
        line("REPUBLIC OF ESTONIA", 200, 20), line("PC", 300, 60),
        badly_read("xx8", 300, 100), line("KANGRO", 300, 116), badly_read("qo2n", 300, 160), line("KEN", 300, 176),
        line("EST", 300, 236), line("29.05.1990", 300, 300), line("TALLINN", 300, 340),
    ]  # fmt: skip
    found = read_fields(lines, "EE", DocumentType.PASSPORT, TODAY)
    assert found[FieldName.SURNAMES][0].value == "KANGRO"
    assert found[FieldName.GIVEN_NAMES][0].value == "KEN"
    assert found[FieldName.SURNAMES][0].confidence < 0.5
    assert FieldName.SURNAMES not in values_of(lines, "EE", DocumentType.PASSPORT, with_zone=True)


def test_the_name_beside_one_that_is_known_is_the_other() -> None:
    lines = [
        line("Surname", 300, 100, 14), line("KANGRO", 300, 116), badly_read("qo2n", 300, 160), line("KEN", 300, 176),
        line("29.05.1990", 300, 300),
    ]  # fmt: skip
    assert values_of(lines, "EE", DocumentType.PASSPORT)[FieldName.GIVEN_NAMES] == "KEN"


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("SurnameROSSI", FieldName.SURNAMES, "ROSSI"),
        ("EXP08/12/2030", FieldName.DATE_OF_EXPIRY, "2030-12-08"),
        ("Surname [a] MUSTERMANN", FieldName.SURNAMES, "MUSTERMANN"),
        ("Surname ТКАЧЕНКО/TKACHENKO", FieldName.SURNAMES, "TKACHENKO"),
        ("Date of birth 24 CEP/AUG 91", FieldName.DATE_OF_BIRTH, "1991-08-24"),
    ],
)
def test_a_value_is_told_from_what_its_label_or_another_language_put_before_it(
    text: str, field: FieldName, value: str
) -> None:
    assert values_of([line(text, 100, 100)], "UA", DocumentType.PASSPORT)[field] == value


def test_a_label_that_asks_for_the_parents_names_or_for_more_than_a_name_is_no_value() -> None:
    lines = [
        line("COGNOME/SURNAME", 200, 100, 14), line("ROSSI", 200, 116),
        line("Nome, patronimico/Given name, patronymic", 200, 160, 14), line("ELENA", 200, 176),
        line("COGNOME E NOME DEI GENITORI", 200, 400, 14), line("SURNAME AND NAME OF PARENTS", 200, 416, 14),
    ]  # fmt: skip
    found = values_of(lines, "IT", DocumentType.PASSPORT)
    assert found[FieldName.SURNAMES] == "ROSSI"
    assert found[FieldName.GIVEN_NAMES] == "ELENA"


def test_a_whole_name_parts_at_its_comma_where_the_label_asks_for_both() -> None:
    lines = [line("Name (Surname, Given names)", 200, 100, 14), line("LIN, MEI-HUA", 200, 116)]
    found = values_of(lines, "TW", DocumentType.PASSPORT)
    assert (found[FieldName.SURNAMES], found[FieldName.GIVEN_NAMES]) == ("LIN", "MEI-HUA")


def test_the_sex_in_two_languages_is_read_without_its_stroke_only_where_both_mean_the_same() -> None:
    label = line("Cinsi/Sex", 100, 100, 14)
    assert values_of([label, line("KM", 100, 116)], "AZ", DocumentType.PASSPORT)[FieldName.GENDER] == "M"
    assert FieldName.GENDER not in values_of([label, line("KM", 100, 116)], "PL", DocumentType.PASSPORT)


def test_a_number_of_letters_and_figures_is_known_by_its_form_where_the_document_prints_no_label_for_it() -> None:
    card = [line("PERSONALAUSWEIS", 40, 40), line("LANDSHUTE", 600, 40), line("L6HUKUF66", 600, 80)]
    assert values_of(card, "DE", DocumentType.NATIONAL_ID)[FieldName.DOCUMENT_NUMBER] == "L6HUKUF66"
    assert FieldName.DOCUMENT_NUMBER not in values_of(card[:2], "DE", DocumentType.NATIONAL_ID)


def test_a_number_of_hardly_any_figures_is_taken_where_it_has_the_form_that_its_document_says() -> None:
    lines = [line("N° du document / Document No", 300, 100, 14), line("PKF2KNJ6W", 300, 120)]
    assert values_of(lines, "FR", DocumentType.NATIONAL_ID)[FieldName.DOCUMENT_NUMBER] == "PKF2KNJ6W"
    # Nine letters and figures are the form; eight, or letters alone, are a word.
    for word in ("PKF2KNJ6", "PKFAKNJBW"):
        other = [lines[0], line(word, 300, 120)]
        assert FieldName.DOCUMENT_NUMBER not in values_of(other, "FR", DocumentType.NATIONAL_ID)


def test_egypts_names_stand_below_the_title_and_its_number_tells_which_date_is_the_birth() -> None:
    # As in the mirror: what is read from the right begins at the left.
    lines = [
        line("جمهورية مصر العربية", 40, 10, 30),
        line("بطاقة تحقيق الشخصية", 40, 52, 26),
        line("فاطمة", 44, 110, 26),
        line("أحمد حسن العبادي", 42, 156, 26),
        line("12 عمان", 40, 202, 26),
        line("2021/03/10", 300, 202, 26),
        line("1985/08/12", 40, 248, 26),
        line("28508120103247", 40, 294, 26),
    ]
    assert values_of(lines, "EG", DocumentType.NATIONAL_ID) == {
        FieldName.SURNAMES: "العبادي",
        FieldName.GIVEN_NAMES: "فاطمة أحمد حسن",
        FieldName.DATE_OF_BIRTH: "1985-08-12",
        FieldName.DOCUMENT_NUMBER: "28508120103247",
    }
    # One line of the name alone, or lines that do not follow each other, are not parted.
    assert FieldName.SURNAMES not in values_of([*lines[:3], *lines[4:]], "EG", DocumentType.NATIONAL_ID)


def test_thai_cards_are_read_in_latin_letters_without_the_mr_and_in_thai_where_those_are_lost() -> None:
    in_thai = [
        line("บัตรประจำตัวประชาชน Thai National ID Card", 20, 10, 26),
        line("ชื่อตัวและชื่อสกุล", 300, 100, 18),
        line("น.ส.ปราณี ศรีสุวรรณ", 480, 98, 24),
        line("เกิดวันที่ 12 ส.ค. 2528", 300, 240),
        line("09 MAR 2031", 300, 330, 24),
        line("Date of Expiry", 300, 362, 18),
    ]
    latin = [line("Name Miss Pranee", 300, 140), line("Last name Srisuwan", 300, 180)]
    read = values_of([*in_thai, *latin], "TH", DocumentType.NATIONAL_ID)
    assert (read[FieldName.GIVEN_NAMES], read[FieldName.SURNAMES]) == ("Pranee", "Srisuwan")
    assert (read[FieldName.DATE_OF_BIRTH], read[FieldName.DATE_OF_EXPIRY]) == ("1985-08-12", "2031-03-09")
    read = values_of(in_thai, "TH", DocumentType.NATIONAL_ID)
    assert (read[FieldName.GIVEN_NAMES], read[FieldName.SURNAMES]) == ("ปราณี", "ศรีสุวรรณ")


def test_a_number_may_follow_its_sign_without_a_space() -> None:
    card = [line("CARTA D'IDENTITÀ", 40, 40), line("N°FN8684225", 300, 100)]
    assert values_of(card, "IT", DocumentType.NATIONAL_ID)[FieldName.DOCUMENT_NUMBER] == "FN8684225"


@pytest.mark.parametrize(
    ("numbers", "meant"),
    [
        (["AA6150062"], "AA6150062"),
        (["AA6150062", "39005290274", "AA6150062"], "AA6150062"),
        (["AA6150062", "39005290274"], None),
        (["29051990", "290590"], None),
    ],
    ids=["the only one", "printed twice", "one of two", "days without strokes"],
)
def test_a_number_without_a_readable_label_is_the_only_one_or_the_one_that_is_printed_twice(
    numbers: list[str], meant: str | None
) -> None:
    lines = [line(number, 300, 100 + 60 * row) for row, number in enumerate(numbers)]
    found = read_fields([*lines, line("29.05.1990", 300, 400)], "EE", DocumentType.PASSPORT, TODAY)
    values = found.get(FieldName.DOCUMENT_NUMBER, [])
    assert (values[0].value if values else None) == meant
    assert all(value.confidence < 0.5 for value in values)


def test_a_value_behind_a_label_in_two_languages_in_the_same_line_is_read() -> None:
    lines = [
        line("Nazwisko / Surname DE LA CRUZ", 300, 100), line("Imiona / Given names JAN ERIK", 300, 150),
        # A letter of the label was misread.
        line("Obywatelstwo / Nationalily POLSKIE", 300, 200), line("NOVIGRAD", 300, 260),
        line("Data urodzenia / Date of birth 07.09.1971", 300, 300),
    ]  # fmt: skip
    found = values_of(lines, "PL", DocumentType.NATIONAL_ID)
    assert found[FieldName.SURNAMES] == "DE LA CRUZ"
    assert found[FieldName.GIVEN_NAMES] == "JAN ERIK"
    assert found[FieldName.NATIONALITY] == "PL"
    assert found[FieldName.DATE_OF_BIRTH] == "1971-09-07"


OF_MALAWI = """
country = "MW"
languages = ["en"]
issuers = ["Republic of Malawi"]

[[documents]]
kind = "NATIONAL_ID"
version = "2017"
known_from = "description"
form = "ID-1"
titles = ["National Identity Card"]
[documents.fields]
date_of_birth = { labels = ["DoB"] }
date_of_issue = { labels = ["DoI"] }
date_of_expiry = { labels = ["DoE"] }
document_number = { labels = ["№"], formats = ["@@ ######"] }
personal_number = { labels = ["Voter ID"], formats = ["#########"], before = "LR " }
"""


def test_labels_and_numbers_of_the_very_document_are_known_though_letters_of_one_form_were_taken_for_each_other(
    tmp_path: Path,
) -> None:
    (tmp_path / "mw.toml").write_text(OF_MALAWI, "utf-8")
    lines = [
        line("DoB 07 SEP 1971", 300, 100), line("Dol 10 MAR 2021", 300, 150), line("DoE 09 MAR 2031", 300, 200),
        line("N SA 111173", 300, 250), line("Voter ID LR 968051781", 300, 300),
    ]  # fmt: skip
    with trying(read_country(tmp_path / "mw.toml")):
        found = values_of(lines, "MW", DocumentType.NATIONAL_ID)
    assert found[FieldName.DATE_OF_ISSUE] == "2021-03-10"
    assert found[FieldName.DOCUMENT_NUMBER] == "SA 111173"
    assert found[FieldName.PERSONAL_NUMBER] == "968051781"


def test_letters_that_persian_and_arabic_write_alike_are_one() -> None:
    assert fold("جمهوری اسلامی افغانستان") == fold("جمهورى اسلامي افغانستان")
    assert fold("کارت") == fold("كارت")


@pytest.mark.parametrize(
    ("read", "becomes"),
    [
        ("Apellidos: UÑOZ", "Apellidos: MUÑOZ"),
        # Another name is another reading, and neither is known to be right.
        ("Apellidos: PEREZ", "Apellidos: PEREZ"),
    ],
)
def test_a_letter_lost_between_a_label_and_a_larger_name_is_found_in_the_name_alone(read: str, becomes: str) -> None:
    sheet = Sheet((500, 60), seed=1)
    sheet.text((10, 18), "Apellidos:", 18)
    sheet.text((120, 12), "MUÑOZ", 26, bold=True)
    seen = TextLine(read, 0.95, np.array([[6, 8], [240, 8], [240, 48], [6, 48]], np.float32))
    [whole] = whole_names(sheet.picture(), [seen], "CO", DocumentType.TEMP_PERMIT_ID)
    assert whole.text == becomes
    sure = replace(seen, confidence=0.99)
    assert whole_names(sheet.picture(), [sure], "CO", DocumentType.TEMP_PERMIT_ID) == [sure]


def test_a_second_surname_without_the_first_is_never_sure() -> None:
    rows = ["Primer Apellido", "QUISPE", "Segundo Apellido", "HUAMÁN", "Pre Nombres", "LUZ"]
    lines = [line(row, 300, 100 + 26 * at) for at, row in enumerate(rows)]
    for lost in (0, 1):
        found = read_fields([*lines[:lost], *lines[lost + 1 :]], "PE", DocumentType.NATIONAL_ID, TODAY)
        assert all(value.confidence < 0.5 for value in found[FieldName.SURNAMES])
    whole = read_fields(lines, "PE", DocumentType.NATIONAL_ID, TODAY)
    assert whole[FieldName.SURNAMES][0].value == "QUISPE HUAMÁN"
    assert whole[FieldName.SURNAMES][0].confidence > 0.8
