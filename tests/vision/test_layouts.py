"""Documents as data: every file is right, and a wrong one is refused with the key that is wrong."""

from pathlib import Path

import pytest

from truename.rules.evidence import DocumentType
from truename.vision.document.layouts.load import WrongLayout, countries, languages, read_country
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.phrases import (
    issuer_phrases,
    kind_phrases,
    label_fields,
    numbered_fields,
    sex_words,
)

RIGHT = """
country = "UY"
languages = ["es"]
issuers = ["República Oriental del Uruguay"]

[[documents]]
kind = "NATIONAL_ID"
version = "2015"
known_from = "description"
form = "ID-1"
[documents.fields]
surnames = { labels = ["Apellidos"] }
"""


def refused(folder: Path, text: str) -> str:
    file = folder / "uy.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(WrongLayout) as caught:
        read_country(file)
    return str(caught.value)


def test_every_file_can_be_read_and_every_start_country_has_a_document() -> None:
    wanted = "AL AZ ES EE FI GR LV RU RS SK MX AR CO CL PE BR EC UY US CA FR DE IT PT PL RO NL BE IN TR UA KZ PH ID NG"
    assert {code for code in wanted.split() if countries()[code].documents} == set(wanted.split())
    assert len(languages()) > 30


def test_a_right_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "uy.toml"
    file.write_text(RIGHT, "utf-8")
    assert read_country(file).documents[0].fields[LayoutField.SURNAMES].labels == ("Apellidos",)


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ('country = "UY"', 'country = "XQ"', "`country`: XQ is no country of ISO 3166-1."),
        ('languages = ["es"]', 'languages = ["xx"]', "`languages`: there is no file languages/xx.toml."),
        ('version = "2015"\n', "", "The key `documents[0].version` is missing."),
        ('form = "ID-1"', 'form = "ID-9"', "`documents[0].form`: input should be 'ID-1', 'ID-2' or 'ID-3'."),
        ('version = "2015"', 'version = "2015"\ntitel = "x"', "There is no key `documents[0].titel`"),
        ("surnames =", "surname =", "There is no key `documents[0].fields.surname`"),
        ('["Apellidos"]', '["Apellidos"], place = [0.9, 0.1, 0.3, 0.1]', "surnames.place`: it reaches over the edge"),
        ('["Apellidos"]', '["Apellidos"], formats = ["{DY}##"]', "surnames.formats`: {DY}## has braces"),
        ('["Apellidos"]', '["Apellidos"], order = "GIVEN_FIRST"', "surnames`: only a full_name has `order`"),
        ('form = "ID-1"', 'form = "ID-1"\ndates = "dd/mm"', "`documents[0].dates`: dd/mm is made of other parts"),
        ('form = "ID-1"', 'form = "ID-1"\nmodel = "none"', "there is no file models/none.toml"),
        ("[[documents]]", "[[documents]", "It is no TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key(tmp_path: Path, was: str, becomes: str, says: str) -> None:
    found = refused(tmp_path, RIGHT.replace(was, becomes))
    assert found.startswith("uy.toml: ")
    assert says in found


def test_a_word_means_what_it_means_in_the_country() -> None:
    assert label_fields()["NAME"].field is LayoutField.SURNAMES
    assert label_fields("IN", DocumentType.DRIVER_LICENSE)["NAME"].field is LayoutField.FULL_NAME
    assert label_fields("ES", DocumentType.NATIONAL_ID)["IDESP"].field is LayoutField.CARD_NUMBER
    assert sex_words("ES")["M"] == "M"
    assert sex_words("MX")["M"] == "F"


def test_the_number_of_a_licence_is_field_5_in_europe_and_4d_in_america() -> None:
    assert numbered_fields("DE", DocumentType.DRIVER_LICENSE)["5"] is LayoutField.DOCUMENT_NUMBER
    assert numbered_fields("US", DocumentType.DRIVER_LICENSE)["4D"] is LayoutField.DOCUMENT_NUMBER
    assert numbered_fields("TR", DocumentType.DRIVER_LICENSE)["5"] is LayoutField.DOCUMENT_NUMBER
    assert numbered_fields("DE", DocumentType.PASSPORT) == {}


def test_marks_name_country_and_kind() -> None:
    assert dict(issuer_phrases())["CREDENCIALPARAVOTAR"] == "MX"
    assert dict(kind_phrases())["CREDENCIALPARAVOTAR"] is DocumentType.NATIONAL_ID
