"""A card on a white sheet of paper on a darker table is the document; the sheet is not. Of two cards, one is."""

from datetime import date

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.quads import overlap
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Person
from truename.vision.captures import Picture
from truename.vision.document.layouts.load import countries
from truename.vision.document.limits import CHOSEN
from truename.vision.document.page.groups import two_groups
from truename.vision.document.page.locate import find_page
from truename.vision.document.page.sheet import card_on_sheet
from truename.vision.document.print.read import detect_lines
from truename.vision.document.read import read_document

Quad = NDArray[np.float32]


def a_card() -> Picture:
    licence = next(one for one in countries()["SE"].documents if one.kind is DocumentType.DRIVER_LICENSE)
    return draw("SE", licence, seed=2).front


def on_a_sheet(card: Picture) -> tuple[Picture, Quad]:
    """A sheet with the card on it, and the card's corners."""
    tall, wide = card.shape[:2]
    sheet = np.full((2 * tall, round(1.7 * wide), 3), 244, np.uint8)
    x, y = round(0.3 * wide), round(0.55 * tall)
    shadow = np.zeros(sheet.shape[:2], np.float32)
    shadow[y + 5 : y + tall + 5, x + 4 : x + wide + 4] = 0.3
    sheet = np.asarray(sheet * (1 - cv2.GaussianBlur(shadow, (0, 0), 6))[..., None], np.uint8)
    sheet[y : y + tall, x : x + wide] = card
    return sheet, np.array([[x, y], [x + wide, y], [x + wide, y + tall], [x, y + tall]], np.float32)


def photographed(sheet: Picture, corners: Quad, background: str) -> tuple[Picture, Quad]:
    photo, outline = photograph(sheet, seed=3, rotation=4, background=background, size=(2000, 1500), fill=0.9)
    tall, wide = sheet.shape[:2]
    flat = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, outline)
    return photo, np.asarray(cv2.perspectiveTransform(corners[None], matrix)[0], np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("background", ["wood", "dark"])
def test_a_card_on_a_sheet_is_cut_out_and_read(background: str) -> None:
    photo, corners = photographed(*on_a_sheet(a_card()), background)
    found = read_document(photo, None, date(2026, 11, 15)).evidence
    assert found.front is not None
    height, width = photo.shape[:2]
    quad = np.array(found.front.quad, np.float32) * np.array([width, height], np.float32)
    assert overlap(quad, corners) > 0.9
    assert (found.country, found.type) == ("SE", DocumentType.DRIVER_LICENSE)


def test_a_card_that_lies_on_the_table_itself_stays_as_it_was_found() -> None:
    photo, _ = photograph(a_card(), seed=3, rotation=4, background="wood")
    page = find_page(photo)
    assert page is not None
    assert card_on_sheet(photo, page, detect_lines(page.picture), CHOSEN) is None


@pytest.mark.slow
def test_a_sheet_with_other_text_on_it_is_not_cut() -> None:
    """A letter with a card on it is read as a whole: nothing that is printed beside the card is thrown away."""
    sheet, corners = on_a_sheet(a_card())
    for row in range(4):
        place = (60, sheet.shape[0] - 60 - 60 * row)
        cv2.putText(sheet, "DEAR SIR PLEASE FIND MY LICENCE", place, cv2.FONT_HERSHEY_SIMPLEX, 1.6, (20, 20, 20), 3)
    photo, _ = photographed(sheet, corners, "wood")
    page = find_page(photo)
    assert page is not None
    assert card_on_sheet(photo, page, detect_lines(page.picture), CHOSEN) is None


@pytest.mark.slow
def test_of_two_cards_in_one_picture_one_is_read_and_never_both_as_one() -> None:
    """The text of both made one page of them: a surname of the one card stood beside the given names of the other."""
    permit = next(one for one in countries()["CO"].documents if one.version == "PPT 2021")
    licence = countries()["AT"].documents[0]
    people = (Person("MUNOZ", "INIGO", "M", date(1957, 2, 8)), Person("WEISS", "FRIEDRICH", "M", date(1972, 12, 4)))
    cards = [draw(code, layout, person, seed=3).front
             for code, layout, person in zip(("CO", "AT"), (permit, licence), people, strict=True)]  # fmt: skip
    scene = np.concatenate([photograph(card, seed=3, perspective=0.15, background="wood")[0] for card in cards])
    found = read_document(scene, None, date(2026, 11, 15)).evidence
    fields = (FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DATE_OF_BIRTH)
    whole = [(one.surnames, one.given_names, one.born.isoformat()) for one in people]
    assert tuple(found.value(name) for name in fields) in whole


def test_text_stands_in_two_groups_only_where_a_wide_band_parts_it_and_both_have_enough() -> None:
    def lines(*tops: float) -> list[Quad]:
        return [np.array([[50, y], [250, y], [250, y + 10], [50, y + 10]], np.float32) for y in tops]

    above, below = lines(10, 30, 50), lines(200, 220)
    parted = two_groups([*below, *above])
    assert parted is not None
    assert [len(part) for part in parted] == [3, 2]
    assert two_groups(lines(10, 30, 50, 80, 110)) is None
    speck = [np.array([[50, 300], [80, 300], [80, 310], [50, 310]], np.float32)]
    assert two_groups([*above, *speck]) is None
    assert two_groups([]) is None
