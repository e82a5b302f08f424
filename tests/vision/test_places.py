"""Is each value found in the line that says it?"""

import numpy as np
import pytest

from truename.rules.evidence import DocumentField, FieldName, Source
from truename.vision.document.places import field_places
from truename.vision.document.print.date_forms import DateForms
from truename.vision.document.print.read import TextLine

PAGE = np.full((200, 400, 3), 255, np.uint8)


def where(name: FieldName, value: str, *printed: str, forms: tuple[str, ...] = ()) -> list[int]:
    """The numbers of the lines in which the value was found."""
    lines = [
        TextLine(text, 0.9, np.array([[20, top], [200, top], [200, top + 10], [20, top + 10]], np.float32))
        for top, text in zip(range(0, 200, 20), printed, strict=False)
    ]
    fields = {name: DocumentField(value=value, source=Source.VISUAL, confidence=0.9)}
    found = field_places(PAGE, lines, None, fields, DateForms(forms))
    return [round(outline[0][1] * 200 / 20) for outline in found.get(name, ())]


@pytest.mark.parametrize(
    ("name", "value", "printed"),
    [
        (FieldName.DATE_OF_BIRTH, "1985-08-12", "12.08.1985"),
        (FieldName.DATE_OF_BIRTH, "1985-08-12", "12.08.85"),
        (FieldName.DATE_OF_BIRTH, "1985-08-12", "12 AUG 85"),
        (FieldName.DATE_OF_BIRTH, "1985-08-12", "08/12/85"),
        (FieldName.DATE_OF_BIRTH, "1931-05-05", "05.05.31"),
        (FieldName.DATE_OF_ISSUE, "2014-05-06", "06.05.14"),
        (FieldName.DATE_OF_EXPIRY, "2031-05-05", "05.05.31"),
    ],
)
def test_a_date_stands_in_the_line_that_says_it_in_whichever_century(name: FieldName, value: str, printed: str) -> None:
    """Years of birth were taken for those of this century, and their place was not known."""
    assert where(name, value, "13.08.1985", "12.08.1986", "MUSTER", printed) == [3]


def test_a_date_in_a_form_of_the_documents_own_is_found_by_it() -> None:
    assert where(FieldName.DATE_OF_BIRTH, "1979-11-23", "19800101", "791123", forms=("YYMMDD",)) == [1]


def test_the_first_line_that_bears_a_value_is_its_place_and_short_values_stand_nowhere() -> None:
    assert where(FieldName.SURNAMES, "MÜLLER", "Name", "Müller-Lüdenscheidt", "MULLER") == [1]
    assert where(FieldName.SURNAMES, "LI", "LI", "LIBRARY") == []
    assert where(FieldName.SURNAMES, "KIM", "LI", "KIM") == [1]
