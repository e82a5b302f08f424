"""A stranger's picture is decoded in a process that may be killed: it costs its sender a refusal, and nobody else."""

import asyncio
import io
import os
import re
import resource
import signal
import sys
import tracemalloc
from collections.abc import AsyncIterator
from types import FrameType
from typing import Any

import numpy as np
import psutil
import pytest
from PIL import Image

from tests.support import bombs
from truename.vision.decoding.decoder import Decoder, DecodingLimits, OneDecoder
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.header import ImageRefused, expected_seconds, inspect
from truename.vision.decoding.jpeg import FIRST_WINDOW, MAX_SCANS, WINDOW, _next_mark, structure_of
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.pool import QUICK_SECONDS, Decoders
from truename.vision.decoding.protocol import Wanted


@pytest.fixture(scope="module")
async def decoders() -> AsyncIterator[Decoders]:
    pool = Decoders()
    await pool.start()
    yield pool
    await pool.close()


async def refusal(decoders: Decoders, data: bytes, sender: str = "one") -> str:
    with pytest.raises(ImageRefused) as caught:
        await decoders.decode(data, sender)
    return caught.value.reason_code


def in_colours(mode: str) -> bytes:
    noise = np.random.default_rng(3).integers(0, 255, (700, 90, 3), dtype=np.uint8)
    if mode == "I;16":
        return bombs.saved(Image.fromarray(noise[:, :, 0].astype(np.uint16) << 8), "PNG")
    return bombs.saved(Image.fromarray(noise).convert(mode), "JPEG" if mode == "CMYK" else "PNG")


# ── the same pixels ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1", "RGBA", "LA", "CMYK", "I;16"])
async def test_another_process_gives_the_very_same_pixels(decoders: Decoders, mode: str):
    data = in_colours(mode)
    assert np.array_equal((await decoders.decode(data, "one")).pixels, decode(data))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA"])
