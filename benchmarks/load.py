"""Does one tenant notice that another attacks? Two tenants, one hostile; tables, a verdict and an exit status.

    python -m benchmarks.load [--rounds 4] [--seconds 5] [--only flood|bombs|slow|queued] [--no-floor] [--json]

One `truename serve --no-worker` with its real settings and limits. The quiet tenant creates a customer and a
transaction and reads it, five times a second. In each round it is alone for so many seconds; then beside a process that
sends nothing, but burns as much CPU as the attackers' own process did (the floor: what any neighbour on the same cores
costs); then beside the other tenant, who floods the same calls over 32 connections, sends 50 bombs at once again and
again, keeps 50 connections open that send a byte a second, and has 10,000 analyses queued that nobody works off.
Rounds, because what else the machine does comes and goes: each attack is compared with the quiet seconds before it.

Exit status 1 unless the quiet tenant's p99 stays under twice its own when alone (the median of the rounds), the
service's memory never grows by 300 MB over that of the first quiet seconds, and nobody gets a 5xx.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing as mp
import signal
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import aiohttp
import psutil
from rich.console import Console
from rich.table import Table
from tests.support.served import served

from benchmarks.load_tenants import Attacked, Seen, Sizes, Tenant, attacking, burning
from truename.accounts.create import create_account
from truename.accounts.model import NewAccount
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.wiring import wired

MOST_SLOWER: Final = 2.0
MOST_MEMORY_MB: Final = 300.0
SETTLE_SECONDS: Final = 2.0
"""Between an attack and what comes after it, and from its beginning until it is measured."""
QUEUE_MANY: Final = """
    SELECT procrastinate_defer_jobs_v1(array_agg(
        ROW('analysis', 'analysis.analyse', -n, NULL, NULL,
            jsonb_build_object('account_id', %s::text, 'transaction_id', gen_random_uuid()), NULL
        )::procrastinate_job_to_defer_v1)) FROM generate_series(1, %s::integer) AS n HAVING count(*) > 0"""
"""As `enqueue` asks for them, in one statement: one after another they take many seconds."""
KINDS: Final = ("flood", "bombs", "slow", "queued")


@dataclass
class Weights:
    """PSS in MB of the service's processes by what they are; PostgreSQL beside them."""

    server: float = 0.0
    decoders: float = 0.0
    database: float = 0.0

    @property
    def service(self) -> float:
        return self.server + self.decoders


@dataclass(frozen=True)
class Round:
    """The quiet tenant alone, beside the burner (if there is one yet) and beside the attack."""

    alone: Seen
    floor: Seen | None
    attacked: Seen

    @property
    def slower(self) -> float:
        return self.attacked.p99 / self.alone.p99


@dataclass
class Measured:
    """All that was seen."""

    rounds: list[Round] = field(default_factory=list)
    hostile: list[Attacked] = field(default_factory=list)
    before: Weights = field(default_factory=Weights)
    most: Weights = field(default_factory=Weights)
    """Those of the moment at which the service was largest."""

    def pooled(self, phase: str) -> Seen:
        together = Seen()
        for one in self.rounds:
            if (seen := getattr(one, phase)) is not None:
                together.add(seen)
        return together

    @property
    def answers(self) -> Counter[str]:
        return sum((one.answers for one in self.hostile), Counter[str]())


@dataclass(frozen=True)
class Verdict:
    """The figures that count, and whether they are good."""

    alone_p50_ms: float
    alone_p99_ms: float
    floor_p99_ms: float | None
    attacked_p50_ms: float
    attacked_p99_ms: float
    slower_by_round: list[float]
    slower: float
    """The median of the rounds."""
    slower_pooled: float
    """p99 of all attacked seconds beside p99 of all quiet ones."""
    memory_mb: float
    server_mb: float
    decoders_mb: float
    database_mb: float
    broken: int
    good: bool


def verdict(found: Measured, attacked: bool) -> Verdict:
    """Judge what was measured; `attacked`: the hostile tenant was to send something, so it must have been answered."""
    alone, beside = found.pooled("alone"), found.pooled("attacked")
    floor = found.pooled("floor")
    by_round = [one.slower for one in found.rounds]
    slower, grown = statistics.median(by_round), found.most.service - found.before.service
    broken = alone.broken + floor.broken + beside.broken
    broken += sum(n for code, n in found.answers.items() if code.startswith("5"))
    good = slower < MOST_SLOWER and grown < MOST_MEMORY_MB and not broken and (bool(found.answers) or not attacked)
    return Verdict(
        alone_p50_ms=alone.p50,
        alone_p99_ms=alone.p99,
        floor_p99_ms=floor.p99 if floor.took_ms else None,
        attacked_p50_ms=beside.p50,
        attacked_p99_ms=beside.p99,
        slower_by_round=by_round,
        slower=slower,
        slower_pooled=beside.p99 / alone.p99,
        memory_mb=grown,
        server_mb=found.most.server - found.before.server,
        decoders_mb=found.most.decoders - found.before.decoders,
        database_mb=found.most.database - found.before.database,
        broken=broken,
        good=good,
    )


async def signed_in(http: aiohttp.ClientSession, base: str, account: NewAccount) -> Tenant:
    form = {"grant_type": "client_credentials", "client_id": account.client_id, "client_secret": account.client_secret}
    async with http.post(f"{base}/oauth/token", data=form) as answer:
        return Tenant(http, base, (await answer.json())["access_token"])


def weighed(service: int, database: int) -> Weights:
    """Each page counted once. PostgreSQL, which is no child of the service here, by itself."""
    found = Weights()
    for root, ours in ((psutil.Process(service), True), (psutil.Process(database), False)):
        for one in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                megabytes = one.memory_full_info().pss / 1e6
                if not ours:
                    found.database += megabytes
                elif any("decoding" in word for word in one.cmdline()):
                    found.decoders += megabytes
                else:
                    found.server += megabytes
    return found


class Attack:
    """The hostile tenant's process and its jobs in the queue."""

    def __init__(self, plumbing: Plumbing, account: NewAccount, hostile: Tenant, sizes: Sizes) -> None:
        self._plumbing, self._account_id, self._sizes = plumbing, account.account_id, sizes
        self._orders, theirs = mp.Pipe()
        arguments = hostile.base, hostile.headers, sizes, theirs
        self._process = mp.get_context("spawn").Process(target=attacking, args=arguments, daemon=True)
        self._process.start()

    async def ready(self) -> None:
        await asyncio.to_thread(self._orders.recv)

    @asynccontextmanager
    async def going_on(self, told: list[Attacked]) -> AsyncGenerator[None]:
        """Attacked within; what the hostile tenant says of it is told after."""
        async with self._plumbing.database.account(self._account_id) as connection:
            await connection.execute(QUEUE_MANY, (str(self._account_id), self._sizes.queued))
        self._orders.send(True)
        await asyncio.sleep(SETTLE_SECONDS)
        yield
        self._orders.send(False)
        told.append(await asyncio.to_thread(self._orders.recv))
        async with self._plumbing.database.account(self._account_id) as connection:
            await connection.execute(
                "DELETE FROM procrastinate_jobs WHERE args ->> 'account_id' = %s", (str(self._account_id),)
            )
        await asyncio.sleep(SETTLE_SECONDS)

    def end(self) -> None:
        self._orders.send(None)
        self._process.join(10)


