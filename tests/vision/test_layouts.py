"""Documents as data: every file is right, and what it says is what is read."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from tools.layout_docs import PAGE, page

from tests.support.layout_files import RIGHT
from truename.rules.evidence import DocumentField, DocumentType, FieldName, Source
from truename.rules.national_numbers import Agreement, is_valid
from truename.sandbox.drawing.from_layout import can_draw, draw
from truename.vision.document.classify import from_print
from truename.vision.document.layouts.formats import Settled, settle
from truename.vision.document.layouts.load import countries, languages, read_country
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.own import trying
from truename.vision.document.layouts.phrases import (
    issuer_phrases,
    kind_phrases,
    label_fields,
    numbered_fields,
    sex_words,
)
from truename.vision.document.layouts_seen import from_places
from truename.vision.document.number_findings import number_findings
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.read import TextLine

TODAY = date(2026, 11, 15)


def test_every_file_can_be_read_and_every_start_country_has_a_document() -> None:
    wanted = "AL AZ ES EE FI GR LV RU RS SK MX AR CO CL PE BR EC UY US CA FR DE IT PT PL RO NL BE IN TR UA KZ PH ID NG"
    wanted += " KE ZA EG TH IL JO KR GE AM VN"
    assert {code for code in wanted.split() if countries()[code].documents} == set(wanted.split())
    assert len(languages()) > 30


def test_a_right_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "uy.toml"
    file.write_text(RIGHT, "utf-8")
    assert read_country(file).documents[0].fields[LayoutField.SURNAMES].labels == ("Apellidos",)


def test_a_page_without_titles_and_one_of_few_regions_can_be_drawn(tmp_path: Path) -> None:
    for change in ('form = "ID-1"\nscript = "Arabic"', 'form = "ID-1"\nmodel = "american_licence"'):
        file = tmp_path / "uy.toml"
        file.write_text(
            RIGHT.replace('form = "ID-1"', change).replace("issuers", 'regions = ["Salto"]\nissuers'), "utf-8"
        )
        with trying(country := read_country(file)):
            if can_draw(country.documents[0]):
                assert draw("UY", country.documents[0]).front.any()


def test_a_word_means_what_it_means_in_the_country() -> None:
    assert label_fields()["NAME"].field is LayoutField.SURNAMES
    assert label_fields("IN", DocumentType.DRIVER_LICENSE)["NAME"].field is LayoutField.FULL_NAME
    assert label_fields("ES", DocumentType.NATIONAL_ID)["IDESP"].field is LayoutField.CARD_NUMBER
    assert sex_words("ES")["M"] == "M"
    assert sex_words("MX")["M"] == "F"


def test_words_that_only_the_file_knows_say_sex_and_nationality(tmp_path: Path) -> None:
    fields = """
