"""Does one tenant notice that another attacks? Two tenants, one hostile; one table, a verdict and an exit status.

    python -m benchmarks.load [--seconds 20] [--flood 32] [--bombs 50] [--slow 50] [--queued 10000] [--json]

One `truename serve --no-worker` with its real settings and limits. The quiet tenant creates a customer and a
transaction and reads it, five times a second: first alone, then while the other floods the same calls over so many
connections, sends so many bombs at once again and again, keeps so many connections open that send a byte a second, and
has so many analyses queued that nobody works off. Exit status 1 unless the quiet tenant's p99 stays under twice its own
of before, the service's memory grows by less than 300 MB, and nobody gets a 5xx.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing as mp
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import psutil
from rich.console import Console
from rich.table import Table
from tests.support.api import KYC
from tests.support.served import served

from benchmarks.bombs import Bomb, bombs
from truename.accounts.create import create_account
from truename.accounts.model import NewAccount
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.settings import load_settings
from truename.wiring import wired

EVERY: Final = 0.2
MOST_SLOWER: Final = 2.0
MOST_MEMORY_MB: Final = 300.0


Told = SimpleQueue[Counter[str]]
"""From the attackers: nothing yet once they have begun, and at the end what they were answered."""


@dataclass
class Seen:
    """What one tenant saw in one phase."""

    took_ms: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def p50(self) -> float:
        return sorted(self.took_ms)[len(self.took_ms) // 2]

    @property
    def p99(self) -> float:
        return sorted(self.took_ms)[min(int(len(self.took_ms) * 0.99), len(self.took_ms) - 1)]

    @property
    def broken(self) -> int:
        """Answers of 5xx, and none at all."""
        return sum(count for status, count in self.answers.items() if not status.startswith(("2", "4")))


@dataclass(frozen=True)
class Verdict:
    """The figures that count, and whether they are good."""

    alone_p50_ms: float
    alone_p99_ms: float
    attacked_p50_ms: float
    attacked_p99_ms: float
    slower: float
    memory_mb: float
    broken: int
    good: bool


class Tenant:
    """Calls the API with a token of its own."""

    def __init__(self, http: aiohttp.ClientSession, base: str, token: str) -> None:
        self.http, self.base, self.headers = http, base, {"Authorization": f"Bearer {token}"}

    async def call(self, seen: Seen, method: str, path: str, body: object = None) -> dict[str, str]:
        began = time.perf_counter()
        try:
            async with self.http.request(method, self.base + path, json=body, headers=self.headers) as answer:
                told = await answer.json()
                seen.answers[str(answer.status)] += 1
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            seen.answers[type(error).__name__] += 1
            return {}
        seen.took_ms.append((time.perf_counter() - began) * 1000)
        return dict(told)

    async def one(self, seen: Seen) -> str | None:
        """A customer, a transaction, and its reading; gives the transaction's SDK token."""
        customer = await self.call(seen, "POST", f"{KYC}/customer", {"external_customer_id": os.urandom(8).hex()})
        wanted = {"customer_id": customer.get("customer_id"), "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
        made = await self.call(seen, "POST", f"{KYC}/transaction", wanted) if customer.get("customer_id") else {}
        if made.get("transaction_id"):
            await self.call(seen, "GET", f"{KYC}/transaction/{made['transaction_id']}")
        return made.get("sdk_token")

    async def steadily(self, seen: Seen, seconds: float) -> None:
        """One after another, never sooner than so often."""
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            await self.one(seen)
            await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - began)))

    async def flood(self, seen: Seen) -> None:
        while True:
            await self.one(seen)

    async def bomb(self, seen: Seen, kinds: list[Bomb], at_once: int) -> None:
        """So many bombs at the same time, over and over; the picture of each is of another kind."""
        while True:
            token = await self.one(seen)
            if token is None:
                await asyncio.sleep(0.5)
                continue
            bomber = Tenant(self.http, self.base, token)
            agreed = {"given": True, "text_version": "2026-11", "language": "en"}
            await bomber.call(seen, "POST", "/api/sdk/consent", agreed)
            chosen = itertools.islice(itertools.cycle(kinds), at_once)
            await asyncio.gather(*(bomber.upload(seen, one) for one in chosen))

    async def upload(self, seen: Seen, bomb: Bomb) -> None:
        headers = {**self.headers, "Content-Type": bomb.kind}
        try:
            async with self.http.post(self.base + bomb.path, data=bomb.body, headers=headers) as answer:
                seen.answers[str(answer.status)] += 1
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            seen.answers["4xx by " + type(error).__name__] += 1  # the server hangs up on what is too long

    async def dawdle(self) -> None:
        """A body of which a byte comes each second."""
        where = urlsplit(self.base)
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(where.hostname, where.port)
                head = f"POST {KYC}/customer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                head += f"Authorization: {self.headers['Authorization']}\r\nContent-Length: 1000\r\n\r\n"
                writer.write(head.encode())
                with contextlib.suppress(OSError):
                    for _ in range(1000):
                        writer.write(b" ")
                        await writer.drain()
                        await asyncio.sleep(1)
                writer.close()
            await asyncio.sleep(0.2)


