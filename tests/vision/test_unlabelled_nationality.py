"""Words for the nationality without a label, as a layout file gives them."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 19)
MALAYSIA = """
country = "MY"
languages = ["ms", "en"]
issuers = ["Malaysia"]
demonyms = ["WARGANEGARA"]
[[documents]]
kind = "NATIONAL_ID"
version = "MyKad 2001"
known_from = "description"
form = "ID-1"
titles = ["Kad pengenalan"]
[documents.fields]
document_number = { labels = [], formats = ["{YY}{MM}{DD}-##-####"] }
gender = { labels = [], printed = ["LELAKI", "PEREMPUAN"] }
nationality = { labels = [], printed = ["WARGANEGARA", "PEMASTAUTIN TETAP"] }
"""


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("WARGANEGARA", "MY"),
        ("Warganegara", "MY"),
        ("PEMASTAUTIN TETAP", "MY"),  # no people is called so: the document's own country
        ("WARGANEGARA KHUNSA", None),
        ("BUKAN", None),
    ],
)
def test_a_nationality_without_a_label_is_found_by_its_very_words(
    tmp_path: Path, text: str, country: str | None
) -> None:
    """`layouts check` called such a file right, and the nationality was missed on every card."""
    with tried(tmp_path, MALAYSIA, "MY"):
        lines = [line("KAD PENGENALAN", 60, 20, 30), line(text, 720, 480, 26), line("LELAKI", 720, 520, 26)]
        found = read_fields(lines, "MY", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found.get(FieldName.NATIONALITY, [])] == ([country] if country else [])
    assert found[FieldName.GENDER][0].value == "M"


def test_without_words_in_the_file_none_is_found(tmp_path: Path) -> None:
    with tried(tmp_path, MALAYSIA.replace(', printed = ["WARGANEGARA", "PEMASTAUTIN TETAP"]', ""), "MY"):
        found = read_fields([line("WARGANEGARA", 720, 480, 26)], "MY", DocumentType.NATIONAL_ID, TODAY)
    assert FieldName.NATIONALITY not in found
