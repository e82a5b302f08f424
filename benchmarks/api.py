"""How fast are the two creations, beside pgbench doing the same inserts on the same database? One command, one table.

    python -m benchmarks.api [--seconds 8] [--connections 32] [--rows 1000000] [--json]

One server process with its real settings (authentication, validation, inserts, rate limit, signed token) answers a load
generator of another process over so many connections. pgbench runs the very statements of the service, in the same
transactions, over as many connections; on a machine of few cores the load generator takes its part of them, as pgbench
does. The target is half of pgbench, and at the least 0.30 of it: a ratio under that is red, one between is yellow.
Then create, get and list are timed on an empty and on a full table of transactions, alternately, with one connection
each.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks.api_load import (
    CUSTOMER,
    TRANSACTION,
    WARM_UP,
    CpuClock,
    pgbench,
    pgbench_script,
    run_load,
    timed_pgbench,
)
from benchmarks.api_server import Served

TARGET_RATIO = 0.50
LEAST_RATIO = 0.30
"""What was asked of the first build, and must not be lost again on the way to the target."""
TARGET_TAIL = 5.0
TARGET_GROWTH = 1.2


# ── the size of the table ──────────────────────────────────────────────────────────────────────────────────

FILL = """
INSERT INTO transactions
    (transaction_id, account_id, customer_id, transaction_type, status, config, created_at, expires_at)
SELECT gen_random_uuid(), %(account_id)s, %(customer_id)s, 'DOCUMENT_AND_BIOMETRIC',
       (ARRAY['APPROVED', 'REJECTED', 'EXPIRED', 'CREATED'])[1 + n %% 4], %(config)s,
       now() - n * interval '1 second', now() + interval '1 day'
FROM generate_series(1, %(rows)s) AS n
"""


def fill(url: str, account_id: str, customer_id: str, rows: int) -> None:
    """As a superuser, since half an hour of requests is not what is measured here."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        parameters = {"account_id": account_id, "customer_id": customer_id, "rows": rows}
        # A small config: the pages of old rows are not what a request reads, and the filling takes half as long.
        connection.execute(FILL, {**parameters, "config": '{"transaction_ttl_minutes": 1440}'})
        connection.execute("VACUUM ANALYZE transactions")