def attacking(base: str, headers: dict[str, str], sizes: tuple[int, int, int, float], told: "Told") -> None:
    """The whole of a process: the hostile tenant, for so many seconds; says at the end what it was answered."""

    async def attack() -> None:
        flood, slow, bombs_at_once, seconds = sizes
        seen = Seen()
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as http:
            hostile = Tenant(http, base, headers["Authorization"].removeprefix("Bearer "))
            kinds = bombs()  # takes a while to make
            told.put(Counter())
            attackers = [asyncio.create_task(hostile.flood(seen)) for _ in range(flood)]
            attackers += [asyncio.create_task(hostile.dawdle()) for _ in range(slow)]
            attackers.append(asyncio.create_task(hostile.bomb(seen, kinds, bombs_at_once)))
            await asyncio.sleep(seconds)
            for task in attackers:
                task.cancel()
            await asyncio.gather(*attackers, return_exceptions=True)
        told.put(seen.answers)

    asyncio.run(attack())


async def signed_in(http: aiohttp.ClientSession, base: str, account: NewAccount) -> Tenant:
    form = {"grant_type": "client_credentials", "client_id": account.client_id, "client_secret": account.client_secret}
    async with http.post(f"{base}/oauth/token", data=form) as answer:
        return Tenant(http, base, (await answer.json())["access_token"])


def memory_mb(process: int) -> float:
    """Of the service with its children, each page counted once."""
    root, total = psutil.Process(process), 0
    for one in (root, *root.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            total += one.memory_full_info().pss
    return total / 1e6


async def measure(folder: Path, given: argparse.Namespace) -> tuple[Verdict, Seen]:
    database = Embedded(folder / "data")
    await asyncio.to_thread(database.attach)
    try:
        where = {"TRUENAME_DATABASE_URL": database.url}
        with served(folder / "data", "--no-worker", "--quiet", **where) as service:
            settings = load_settings(data_dir=folder / "data", database_url=database.url)
            async with wired(settings) as plumbing:
                made = [await create_account(plumbing, name) for name in ("quiet", "hostile")]
                hostile_id = made[1].account_id
                connector = aiohttp.TCPConnector(limit=0)
                async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as http:
                    quiet, hostile = [await signed_in(http, service.url, one) for one in made]
                    await quiet.steadily(Seen(), 3)
                    before, after, theirs = Seen(), Seen(), Seen()
                    weighed: list[float] = []

                    async def weigh() -> None:
                        while True:
                            weighed.append(await asyncio.to_thread(memory_mb, service.process.pid))
                            await asyncio.sleep(1)

                    # In both phases: to weigh a process holds it up for some milliseconds.
                    weighing = asyncio.create_task(weigh())
                    await quiet.steadily(before, given.seconds)
                    memory = weighed[-1]
                    async with plumbing.database.account(hostile_id) as connection, connection.pipeline():
                        for _ in range(given.queued):
                            arguments = {"account_id": str(hostile_id), "transaction_id": str(new_id())}
                            await enqueue(connection, "analysis.analyse", arguments)
                    # In a process of their own, so that the quiet tenant's clock does not wait for the attackers' loop.
                    told = mp.get_context("spawn").SimpleQueue()
                    sizes = given.flood, given.slow, given.bombs, given.seconds + 3
                    attack = mp.get_context("spawn").Process(
                        target=attacking, args=(hostile.base, hostile.headers, sizes, told)
                    )
                    attack.start()
                    await asyncio.to_thread(told.get)
                    await asyncio.sleep(2)
                    await quiet.steadily(after, given.seconds)
                    theirs.answers.update(await asyncio.to_thread(told.get))
                    attack.join()
                    weighing.cancel()
    finally:
        database.close()
    slower, grown = after.p99 / before.p99, max(weighed) - memory
    broken = before.broken + after.broken + sum(n for code, n in theirs.answers.items() if code.startswith("5"))
    attacked = bool(theirs.answers)
    good = attacked and slower < MOST_SLOWER and grown < MOST_MEMORY_MB and not broken
    return Verdict(before.p50, before.p99, after.p50, after.p99, slower, grown, broken, good), theirs


def show(found: Verdict, theirs: Seen, console: Console) -> None:
    """The table, what the hostile tenant was answered, and the verdict."""
    table = Table("the quiet tenant", "p50 ms", "p99 ms")
    table.add_row("alone", f"{found.alone_p50_ms:.1f}", f"{found.alone_p99_ms:.1f}")
    table.add_row("beside the attack", f"{found.attacked_p50_ms:.1f}", f"{found.attacked_p99_ms:.1f}")
    console.print(table)
    console.print("The hostile one was answered: " + ", ".join(f"{n} x {code}" for code, n in theirs.answers.items()))
    console.print(
        f"p99 {found.slower:.2f} times as long (< {MOST_SLOWER:.0f}), memory +{found.memory_mb:.0f} MB "
        f"(< {MOST_MEMORY_MB:.0f}), {found.broken} answers of 5xx or none (0): {'good' if found.good else 'BAD'}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="of each phase")
    parser.add_argument("--flood", type=int, default=32, help="connections that flood")
    parser.add_argument("--bombs", type=int, default=50, help="at once")
    parser.add_argument("--slow", type=int, default=50, help="connections with slow bodies")
    parser.add_argument("--queued", type=int, default=10_000, help="analyses in the queue")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="truename-load-") as scratch:
        Path(scratch).chmod(0o711)  # PostgreSQL runs as another user where we are root
        found, theirs = asyncio.run(measure(Path(scratch), given))
    if given.json:
        json.dump({**asdict(found), "hostile": theirs.answers}, sys.stdout, indent=2)
        print()
    else:
        show(found, theirs, Console(width=110))
    return 0 if found.good else 1


if __name__ == "__main__":
    sys.exit(main())
