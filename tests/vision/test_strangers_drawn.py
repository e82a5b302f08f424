"""Documents of layout files that strangers wrote, a sixth time: how they are drawn, and what was not read of them."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.authenticity_signs import speaking
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Issue, Person
from truename.vision.document import classify
from truename.vision.document.layouts.model import DocumentLayout, LayoutField
from truename.vision.document.layouts_seen import as_its_title_says, from_titles
from truename.vision.document.mrz.fields import parse
from truename.vision.document.print.dates import Order
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)

MACAU = """
country = "MO"
languages = ["pt", "en"]
issuers = ["Região Administrativa Especial de Macau"]
[[documents]]
kind = "RESIDENT_PERMIT"
version = "2013"
known_from = "description"
form = "ID-1"
titles = ["Bilhete de identidade de residente permanente"]
zone = "TD1"
zone_side = "back"
years = [3]
dates = "DD-MM-YYYY"
[documents.fields]
surnames = { labels = ["Apelido"] }
given_names = { labels = ["Nome"] }
date_of_birth = { labels = ["Data de nascimento"] }
document_number = { labels = [], formats = ["#######(#)"] }
date_of_issue = { labels = ["Data de emissão"] }
date_of_expiry = { labels = ["Válido até"] }
"""
BHUTAN = """
country = "BT"
languages = ["en"]
issuers = ["Royal Government of Bhutan"]
[[documents]]
kind = "TEMP_PERMIT_ID"
version = "2020"
known_from = "description"
form = "ID-1"
titles = ["Foreign Worker Permit"]
dates = "YYYY-MM-DD"
[documents.fields]
full_name = { labels = [], below_title = 1, order = "SURNAME_COMMA" }
document_number = { labels = ["Work Permit No"], formats = ["#########"] }
personal_number = { labels = ["Passport No"], formats = ["@#######"] }
date_of_expiry = { labels = ["Valid upto"] }
"""
BELARUS = """
country = "BY"
languages = ["ru", "en"]
issuers = ["Республика Беларусь"]
[[documents]]
kind = "NATIONAL_ID"
version = "military"
known_from = "description"
form = "ID-3"
titles = ["Военный билет"]
dates = "DD MONTH YYYY"
script = "Cyrillic"
labels_stand = "LEFT"
[documents.fields]
document_number = { labels = ["Серия и №"], formats = ["МР #######"] }
surnames = { labels = ["1. Фамилия"], script = "Cyrillic" }
"""


@pytest.fixture
def macau(tmp_path: Path) -> Iterator[DocumentLayout]:
    with tried(tmp_path, MACAU, "MO") as layout:
        yield layout


def test_a_number_with_brackets_stands_in_the_zone_without_them(macau: DocumentLayout) -> None:
    """Drawing it ended in a traceback."""
    drawn = draw("MO", macau, seed=5)
    zone = parse(drawn.mrz)
    assert zone is not None
    assert zone.valid
    printed = drawn.fields[FieldName.DOCUMENT_NUMBER]
    assert printed.endswith(")")
    assert zone.document_number == printed.replace("(", "").replace(")", "")


def test_letters_of_another_alphabet_stand_in_the_zone_as_those_of_the_same_form(tmp_path: Path) -> None:
    with tried(tmp_path, BELARUS.replace("dates =", 'zone = "TD3"\ndates ='), "BY") as layout:
        drawn = draw("BY", layout, seed=5)
    assert drawn.fields[FieldName.DOCUMENT_NUMBER].startswith("МР ")
    assert drawn.mrz[1].startswith("MP")


def test_a_drawn_document_is_valid_for_as_long_as_its_layout_gives_it(macau: DocumentLayout) -> None:
    """Every one was valid for ten years, so that our own signs spoke against what we had drawn."""
    drawn = draw("MO", macau, seed=5)
    dates = (FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY)
    assert [drawn.fields[name] for name in dates] == ["2026-03-10", "2029-03-09"]
    ended = draw("MO", macau, seed=5, issue=Issue(expires=date(2020, 2, 29)))
    assert [ended.fields[name] for name in dates] == ["2017-02-28", "2020-02-29"]


@pytest.mark.slow
def test_no_sign_speaks_against_a_card_of_few_years_that_was_photographed(macau: DocumentLayout) -> None:
    drawn = draw("MO", macau, seed=5)
    assert drawn.back is not None
    front, back = (photograph(page, seed=5, rotation=3, perspective=0.2)[0] for page in (drawn.front, drawn.back))
    found = read_document(front, back, TODAY).evidence
    assert list(speaking(found.authenticity or {})) == []


@pytest.mark.slow
def test_a_name_below_the_title_is_drawn_and_read_in_the_order_of_its_layout(tmp_path: Path) -> None:
    with tried(tmp_path, BHUTAN, "BT") as layout:
        drawn = draw("BT", layout, Person("DE LA TORRE", "ANA", "F", date(1980, 1, 2)), seed=3)
        found = read_document(drawn.front, None, TODAY).evidence
    assert (found.value(FieldName.SURNAMES), found.value(FieldName.GIVEN_NAMES)) == ("DE LA TORRE", "ANA")


def test_a_name_below_the_title_may_part_by_its_lines(tmp_path: Path) -> None:
    """The file was accepted, and no name read."""
    text = BHUTAN.replace('below_title = 1, order = "SURNAME_COMMA"', "below_title = 2, surname_lines = 1")
    with tried(tmp_path, text, "BT"):
        lines = [line("FOREIGN WORKER PERMIT", 40, 50), line("DE LA TORRE", 300, 110), line("ANA MARIA", 300, 150)]
        found = read_fields(lines, "BT", DocumentType.TEMP_PERMIT_ID, TODAY)
    assert found[FieldName.SURNAMES][0].value == "DE LA TORRE"
    assert found[FieldName.GIVEN_NAMES][0].value == "ANA MARIA"


@pytest.mark.parametrize("number", ["Passport No", "Passport No J4896972"])
def test_a_label_of_a_permit_that_names_a_passport_makes_no_passport_of_it(tmp_path: Path, number: str) -> None:
    lines = [
        line("ROYAL GOVERNMENT OF BHUTAN", 40, 10, 30),
        line("FOREIGN WORKER PERMIT", 40, 50),
        line(number, 300, 200),
    ]
    with tried(tmp_path, BHUTAN, "BT"):
        said = classify.combine(classify.from_print(lines), from_titles(lines, "BT"))
    assert (said.country, said.type) == ("BT", DocumentType.TEMP_PERMIT_ID)


def test_a_number_that_begins_with_letters_of_its_script_is_read_behind_a_misread_label(tmp_path: Path) -> None:
    with tried(tmp_path, BELARUS, "BY"):
        lines = [line("ВОЕННЫЙ БИЛЕТ", 40, 50), line("Серияим- МР 4971986", 300, 100)]
        found = read_fields(lines, "BY", DocumentType.NATIONAL_ID, TODAY)
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "МР 4971986"


BRUNEI = """
country = "BN"
languages = ["ms", "en"]
issuers = ["Brunei Darussalam"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2015"
known_from = "description"
form = "ID-1"
titles = ["Lesen Memandu"]
zone = "TD1"
zone_side = "back"
dates = "DD MONTH YYYY"
labels_stand = "BELOW"
[documents.fields]
date_of_birth = { labels = ["Tarikh lahir"] }
surnames = { labels = ["Nama keluarga"] }
given_names = { labels = ["Nama diberi"] }
document_number = { labels = ["No. lesen"], formats = ["@@######"] }
date_of_expiry = { labels = ["Tarikh tamat"] }
"""


@pytest.mark.parametrize(("zone", "kind"), [(True, DocumentType.DRIVER_LICENSE), (False, DocumentType.NATIONAL_ID)])
def test_a_licence_with_a_zone_of_cards_is_one_where_its_file_says_so(
    tmp_path: Path, zone: bool, kind: DocumentType
) -> None:
    text = BRUNEI if zone else BRUNEI.replace('zone = "TD1"\n', "")
    by_zone = classify.Classified("BN", DocumentType.NATIONAL_ID, 0.99)
    with tried(tmp_path, text, "BN"):
        assert as_its_title_says(by_zone, [[line("LESEN MEMANDU", 40, 50)]]).type is kind


@pytest.mark.slow
def test_no_sign_speaks_against_a_licence_with_a_zone(tmp_path: Path) -> None:
    """It was taken for a card of identity, its labels were sought above its values, and these contradicted its zone."""
    with tried(tmp_path, BRUNEI, "BN") as layout:
        drawn = draw("BN", layout, seed=5)
        assert drawn.back is not None
        seen = [photograph(page, seed=5, rotation=3, perspective=0.2)[0] for page in (drawn.front, drawn.back)]
        found = read_document(seen[0], seen[1], TODAY).evidence
    assert found.type is DocumentType.DRIVER_LICENSE
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields
    assert list(speaking(found.authenticity or {})) == []


def test_a_date_with_a_month_in_words_is_no_number() -> None:
    dating = Dating(Order.DAY_FIRST, TODAY, may_be_without_end=False)
    assert as_value(LayoutField.PERSONAL_NUMBER, "02 SPALIO 2000", dating) is None
    assert as_value(LayoutField.PERSONAL_NUMBER, "A 02 10 2000", dating) == "A02102000"
