"""How long does an honest upload wait while others send bombs? Through HTTP, on the whole service; one table.

    python -m benchmarks.bombs [--rounds 6] [--bombs 20] [--json]

In each round an honest person uploads the front of a card at the same moment at which so many bombs arrive: first
nobody else, then one busy process that has nothing to do with the service (the floor: what any neighbour on the same
cores costs), then all bombs from one capture, then each from a capture of its own. Bombs are of many kinds: pictures of
40 million pixels, as many scans as are let through and far more, headers that lead nowhere, megabytes of JSON.
The four take turns, so that the machine's other work hits all of them alike.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import statistics
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp
import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.api_load import TRANSACTION
from benchmarks.api_server import Served
from benchmarks.decoding import photo, saved, scan_bomb
from truename.plumbing.database.embedded import Embedded
from truename.sandbox.drawing.documents import id_card
from truename.sandbox.drawing.photography import photograph
from truename.vision.images import encode_jpeg

TARGET_MS: Final = 200
MEGABYTES: Final = 12 * 1024 * 1024 - 1024
FRONT: Final = "/api/sdk/document/front"
LIVENESS: Final = "/api/sdk/liveness"


@dataclass(frozen=True)
class Bomb:
    """One hostile request."""

    name: str
    path: str
    kind: str
    body: bytes


@dataclass(frozen=True)
class Upload:
    """How long an upload took, and how it was answered."""

    ms: float
    status: int


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def bombs() -> list[Bomb]:
    """One of each kind."""
    jpeg = saved(photo(1600, 1200), "JPEG", quality=90)
    small = saved(Image.new("L", (64, 64)), "PNG")
    text = chunk(b"zTXt", b"a\0\0" + zlib.compress(b"\0" * 200_000_000))
    noise = Image.fromarray(np.random.default_rng(2).integers(0, 2, (5000, 8000), dtype=np.uint8) * 255)
    fill = MEGABYTES - len(jpeg)
    pictures = {
        "blank PNG of 40 megapixels": saved(Image.new("RGBA", (8000, 5000)), "PNG"),
        "noisy PNG of 40 megapixels": saved(noise.convert("1"), "PNG"),
        "as many scans as are let through": scan_bomb(26),
        "4,000 scans": scan_bomb(4000),
        "12 MB of fill bytes": b"\xff\xd8" + b"\xff" * MEGABYTES,
        "three million empty segments": b"\xff\xd8" + b"\xff\xe0\x00\x02" * (MEGABYTES // 4),
        "three million scans that are none": jpeg[:-2] + b"\xff\xda\x00\x02" * (fill // 4),
        "an endless scan": jpeg[:-2] + b"\xff\x00" * (fill // 2),
        "a text that unfolds to 200 MB": small[:33] + text + small[33:],
    }
    found = [
        Bomb(name, FRONT, "image/png" if data.startswith(b"\x89") else "image/jpeg", data)
        for name, data in pictures.items()
    ]
    numbers = b'{"nonce":"a","frames":[' + b"0.5," * (MEGABYTES // 4 - 10) + b"0]}"
    return [*found, Bomb("three million numbers", LIVENESS, "application/json", numbers)]


class Person:
    """One capture, from its token on."""

    def __init__(self, session: aiohttp.ClientSession, token: str) -> None:
        self.session = session
        self.headers = {"Authorization": f"Bearer {token}"}

    async def send(self, path: str, kind: str, body: bytes) -> Upload:
        began = time.perf_counter()
        headers = {**self.headers, "Content-Type": kind}
        async with self.session.post(path, data=body, headers=headers) as answer:
            await answer.read()
            return Upload(1000 * (time.perf_counter() - began), answer.status)


async def new_person(session: aiohttp.ClientSession, served: Served) -> Person:
    """A fresh transaction whose person has agreed."""
    body = {"customer_id": served.tenant.customer_id, "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
    headers = {"Authorization": f"Bearer {served.tenant.token}"}
    async with session.post(TRANSACTION, json=body, headers=headers) as answer:
        person = Person(session, (await answer.json())["sdk_token"])
    async with session.get("/api/sdk/session", headers=person.headers) as answer:
        version = (await answer.json())["consent"]["text_version"]
    given = {"given": True, "text_version": version, "language": "en"}
    async with session.post("/api/sdk/consent", json=given, headers=person.headers) as answer:
        assert answer.status == 200, await answer.text()
    return person


def be_busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


@contextlib.contextmanager
def busy_neighbour() -> Iterator[None]:
    """One process that keeps a core busy and has nothing to do with the service."""
    process = multiprocessing.get_context("spawn").Process(target=be_busy, args=(30,), daemon=True)
    process.start()
    time.sleep(0.3)
    try:
        yield
    finally:
        process.kill()
        process.join()


async def measure(served: Served, rounds: int, count: int) -> tuple[dict[str, list[float]], dict[str, set[int]]]:
    """Milliseconds of the honest uploads by what went on beside them, and how each kind of bomb was answered."""
    picture, _ = photograph(id_card(country="ES", seed=7).front, seed=3, background="wood", size=(2000, 1500))
    honest, hostile = encode_jpeg(picture), bombs()
    took: dict[str, list[float]] = {}
    answered: dict[str, set[int]] = {bomb.name: set() for bomb in hostile}
    timeout = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(served.base, connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:

        async def upload(beside: str) -> None:
            person = await new_person(session, served)
            done = await person.send(FRONT, "image/jpeg", honest)
            assert done.status == 200, done
            took.setdefault(beside, []).append(done.ms)

        async def explode(person: Person, bomb: Bomb) -> None:
            answered[bomb.name].add((await person.send(bomb.path, bomb.kind, bomb.body)).status)

        async def beside_bombs(name: str, people: list[Person]) -> None:
            falling = [
                asyncio.create_task(explode(people[number % len(people)], hostile[number % len(hostile)]))
                for number in range(count)
            ]
            await asyncio.sleep(0.1)
            await upload(name)
            await asyncio.gather(*falling)

        await upload("warm-up")
        for _ in range(rounds):
            await upload("nobody else")
            with busy_neighbour():
                await upload("one busy process outside")
            await beside_bombs(f"{count} bombs of one sender", [await new_person(session, served)])
            people = [await new_person(session, served) for _ in range(count)]
            await beside_bombs(f"{count} bombs of {count} senders", people)
    took.pop("warm-up")
    return took, answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--bombs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="truename-bench-") as name:
        embedded = Embedded(Path(name))
        embedded.attach()
        try:
            served = Served(Path(name), embedded.url)
            try:
                took, answered = asyncio.run(measure(served, asked.rounds, asked.bombs))
            finally:
                served.stop()
        finally:
            embedded.close()
    if asked.json:
        json.dump({"ms": took, "statuses": {name: sorted(found) for name, found in answered.items()}}, sys.stdout)
    else:
        show(took, answered)
    raise SystemExit(1 if misses(took, answered) else 0)


def misses(took: dict[str, list[float]], answered: dict[str, set[int]]) -> bool:
    """Did an honest upload wait for longer than it may beside bombs, or was anything answered with a fault of ours?"""
    quiet = statistics.median(took["nobody else"])
    beside = [statistics.median(times) - quiet for name, times in took.items() if "bombs" in name]
    return max(beside) > TARGET_MS or any(500 <= status != 503 for found in answered.values() for status in found)


def show(took: dict[str, list[float]], answered: dict[str, set[int]]) -> None:
    """One table, and how each kind of bomb was answered."""
    quiet = took["nobody else"]
    table = Table(
        "beside", "median, ms", "slowest, ms", f"median more (≤ {TARGET_MS})", "slowest more", title="An honest upload"
    )
    for beside, times in took.items():
        more, most = statistics.median(times) - statistics.median(quiet), max(times) - max(quiet)
        table.add_row(beside, f"{statistics.median(times):.0f}", f"{max(times):.0f}", f"{more:+.0f}", f"{most:+.0f}")
    Console(width=120).print(table)
    for bomb, found in answered.items():
        print(f"{bomb}: {', '.join(map(str, sorted(found)))}")


if __name__ == "__main__":
    main()
