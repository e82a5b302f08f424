"""A stranger's JPEG is walked through in the service itself: rightly, in few steps and in little memory."""

import re
import sys
import tracemalloc
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


@pytest.mark.parametrize("name", LEADING_NOWHERE)
def test_a_head_that_leads_nowhere_is_not_walked_to_its_end(name: str):
    """Each step is Python's own, in the service: so steps are counted, not seconds."""
    data, steps = LEADING_NOWHERE[name], 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        with pytest.raises(ImageRefused) as caught:
            inspect(data)
    finally:
        sys.settrace(before)
    assert caught.value.reason_code == "damaged"
    assert steps < 50_000


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


def test_fill_bytes_and_marks_are_found_across_the_windows_that_are_searched_at_once():
    jpeg = bombs.photo()
    assert structure_of(jpeg[:2] + b"\xff" * (2 * WINDOW + 1) + jpeg[2:]).whole
    lost = bytearray(3 * WINDOW)
    lost[:2] = jpeg[:2]
    for at in (WINDOW - 1, WINDOW + 1, 2 * WINDOW - 2, 3 * WINDOW - 2):
        lost[at : at + 2] = b"\xff\xda"
    assert structure_of(bytes(lost)).scans == 4


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
            data = filler[:at] + mark + b"\x00" + filler[at:]
            found = plain.search(data)
            assert found is not None
            assert _next_mark(data, 0) == found.start()
    assert _next_mark(filler, 0) == -1