@pytest.mark.parametrize("orientation", [1, 6])
def test_pixels_that_are_packed_in_their_own_memory_are_those_of_the_library(mode: str, orientation: int):
    noise = np.random.default_rng(4).integers(0, 255, (517, 331, 4), dtype=np.uint8)
    drawn = Image.fromarray(noise, "RGBA").convert(mode)
    exif = Image.Exif()
    exif[0x0112] = orientation
    layer = drawn.convert("RGBA")
    expected = np.asarray(Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB"))
    got = decode(bombs.saved(drawn, "PNG", exif=exif))
    assert np.array_equal(got, np.rot90(expected, -1) if orientation == 6 else expected)


async def test_pixels_are_made_smaller_and_the_copy_is_whole(decoders: Decoders):
    got = await decoders.decode(bombs.photo(1600, 1200), "one", Wanted(largest_side=400, copy_quality=90))
    assert (got.width, got.height) == (1600, 1200)
    assert got.pixels.shape == (300, 400, 3)
    assert Image.open(io.BytesIO(got.copy)).size == (1600, 1200)


async def test_a_decoder_is_used_again_for_the_next_picture(decoders: Decoders):
    before = decoders.processes()
    for seed in range(5):
        await decoders.decode(bombs.photo(seed=seed), "one")
    assert decoders.processes() == before


async def test_what_is_wrong_with_a_picture_is_said_in_the_same_words(decoders: Decoders):
    jpeg = bombs.photo()
    assert await refusal(decoders, jpeg[: len(jpeg) // 2]) == "damaged"
    assert await refusal(decoders, b"GIF89a") == "format_not_supported"


# ── bombs ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_jpeg_of_a_thousand_scans_is_refused_before_it_is_decoded(decoders: Decoders):
    before = decoders.processes()
    assert await refusal(decoders, bombs.scan_bomb(1000, 800, 500)) == "too_many_scans"
    assert await refusal(decoders, bombs.scan_bomb(1000, 800, 500)[:-2]) == "too_many_scans"
    assert decoders.processes() == before


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


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
@pytest.mark.parametrize("size", [(65_500, 1), (1, 65_500)])
async def test_a_ribbon_is_refused(decoders: Decoders, kind: str, size: tuple[int, int]):
    assert await refusal(decoders, bombs.ribbon(*size, kind)) == "too_narrow"


def test_a_picture_that_takes_too_long_is_refused_and_its_decoder_alone_is_killed():
    """An honest file of ten scans that takes a quarter of a second, against a limit of a third of that."""
    noise = np.random.default_rng(0).integers(0, 255, (2400, 2400, 3), dtype=np.uint8)
    slow = bombs.saved(Image.fromarray(noise), "JPEG", quality=80, progressive=True)
    fork_server = ForkServer()
    decoder = Decoder(fork_server, DecodingLimits())
    try:
        decoder.start()
        killed = psutil.Process(decoder.process_id)
        with pytest.raises(ImageRefused) as caught:
            decoder.decode(slow, Wanted(), 0.08)
        assert caught.value.reason_code == "too_costly"
        assert decoder.decode(bombs.photo(320, 240), Wanted(), 5).width == 320
        assert decoder.process_id != killed.pid
        assert psutil.pid_exists(fork_server.process_id or 0)
    finally:
        decoder.close()
        fork_server.close()


@pytest.mark.slow
async def test_a_picture_that_takes_too_much_memory_is_refused_and_the_next_one_is_decoded():
    pool = Decoders(DecodingLimits(decoders=1, memory_mb=96))
    try:
        assert await refusal(pool, bombs.wide_png()) == "too_costly"
        assert (await pool.decode(bombs.photo(), "two")).width == 1600
    finally:
        await pool.close()


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA", "P"])
@pytest.mark.slow
async def test_the_largest_picture_of_each_kind_needs_no_second_copy_of_its_pixels(mode: str):
    """160 MB as Pillow unfolds it, 120 as we do; a further copy, to encode it or by the way, would be too much."""
    pool = Decoders(DecodingLimits(decoders=1, memory_mb=352))
    try:
        wanted = Wanted(largest_side=1000, copy_quality=92)
        assert (await pool.decode(bombs.wide_png(mode=mode), "one", wanted)).width == 8000
    finally:
        await pool.close()


@pytest.mark.parametrize(("kind", "prefix"), [(b"zTXt", b"note\0\0"), (b"iCCP", b"profile\0\0")])
async def test_what_unfolds_beside_the_picture_is_refused(decoders: Decoders, kind: bytes, prefix: bytes):
    assert await refusal(decoders, bombs.unfolding_png(kind, prefix, 50)) == "metadata_too_large"


@pytest.mark.slow
async def test_large_pictures_at_once_leave_the_service_small(decoders: Decoders):
    """Each is 160 MB unfolded. The service holds the files and one made-small picture at a time."""
    data, me = bombs.wide_png(), psutil.Process()
    before, most = me.memory_info().rss, 0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, me.memory_info().rss)
            await asyncio.sleep(0.01)

    watching = asyncio.create_task(watch())
    wanted = Wanted(largest_side=1000)
    await asyncio.gather(*(decoders.decode(data, f"sender {number}", wanted) for number in range(3)))
    watching.cancel()
    assert most - before < 60 * 1024 * 1024


# ── death and departure ────────────────────────────────────────────────────────────────────────────────────


async def test_who_hangs_up_has_the_decoding_ended(decoders: Decoders):
    sent = asyncio.create_task(decoders.decode(bombs.wide_png(), "gone", Wanted(copy_quality=92)))
    while decoders._slow.idle:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.05)
    sent.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sent
    assert decoders._slow.idle
    assert (await decoders.decode(bombs.photo(), "next")).width == 1600


async def test_a_decoder_that_was_killed_from_outside_costs_nobody_a_picture(decoders: Decoders):
    for process in decoders.processes():
        os.kill(process, signal.SIGKILL)
    assert (await decoders.decode(bombs.photo(), "one")).width == 1600


async def test_the_fork_server_may_die_too():
    pool = Decoders(DecodingLimits(decoders=1))
    try:
        await pool.start()
        fork_server = psutil.Process(pool._fork_server.process_id)
        for process in [*fork_server.children(), fork_server]:
            process.kill()
        assert (await pool.decode(bombs.photo(), "one")).width == 1600
    finally:
        await pool.close()


async def test_a_decoder_holds_no_secret_and_may_open_no_file(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRUENAME_MASTER_KEY", "c2VjcmV0")
    pool = Decoders(DecodingLimits(decoders=1, memory_mb=200))
    try:
        await pool.decode(bombs.photo(), "one")
        process = psutil.Process(pool.processes()[0])
        assert not [name for name in process.environ() if name.startswith("TRUENAME")]
        assert process.rlimit(resource.RLIMIT_NOFILE) == (0, 0)
        assert process.rlimit(resource.RLIMIT_FSIZE) == (0, 0)
        mapped, limit = process.memory_info().vms, process.rlimit(resource.RLIMIT_AS)[0]
        assert mapped < limit < mapped + 220 * 1024 * 1024
    finally:
        await pool.close()


async def test_nothing_is_left_when_the_pool_is_closed():
    pool = Decoders(DecodingLimits(decoders=1))
    await pool.start()
    fork_server = psutil.Process(pool._fork_server.process_id)
    family = [fork_server, *fork_server.children()]
    await pool.close()
    _, alive = psutil.wait_procs(family, 5)
    assert alive == []


def test_a_command_decodes_one_after_another():
    with OneDecoder(DecodingLimits(seconds=3)) as decoder:
        assert decoder.decode(bombs.photo()).shape == (1200, 1600, 3)
        with pytest.raises(ImageRefused):
            decoder.decode(bombs.scan_bomb(1000, 800, 500))
        assert decoder.decode(bombs.photo(320, 240)).shape == (240, 320, 3)


# ── the walk to the next marker ────────────────────────────────────────────────────────────────────────────


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
