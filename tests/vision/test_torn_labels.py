"""Where blur tears a label into words, its first word is nobody's name."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 15)
BOOK = """
country = "GB"
languages = ["en", "fr"]
issuers = ["United Kingdom of Great Britain and Northern Ireland"]

[[documents]]
kind = "PASSPORT"
version = "emergency"
known_from = "description"
form = "ID-3"
titles = ["Emergency passport"]
zone = "TD3"
dates = "DD MON YY"
[documents.fields]
surnames = { labels = ["Surname/Nom (1)"] }
given_names = { labels = ["Given names/Prénoms (2)"] }
nationality = { labels = ["Nationality/Nationalité (3)"] }
"""


def surnames(folder: Path, below: str, second_label: str) -> list[str]:
    """What is taken for the surname where a line below its label says this, and the next label that."""
    lines = [line("Surname/Nom (1)", 350, 135), line(below, 350, 160), line(second_label, 350, 250)]
    with tried(folder, BOOK, "GB"):
        found = read_fields(lines, "GB", DocumentType.PASSPORT, TODAY, with_zone=True)
    return [one.value for one in found.get(FieldName.SURNAMES, [])]


def test_the_first_word_of_a_torn_label_is_no_name(tmp_path: Path) -> None:
    # The surname is O, which nobody takes for a name, and of `Given names/Prénoms (2)` blur left two words.
    assert surnames(tmp_path, "Given", "na") == []


@pytest.mark.parametrize("name", ["GIVEN", "Givens", "Giv"])
def test_a_name_that_is_not_letter_by_letter_the_word_of_a_label_is_one(tmp_path: Path, name: str) -> None:
    assert surnames(tmp_path, name, "na") == [name]


def test_somebody_is_called_like_the_word_of_a_label_that_was_read(tmp_path: Path) -> None:
    assert surnames(tmp_path, "Given", "Given names/Prénoms (2)") == ["Given"]
