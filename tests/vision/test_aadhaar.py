"""Cards of Aadhaar as they are issued: each line in the script of the state and, behind a stroke, in English."""

from datetime import date

import pytest

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.classify import combine, from_print
from truename.vision.document.layouts_seen import from_numbers
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 19)
NUMBER = "2341 2341 2346"


def card(born: str, sex: str) -> list[tuple[str, float, float]]:
    return [
        ("Government of India", 340, 50), ("Ishaan Vivek Deshpande", 320, 180), (born, 320, 221), (sex, 320, 267),
        (NUMBER, 342, 503), ("VID : 9123 4412 8870 1265", 341, 559),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "born", ["R/DOB:18/06/1991", "जन्म तारीख/DOB: 18/06/1991", "/DOB: 18/06/1991", "DOB: 18/06/1991"]
)
@pytest.mark.parametrize("sex", ["पुरुष/ MALE", "jo/ MALE", "/MALE", "MALE"])
def test_what_stands_behind_the_stroke_is_read_whatever_the_other_script_was_taken_for(born: str, sex: str) -> None:
    """The words before the stroke are misread, and birth, name and sex were lost with them."""
    lines = [line(*one, tall=30) for one in card(born, sex)]
    found = read_fields(lines, "IN", DocumentType.NATIONAL_ID, TODAY)
    assert {name: values[0].value for name, values in found.items()} == {
        FieldName.SURNAMES: "Deshpande",
        FieldName.GIVEN_NAMES: "Ishaan Vivek",
        FieldName.DATE_OF_BIRTH: "1991-06-18",
        FieldName.GENDER: "M",
        FieldName.DOCUMENT_NUMBER: NUMBER,
    }


def test_the_state_is_as_sure_as_its_name_where_the_number_tells_the_kind() -> None:
    """Beside a kind that the print does not say, a country was worth nothing: IN, NATIONAL_ID, 0.0."""
    lines = [line(*one, tall=30) for one in card("DOB: 18/06/1991", "MALE")]
    said = from_print(lines)
    assert (said.country, said.type) == ("IN", None)
    assert said.confidence > 0.5
    assert combine(said).confidence == 0.0
    assert combine(said, from_numbers(lines, "IN")).confidence == 0.6


@pytest.mark.parametrize("text", ["Malé / Republic", "MALE, MALDIVES", "Place / Male Atoll"])
def test_a_place_that_is_called_so_is_no_sex(text: str) -> None:
    found = read_fields([line(text, 320, 267, tall=30)], "IN", DocumentType.NATIONAL_ID, TODAY)
    assert FieldName.GENDER not in found