gender = { labels = ["Jinsi"], printed = ["ERKAK / M", "AYOL / F"] }
nationality = { labels = ["Fuqaroligi"], printed = ["O'ZBEKISTON"] }
"""
    (tmp_path / "uz.toml").write_text(RIGHT.replace("UY", "UZ") + fields, "utf-8")
    file = tmp_path / "uz.toml"
    said = (("Jinsi", 100), ("AYOL", 140), ("Fuqaroligi", 200), ("O'ZBEKISTON", 240))
    assert values_in_uzbekistan(*said) == {}
    with trying(read_country(file)):
        assert values_in_uzbekistan(*said) == {FieldName.GENDER: "F", FieldName.NATIONALITY: "UZ"}
        assert values_in_uzbekistan(("JINSI M", 100)) == {FieldName.GENDER: "M"}


def values_in_uzbekistan(*lines: tuple[str, int]) -> dict[FieldName, str]:
    """What a column of lines says, each with its top."""
    column = [_line(text, 60, top, 26) for text, top in lines]
    found = read_fields(column, "UZ", DocumentType.NATIONAL_ID, TODAY)
    return {name: values[0].value for name, values in found.items()}


def test_the_number_of_a_licence_is_field_5_in_europe_and_4d_in_america() -> None:
    assert numbered_fields("DE", DocumentType.DRIVER_LICENSE)["5"] is LayoutField.DOCUMENT_NUMBER
    assert numbered_fields("US", DocumentType.DRIVER_LICENSE)["4D"] is LayoutField.DOCUMENT_NUMBER
    assert numbered_fields("TR", DocumentType.DRIVER_LICENSE)["5"] is LayoutField.DOCUMENT_NUMBER
    assert numbered_fields("DE", DocumentType.PASSPORT) == {}


def test_the_page_of_layouts_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_marks_name_country_and_kind() -> None:
    assert dict(issuer_phrases())["CREDENCIALPARAVOTAR"] == "MX"
    assert dict(kind_phrases())["CREDENCIALPARAVOTAR"] is DocumentType.NATIONAL_ID


def test_a_title_of_the_countrys_own_file_says_more_than_the_words_in_it(tmp_path: Path) -> None:
    titled = RIGHT.replace('kind = "NATIONAL_ID"', 'kind = "RESIDENT_PERMIT"\ntitles = ["Identity card of aliens"]')
    (tmp_path / "uy.toml").write_text(titled, "utf-8")
    page = [
        _line("REPUBLICA ORIENTAL DEL URUGUAY", 40, 10, 30),
        _line("IDENTITY CARD OF ALIENS", 40, 50, 26),
    ]
    with trying(read_country(tmp_path / "uy.toml")):
        assert (from_print(page).country, from_print(page).type) == ("UY", DocumentType.RESIDENT_PERMIT)
        page[1] = _line("IDENTITY CARD", 40, 50, 26)
        assert from_print(page).type is DocumentType.NATIONAL_ID


def test_a_country_that_is_called_as_a_state_of_another_is_believed_unless_the_other_is_named(tmp_path: Path) -> None:
    called = RIGHT.replace("UY", "GE").replace("República Oriental del Uruguay", "Georgia").replace('"es"', '"ka"')
    (tmp_path / "ge.toml").write_text(called, "utf-8")
    page = [_line("GEORGIA", 40, 10, 30), _line("DRIVING LICENCE", 40, 50, 26)]
    assert from_print(page).country == "US"
    with trying(read_country(tmp_path / "ge.toml")):
        assert from_print(page).country == "GE"
        assert from_print([*page, _line("USA", 800, 10, 30)]).country == "US"


# ── reading by a layout ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "formats", "scheme", "value", "repaired", "proven"),
    [
        ("098923228", ("#########",), None, "098923228", False, False),
        ("J210303021", ("@########@",), None, "J21030302I", True, False),
        ("54362315K", ("########@",), "es.dni", "54362315K", False, True),
        ("S4362315K", ("########@",), "es.dni", "54362315K", True, True),
        ("54362315Z", ("########@",), "es.dni", "54362315Z", False, False),
        ("12.531.909-2", ("##.###.###-*",), "cl.rut", "12.531.909-2", False, True),
        ("36805280I09", ("#{YY}{MM}{DD}####",), "ee.ik", "36805280109", True, True),
        ("LV4994492", ("LV#######",), None, "LV4994492", False, False),
    ],
)
def test_a_doubtful_letter_is_settled_by_the_format_and_the_check_digit(
    text: str, formats: tuple[str, ...], scheme: str | None, value: str, repaired: bool, proven: bool
) -> None:
    found = settle(text, formats, (lambda number: is_valid(scheme, number)) if scheme else None)
    assert found == Settled(value, repaired, proven)


@pytest.mark.parametrize(
    ("country", "kind", "number"),
    [
        ("US", DocumentType.DRIVER_LICENSE, "12345678"),
        ("US", DocumentType.DRIVER_LICENSE, "1234567"),
        ("US", DocumentType.DRIVER_LICENSE, "SA1234567"),
        ("US", DocumentType.DRIVER_LICENSE, "S123-4567-8901"),
        ("US", DocumentType.DRIVER_LICENSE, "WDLABCD456DG"),
        ("CA", DocumentType.DRIVER_LICENSE, "2345678"),
        ("CA", DocumentType.DRIVER_LICENSE, "20345678"),
        ("CA", DocumentType.DRIVER_LICENSE, "S1234-567890-12"),
        ("NL", DocumentType.NATIONAL_ID, "SPEC1B0D4"),
        ("ES", DocumentType.DRIVER_LICENSE, "Z1234567X"),
        ("ES", DocumentType.DRIVER_LICENSE, "21234567X"),
        ("GB", DocumentType.DRIVER_LICENSE, "MORGA657054SM9IJ"),
        ("GB", DocumentType.DRIVER_LICENSE, "FOX99657054S99IJ"),
        ("GB", DocumentType.DRIVER_LICENSE, "NG999657054SMSIJ"),
        ("GB", DocumentType.DRIVER_LICENSE, "12345678"),
        ("PT", DocumentType.DRIVER_LICENSE, "L-1234567 8"),
        ("PT", DocumentType.NATIONAL_ID, "12345678 9 ZX1"),
        ("FR", DocumentType.NATIONAL_ID, "05042B300123"),
        ("AR", DocumentType.NATIONAL_ID, "5.123.456"),
        ("CO", DocumentType.NATIONAL_ID, "3.123.456"),
        ("UY", DocumentType.NATIONAL_ID, "912.345-6"),
        ("KE", DocumentType.NATIONAL_ID, "1234567"),
        ("BR", DocumentType.NATIONAL_ID, "MG-12.345.678"),
        ("BR", DocumentType.NATIONAL_ID, "1012345678"),
    ],
)
def test_a_number_of_any_form_that_the_country_gives_is_left_as_it_was_read(
    country: str, kind: DocumentType, number: str
) -> None:
    versions = [document for document in countries()[country].documents if document.kind is kind]
    formats = [one for version in versions for one in version.fields[LayoutField.DOCUMENT_NUMBER].formats]
    assert settle(number, formats) == Settled(number, repaired=False, proven=False)


def test_a_series_is_of_the_alphabet_that_the_format_is_written_in() -> None:
    told = {text: settle(text, ["УК########", "AB ######"]) for text in ("YK85081212", "УК85081212", "АВ 123456")}
    assert [one and one.value for one in told.values()] == ["УК85081212", "УК85081212", "AB 123456"]


def test_a_number_of_another_length_has_not_the_format() -> None:
    assert settle("1234567", ("########@",)) is None


def slovak_values(number: str = "AY906264") -> list[TextLine]:
    """A Slovak card of which no label and no title could be read, on a page of 1000 × 630."""
    values = {
        (0.343, 0.199): "Mueller", (0.341, 0.294): "Danica", (0.341, 0.381): "SVK", (0.700, 0.382): "02.08.1979",
        (0.702, 0.475): "790802/9384", (0.342, 0.476): "F", (0.346, 0.597): number, (0.700, 0.655): "05.06.2025",
        (0.342, 0.746): "Hlohovec", (0.702, 0.752): "05.06.2015",
    }  # fmt: skip
    return [_line(text, x * 1000, y * 630) for (x, y), text in values.items()]


def _line(text: str, x: float, y: float, tall: float = 32.0) -> TextLine:
    wide = 0.55 * tall * len(text)
    quad = np.array([[x, y], [x + wide, y], [x + wide, y + tall], [x, y + tall]], np.float32)
    return TextLine(text, 0.99, quad)


def test_values_are_read_by_their_places_where_no_label_was() -> None:
    found = read_fields(slovak_values(), "SK", DocumentType.NATIONAL_ID, TODAY, (1000, 630))
    assert {name: values[0].value for name, values in found.items()} == {
        FieldName.SURNAMES: "Mueller",
        FieldName.GIVEN_NAMES: "Danica",
        FieldName.NATIONALITY: "SK",
        FieldName.GENDER: "F",
        FieldName.DOCUMENT_NUMBER: "AY906264",
        FieldName.ISSUING_AUTHORITY: "Hlohovec",
        FieldName.DATE_OF_BIRTH: "1979-08-02",
        FieldName.DATE_OF_ISSUE: "2015-06-05",
        FieldName.DATE_OF_EXPIRY: "2025-06-05",
        FieldName.PERSONAL_NUMBER: "790802/9384",
    }


def test_a_day_that_stands_in_its_place_as_figures_alone_is_read_where_the_file_says_so() -> None:
    """The day of issue of the Spanish card stands in the laser image: no label, nothing between its figures."""
    values = {
        (0.29, 0.15): "BURGOS", (0.29, 0.23): "RIVERO", (0.29, 0.32): "SALMA", (0.29, 0.40): "F", (0.38, 0.40): "ESP",
        (0.29, 0.48): "16 02 1991", (0.29, 0.55): "ABC233223", (0.29, 0.64): "10 07 2026", (0.03, 0.91): "54362315K",
    }  # fmt: skip

    def issued(figures: str) -> list[str]:
        lines = [_line(text, x * 1000, y * 630) for (x, y), text in values.items()]
        lines.append(_line(figures, 120, 450))
        found = read_fields(lines, "ES", DocumentType.NATIONAL_ID, TODAY, (1000, 630))
        assert found[FieldName.DATE_OF_EXPIRY][0].value == "2026-07-10"
        return [value.value for value in found.get(FieldName.DATE_OF_ISSUE, [])]

    assert issued("100716") == ["2016-07-10"]
    assert issued("1007 16") == ["2016-07-10"]
    assert issued("311616") == []  # no such month
    assert issued("10071") == []
    assert issued("10O716") == []


def test_a_document_is_known_by_its_places_alone_and_by_nothing_that_only_resembles_them() -> None:
    seen = from_places(slovak_values(), (1000, 630))
    assert (seen.country, seen.type) == ("SK", DocumentType.NATIONAL_ID)
    shifted = [_line(line.text, line.left + 130, line.top + 60) for line in slovak_values()]
    assert from_places(shifted, (1000, 630)).country is None


def test_the_number_people_know_is_the_document_number_of_a_spanish_front_and_the_holders_beside_a_zone() -> None:
    lines = [_line("DNI NUM", 20, 550, 18), _line("54362315K", 20, 575), _line("IDESP", 300, 340, 18),
             _line("ABC233223", 300, 360)]  # fmt: skip
    front = read_fields(lines, "ES", DocumentType.NATIONAL_ID, TODAY)
    assert front[FieldName.DOCUMENT_NUMBER][0].value == "54362315K"
    assert FieldName.PERSONAL_NUMBER not in front
    both = read_fields(lines, "ES", DocumentType.NATIONAL_ID, TODAY, with_zone=True)
    assert both[FieldName.DOCUMENT_NUMBER][0].value == "ABC233223"
    assert both[FieldName.PERSONAL_NUMBER][0].value == "54362315K"


def test_since_when_somebody_is_resident_is_no_date_of_issue() -> None:
    values = {
        (0.38, 0.24): "SMITH", (0.38, 0.36): "CHRIS", (0.38, 0.48): "000-123-456", (0.38, 0.73): "31 MAY 1988",
        (0.61, 0.79): "05/31/28", (0.61, 0.85): "05/31/95", (0.44, 0.79): "Card Expires:",
        (0.44, 0.85): "Resident Since:",
    }  # fmt: skip
    lines = [_line(text, x * 1000, y * 630, 26) for (x, y), text in values.items()]
    found = read_fields(lines, "US", DocumentType.RESIDENT_PERMIT, TODAY, (1000, 630))
    assert found[FieldName.DATE_OF_EXPIRY][0].value == "2028-05-31"
    assert found[FieldName.DATE_OF_BIRTH][0].value == "1988-05-31"
    assert FieldName.DATE_OF_ISSUE not in found


def test_the_numbers_of_a_document_are_held_against_its_birth_and_sex() -> None:
    def read(value: str) -> DocumentField:
        return DocumentField(value=value, source=Source.VISUAL, confidence=0.9)

    fields = {
        FieldName.PERSONAL_NUMBER: read("49002054457"),
        FieldName.DATE_OF_BIRTH: read("1990-02-05"),
        FieldName.GENDER: read("M"),
    }
    (found,) = number_findings("EE", DocumentType.NATIONAL_ID, fields)
    assert found.field is FieldName.PERSONAL_NUMBER
    assert (found.finding.birth, found.finding.sex) == (Agreement.AGREES, Agreement.DIFFERS)
