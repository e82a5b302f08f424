"""Two documents in one picture that were taken for one page."""

from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pytest

from truename.rules.evidence import Quality
from truename.vision.captures import Picture, Side
from truename.vision.document.limits import CHOSEN
from truename.vision.document.page.locate import Located, Page
from truename.vision.document.print.read import Quad, TextLine
from truename.vision.document.script_of_page import parted_in_script
from truename.vision.document.side import SideReading
from truename.vision.document.two_documents import page_of_one

HEIGHT, WIDTH = 1500, 1000
KENYA = ("REPUBLIC OF KENYA", "NATIONAL IDENTITY CARD", "Full names", "WANJIRU ACHIENG", "Date of birth", "01.02.1990")
AUSTRIA = ("REPUBLIK ÖSTERREICH", "FÜHRERSCHEIN", "1. ÖZTÜRK", "2. AYSE", "3. 01.12.1982", "4a. 10.03.2021")
GEORGIA = ("საქართველო", "პირადობის მოწმობა", "გვარი", "ბერიძე", "სახელი", "ქეთევან")
BACK = ("Place of birth", "CUBA", "Signature", "Address", "HARBOUR STREET 12", "Office 14")


@dataclass(frozen=True)
class TwoCards:
    """A grey table with two white cards, one above the other, and the lines on both; the page is all of it."""

    photo: Picture
    page: Page
    lines: list[TextLine]


def two_cards(upper: tuple[str, ...], lower: tuple[str, ...], wider: int = 0) -> TwoCards:
    photo = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    lines = []
    for card, top in ((upper, 60), (lower, 860)):
        photo[top : top + 540, 80:920] = 235
        for at, text in enumerate(card):
            y, right = top + 40 + 60 * at, 600 + (wider if top > 60 else 0)
            photo[y + 8 : y + 26, 130:right:4] = 40
            quad = np.array([[130, y], [right, y], [right, y + 34], [130, y + 34]], np.float32)
            lines.append(TextLine(text, 0.98, quad))
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    return TwoCards(photo, Page(photo, Located(corners, 0.6, "lines")), lines)


def middle_of_one(scene: TwoCards, zone: Quad | None = None) -> float | None:
    found = page_of_one(scene.photo, scene.page, scene.lines, zone, CHOSEN)
    return None if found is None else float(found.located.quad[:, 1].mean() / HEIGHT)


@pytest.mark.parametrize(("wider", "below"), [(-60, False), (60, True)])
def test_of_documents_of_two_states_the_larger_is_read_alone(wider: int, below: bool) -> None:
    middle = middle_of_one(two_cards(KENYA, AUSTRIA, wider))
    assert middle is not None
    assert (middle > 0.5) is below


def test_of_two_documents_the_one_with_the_zone_is_read() -> None:
    zone = np.array([[100, 1300], [900, 1300], [900, 1390], [100, 1390]], np.float32)
    middle = middle_of_one(two_cards(KENYA, AUSTRIA, wider=-60), zone)
    assert middle is not None
    assert middle > 0.5


def test_two_documents_of_one_kind_are_two_by_what_both_say() -> None:
    somebody_else = (*KENYA[:3], "MWANGI BARASA", KENYA[4], "03.04.1971")
    assert middle_of_one(two_cards(KENYA, somebody_else)) is None
    more = ("Date of issue", "Place of issue", "District")
    assert middle_of_one(two_cards((*KENYA, *more), (*somebody_else, *more))) is not None


def test_front_and_back_of_one_document_stay_together() -> None:
    assert middle_of_one(two_cards(KENYA, BACK)) is None
    assert middle_of_one(two_cards(KENYA, ("REPUBLIC OF KENYA", *BACK))) is None


@pytest.mark.slow
def test_two_documents_of_which_one_is_in_another_script_are_parted_once_its_letters_are_read() -> None:
    scene = two_cards(GEORGIA, AUSTRIA, wider=60)
    misread = [replace(line, text="000 00", confidence=0.4) for line in scene.lines[: len(GEORGIA)]]
    first = SideReading(scene.photo, scene.page, Quality(), [*misread, *scene.lines[len(GEORGIA) :]])
    again = replace(first, lines=scene.lines)
    assert parted_in_script({Side.FRONT: first}, {Side.FRONT: first}, date(2026, 11, 15), CHOSEN) is None
    alone = parted_in_script({Side.FRONT: again}, {Side.FRONT: first}, date(2026, 11, 15), CHOSEN)
    assert alone is not None
    page = alone[Side.FRONT].page
    assert page is not None
    assert page.located.quad[:, 1].min() > HEIGHT / 2
