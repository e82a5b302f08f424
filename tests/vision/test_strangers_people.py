"""Documents of layout files that strangers wrote, a twelfth time: whose they are, by names and words of all kinds."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 15)

KYRGYZSTAN = """
country = "KG"
languages = ["ru", "en"]
issuers = ["Кыргыз Республикасы", "Kyrgyz Republic"]
[[documents]]
kind = "NATIONAL_ID"
version = "2017"
known_from = "description"
form = "ID-1"
titles = ["Инсандык паспорт", "Identity card"]
script = "Cyrillic"
dates = "DD.MM.YYYY"
[documents.fields]
gender = { labels = ["Жынысы / Пол / Sex"], printed = ["Э/М", "А/Ж"], script = "Cyrillic" }
date_of_birth = { labels = ["Туулган күнү / Дата рождения / Date of birth"] }
"""


@pytest.mark.parametrize(
    ("text", "sex"), [("A/K", "F"), ("А/Ж", "F"), ("Э/М", "M"), ("3/M", "M"), ("F", "F"), ("K", None), ("AK", None)]
)
def test_a_letter_that_the_document_does_not_print_says_nothing_beside_one_that_it_does(
    tmp_path: Path, text: str, sex: str | None
) -> None:
    """An honest woman was a man in print: of `А/Ж` the reader of Latin made `A/K`, and her zone contradicted that."""
    with tried(tmp_path, KYRGYZSTAN, "KG"):
        lines = [line("KbIHbICbl / on/ Sex", 40, 100), line(text, 40, 125)]
        found = read_fields(lines, "KG", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found.get(FieldName.GENDER, [])] == ([sex] if sex else [])
