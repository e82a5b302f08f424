"""Time slices of threads and processes, as the system tells them, for tests of who makes room for whom."""

import ctypes
import threading

import pytest

from truename.vision.decoding import time_slices
from truename.vision.decoding.time_slices import ATTRIBUTES, LONGEST, own_slice, take_slice


def _takes_slices() -> bool:
    """Does this system take slices of ordinary threads? Linux does from 6.12 on."""
    told: list[bool] = []
    thread = threading.Thread(target=lambda: told.append(take_slice(LONGEST) and own_slice() == LONGEST))
    thread.start()
    thread.join()
    return told[0]


needs_slices = pytest.mark.skipif(not _takes_slices(), reason="this system takes no slices of ordinary threads")


def slice_of(process: int) -> int:
    """The slice of another process or thread, in nanoseconds."""
    assert time_slices._call is not None
    assert time_slices._numbers is not None
    room = ctypes.create_string_buffer(ATTRIBUTES.size)
    assert time_slices._call(time_slices._numbers[1], process, room, ATTRIBUTES.size, 0) == 0
    return int(ATTRIBUTES.unpack(room.raw)[5])
