"""The word for the sex behind a label that was misread in the same line."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 18)
NEPAL = """
country = "NP"
languages = ["ne", "en"]
issuers = ["नेपाल सरकार"]
[[documents]]
kind = "NATIONAL_ID"
version = "citizenship"
known_from = "description"
form = "ID-2"
titles = ["नागरिकताको प्रमाणपत्र"]
labels_stand = "LEFT"
script = "Devanagari"
[documents.fields]
full_name = { labels = ["नाम थर"], order = "GIVEN_FIRST", script = "Devanagari" }
gender = { labels = ["लिङ्ग"], printed = ["पुरुष", "महिला"], script = "Devanagari" }
place_of_birth = { labels = ["जन्म स्थान"], script = "Devanagari" }
"""


@pytest.mark.parametrize(
    ("text", "sex"),
    [
        ("लिङ्ग महिला", "F"),
        ("लिन्न महिला", "F"),
        ("लिन्न पुरुष", "M"),
        ("महिला लिन्न", None),
        ("सीता महिला", None),
        ("जन्म स्थान महिला", None),
    ],
)
def test_the_word_for_the_sex_is_read_behind_what_its_label_was_misread_as(
    tmp_path: Path, text: str, sex: str | None
) -> None:
    """Of a citizen of Nepal the sex was missing in each of six photographs: of `लिङ्ग` the reader makes `लिन्न`."""
    with tried(tmp_path, NEPAL, "NP"):
        lines = [line("नागरिकताको प्रमाणपत्र", 40, 40), line(text, 300, 200, confidence=0.82)]
        found = read_fields(lines, "NP", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found.get(FieldName.GENDER, [])] == ([sex] if sex else [])
