"""The document's corners in drawn scenes: found within a few pixels, and none where there is no document."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.quads import overlap
from truename.sandbox.drawing import documents
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.captures import Picture
from truename.vision.document.layouts.load import countries
from truename.vision.document.limits import CHOSEN
from truename.vision.document.mrz.read import read_mrz
from truename.vision.document.page.corners import find_corners
from truename.vision.document.page.locate import find_page, locate


@pytest.mark.parametrize(
    ("background", "rotation"),
    [
        ("desk", 0),
        ("dark", 35),
        *(
            pytest.param(background, rotation, marks=pytest.mark.slow)
            for background, rotation in (
                ("wood", 0),
                ("cloth", 0),
                ("dark", 0),
                ("desk", 35),
                ("wood", 35),
                ("cloth", 35),
            )
        ),
    ],
)
def test_a_passport_in_a_photo_is_outlined(background: str, rotation: float) -> None:
    photo, quad = photograph(documents.passport(seed=4).front, seed=11, rotation=rotation, background=background)
    found = find_corners(photo)
    assert found is not None
    assert overlap(found.quad, quad) > 0.95
    assert found.confidence > 0.7


def test_corners_run_clockwise_from_the_upper_left() -> None:
    photo, quad = photograph(documents.id_card(seed=1).front, seed=2, perspective=0.1)
    found = find_corners(photo)
    assert found is not None
    np.testing.assert_allclose(found.quad, quad, atol=0.02 * max(photo.shape))


def test_the_outline_scales_with_the_picture() -> None:
    photo, _ = photograph(documents.id_card(seed=1).front, seed=2)
    half = np.asarray(cv2.resize(photo, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    large, small = find_corners(photo), find_corners(half)
    assert large is not None
    assert small is not None
    np.testing.assert_allclose(small.quad * 2, large.quad, atol=10)


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_an_empty_picture_has_no_document(shade: int) -> None:
    picture: Picture = np.full((480, 640, 3), shade, np.uint8)
    assert find_corners(picture) is None


def test_straight_lines_are_looked_for_only_where_the_network_is_in_doubt() -> None:
    """A scan that hardly shows more than the card: its edges do not bear the outline out, but the network knows it."""
    card = cv2.copyMakeBorder(
        documents.id_card(country="ES", seed=7).front, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(230,) * 3
    )
    picture: Picture = np.asarray(card, np.uint8)
    found, by_lines = locate(picture), locate(picture, replace(CHOSEN, outline_plain=1.1))
    assert found is not None
    assert by_lines is not None
    assert (found.method, by_lines.method) == ("corners", "lines")
    assert overlap(found.quad, by_lines.quad) > 0.95


@pytest.mark.parametrize("seed", [6, pytest.param(7, marks=pytest.mark.slow), pytest.param(11, marks=pytest.mark.slow)])
def test_a_page_that_fills_the_picture_keeps_its_zone_whole(seed: int) -> None:
    """A scan shows no table: an edge within the page was taken for its lower side, through the zone's last line."""
    passport = documents.passport(seed=seed)
    scan = np.asarray(cv2.resize(passport.front, (926, 652), interpolation=cv2.INTER_AREA), np.uint8)
    page = find_page(scan)
    assert page is not None
    zone = read_mrz(page.picture)
    assert zone is not None
    assert zone.reading.lines == tuple(passport.mrz)


def test_a_card_that_fills_the_picture_is_not_cut_to_its_text() -> None:
    """All text of this card stands on its left half, from its upper rim to its lower one: the portrait was cut off."""
    card = draw("ES", countries()["ES"].documents[0]).front
    found = locate(card)
    assert found is not None
    height, width = card.shape[:2]
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    assert overlap(found.quad, whole) > 0.95
