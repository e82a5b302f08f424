"""Names on documents of which no layout file says how whole names part."""

from datetime import date

import pytest

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 15)
REST = ("Date of birth", "01.02.1980", "ID No", "123456789")


def names(country: str | None, *rows: str) -> dict[FieldName, str]:
    printed = [line(text, 100, 100 + 40 * at) for at, text in enumerate((*rows, *REST))]
    found = read_fields(printed, country, DocumentType.NATIONAL_ID, TODAY)
    return {name: found[name][0].value for name in (FieldName.SURNAMES, FieldName.GIVEN_NAMES) if name in found}


@pytest.mark.parametrize("country", ["NP", "PK"], ids=["without a file", "with a file of another kind"])
def test_what_stands_at_name_alone_is_no_surname_outside_german(country: str) -> None:
    assert names(country, "Name: THEODORE VAN DEN BERG") == {}
    assert names("DE", "Name: VAN DEN BERG") == {FieldName.SURNAMES: "VAN DEN BERG"}


def test_name_beside_a_surname_is_the_given_name_and_beside_a_given_name_the_surname() -> None:
    whole = {FieldName.SURNAMES: "MILLER", FieldName.GIVEN_NAMES: "JO ANN"}
    assert names("NP", "Name", "JO ANN", "Surname", "MILLER") == whole
    assert names("NP", "Name", "MILLER", "Given name", "JO ANN") == whole


def test_a_whole_name_beside_its_own_surname_is_no_given_name() -> None:
    assert names("NP", "Name", "JO ANN MILLER", "Surname", "MILLER") == {FieldName.SURNAMES: "MILLER"}


def test_the_rest_of_a_misread_label_is_no_name() -> None:
    assert names("LA", "Name and Sumame", "THEODORE VAN DEN BERG") == {}


def test_a_comma_parts_what_stands_at_surnames_and_given_names_in_one() -> None:
    read = names("NI", "Apellidos y nombres", "NGO, BO")
    assert read == {FieldName.SURNAMES: "NGO", FieldName.GIVEN_NAMES: "BO"}
