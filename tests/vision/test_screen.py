"""A photographed screen is told by hues that run round in one direction; print, however regular, has none."""

from typing import Final

import cv2
import numpy as np
import pytest

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.sandbox.drawing import documents as drawn
from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.document.page.screen import FEWEST, TILE, TILES, Quad, _tiles, hues_in_one_direction
from truename.vision.images import encode_jpeg

SCREEN: Final = LIMITS[AuthenticitySign.SCREEN]
THIRD: Final = 2 * np.pi / 3


def a_photo(seed: int = 0) -> Picture:
    """Grey paper with the noise of a camera."""
    noise = np.random.default_rng(seed).normal(0, 3, (900, 1200, 3))
    return np.clip(170 + cv2.GaussianBlur(noise, (0, 0), 0.7), 0, 255).astype(np.uint8)


def with_pattern(photo: Picture, shares: tuple[float, float, float], turns: tuple[float, float, float]) -> Picture:
    """Regular fine lines over a photo, of so much red, green and blue, each turned by so much; compressed."""
    y, x = np.mgrid[0 : photo.shape[0], 0 : photo.shape[1]].astype(np.float32)
    lines = [share * np.sin(0.9 * x + 0.35 * y + turn) for share, turn in zip(shares, turns, strict=True)]
    return decode(encode_jpeg(np.clip(photo + np.stack(lines, axis=2), 0, 255).astype(np.uint8)))


def whole(photo: Picture) -> Quad:
    height, width = photo.shape[:2]
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)


def told(photo: Picture, quad: Quad | None = None) -> bool:
    found = hues_in_one_direction(photo, whole(photo) if quad is None else quad)
    assert found is not None
    return SCREEN.speaks(found)


@pytest.mark.parametrize("turns", [(0, THIRD, -THIRD), (0, -THIRD, THIRD)], ids=["red-green-blue", "blue-green-red"])
def test_hues_that_run_round_are_those_of_a_screen(turns: tuple[float, float, float]) -> None:
    assert told(with_pattern(a_photo(), (4, 4, 4), turns))


@pytest.mark.parametrize(
    ("shares", "turns"),
    [((10, 10, 10), (0, 0, 0)), ((12, 2, -12), (0, 0, 0)), ((-2, 12, 3), (0, 0, 0)), ((10, 10, 10), (-0.4, 0, 0.4))],
    ids=["black", "red between blue", "green", "displaced colours"],
)
def test_regular_lines_of_ink_are_no_screen(
    shares: tuple[float, float, float], turns: tuple[float, float, float]
) -> None:
    assert not told(with_pattern(a_photo(), shares, turns))


def test_paper_without_any_pattern_is_no_screen() -> None:
    assert not told(a_photo(seed=1))


@pytest.mark.parametrize("seed", range(3))
def test_the_print_of_a_document_is_no_screen(seed: int) -> None:
    photo, quad = drawn.photograph(drawn.id_card(country="DE", seed=seed).front, seed=seed)
    assert not told(photo, quad.astype(np.float32))


def test_a_screen_beside_the_page_is_not_held_against_it() -> None:
    photo = a_photo()
    page = np.array([[600, 0], [1200, 450], [600, 900], [0, 450]], np.float32)
    inside = np.zeros(photo.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, page.astype(np.int32), 1)
    screen = with_pattern(photo, (8, 8, 8), (0, THIRD, -THIRD))
    assert told(screen, page)
    assert not told(np.where(cv2.dilate(inside, np.ones((181, 181), np.uint8))[..., None] > 0, photo, screen), page)


@pytest.mark.parametrize(("tiles", "known"), [(FEWEST - 1, False), (FEWEST, True)])
def test_a_page_of_few_pixels_says_nothing(tiles: int, known: bool) -> None:
    quad = np.array([[0, 0], [tiles * TILE, 0], [tiles * TILE, TILE], [0, TILE]], np.float32)
    assert (hues_in_one_direction(a_photo(), quad) is not None) is known
    narrow = np.array([[0, 0], [1200, 0], [1200, TILE - 1], [0, TILE - 1]], np.float32)
    assert hues_in_one_direction(a_photo(), narrow) is None


def test_a_page_that_runs_out_of_the_photo_is_looked_at_as_far_as_it_is_there() -> None:
    beyond = np.array([[-300, -200], [1500, -200], [1500, 1100], [-300, 1100]], np.float32)
    assert told(with_pattern(a_photo(), (4, 4, 4), (0, THIRD, -THIRD)), beyond)


def test_a_page_as_long_as_a_ribbon_is_looked_at_in_forty_places() -> None:
    ribbon = np.full((TILE, TILE * 90, 3), 180, np.uint8)
    assert len(_tiles(ribbon, whole(ribbon))) == TILES


@pytest.mark.parametrize("seed", range(4))
def test_noise_in_each_colour_is_no_screen(seed: int) -> None:
    noise = np.random.default_rng(seed).normal(0, 8, (900, 1200, 3))
    assert not told(np.clip(170 + noise, 0, 255).astype(np.uint8))
