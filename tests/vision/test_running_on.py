"""Names in two lines below their label, and lines below a name that are none of it."""

from datetime import date

import pytest

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 19)


def surnames(*below: str, label: str = "APELLIDOS", country: str = "CL") -> str:
    """What is read of lines that stand right below each other, and of given names with a label of their own below."""
    lines = [line(label, 300, 100, 24), *(line(text, 300, 128 + 37 * at, 36) for at, text in enumerate(below))]
    end = 128 + 37 * len(below)
    lines += [line("NOMBRES", 300, end, 24), line("JAVIERA", 300, end + 28, 36)]
    found = read_fields(lines, country, DocumentType.NATIONAL_ID, TODAY)
    given = found.get(FieldName.GIVEN_NAMES)
    assert given is None or given[0].value == "JAVIERA"
    return found[FieldName.SURNAMES][0].value


def test_a_name_goes_on_in_the_next_line() -> None:
    assert surnames("NANCUPIL", "SOTO-MAYOR") == "NANCUPIL SOTO-MAYOR"
    assert surnames("VILLAVICENCIO", "DE LA", "FUENTE") == "VILLAVICENCIO DE LA FUENTE"
    assert surnames("NANCUPIL", "SOTO", country="UG", label="SURNAME") == "NANCUPIL SOTO"


def test_a_name_that_is_parted_at_its_hyphen_stays_one() -> None:
    assert surnames("NANCUPIL-", "SOTO") == "NANCUPIL-SOTO"


@pytest.mark.parametrize(
    "below", ["CHILENA", "FEMENINO", "[b] SOTO", "e/v SOTO", "12.03.1990", "CALLE 12", "REPÚBLICA DE CHILE", "СОТО"]
)
def test_what_is_no_name_is_no_part_of_one(below: str) -> None:
    assert surnames("NANCUPIL", below) == "NANCUPIL"


def test_the_next_line_under_a_label_of_both_names_is_the_other_name() -> None:
    assert surnames("NANCUPIL", "JAVIERA", label="APELLIDOS NOMBRES") == "NANCUPIL"
    assert surnames("NANCUPIL,", "JAVIERA") == "NANCUPIL"


def test_a_value_whose_label_was_lost_stands_too_far_below_to_be_a_part_of_the_name() -> None:
    lines = [line("SURNAME", 300, 100, 24), line("OKELLO", 300, 128, 36), line("JANE", 300, 192, 36)]
    found = read_fields(lines, "UG", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.SURNAMES][0].value == "OKELLO"


def test_only_a_name_that_leads_is_parted_at_its_comma() -> None:
    # The given names stood in reach of the label of the surname, and became two names of their own.
    lines = [line("SURNAME", 300, 100, 24), line("TREMBLAY,", 300, 128, 30), line("ÉLISE, ANNE", 300, 150, 30)]
    found = read_fields(lines, "UG", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.SURNAMES][0].value == "TREMBLAY"
    assert FieldName.GIVEN_NAMES not in found
