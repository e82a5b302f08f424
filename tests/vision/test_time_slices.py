"""Do those that work for seconds without a pause make room at once for whoever wakes up?"""

import os
import threading

import pytest

from tests.support import bombs
from tests.support.slices import needs_slices, slice_of
from truename.vision.decoding import time_slices
from truename.vision.decoding.decoder import Decoder, DecodingLimits
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.pool import Decoders
from truename.vision.decoding.protocol import Wanted
from truename.vision.decoding.time_slices import LONGEST, own_slice, take_slice, within_slice


@needs_slices
@pytest.mark.parametrize("niceness", [0, 5])
def test_a_decoder_makes_room_at_once_for_whoever_wakes_up(niceness: int):
    server = ForkServer()
    decoder = Decoder(server, DecodingLimits(), niceness=niceness)
    try:
        decoder.decode(bombs.photo(64, 48), Wanted(), 5)
        assert decoder.process_id
        assert slice_of(decoder.process_id) == LONGEST
        ours, its = (os.getpriority(os.PRIO_PROCESS, process) for process in (0, decoder.process_id))
        assert its == min(19, ours + niceness), "its share of a core is as before"
    finally:
        decoder.close()
        server.close()


@needs_slices
async def test_so_does_a_look_at_a_picture_and_its_thread_is_then_as_before():
    decoders, seen, threads = Decoders(), [], []

    def look() -> None:
        seen.append(own_slice())
        threads.append(threading.get_native_id())

    try:
        async with decoders.turn(bombs.photo(64, 48), "sender") as turn:
            await turn.look(look)
        assert seen == [LONGEST]
        assert slice_of(threads[0]) == own_slice() != LONGEST
    finally:
        await decoders.close()


@needs_slices
def test_what_is_begun_within_a_slice_has_it_too():
    """A library's threads, which work for whoever began them."""

    def begin() -> list[int | None]:
        seen: list[int | None] = []
        thread = threading.Thread(target=lambda: seen.append(own_slice()))
        thread.start()
        thread.join()
        return seen

    assert within_slice(LONGEST, begin) == [LONGEST]
    assert own_slice() != LONGEST


@needs_slices
def test_work_that_fails_leaves_the_slice_as_it_was():
    before = own_slice()

    def fails() -> None:
        raise ValueError(own_slice())

    with pytest.raises(ValueError, match=str(LONGEST)):
        within_slice(LONGEST, fails)
    assert own_slice() == before


def test_where_the_system_takes_no_slices_the_work_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time_slices, "_call", None)
    assert own_slice() is None
    assert not take_slice(LONGEST)
    assert within_slice(LONGEST, lambda: 7) == 7


def test_a_refusal_of_the_system_is_no_fault(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time_slices, "_numbers", (100_000, 100_001))  # calls that no system has
    assert own_slice() is None
    assert not take_slice(LONGEST)
    assert within_slice(LONGEST, lambda: 7) == 7
