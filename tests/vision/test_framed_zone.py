"""Zones that a program drew a frame around, or that lie close to a card's frame: the frame is no line of theirs."""

import cv2
import numpy as np
import pytest

from truename.sandbox.drawing import documents
from truename.vision.captures import Picture
from truename.vision.document.mrz.read import read_mrz
from truename.vision.document.mrz.rows import LINE, find_rows, without_frames

BLUE, RED, GREEN = (30, 40, 220), (230, 20, 20), (20, 200, 40)


def resized(picture: Picture, width: int) -> Picture:
    scale = width / picture.shape[1]
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def framed(picture: Picture, colour: tuple[int, int, int], thick: int) -> Picture:
    """A frame around the zone, as near as a program draws it that has found the zone."""
    found = read_mrz(picture)
    assert found is not None
    drawn = picture.copy()
    cv2.polylines(drawn, [np.round(found.corners).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
    return drawn


@pytest.mark.parametrize(
    ("width", "colour", "thick"),
    [(600, BLUE, 3), *(pytest.param(*one, marks=pytest.mark.slow) for one in ((900, RED, 6), (1200, GREEN, 6)))],
)
def test_a_zone_with_a_frame_around_it_is_read(width: int, colour: tuple[int, int, int], thick: int) -> None:
    """The frame is blacker than any line of letters: beside it no line was seen."""
    drawn = documents.passport(seed=5)
    read = read_mrz(framed(resized(drawn.front, width), colour, thick))
    assert read is not None
    assert read.reading.lines == drawn.mrz
    assert read.reading.readers_agree


def band_of_letters() -> Picture:
    """Two lines of black strokes, 20 pixels tall, as a level band shows them."""
    level = np.full((150, 1000), 230, np.uint8)
    for middle in (45, 105):
        for x in range(60, 940, 24):
            level[middle - 10 : middle + 10, x : x + 3] = 40
            level[middle - 10 : middle - 7, x : x + 14] = 40
    return level


def test_frames_are_painted_out_and_letters_are_left() -> None:
    level = band_of_letters()
    with_frame = level.copy()
    cv2.rectangle(with_frame, (12, 16), (988, 134), 30, 4)
    letters, bare = without_frames(with_frame)
    assert (np.abs(bare.astype(int) - level) > 10).sum() < 40  # of its corners
    assert letters[75, 988] > 200  # the upright sides
    assert letters[16, 500] < 40  # the others, which letters that run together look like
    for painted in without_frames(level):
        np.testing.assert_array_equal(painted, level)


def test_dashes_above_half_of_a_line_do_not_move_its_middle() -> None:
    level = band_of_letters()
    plain = find_rows(level)
    for x in range(500, 1000, 9):
        level[24:28, x : x + 6] = 10
    for row, other in zip(find_rows(level), plain, strict=True):
        assert abs(row.at - other.at) < 2
        assert abs(row.slope - other.slope) * level.shape[1] < 2
        assert abs(row.capital - other.capital) < LINE / 9
