"""How many webhooks a second does one worker deliver to a receiver on loopback? One command, one table.

    python -m benchmarks.webhooks [--events 6000] [--json]

So many events of one account wait, three for each transaction, when one `truename worker --queues delivery` is
started. It signs, posts by TLS, and writes down each attempt. Beside it stands the floor: bare posts of the same bodies
by the same library to the same receiver over kept connections, which sign nothing and write nothing down. Exit status 1
when an event is missing, told out of its order, or the rate is under the target.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run
from typing import Final

import psutil
from rich.console import Console
from rich.table import Table
from tests.support.served import environment_of
from tests.support.waiting import free_port, within

from benchmarks.api_load import CpuClock
from benchmarks.webhook_receiver import LANES, Told, report_of
from truename.accounts.create import create_account
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.rules.config import Config
from truename.transactions.create import stored_config
from truename.webhooks.outbox import ChangedStatus, record_event
from truename.wiring import wired

TARGET: Final = 1000.0
CHANGES: Final = (("CREATED", "IN_PROGRESS"), ("IN_PROGRESS", "PROCESSING"), ("PROCESSING", "APPROVED"))
DATABASE: Final = "TRUENAME_DATABASE_URL"


@dataclass(frozen=True)
class Measured:
    """What came of it, each rate over the time from the first to the last answer."""

    events: int
    delivered: int
    duplicates: int
    out_of_order: int
    per_second: float
    floor_per_second: float
    worker_cpu_us: float
    database_cpu_us: float
    floor_cpu_us: float

    @property
    def ratio(self) -> float:
        return self.per_second / self.floor_per_second

    @property
    def good(self) -> bool:
        return self.delivered == self.events and not self.out_of_order and self.per_second >= TARGET


async def fill(plumbing: Plumbing, url: str, events: int) -> None:
    """Events as changes of status record them, three for each transaction."""
    account = (await create_account(plumbing, "webhooks benchmark")).account_id
    customer = new_id()
    async with plumbing.database.account(account) as connection:
        key = plumbing.vault.new_customer_key(account, customer)
        await connection.execute(
            "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key) VALUES (%s, %s, %s, %s)",
            (customer, account, "benchmark", key),
        )
    for begin in range(0, events // len(CHANGES), 100):
        async with plumbing.database.account(account) as connection:
            for _ in range(begin, min(begin + 100, events // len(CHANGES))):
                transaction = new_id()
                await connection.execute(
                    "INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, config, "
                    "expires_at) VALUES (%s, %s, %s, 'DOCUMENT_ONLY', %s, now() + interval '1 day')",
                    (transaction, account, customer, stored_config(Config())),
                )
                for sequence, (before, after) in enumerate(CHANGES, 1):
                    changed = ChangedStatus(
                        account, transaction, customer, "benchmark", "DOCUMENT_ONLY", after, sequence, now(), url
                    )
                    await record_event(connection, changed, before)


@contextmanager
def a_receiver(folder: Path, port: int) -> Iterator[None]:
    with Popen([sys.executable, "-m", "benchmarks.webhook_receiver", "receive", str(folder), str(port)]) as process:
        try:
            within(120, lambda: (folder / "ready").exists() or process.poll() is not None)
            yield
        finally:
            process.terminate()


async def measure(folder: Path, events: int) -> Measured:
    events -= events % len(CHANGES)
    port = free_port()
    url = f"https://127.0.0.1:{port}/hook"
    with a_receiver(folder, port):
        ca_file = folder / "ca.pem"
        settings = load_settings(data_dir=folder / "data", webhook_ca_file=ca_file)
        async with wired(settings, may_create=True) as plumbing:
            await fill(plumbing, url, events)
            floor_rate, floor_cpu = await asyncio.to_thread(_floor, url, ca_file, events)
            await report_of(url, ca_file, forget=True)
            told, cpu, database_cpu = await _ours(folder, plumbing.database.url, url, ca_file, events)
    return Measured(
        events,
        told.events,
        told.posts - told.events,
        told.out_of_order,
        told.posts / told.seconds if told.seconds else 0.0,
        floor_rate,
        cpu * 1e6 / events,
        database_cpu * 1e6 / events,
        floor_cpu * 1e6 / events,
    )


def _floor(url: str, ca_file: Path, events: int) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.webhook_receiver", "post", url, str(ca_file), str(events)]
    rate, cpu = json.loads(run(command, stdout=PIPE, check=True, timeout=300).stdout)
    return float(rate), float(cpu)


async def _ours(folder: Path, database: str, url: str, ca_file: Path, events: int) -> tuple[Told, float, float]:
    environment = environment_of(
        folder / "data",
        **{DATABASE: database},
        TRUENAME_WEBHOOK_CA_FILE=str(ca_file),
        TRUENAME_WEBHOOK_ALLOW="127.0.0.0/8",
        TRUENAME_LOG_FORMAT="json",
    )
    clock = CpuClock(folder)
    command = [sys.executable, "-m", "truename.cli", "worker", "--queues", "delivery"]
    with (
        (folder / "worker.log").open("wb") as log,
        Popen(command, env=environment, stdin=DEVNULL, stdout=log, stderr=log) as worker,
    ):
        try:
            until = time.monotonic() + 180 + events / 20
            while not (told := await report_of(url, ca_file, forget=False)).events:
                if worker.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((folder / "worker.log").read_text())
                await asyncio.sleep(0.05)
            cpu, database_cpu, since = _cpu(worker.pid), clock.read(), told.events
            while told.events < events and time.monotonic() < until:
                await asyncio.sleep(0.25)
                told = await report_of(url, ca_file, forget=False)
            share = events / max(told.events - since, 1)  # what went before the clocks were read
            return told, (_cpu(worker.pid) - cpu) * share, (clock.read() - database_cpu) * share
        finally:
            worker.terminate()
            worker.wait(60)


def _cpu(process: int) -> float:
    return float(sum(psutil.Process(process).cpu_times()[:2]))


def show(found: Measured, console: Console) -> None:
    """One table, and what is wrong."""
    table = Table("", "deliveries/s", "CPU µs of the sender", "CPU µs of the database")
    colour = "green" if found.per_second >= TARGET else "red"
    rate = f"[{colour}]{found.per_second:.0f}[/] (≥ {TARGET:.0f})"
    table.add_row("one worker", rate, f"{found.worker_cpu_us:.0f}", f"{found.database_cpu_us:.0f}")
    table.add_row("floor: bare posts", f"{found.floor_per_second:.0f}", f"{found.floor_cpu_us:.0f}", "")
    console.print(table)
    console.print(
        f"{found.ratio:.2f} of the floor, {LANES} connections there; {found.delivered} of {found.events} events came, "
        f"{found.duplicates} twice, {found.out_of_order} out of order."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=6000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="truename-webhooks-") as scratch:
        Path(scratch).chmod(0o711)  # PostgreSQL runs as another user where we are root
        found = asyncio.run(measure(Path(scratch), given.events))
    if given.json:
        json.dump({**asdict(found), "ratio": found.ratio, "good": found.good}, sys.stdout, indent=2)
        print()
    else:
        show(found, Console(width=110))
    return 0 if found.good else 1


if __name__ == "__main__":
    sys.exit(main())
