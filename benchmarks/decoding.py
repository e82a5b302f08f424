"""What does it cost to decode in another process, and what do bombs cost those who send none? One command, one table.

    python -m benchmarks.decoding [--bombs 20] [--rounds 15]

First each kind of picture is decoded in this process and by a decoder process, and the difference shown. Then an honest
sender's photo is decoded again and again, first alone, then while so many others send pictures of 40 million pixels and
JPEGs of as many scans as are let through; the wait is what the photo took longer. At last the memory of this process.
"""

import argparse
import asyncio
import contextlib
import io
import statistics
import time
from collections.abc import Callable

import numpy as np
import psutil
from PIL import Image
from rich.console import Console
from rich.table import Table

from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.jpeg import MAX_SCANS
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.pool import Decoders
from truename.vision.decoding.protocol import LARGEST_SIDE, Wanted


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def photo(width: int, height: int) -> Image.Image:
    coarse = np.random.default_rng(1).integers(0, 255, (36, 48, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def scan_bomb(scans: int) -> bytes:
    """A grey progressive JPEG of 40 million pixels whose last scan is repeated."""
    jpeg = saved(Image.new("L", (8000, 5000)), "JPEG", progressive=True)
    last = jpeg.rindex(b"\xff\xda")
    return jpeg[:last] + jpeg[last:-2] * scans + b"\xff\xd9"


def median_ms(work: Callable[[], object], rounds: int) -> float:
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


async def timed(decoders: Decoders, data: bytes, sender: str) -> float:
    began = time.perf_counter()
    await decoders.decode(data, sender)
    return 1000 * (time.perf_counter() - began)


async def overhead(decoders: Decoders, rounds: int) -> Table:
    table = Table("picture", "in this process, ms", "by a decoder, ms", "more, ms", title="Decoding in another process")
    for name, data in (
        ("JPEG 720 x 540", saved(photo(720, 540), "JPEG", quality=90)),
        ("JPEG 2 megapixels", saved(photo(1600, 1200), "JPEG", quality=90)),
        ("JPEG 12 megapixels", saved(photo(4000, 3000), "JPEG", quality=90)),
        ("PNG 2 megapixels", saved(photo(1600, 1200), "PNG", compress_level=3)),
    ):
        here = median_ms(lambda data=data: decode(data), rounds)  # type: ignore[misc]
        there = statistics.median([await timed(decoders, data, "one") for _ in range(rounds)])
        table.add_row(name, f"{here:.1f}", f"{there:.1f}", f"{there - here:+.1f}")
    return table


async def waiting(decoders: Decoders, bombs: int, rounds: int) -> Table:
    honest = saved(photo(1600, 1200), "JPEG", quality=90)
    quiet = [await timed(decoders, honest, "honest") for _ in range(rounds)]
    hostile = [saved(Image.new("RGBA", (8000, 5000)), "PNG"), scan_bomb(MAX_SCANS - 6), scan_bomb(4000)]

    async def send(number: int) -> None:
        while True:
            with contextlib.suppress(ImageRefused):
                await decoders.decode(hostile[number % len(hostile)], f"sender {number}", Wanted(LARGEST_SIDE))
            await asyncio.sleep(0.1)  # the rate that the limit on calls of one capture allows

    before, senders = psutil.Process().memory_info().rss, [asyncio.create_task(send(number)) for number in range(bombs)]
    await asyncio.sleep(0.5)
    beside, most = [], 0
    for _ in range(rounds):
        beside.append(await timed(decoders, honest, "honest"))
        most = max(most, psutil.Process().memory_info().rss)
        await asyncio.sleep(0.2)
    for sender in senders:
        sender.cancel()
    await asyncio.gather(*senders, return_exceptions=True)
    table = Table("", "median, ms", "slowest, ms", title=f"An honest photo beside {bombs} senders of bombs")
    table.add_row("quiet", f"{statistics.median(quiet):.0f}", f"{max(quiet):.0f}")
    table.add_row("beside bombs", f"{statistics.median(beside):.0f}", f"{max(beside):.0f}")
    table.add_row("waited more", f"{statistics.median(beside) - statistics.median(quiet):.0f}", "")
    table.caption = f"This process grew by {max(0, most - before) / 1024**2:.0f} MiB."
    return table


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bombs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    decoders = Decoders()
    await decoders.start()
    try:
        Console().print(await overhead(decoders, asked.rounds))
        Console().print(await waiting(decoders, asked.bombs, asked.rounds))
    finally:
        await decoders.close()


if __name__ == "__main__":
    asyncio.run(main())
