"""Zones found where a finder of text alone is led astray: two pages, a small card, frames, turned print, any angle."""

import cv2
import numpy as np
import pytest

from truename.sandbox.drawing import documents
from truename.sandbox.drawing.documents import SyntheticDocument
from truename.vision.captures import Picture
from truename.vision.document.mrz.finder import find_zone_lines
from truename.vision.document.mrz.read import read_mrz


@pytest.fixture(scope="module")
def card() -> SyntheticDocument:
    return documents.id_card(seed=6)


def sheet(height: int, width: int, seed: int) -> Picture:
    """A large drawing: patches of colour, such as lie under a document on a desk."""
    patches = np.random.default_rng(seed).integers(60, 240, (7, 9, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(patches, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def put(small: Picture, onto: Picture, top: int, left: int) -> Picture:
    onto[top : top + small.shape[0], left : left + small.shape[1]] = small
    return onto


def resized(picture: Picture, width: int) -> Picture:
    scale = width / picture.shape[1]
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def back_of(card: SyntheticDocument) -> Picture:
    assert card.back is not None
    return card.back


def both_sides(card: SyntheticDocument) -> Picture:
    front, back = resized(card.front, 700), resized(back_of(card), 700)
    return put(back, put(front, sheet(1100, 800, 1), 40, 50), 560, 50)


def a_small_card(card: SyntheticDocument) -> Picture:
    return put(resized(back_of(card), 400), sheet(900, 1200, 2), 450, 700)


def framed(card: SyntheticDocument) -> Picture:
    picture = resized(back_of(card), 900).copy()
    found = read_mrz(picture)
    assert found is not None
    low, high = found.corners.min(0).astype(int), found.corners.max(0).astype(int)
    cv2.rectangle(picture, low.tolist(), high.tolist(), (230, 20, 20), 4)
    return picture


def beside_turned_print(card: SyntheticDocument) -> Picture:
    turned = np.ascontiguousarray(np.rot90(resized(documents.passport(seed=8).front[:500], 560)))
    picture = sheet(max(turned.shape[0], 620) + 40, turned.shape[1] + 760, 3)
    return put(resized(back_of(card), 680), put(turned, picture, 20, 20), 60, turned.shape[1] + 50)


def aslant(card: SyntheticDocument) -> Picture:
    picture = put(resized(back_of(card), 520), sheet(700, 700, 4), 180, 90)
    turn = cv2.getRotationMatrix2D((350, 350), 37, 1)
    return np.asarray(cv2.warpAffine(picture, turn, (700, 700), flags=cv2.INTER_CUBIC), np.uint8)


@pytest.mark.parametrize(
    "scene",
    [
        both_sides,
        aslant,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (a_small_card, framed, beside_turned_print)),
    ],
)
def test_the_zone_is_read_whatever_lies_around_it(card: SyntheticDocument, scene) -> None:
    read = read_mrz(scene(card))
    assert read is not None
    assert read.reading.lines == card.mrz


@pytest.mark.parametrize("scene", [both_sides, a_small_card, aslant])
@pytest.mark.slow
def test_the_finder_marks_the_three_lines_and_nothing_else(card: SyntheticDocument, scene) -> None:
    lines = find_zone_lines(scene(card))
    assert len(lines) == 3
    lengths = [max(np.linalg.norm(line[1] - line[0]), np.linalg.norm(line[2] - line[1])) for line in lines]
    assert min(lengths) > 0.9 * max(lengths)


@pytest.mark.parametrize("make", [documents.eu_driver_licence, documents.us_driver_licence])
def test_print_that_is_no_zone_is_not_marked(make) -> None:
    assert find_zone_lines(make(seed=4).front) == []
