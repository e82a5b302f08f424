"""How much memory does a large picture take while it is decoded?"""

import io
import socket
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support import bombs
from truename.vision.decoding.decoder import Decoder, DecodingLimits
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.header import ImageRefused, expected_seconds, inspect
from truename.vision.decoding.jpeg import buffered_bytes
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.protocol import Wanted, receive

MEMORY_OF_A_PICTURE = """
import sys
from pathlib import Path
from truename.vision.decoding.child import rehearse
from truename.vision.decoding.pixels import decode

def most():
    # Not by getrusage(), which begins with what the parent took at most.
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)

data = sys.stdin.buffer.read()
rehearse()
before = most()
decode(data)
print((most() - before) // 1024)
"""


LARGE = {
    "PNG": lambda: bombs.saved(Image.new("RGBA", (5000, 4000)), "PNG"),
    "JPEG": lambda: bombs.saved(Image.new("RGB", (5000, 4000)), "JPEG"),
    "JPEG without an end": lambda: bombs.saved(Image.new("RGB", (5000, 4000)), "JPEG")[:-2],
    "grey JPEG of many scans": lambda: bombs.saved(Image.new("L", (5000, 4000)), "JPEG", progressive=True),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
@pytest.mark.parametrize("name", LARGE)
def test_a_large_picture_takes_four_bytes_a_pixel_and_not_six_or_more(name: str):
    """In a process of its own, because what one took at most is known of a whole process only."""
    told = subprocess.run(
        [sys.executable, "-c", MEMORY_OF_A_PICTURE], input=LARGE[name](), capture_output=True, check=True
    )
    assert 70 < int(told.stdout) < 100, "megabytes; 20 million pixels, so 80 and not 120 or 140"


@pytest.mark.slow
def test_a_large_jpeg_has_the_pixels_of_a_small_one():
    """Another library decodes it, in memory that we give it."""
    coarse = np.random.default_rng(5).integers(0, 255, (45, 40, 3), dtype=np.uint8)
    drawn = Image.fromarray(coarse).resize((4000, 4500), Image.Resampling.BICUBIC)
    for mode in ("RGB", "L"):
        data = bombs.saved(drawn.convert(mode), "JPEG")
        with Image.open(io.BytesIO(data)) as opened:
            assert np.array_equal(decode(data), np.asarray(opened.convert("RGB")))


def progressive(width: int, height: int, *, whole_colours: bool, scans: int = 10) -> bytes:
    """A header that says so, before pixels of which it says nothing true."""
    kind = {"progressive": True} if scans > 1 else {}
    data = bombs.saved(Image.new("RGB", (64, 64)), "JPEG", subsampling=0 if whole_colours else 2, **kind)
    frame = data.index(b"\xff\xc2" if scans > 1 else b"\xff\xc0") + 5
    return data[:frame] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + data[frame + 4 :]


def test_a_progressive_jpeg_that_would_be_kept_several_times_over_is_refused_by_its_header():
    for refused in (progressive(8000, 5000, whole_colours=True), progressive(5000, 4600, whole_colours=True)):
        with pytest.raises(ImageRefused) as caught:
            expected_seconds(refused, inspect(refused))
        assert caught.value.reason_code == "too_costly"
        with pytest.raises(ImageRefused) as caught:
            decode(refused)
        assert caught.value.reason_code == "too_costly"
    for accepted in (
        progressive(8000, 5000, whole_colours=False),
        progressive(5000, 4400, whole_colours=True),
        progressive(8000, 5000, whole_colours=True, scans=1),
    ):
        assert expected_seconds(accepted, inspect(accepted)) < 5


def test_a_jpeg_that_brings_one_colour_after_another_is_kept_as_a_progressive_one_is():
    """The library keeps it too, though its frame is that of an ordinary picture."""
    plain = progressive(8000, 5000, whole_colours=True, scans=1)
    scan = plain.index(b"\xff\xda")
    assert buffered_bytes(plain) == 0
    assert buffered_bytes(plain[: scan + 4] + b"\x01" + plain[scan + 5 :]) == 3 * 2 * 8000 * 5000


def test_a_file_is_never_there_twice_while_it_is_received():
    size = 8_000_000
    file = bytes(size)
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as other:
        sent = other.submit(theirs.sendall, file)
        tracemalloc.start()
        try:
            assert len(receive(ours, size)) == size
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        sent.result()
    assert most < 1.5 * size


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_the_memory_of_a_slow_picture_is_back_before_the_next_one_begins():
    data = bombs.saved(Image.new("RGB", (4000, 4000)), "JPEG")
    fork_server = ForkServer()
    decoder = Decoder(fork_server, DecodingLimits())
    try:
        for _ in range(5):
            decoder.start()
            process = decoder.process_id
            decoder.decode(data, Wanted(largest_side=100), 20, once=True)
            try:
                pages = Path(f"/proc/{process}/statm").read_text().split()
            except FileNotFoundError:
                continue
            assert int(pages[1]) == 0, "it may wait to be buried, but holds nothing any more"
    finally:
        decoder.close()
        fork_server.close()