async def growth(servers: dict[str, tuple[str, str, str]], calls: int = 400) -> dict[str, dict[str, float]]:
    """Milliseconds of create, get and list, by server; calls alternate, so that both see the same weather.

    The lower quartile, because what else the machine does only ever adds to a time.
    """
    took: dict[str, dict[str, list[float]]] = {name: {"create": [], "get": [], "list": []} for name in servers}
    sessions = {
        name: aiohttp.ClientSession(base, headers={"Authorization": f"Bearer {token}"})
        for name, (base, token, _) in servers.items()
    }
    known: dict[str, str] = {}

    async def create(name: str) -> None:
        body = {"customer_id": servers[name][2], "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
        async with sessions[name].post(TRANSACTION, json=body) as answer:
            known[name] = (await answer.json())["transaction_id"]

    async def get(name: str) -> None:
        async with sessions[name].get(f"{TRANSACTION}/{known[name]}") as answer:
            assert answer.status == 200
            await answer.read()

    async def list_page(name: str) -> None:
        async with sessions[name].get(TRANSACTION, params={"limit": "20"}) as answer:
            assert answer.status == 200
            await answer.read()

    acts: dict[str, Callable[[str], Awaitable[None]]] = {"create": create, "get": get, "list": list_page}
    try:
        for act, call in acts.items():
            for turn in range(calls + 20):
                for name in servers:
                    began = time.perf_counter()
                    await call(name)
                    if turn >= 20:
                        took[name][act].append(time.perf_counter() - began)
    finally:
        for session in sessions.values():
            await session.close()
    return {
        name: {act: statistics.quantiles(times, n=4)[0] * 1000 for act, times in acts_took.items()}
        for name, acts_took in took.items()
    }


# ── all of it ──────────────────────────────────────────────────────────────────────────────────────────────


def measure(seconds: float, connections: int, rows: int) -> dict[str, Any]:
    from truename.plumbing.database.embedded import Embedded

    with tempfile.TemporaryDirectory(prefix="truename-bench-") as name:
        folder = Path(name)
        embedded = Embedded(folder)
        embedded.attach()
        try:
            return _measure(folder, embedded.url, seconds, connections, rows)
        finally:
            embedded.close()


def _measure(folder: Path, url: str, seconds: float, connections: int, rows: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    served = Served(folder, url)
    try:
        tenant = served.tenant
        for kind, path in (("transaction", TRANSACTION), ("customer", CUSTOMER)):
            script = pgbench_script(kind, tenant.account_id, tenant.customer_id)
            pgbench(url, script, connections, 2)
            # Floor, service, floor: what else the machine does hits both alike.
            floors = [timed_pgbench(folder, url, script, connections, seconds / 2)]
            clock = CpuClock(folder, served.process.pid)
            began, server_began = clock.read(), served.cpu_seconds()
            ours = run_load(served.base, path, kind, tenant.customer_id, tenant.token, connections, seconds)
            # The warm-up of the load is in the CPU time, so it is in the number of answers too.
            answered = ours.per_second * (seconds + WARM_UP)
            cpu = (clock.read() - began) / answered
            server_cpu = (served.cpu_seconds() - server_began) / answered
            floors.append(timed_pgbench(folder, url, script, connections, seconds / 2))
            floor = sum(rate.per_second for rate, _ in floors) / 2
            floor_cpu = sum(spent for _, spent in floors) / sum(rate.answers for rate, _ in floors)
            found[kind] = {
                "per_second": ours.per_second,
                "p50_ms": ours.p50_ms,
                "p99_ms": ours.p99_ms,
                "tail": ours.tail,
                "pgbench_per_second": floor,
                "ratio": ours.per_second / floor,
                "pgbench_tail": sum(rate.tail for rate, _ in floors) / 2,
                "cpu_us": cpu * 1e6,
                "server_cpu_us": server_cpu * 1e6,
                "pgbench_cpu_us": floor_cpu * 1e6,
                "cpu_ratio": floor_cpu / cpu,
            }
        if rows:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("CREATE DATABASE full_table")
            full = Served(folder, url.replace("@/truename?", "@/full_table?"))
            try:
                fill(full.url, full.tenant.account_id, full.tenant.customer_id, rows)
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute("TRUNCATE transactions CASCADE")
                    connection.execute("VACUUM ANALYZE")
                servers = {
                    "empty": (served.base, tenant.token, tenant.customer_id),
                    "full": (full.base, full.tenant.token, full.tenant.customer_id),
                }
                by_server = asyncio.run(growth(servers))
            finally:
                full.stop()
            found["growth"] = {
                act: {
                    "empty_ms": by_server["empty"][act],
                    "full_ms": by_server["full"][act],
                    "ratio": by_server["full"][act] / by_server["empty"][act],
                }
                for act in ("create", "get", "list")
            }
    finally:
        served.stop()
    return found


def show(found: dict[str, Any], console: Console, rows: int) -> None:
    def judged(value: float, good: bool, bearable: bool = False) -> str:
        return f"[{'green' if good else 'yellow' if bearable else 'red'}]{value:.2f}[/]"

    table = Table(
        "create a …",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "p99/p50 (< 5)",
        "pgbench/s",
        "its p99/p50",
        f"ratio (≥ {TARGET_RATIO:.2f}; at least {LEAST_RATIO:.2f})",
        "CPU µs",
        "of the server",
        "pgbench CPU µs",
        "CPU ratio",
    )
    for kind in ("transaction", "customer"):
        one = found[kind]
        table.add_row(
            kind,
            f"{one['per_second']:.0f}",
            f"{one['p50_ms']:.1f}",
            f"{one['p99_ms']:.1f}",
            judged(one["tail"], one["tail"] < TARGET_TAIL),
            f"{one['pgbench_per_second']:.0f}",
            f"{one['pgbench_tail']:.1f}",
            judged(one["ratio"], one["ratio"] >= TARGET_RATIO, one["ratio"] >= LEAST_RATIO),
            f"{one['cpu_us']:.0f}",
            f"{one['server_cpu_us']:.0f}",
            f"{one['pgbench_cpu_us']:.0f}",
            f"{one['cpu_ratio']:.2f}",
        )
    console.print(table)
    if "growth" in found:
        table = Table("one call", "empty table ms", f"{rows:,} rows ms", "ratio (≤ 1.2)")
        for act, one in found["growth"].items():
            good = one["ratio"] <= TARGET_GROWTH
            table.add_row(act, f"{one['empty_ms']:.2f}", f"{one['full_ms']:.2f}", judged(one["ratio"], good))
        console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.seconds, given.connections, given.rows)
    if given.json:
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        show(found, Console(width=150), given.rows)


if __name__ == "__main__":
    main()
