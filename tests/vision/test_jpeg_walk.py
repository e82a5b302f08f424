"""A stranger's JPEG is walked through in the service itself: rightly, in few steps and in little memory."""

import re
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

from tests.support import bombs
from truename.vision.decoding.header import ImageRefused, expected_seconds, inspect
from truename.vision.decoding.jpeg import FIRST_WINDOW, MAX_SCANS, WINDOW, _next_mark, structure_of
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.pool import QUICK_SECONDS

LONG = 8 * 1024 * 1024
LEADING_NOWHERE = {
    "fill": b"\xff\xd8" + b"\xff" * LONG,
    "restarts": b"\xff\xd8" + b"\xff\xd0" * (LONG // 2),
    "empty segments": b"\xff\xd8" + b"\xff\xe0\x00\x02" * (LONG // 4),
}


def steps_of(work: Callable[[], object]) -> int:
    """How many lines are gone through: each step is Python's own, in the service, so steps are counted, not seconds."""
    steps = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("name", LEADING_NOWHERE)
def test_a_head_that_leads_nowhere_is_not_walked_to_its_end(name: str):
    def refused() -> None:
        with pytest.raises(ImageRefused) as caught:
            inspect(LEADING_NOWHERE[name])
        assert caught.value.reason_code == "damaged"

    assert steps_of(refused) < 50_000


def test_segments_without_end_before_a_scan_are_not_walked_to_their_end():
    jpeg = bombs.photo()
    endless = jpeg[:2] + b"\xff\xe0\x00\x02" * (LONG // 4) + jpeg[2:]
    assert steps_of(lambda: structure_of(endless)) < 50_000
    assert not structure_of(endless).whole


def test_the_walk_ends_with_the_first_scan_too_many():
    assert structure_of(bombs.scan_bomb(1000, 80, 50)).scans == MAX_SCANS + 1


@pytest.mark.parametrize("tail", [b"\xff\x00", b"\xff\xd0", b"\xff\xff"], ids=["escapes", "restarts", "fill"])
def test_an_endless_scan_is_searched_in_little_memory(tail: bytes):
    data = bombs.photo()[:-2] + tail * (LONG // 2)
    header = inspect(data)
    tracemalloc.start()
    try:
        assert expected_seconds(data, header) > QUICK_SECONDS
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_fill_bytes_and_many_segments_of_an_honest_file_change_nothing():
    jpeg = bombs.photo()
    padded = jpeg[:2] + b"\xff\xe1\x00\x04ab" * 200 + b"\xff" * 5000 + jpeg[2:]
    assert structure_of(padded).whole
    assert np.array_equal(decode(padded), decode(jpeg))


@pytest.mark.parametrize("length", [1, WINDOW - 1, WINDOW, WINDOW + 10, 2 * WINDOW + 1])
def test_fill_bytes_are_passed_over_however_many_they_are(length: int):
    jpeg = bombs.photo()
    assert structure_of(jpeg[:2] + b"\xff" * length + jpeg[2:]).whole


def test_marks_are_found_once_across_the_windows_that_are_searched_at_once():
    lost = bytearray(3 * WINDOW)
    lost[:2] = bombs.photo()[:2]
    for at in (WINDOW - 1, WINDOW + 1, 2 * WINDOW - 2, 2 * WINDOW, 3 * WINDOW - 2):
        lost[at : at + 2] = b"\xff\xda"
    assert structure_of(bytes(lost)).scans == 5


def test_whole_is_what_has_one_frame_and_segments_only_up_to_its_end_mark():
    jpeg = bombs.photo()
    frame = jpeg.index(b"\xff\xc0")
    frame_end = frame + 2 + int.from_bytes(jpeg[frame + 2 : frame + 4], "big")
    after = structure_of(jpeg + b"what trails a picture")
    assert (after.whole, after.length) == (True, len(jpeg))
    assert not structure_of(jpeg[:frame_end] + jpeg[frame:]).whole, "two frames"
    for lone in (b"\xff\x01", b"\xff\xd8", b"\xff\xd0"):
        assert not structure_of(jpeg[:frame] + lone + b"\x00\x02" + jpeg[frame:]).whole, "a mark that has no length"


def test_as_many_scans_as_an_honest_file_can_have_are_let_through():
    honest = bombs.scan_bomb(MAX_SCANS - 5, 80, 50)
    assert decode(honest).shape == (50, 80, 3)
    with pytest.raises(ImageRefused):
        decode(bombs.scan_bomb(MAX_SCANS + 1, 80, 50))


def test_the_next_marker_is_found_wherever_it_stands():
    """Beside the slow and plain way: before, at and after the ends of the windows that are searched at once."""
    plain = re.compile(rb"\xff[^\x00\xd0-\xd7]", re.DOTALL)
    filler = b"\xff\x00\xff\xd3\xab" * ((2 * WINDOW + FIRST_WINDOW) // 5)
    for at in (0, FIRST_WINDOW - 1, FIRST_WINDOW, FIRST_WINDOW + 1, FIRST_WINDOW + WINDOW - 1, FIRST_WINDOW + WINDOW):
        for mark in (b"\xff\xd9", b"\xff\xcf", b"\xff\xd8", b"\xff\xff", b"\xff\x01"):
            # A zero before it: where the filler is cut at a 0xFF, a mark would stand one byte earlier.
            data = (filler[: at - 1] + b"\x00" if at else b"") + mark + b"\x00" + filler[at:]
            found = plain.search(data)
            assert found is not None
            assert _next_mark(data, 0) == found.start() == at
    assert _next_mark(filler, 0) == -1
