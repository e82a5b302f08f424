"""A stranger's picture is decoded in a process that may be killed: it costs its sender a refusal, and nobody else."""

import asyncio
import io
import os
import resource
import signal
from collections.abc import AsyncIterator

import numpy as np
import psutil
import pytest
from PIL import Image

from tests.support import bombs
from truename.vision.decoding.decoder import Decoder, DecodingLimits, OneDecoder
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.pool import Decoders
from truename.vision.decoding.protocol import LARGEST_COPY, Wanted
from truename.vision.images import encode_jpeg


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


@pytest.mark.slow
async def test_a_copy_of_more_bytes_than_an_upload_may_have_is_kept_as_small_as_it_is_looked_at(decoders: Decoders):
    noise = np.random.default_rng(5).integers(0, 2, (3600, 4600), dtype=np.uint8) * 255
    sent = bombs.saved(Image.fromarray(noise).convert("1"), "PNG")
    got = await decoders.decode(sent, "one", Wanted(largest_side=2300, copy_quality=92))
    assert len(sent) < LARGEST_COPY < len(encode_jpeg(decode(sent)))
    assert len(got.copy) <= LARGEST_COPY
    assert Image.open(io.BytesIO(got.copy)).size == (got.width, got.height) == (2300, 1800)


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
