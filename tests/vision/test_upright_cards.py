"""Cards whose front is higher than wide: said in a layout file, drawn and read."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.sheet import text_width
from truename.vision.document.layouts.load import read_country
from truename.vision.document.layouts.wrong import WrongLayout
from truename.vision.document.layouts_seen import from_places
from truename.vision.document.page.sheet import is_card_shaped
from truename.vision.document.print.read import TextLine
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)
ZAMBIA = """
country = "ZM"
languages = ["en"]
issuers = ["Republic of Zambia"]
[[documents]]
kind = "NATIONAL_ID"
version = "of this test"
known_from = "description"
form = "ID-1"
upright = true
titles = ["National identity card"]
dates = "DD/MM/YYYY"
[documents.fields]
surnames = { labels = ["Surname"] }
given_names = { labels = ["Other names"] }
document_number = { labels = ["Identity No."], formats = ["######/##/#"] }
date_of_birth = { labels = ["Date of birth"] }
date_of_expiry = { labels = ["Date of expiry"] }
"""
PLACES = (
    ("Surname", 0.5),
    ("Other names", 0.59),
    ("######/##/#", 0.68),
    ("Date of birth", 0.77),
    ("Date of expiry", 0.86),
)


def placed() -> str:
    """The same with a place for every value."""
    text = ZAMBIA
    for word, top in PLACES:
        text = text.replace(f'["{word}"]', f'["{word}"], place = [0.06, {top}, 0.6, 0.06]')
    return text


@pytest.mark.slow
@pytest.mark.parametrize("rotation", [3, -87, 180])
@pytest.mark.parametrize("text", [ZAMBIA, placed()])
def test_an_upright_card_is_drawn_and_read_however_it_lies(tmp_path: Path, text: str, rotation: float) -> None:
    with tried(tmp_path, text, "ZM") as layout:
        drawn = draw("ZM", layout, seed=613)
        photo = photograph(drawn.front, seed=613, rotation=rotation, perspective=0.2, background="wood")[0]
        reading = read_document(photo, None, TODAY)
    assert drawn.front.shape[0] > drawn.front.shape[1]
    assert len(drawn.fields) == 5
    assert {name: reading.evidence.value(name) for name in drawn.fields} == drawn.fields
    assert reading.front_rectified is not None
    assert reading.front_rectified.shape[0] > reading.front_rectified.shape[1]
    assert is_card_shaped(reading.front_rectified)


def test_a_long_heading_stands_within_an_upright_card(tmp_path: Path) -> None:
    long = "Federal Democratic Republic of the Upper Valleys"
    with tried(tmp_path, ZAMBIA.replace("Republic of Zambia", long), "ZM") as layout:
        page = draw("ZM", layout, seed=613).front
    assert text_width(long.upper(), 30) > page.shape[1]
    assert page[14:48, -30:].min() > 150


def test_a_zone_on_an_upright_front_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "zm.toml"
    file.write_text(ZAMBIA.replace("upright = true", 'upright = true\nzone = "TD1"'), "utf-8")
    with pytest.raises(WrongLayout, match="a zone has no room on a front that is higher than wide"):
        read_country(file)


def test_a_lying_page_is_no_upright_card_though_values_stand_in_its_places(tmp_path: Path) -> None:
    with tried(tmp_path, placed(), "ZM"):
        found = [from_places(_values(size), size).country for size in ((648, 1027), (1027, 648))]
    assert found == ["ZM", None]


def _values(size: tuple[int, int]) -> list[TextLine]:
    texts = ("RIVERA", "MARTA LUCIA", "123456/78/1", "12/08/1985", "09/03/2031")
    tops = [top for _, top in PLACES]
    return [line(text, 0.08 * size[0], top * size[1] + 8) for text, top in zip(texts, tops, strict=True)]
