"""Rows of a zone that is seen from the side: the rectangle that they stand in on the page."""

import pytest
from numpy.testing import assert_allclose

from tests.support.seen_pages import seen_from_the_side
from truename.sandbox.drawing import documents
from truename.vision.document.mrz.converging import rectangle_around
from truename.vision.document.mrz.read import read_mrz
from truename.vision.document.mrz.rows import Row

WIDTH, HEIGHT = 1000, 160


def rows_through(*ends: tuple[float, float]) -> list[Row]:
    return [Row(left, (right - left) / WIDTH, 20, 20) for left, right in ends]


def test_parallel_rows_need_no_other_rectangle() -> None:
    assert rectangle_around(rows_through((40, 52), (100, 113)), WIDTH, HEIGHT) is None


def test_a_single_row_tells_nothing() -> None:
    assert rectangle_around(rows_through((40, 52)), WIDTH, HEIGHT) is None


def test_rows_that_do_not_meet_in_one_point_tell_nothing() -> None:
    assert rectangle_around(rows_through((40, 60), (80, 70), (120, 105)), WIDTH, HEIGHT) is None


def test_the_rectangle_narrows_as_its_rows_do_and_holds_the_whole_band() -> None:
    found = rectangle_around(rows_through((40, 56), (80, 88), (120, 120)), WIDTH, HEIGHT)
    assert found is not None
    assert_allclose(found[:, 0], [0, WIDTH, WIDTH, 0])
    left, right = found[3, 1] - found[0, 1], found[2, 1] - found[1, 1]
    assert right / left == pytest.approx(0.8)
    assert found[2:, 1].min() >= HEIGHT - 1e-3
    assert min(found[0, 1], found[1, 1]) <= 0


def test_both_readers_agree_on_a_zone_whose_end_is_further_away() -> None:
    """Its letters are a third smaller there, until it is made level as a whole."""
    card = documents.id_card(seed=6)
    assert card.back is not None
    read = read_mrz(seen_from_the_side(card.back, 600, (1, 2), 10))
    assert read is not None
    assert read.reading.lines == card.mrz
    assert read.reading.readers_agree
