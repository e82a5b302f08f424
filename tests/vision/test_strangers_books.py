"""Documents of layout files that strangers wrote, an eleventh time: books, names in their places, numbers of fields."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.authenticity_signs import speaking
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.document import classify
from truename.vision.document.layouts.formats import settle
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder
from truename.vision.document.layouts_seen import as_its_title_says
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.names import parted
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)

FIJI = """
country = "FJ"
languages = ["en"]
issuers = ["Fijian Elections Office"]
[[documents]]
kind = "NATIONAL_ID"
version = "voter 2021"
known_from = "description"
form = "ID-1"
titles = ["VoterCard"]
dates = "DD/MM/YYYY"
[documents.fields]
full_name = { labels = [], order = "GIVEN_FIRST", place = [0.34, 0.30, 0.6, 0.14] }
date_of_birth = { labels = [], place = [0.34, 0.48, 0.3, 0.09] }
document_number = { labels = [], formats = ["############"], place = [0.34, 0.60, 0.5, 0.1] }
address = { labels = [], place = [0.34, 0.74, 0.6, 0.09] }
"""
SRI_LANKA = """
country = "LK"
languages = ["en"]
issuers = ["Democratic Socialist Republic of Sri Lanka"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2009"
known_from = "description"
form = "ID-1"
titles = ["Driving Licence"]
[documents.fields]
full_name = { number = "1,2", order = "SURNAME_FIRST" }
date_of_birth = { number = "3" }
personal_number = { number = "4e", formats = ["############"] }
document_number = { number = "5", formats = ["@#######"] }
"""
PANAMA = """
country = "PA"
languages = ["es", "en"]
issuers = ["República de Panamá"]
[[documents]]
kind = "NATIONAL_ID"
version = "seafarer 2015"
known_from = "description"
form = "ID-3"
titles = ["Libreta de marino"]
zone = "TD3"
years = [5]
dates = "DD-MONTH-YYYY"
[documents.fields]
document_number = { labels = ["Libreta No. / Book No."], formats = ["PA#######"] }
surnames = { labels = ["Apellidos / Surnames"] }
given_names = { labels = ["Nombres / Given names"] }
date_of_birth = { labels = ["Fecha de nacimiento / Date of birth"] }
date_of_expiry = { labels = ["Fecha de vencimiento / Date of expiry"] }
"""


@pytest.mark.parametrize(
    ("rule", "surnames", "given_names"),
    [('order = "GIVEN_FIRST"', "IBN SAID", "YUSUF OMAR"), ("surname_lines = 1", "YUSUF OMAR", "IBN SAID")],
)
def test_a_whole_name_in_its_place_is_parted(tmp_path: Path, rule: str, surnames: str, given_names: str) -> None:
    """It was found where it stands, and given to nobody."""
    lines = [
        line("YUSUF OMAR", 350, 200, 28),
        line("IBN SAID", 350, 240, 28),
        line("27/11/1983", 350, 320, 28),
        line("968051781042", 350, 400, 28),
        line("HARBOUR STREET 12", 350, 490, 28),
    ]
    with tried(tmp_path, FIJI.replace('order = "GIVEN_FIRST"', rule), "FJ"):
        found = read_fields(lines, "FJ", DocumentType.NATIONAL_ID, TODAY, (1027, 648))
    assert found[FieldName.SURNAMES][0].value == surnames
    assert found[FieldName.GIVEN_NAMES][0].value == given_names


def test_a_field_may_have_any_number_that_its_file_gives_it(tmp_path: Path) -> None:
    """`1,2` and `4e` were accepted, drawn, and never read."""
    lines = [line("1,2. PERERA NIMAL", 300, 100), line("4e 198496805178", 300, 150), line("5. E0424600", 300, 200)]
    with tried(tmp_path, SRI_LANKA, "LK"):
        found = read_fields(lines, "LK", DocumentType.DRIVER_LICENSE, TODAY)
    assert found[FieldName.SURNAMES][0].value == "PERERA"
    assert found[FieldName.GIVEN_NAMES][0].value == "NIMAL"
    assert found[FieldName.PERSONAL_NUMBER][0].value == "198496805178"
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "E0424600"


@pytest.mark.parametrize(("read", "number"), [("Y525868422", "УБ25868422"), ("YB25868422", "УБ25868422")])
def test_a_letter_that_stands_in_every_number_is_known_where_latin_has_none_of_its_form(read: str, number: str) -> None:
    settled = settle(read, ["УБ########"])
    assert settled is not None
    assert (settled.value, settled.repaired) == (number, True)
    assert settle("YA25868422", ["УБ########"]) is None


@pytest.mark.parametrize(
    ("name", "order", "surnames", "given_names"),
    [
        ("ANTÓNIO DA COSTA E SILVA", NameOrder.GIVEN_FIRST, "DA COSTA E SILVA", "ANTÓNIO"),
        ("DA COSTA E SILVA ANTÓNIO JOSÉ", NameOrder.SURNAME_FIRST, "DA COSTA E SILVA", "ANTÓNIO JOSÉ"),
        ("IAIN MAC GIOLLA", NameOrder.GIVEN_FIRST, "MAC GIOLLA", "IAIN"),
        ("MARIEM MINT AHMED", NameOrder.GIVEN_FIRST, "MINT AHMED", "MARIEM"),
        ("DEGLI ESPOSTI ANNA", NameOrder.SURNAME_FIRST, "DEGLI ESPOSTI", "ANNA"),
        ("MARY ANN E SMITH", NameOrder.GIVEN_FIRST, "SMITH", "MARY ANN E"),
        ("SMITH E MARY ANN", NameOrder.SURNAME_FIRST, "SMITH", "E MARY ANN"),
        ("DA COSTA E", NameOrder.SURNAME_FIRST, "DA COSTA", "E"),
    ],
)
def test_small_words_in_front_of_a_surname_and_between_two_stay_with_them(
    name: str, order: NameOrder, surnames: str, given_names: str
) -> None:
    """Between two, where the first has a small word itself: else the letter may be that of a given name."""
    found = parted([ReadValue(value=name, source=Source.VISUAL, confidence=0.9)], FieldLayout(order=order))
    assert found[LayoutField.SURNAMES][0].value == surnames
    assert found[LayoutField.GIVEN_NAMES][0].value == given_names


@pytest.mark.parametrize(
    ("zone", "title", "kind"),
    [
        ("TD3", "LIBRETA DE MARINO", DocumentType.NATIONAL_ID),
        ("TD3", "PASAPORTE", DocumentType.PASSPORT),
        ("TD1", "LIBRETA DE MARINO", DocumentType.PASSPORT),
    ],
)
def test_a_book_with_the_zone_of_a_passport_is_one_where_its_file_says_so(
    tmp_path: Path, zone: str, title: str, kind: DocumentType
) -> None:
    by_zone = classify.Classified("PA", DocumentType.PASSPORT, 0.99)
    with tried(tmp_path, PANAMA.replace("TD3", zone), "PA"):
        assert as_its_title_says(by_zone, [[line(title, 40, 50)]]).type is kind


@pytest.mark.slow
def test_a_seafarers_book_is_read_as_its_file_says(tmp_path: Path) -> None:
    with tried(tmp_path, PANAMA, "PA") as layout:
        drawn = draw("PA", layout, seed=5)
        found = read_document(photograph(drawn.front, seed=5, rotation=3, perspective=0.2)[0], None, TODAY).evidence
    assert (found.country, found.type) == ("PA", DocumentType.NATIONAL_ID)
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields
    assert list(speaking(found.authenticity or {})) == []
