"""Names in letters that their language has, and names that stand without any label."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Person
from truename.vision.document.layouts.load import countries, languages
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder
from truename.vision.document.print.dates import Order
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.names import parted
from truename.vision.document.print.own_letters import in_own_letters
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)
DATING = Dating(Order.DAY_FIRST, TODAY, may_be_without_end=False)
MALAYSIA = """
country = "MY"
languages = ["ms", "en"]
issuers = ["Malaysia"]
[[documents]]
kind = "NATIONAL_ID"
version = "MyKad"
known_from = "description"
form = "ID-1"
titles = ["Kad Pengenalan", "Identity Card"]
[documents.fields]
document_number = { labels = [], formats = ["{YY}{MM}{DD}-##-####"] }
full_name = { labels = [], above = "address", order = "GIVEN_FIRST" }
address = { labels = [] }
nationality = { labels = [], printed = ["WARGANEGARA"] }
gender = { labels = [], printed = ["LELAKI", "PEREMPUAN"] }
"""
CARD = (
    ("MALAYSIA", 10),
    ("KAD PENGENALAN", 50),
    ("850812-01-1234", 110),
    ("SITI NURHALIZA BINTI ABDULLAH", 160),
    ("HARBOUR STREET 12", 210),
    ("WARGANEGARA", 260),
    ("PEREMPUAN", 310),
)


def read(text: str) -> ReadValue:
    return ReadValue(value=text, source=Source.VISUAL, confidence=0.9)


@pytest.mark.parametrize(
    ("country", "as_read", "printed"),
    [
        ("TR", "ERDOČDU", "ERDOĞDU"),
        ("TR", "Aydočan", "Aydoğan"),
        ("TR", "ČAČLAR", "ČAĞLAR"),  # no word begins with Ğ
        ("TR", "INCl", "INCI"),
        ("TR", "IBRAHIM $ÜKRÜ", "IBRAHIM ŞÜKRÜ"),
        ("GB", "$ÜKRÜ", "SÜKRÜ"),
        ("TR", "IBRAHIM şÜKRÜ", "IBRAHIM ŞÜKRÜ"),
        ("LT", "ČEPAITÉ-ŠUKIENÉ", "ČEPAITĖ-ŠUKIENĖ"),
        ("LV", "KÄRLIS BĚRZIŅŠ", "KĀRLIS BĒRZIŅŠ"),
        ("CZ", "ZDEÑKA", "ZDEŇKA"),
        ("RO", "CĂTÃLIN", "CĂTĂLIN"),
        ("DE", "KRÓL", "KRÓL"),  # German names are of many languages, and their marks are read
        ("DE", "WEIßKOPF", "WEIßKOPF"),
        ("GB", "McDONALD", "McDONALD"),
        ("GB", "Sean O'Neill", "Sean O'Neill"),
        ("AE", "AlMANSOUR", "AlMANSOUR"),
        (None, "BÉLA", "BÉLA"),
    ],
)
def test_a_letter_that_the_language_has_not_is_the_one_that_was_misread(
    country: str | None, as_read: str, printed: str
) -> None:
    """Of Turkish names with Ğ, four in ten were read with a Č: to the comparison of names these are other names."""
    [found] = in_own_letters({LayoutField.SURNAMES: [read(as_read)]}, country)[LayoutField.SURNAMES]
    assert found.value == printed


def test_a_foreigners_name_on_a_permit_keeps_its_letters() -> None:
    names = {LayoutField.GIVEN_NAMES: [read("JOSÉ")]}
    [found] = in_own_letters(names, "LT", DocumentType.RESIDENT_PERMIT)[LayoutField.GIVEN_NAMES]
    assert found.value == "JOSÉ"


def test_no_letter_is_misread_as_one_that_its_language_has() -> None:
    words = {
        code: "".join((*(label for labels in one.labels.values() for label in labels), *sum(one.months, ())))
        for code, one in languages().items()
    }
    wrong = [
        (code, letter)
        for code, one in languages().items()
        for taken in one.misread.values()
        for letter in taken
        if letter in words[code].upper() or letter in one.misread
    ]
    assert wrong == []


@pytest.mark.slow
def test_a_turkish_name_is_drawn_photographed_and_read_with_its_letters() -> None:
    layout = next(one for one in countries()["TR"].documents if one.kind is DocumentType.NATIONAL_ID)
    drawn = draw("TR", layout, Person("ERDOĞDU", "TUĞBA", "F", date(1985, 8, 12)), seed=3)
    photo, _ = photograph(drawn.front, seed=3, rotation=3, perspective=0.2)
    found = read_document(photo, None, TODAY).evidence
    assert (found.value(FieldName.SURNAMES), found.value(FieldName.GIVEN_NAMES)) == ("ERDOĞDU", "TUĞBA")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RAJENDRAN A/L MUTHUSAMY", "RAJENDRAN A/L MUTHUSAMY"),
        ("KAUR D/O SINGH", "KAUR D/O SINGH"),
        ("BJØRNSTAD H/EGSTAD", "BJØRNSTAD H/EGSTAD"),
        ("ТКАЧЕНКО/TKACHENKO", "TKACHENKO"),
        ("ТКАЧЕНКО / TKACHENKO", "TKACHENKO"),
    ],
)
def test_a_stroke_beside_a_single_letter_parts_no_two_spellings(text: str, name: str) -> None:
    assert as_value(LayoutField.FULL_NAME, text, DATING) == name


@pytest.mark.parametrize(
    ("name", "surnames", "given"),
    [
        ("SITI NURHALIZA BINTI ABDULLAH", "BINTI ABDULLAH", "SITI NURHALIZA"),
        ("RAJENDRAN A/L MUTHUSAMY", "A/L MUTHUSAMY", "RAJENDRAN"),
        ("MOHAMED BEN YOUSSEF", "BEN YOUSSEF", "MOHAMED"),
        ("BEN JONSON", "JONSON", "BEN"),
    ],
)
def test_the_word_for_a_son_or_a_daughter_belongs_to_the_fathers_name(name: str, surnames: str, given: str) -> None:
    found = parted([read(name)], FieldLayout(order=NameOrder.GIVEN_FIRST))
    assert (found[LayoutField.SURNAMES][0].value, found[LayoutField.GIVEN_NAMES][0].value) == (surnames, given)


@pytest.mark.parametrize(
    ("texts", "order", "surnames"),
    [
        (["SUKARNO"], NameOrder.GIVEN_FIRST, ["SUKARNO"]),
        (["SUKARNO"], NameOrder.SURNAME_FIRST, ["SUKARNO"]),
        (["AL-MANSOUR"], NameOrder.GIVEN_FIRST, ["AL-MANSOUR"]),
        (["SUKARNO"], NameOrder.SURNAME_COMMA, []),
        (["LI"], NameOrder.GIVEN_FIRST, []),  # what is left of a name
        (["SUKARNO", "BUDI SUKARNO"], NameOrder.GIVEN_FIRST, ["SUKARNO"]),
        (["金"], NameOrder.SURNAME_FIRST, []),
    ],
)
def test_who_has_one_name_has_a_surname_alone(texts: list[str], order: NameOrder, surnames: list[str]) -> None:
    """Whole names of one word were not read at all: many people of Indonesia have no other."""
    found = parted([read(text) for text in texts], FieldLayout(order=order))
    assert [value.value for value in found.get(LayoutField.SURNAMES, [])] == surnames
    if len(texts) == 1 and surnames:
        assert LayoutField.GIVEN_NAMES not in found
        assert found[LayoutField.SURNAMES][0].confidence == 0.45


def test_a_name_on_a_card_without_labels_is_the_line_that_is_nothing_else(tmp_path: Path) -> None:
    """The file was accepted, and no name read: what the name stands above has no label either."""
    lines = [line(text, 40, y) for text, y in CARD]
    with tried(tmp_path, MALAYSIA, "MY"):
        found = read_fields(lines, "MY", DocumentType.NATIONAL_ID, TODAY)
        town = read_fields([*lines, line("KUALA LUMPUR", 40, 235)], "MY", DocumentType.NATIONAL_ID, TODAY)
        nobody = read_fields(lines[:3] + lines[4:], "MY", DocumentType.NATIONAL_ID, TODAY)
    for names in (found, town):
        assert names[FieldName.GIVEN_NAMES][0].value == "SITI NURHALIZA"
        assert names[FieldName.SURNAMES][0].value == "BINTI ABDULLAH"
    assert found[FieldName.SURNAMES][0].confidence > 0.6 > 0.5 > town[FieldName.SURNAMES][0].confidence
    assert FieldName.SURNAMES not in nobody
    assert FieldName.GIVEN_NAMES not in nobody


@pytest.mark.slow
def test_a_card_without_labels_is_drawn_photographed_and_read(tmp_path: Path) -> None:
    with tried(tmp_path, MALAYSIA, "MY") as layout:
        drawn = draw("MY", layout, Person("BINTI ABDULLAH", "SITI", "F", date(1985, 8, 12)), seed=6)
        photo, _ = photograph(drawn.front, seed=6, rotation=3, perspective=0.2)
        found = read_document(photo, None, TODAY).evidence
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields
