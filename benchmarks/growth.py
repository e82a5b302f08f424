"""Does it stay as fast with ten million transactions as on the first day, and what does each of them weigh?

    python -m benchmarks.growth [--transactions 10000000 --slim] [--months 12] [--times 100] [--json]

Two databases on one embedded PostgreSQL, each with a server process of its own: one just installed, with 200
transactions in its first month, so that its pages have as much to show; one as it stands after so many, in its parts,
with retention at 90 days. Creating, reading and listing transactions and the dashboard's home are asked by HTTP over
one connection each, expiry and retention are run as the worker runs them; always by turns, so that both see the same
weather.

A transaction takes some 12 kB, so that 10,000,000 of them take 120 GB. With `--slim` all but the newest 100,000 leave
one row in each table instead of up to eight, with little in it: about 3 kB, and as many rows in every table as there
are transactions, which is what an index feels. What a real one takes is what a run without it prints.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import aiohttp
import psycopg
from rich.console import Console
from rich.table import Table
from tests.support.dashboard import SESSION, a_session, an_operator

from benchmarks.api_load import TRANSACTION
from benchmarks.api_server import Served, settings_for
from benchmarks.growth_fill import KEPT_DAYS, Filling, add, filling, make_old, quickly
from truename.cli.running import set_up_log
from truename.operators.model import Role
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.migrate import _migrate
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.privacy.retain import retain_of
from truename.statistics.count import count_again
from truename.transactions.expire import BATCH, sweep
from truename.wiring import wired

TARGET = 1.3
FEW = 200
WRITERS = 2
BYTES, SLIM_BYTES = 14_000, 3_200
"""What a transaction takes of the disk while it is filled, with room to spare."""
ROUNDS = 10
"""Of expiry, each of a batch, and of retention, each of so many transactions:"""
RETAINED = 20
DUE_TO_EXPIRE = """
INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, config, created_at, expires_at)
SELECT gen_random_uuid(), %(account)s, (SELECT customer_id FROM customers WHERE account_id = %(account)s LIMIT 1),
       'DOCUMENT_ONLY', '{}', now() - interval '1 day', now() - interval '1 second'
FROM generate_series(1, %(count)s)
"""
SIZES = """
SELECT t.name, sum(pg_table_size(p.relid))::bigint AS rows, sum(pg_indexes_size(p.relid))::bigint AS indexes,
       count(*) AS parts
FROM (SELECT relname::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      AND NOT relispartition) AS t,
     LATERAL (SELECT relid FROM pg_partition_tree(t.name) WHERE isleaf UNION
              SELECT c.oid FROM pg_class c WHERE c.oid = t.name::regclass AND c.relkind = 'r') AS p
GROUP BY t.name HAVING sum(pg_total_relation_size(p.relid)) > 2000000 ORDER BY 2 DESC
"""


@dataclass(frozen=True)
class Act:
    """One thing that is done, and how long it took on either database (the median of all turns, milliseconds)."""

    name: str
    empty_ms: float
    full_ms: float

    @property
    def ratio(self) -> float:
        return self.full_ms / self.empty_ms


@dataclass(frozen=True)
class Size:
    """What a table takes for each transaction, in bytes."""

    table: str
    parts: int
    rows: float
    indexes: float


class House:
    """One database, its server process, and clients of both."""

    def __init__(self, folder: Path, url: str) -> None:
        self.served = Served(folder, url)
        self.folder, self.url = folder, url
        self.account_id = UUID(self.served.tenant.account_id)
        self.known = ""

    async def open(self, stack: AsyncExitStack) -> None:
        """Connect: as an integrator, as an operator, and as a worker."""
        settings = settings_for(self.folder, self.served.port, self.url)
        self.plumbing: Plumbing = await stack.enter_async_context(wired(settings))
        async with self.plumbing.database.account(self.account_id) as connection:
            await connection.execute(
                "UPDATE accounts SET settings = settings || %s::jsonb", (json.dumps({"retention_days": KEPT_DAYS}),)
            )
            await count_again(connection, self.account_id, everything=True)
        operator = await an_operator(self.plumbing, {self.account_id: Role.ADMIN})
        token = await a_session(self.plumbing, operator)
        head = {"Authorization": f"Bearer {self.served.tenant.token}"}
        self.api = await stack.enter_async_context(aiohttp.ClientSession(self.served.base, headers=head))
        jar = aiohttp.CookieJar(unsafe=True)
        self.desk = await stack.enter_async_context(
            aiohttp.ClientSession(self.served.base, cookie_jar=jar, cookies={SESSION: token})
        )
        self.owner = stack.enter_context(filling(self.url))

    async def create(self) -> None:
        body = {"customer_id": self.served.tenant.customer_id, "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
        async with self.api.post(TRANSACTION, json=body) as answer:
            self.known = (await answer.json())["transaction_id"]

    async def get(self) -> None:
        await self._read(self.api, f"{TRANSACTION}/{self.known}")

    async def list(self) -> None:
        await self._read(self.api, f"{TRANSACTION}?limit=20")

    async def home(self) -> None:
        await self._read(self.desk, "/dashboard?days=30")

    async def _read(self, session: aiohttp.ClientSession, path: str) -> None:
        async with session.get(path) as answer:
            if answer.status != 200:
                raise SystemExit(f"{path} answered {answer.status}")
            await answer.read()

    async def expire(self) -> None:
        if await sweep(self.plumbing, BATCH) != BATCH:
            raise SystemExit("Something else expired.")

    async def retain(self) -> None:
        await retain_of(self.plumbing, self.account_id)

    def before_expiry(self) -> None:
        self.owner.execute(DUE_TO_EXPIRE, {"account": self.account_id, "count": BATCH})

    def before_retention(self) -> None:
        since = datetime.now(UTC) - timedelta(days=KEPT_DAYS, hours=1)
        step = timedelta(seconds=1)
        add(self.owner, self.account_id, RETAINED, since, step, kept_since=since, line=None)


async def by_turns(
    name: str, houses: tuple[House, House], times: int, act: Callable[[House], Awaitable[None]],
    before: Callable[[House], None] | None = None,
) -> Act:  # fmt: skip
    """The same on both, one after the other, so many times after a few to warm up."""
    took: tuple[list[float], list[float]] = ([], [])
    warm_up = 1 if before else 10
    for turn in range(times + warm_up):
        for house, times_of in zip(houses, took, strict=True):
            if before:
                before(house)
            began = time.perf_counter()
            await act(house)
            if turn >= warm_up:
                times_of.append(1000 * (time.perf_counter() - began))
    return Act(name, *(statistics.median(one) for one in took))


async def measure(houses: tuple[House, House], times: int) -> list[Act]:
    async with AsyncExitStack() as stack:
        for house in houses:
            await house.open(stack)
        return [
            await by_turns("create", houses, times, House.create),
            await by_turns("get", houses, times, House.get),
            await by_turns("list", houses, times, House.list),
            await by_turns("dashboard's home", houses, times, House.home),
            await by_turns(f"expiry of {BATCH}", houses, ROUNDS, House.expire, House.before_expiry),
            await by_turns(f"retention of {RETAINED}", houses, ROUNDS, House.retain, House.before_retention),
        ]


def sizes(connection: psycopg.Connection, transactions: int) -> list[Size]:
    found = connection.execute(SIZES).fetchall()
    return [Size(name, parts, rows / transactions, indexes / transactions) for name, rows, indexes, parts in found]


def fill(url: str, given: Filling) -> None:
    """Fill the account by several connections at once, each a share of the months; says how far it is."""
    began, done = time.perf_counter(), 0
    with filling(url) as connection, quickly(connection):
        given.customers(connection)
        say(f"{given.transactions:,} transactions: customers filled", began)
        borders = [given.transactions * place // WRITERS for place in range(WRITERS + 1)]

        def write(first: int, end: int) -> None:
            nonlocal done
            with filling(url) as own:
                for chunk in given.share(own, first, end):
                    done += chunk
                    say(f"{done:,} of {given.transactions:,} transactions filled", began)

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(write, borders[:-1], borders[1:]))
        say("rows filled", began)
    say("indexes made, vacuumed and analysed", began)


def run(transactions: int, months: int, times: int, slim: bool) -> tuple[list[Act], list[Size]]:
    needed = 4 * 2**30 + transactions * (SLIM_BYTES if slim else BYTES)
    if (free := shutil.disk_usage(tempfile.gettempdir()).free) < needed:
        raise SystemExit(
            f"{needed / 1e9:.0f} GB of disk are needed in {tempfile.gettempdir()}, {free / 1e9:.0f} are free."
        )
    with tempfile.TemporaryDirectory(prefix="truename-growth-") as name:
        folder = Path(name)
        embedded = Embedded(folder)
        embedded.attach()
        try:
            full_url = embedded.url.replace("@/truename?", "@/grown?")
            with psycopg.connect(embedded.url, autocommit=True) as connection:
                connection.execute("CREATE DATABASE grown")
            _migrate(full_url)
            with psycopg.connect(full_url, autocommit=True) as connection:
                make_old(connection, months)
            empty, full = House(folder, embedded.url), House(folder, full_url)
            try:
                now = datetime.now(UTC)
                fill(full_url, Filling(full.account_id, transactions, months, slim, now))
                with filling(full_url) as connection:
                    weights = sizes(connection, transactions)
                fill(embedded.url, Filling(empty.account_id, FEW, 1, False, now))
                return asyncio.run(measure((empty, full), times)), weights
            finally:
                empty.served.stop()
                full.served.stop()
        finally:
            embedded.close()


def say(what: str, began: float) -> None:
    print(f"{what} after {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transactions", type=int, default=10_000_000)
    parser.add_argument("--months", type=int, default=12)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--slim", action="store_true", help="one short row in each table for all but the newest")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    set_up_log(load_settings(log_level="warning"))  # otherwise each act of retention is printed among the results
    acts, weights = run(given.transactions, given.months, given.times, given.slim)
    if given.json:
        found = [{**asdict(act), "ratio": act.ratio} for act in acts]
        weighed = [asdict(one) for one in weights]
        print(json.dumps({"transactions": given.transactions, "slim": given.slim, "acts": found, "sizes": weighed}))
    else:
        show(given, acts, weights)
    if any(act.ratio > TARGET for act in acts):
        raise SystemExit(1)


def show(given: argparse.Namespace, acts: list[Act], weights: list[Size]) -> None:
    """Two tables: what each act takes, and what a transaction weighs."""
    table = Table("", "empty, ms", "full, ms", f"ratio (≤ {TARGET})", title=f"{given.transactions:,} transactions")
    for act in acts:
        colour = "green" if act.ratio <= TARGET else "red"
        table.add_row(act.name, f"{act.empty_ms:.2f}", f"{act.full_ms:.2f}", f"[{colour}]{act.ratio:.2f}[/]")
    console = Console(width=110)
    console.print(table)
    table = Table(
        "table",
        "parts",
        "rows, bytes",
        "indexes, bytes",
        title="for each transaction" + (" (slim)" if given.slim else ""),
    )
    for one in weights:
        table.add_row(one.table, str(one.parts), f"{one.rows:,.0f}", f"{one.indexes:,.0f}")
    whole = sum(one.rows + one.indexes for one in weights)
    table.add_row("all", "", f"{sum(one.rows for one in weights):,.0f}", f"{whole:,.0f} with rows")
    console.print(table)


if __name__ == "__main__":
    main()