@contextlib.contextmanager
def burner(hostile: list[Attacked], seconds: float) -> Iterator[None]:
    """A process that burns as much as the attackers' own process has."""
    share = sum(one.cpu_seconds for one in hostile) / sum(one.seconds for one in hostile)
    process = mp.get_context("spawn").Process(target=burning, args=(min(share, 0.99), seconds + 30), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


async def measure(folder: Path, given: argparse.Namespace, sizes: Sizes) -> Measured:
    database, found = Embedded(folder / "data"), Measured()
    await asyncio.to_thread(database.attach)
    try:
        postmaster = int(next((folder / "data").rglob("postmaster.pid")).read_text().split()[0])
        with served(folder / "data", "--no-worker", "--quiet", TRUENAME_DATABASE_URL=database.url) as service:
            settings = load_settings(data_dir=folder / "data", database_url=database.url)
            timeout, connector = aiohttp.ClientTimeout(total=60), aiohttp.TCPConnector(limit=0)
            async with wired(settings) as plumbing, aiohttp.ClientSession(connector=connector, timeout=timeout) as http:
                made = [await create_account(plumbing, name) for name in ("quiet", "hostile")]
                quiet, hostile = [await signed_in(http, service.url, one) for one in made]
                attack = Attack(plumbing, made[1], hostile, sizes)
                await attack.ready()
                await quiet.steadily(3)
                found.before = await asyncio.to_thread(weighed, service.process.pid, postmaster)

                async def weigh() -> None:
                    while True:
                        now = await asyncio.to_thread(weighed, service.process.pid, postmaster)
                        if now.service > found.most.service:
                            found.most = now
                        await asyncio.sleep(1)

                # In all phases: to weigh a process holds it up for some milliseconds.
                weighing = asyncio.create_task(weigh())
                for _ in range(given.rounds):
                    alone, floor = await quiet.steadily(given.seconds), None
                    if found.hostile and given.floor:
                        with burner(found.hostile, given.seconds):
                            await asyncio.sleep(0.5)
                            floor = await quiet.steadily(given.seconds)
                    async with attack.going_on(found.hostile):
                        attacked = await quiet.steadily(given.seconds)
                    found.rounds.append(Round(alone, floor, attacked))
                weighing.cancel()
                attack.end()
    finally:
        database.close()
    return found


def show(found: Measured, judged: Verdict, console: Console) -> None:
    """The table, what the hostile tenant was answered, and the verdict."""
    table = Table("the quiet tenant", "p50 ms", "p99 ms", "p99 of each round")
    for name, phase in (("alone", "alone"), ("beside as much CPU", "floor"), ("beside the attack", "attacked")):
        seen = found.pooled(phase)
        each = [getattr(one, phase) for one in found.rounds]
        rounds = ", ".join("-" if one is None else f"{one.p99:.0f}" for one in each)
        if seen.took_ms:
            table.add_row(name, f"{seen.p50:.1f}", f"{seen.p99:.1f}", rounds)
    console.print(table)
    share = sum(one.cpu_seconds for one in found.hostile) / sum(one.seconds for one in found.hostile)
    console.print("The hostile one was answered: " + ", ".join(f"{n} x {code}" for code, n in found.answers.items()))
    console.print(f"Its own process took {share:.0%} of a core.")
    console.print(
        f"Memory at its most: server {judged.server_mb:+.0f} MB, decoders {judged.decoders_mb:+.0f} MB; "
        f"PostgreSQL, not counted, {judged.database_mb:+.0f} MB"
    )
    console.print(
        f"p99 {judged.slower:.2f} times as long (< {MOST_SLOWER:.0f}; all rounds as one: {judged.slower_pooled:.2f}), "
        f"memory +{judged.memory_mb:.0f} MB (< {MOST_MEMORY_MB:.0f}), "
        f"{judged.broken} answers of 5xx or none (0): {'good' if judged.good else 'BAD'}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=5, help="of each phase of a round")
    parser.add_argument("--flood", type=int, default=32, help="connections that flood")
    parser.add_argument("--bombs", type=int, default=50, help="at once")
    parser.add_argument("--slow", type=int, default=50, help="connections with slow bodies")
    parser.add_argument("--queued", type=int, default=10_000, help="analyses in the queue")
    parser.add_argument("--only", choices=KINDS, help="one kind of attack alone")
    parser.add_argument("--floor", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # else `timeout` leaves the service running
    sizes = Sizes(**{kind: getattr(given, kind) if given.only in (None, kind) else 0 for kind in KINDS})
    with tempfile.TemporaryDirectory(prefix="truename-load-") as scratch:
        Path(scratch).chmod(0o711)  # PostgreSQL runs as another user where we are root
        found = asyncio.run(measure(Path(scratch), given, sizes))
    judged = verdict(found, attacked=bool(sizes.flood or sizes.bombs or sizes.slow))
    if given.json:
        json.dump({**asdict(judged), "hostile": found.answers}, sys.stdout, indent=2)
        print()
    else:
        show(found, judged, Console(width=110))
    return 0 if judged.good else 1


if __name__ == "__main__":
    sys.exit(main())
