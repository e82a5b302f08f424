"""What does one verification cost, and what do 1, 100 and 10,000 a second need? One command, two tables.

    python -m benchmarks.capacity [--verifications 6] [--json]

`truename serve --no-worker`, `truename worker` and PostgreSQL as processes of their own. Each verification is whole: a
customer, a transaction, consent, device, a passport's photograph, frames of a face, the submission, the analysis,
three webhooks to a receiver on loopback, the result read. CPU seconds are those of each process, bytes those of the
database, its log and the store of objects. What many need is computed by multiplication; it was not run.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Final

import aiohttp
import psutil
import psycopg
from rich.console import Console
from rich.table import Table
from tests.support.api import KYC
from tests.support.sdk import Phone, a_passport_photo, plain_frames
from tests.support.served import environment_of, served

from benchmarks.api_load import CpuClock
from benchmarks.webhook_receiver import report_of
from benchmarks.webhooks import a_receiver, free_port
from truename.accounts.create import create_account
from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.settings import load_settings
from truename.vision.captures import Frame, Step
from truename.vision.images import encode_jpeg
from truename.wiring import wired

RATES: Final = (1, 100, 10_000)
DAY: Final = 86_400
LARGE_PRIMARY_CORES: Final = 64
TEN_GIGABIT: Final = 1.25e9
SETTLE_WITHIN: Final = 300.0
ENTRIES_OF_ONE: Final = "SELECT count(*) FROM audit_log WHERE action NOT LIKE 'account%' AND action NOT LIKE 'client%'"


@dataclass(frozen=True)
class Cost:
    """What one verification costs."""

    api_cpu_s: float
    worker_cpu_s: float
    database_cpu_s: float
    database_bytes: float
    log_bytes: float
    """Of PostgreSQL's write-ahead log."""
    storage_bytes: float
    upload_bytes: float
    webhooks: float
    audit_entries: float
    audit_commits_per_second: float
    """How many transactions that write to the audit log one account can commit, by eight at once."""


@dataclass(frozen=True)
class Reading:
    """Everything that is counted, at one moment."""

    api_cpu_s: float
    worker_cpu_s: float
    database_cpu_s: float
    database_bytes: float
    log_bytes: float
    storage_bytes: float
    webhooks: float
    audit_entries: float


def cpu_of(process: int) -> float:
    """CPU seconds of a process and its children, also those that have ended."""
    total, root = 0.0, psutil.Process(process)
    for one in (root, *root.children(recursive=True)):
        times = one.cpu_times()
        total += times.user + times.system + (times.children_user + times.children_system if one is root else 0.0)
    return total


async def one_verification(http: aiohttp.ClientSession, base: str, token: str, hook: str, photo: bytes) -> int:
    """From the customer to the result; says how many bytes were uploaded."""
    headers = {"Authorization": f"Bearer {token}"}

    async def post(path: str, body: object) -> dict[str, str]:
        async with http.post(base + KYC + path, json=body, headers=headers) as answer:
            if answer.status not in (200, 201):
                raise RuntimeError(await answer.text())
            return dict(await answer.json())

    customer = await post("/customer", {"external_customer_id": f"{time.monotonic_ns()}"})
    wanted = {"customer_id": customer["customer_id"], "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
    made = await post("/transaction", {**wanted, "config": {"webhook": {"url": hook}}})
    phone = Phone(http, made["sdk_token"], base)
    await phone.consent()
    await phone.device()
    status, told = await phone.document("front", photo)
    if status not in (200, 201):
        raise RuntimeError(str(told))
    sent = [len(photo)]

    def frames(steps: Sequence[Step]) -> list[Frame]:
        made = plain_frames(steps, seed=time.monotonic_ns() % 2**32)
        sent.extend(len(one.image) * 4 // 3 for one in made)  # as base64
        return made

    await phone.show_face(frames)
    status, told = await phone.submit()
    if status not in (200, 202):
        raise RuntimeError(str(told))
    where = f"{base}{KYC}/transaction/{made['transaction_id']}"
    until = time.monotonic() + SETTLE_WITHIN
    while time.monotonic() < until:
        async with http.get(where, params={"wait": "20"}, headers=headers) as answer:
            if (await answer.json())["status"] not in ("CREATED", "IN_PROGRESS", "PROCESSING"):
                return sum(sent)
    raise RuntimeError("The analysis did not end.")


async def measure(folder: Path, verifications: int) -> Cost:
    port, data = free_port(), folder / "data"
    hook, database = f"https://127.0.0.1:{port}/hook", Embedded(data)
    await asyncio.to_thread(database.attach)
    given = {"TRUENAME_DATABASE_URL": database.url, "TRUENAME_WEBHOOK_CA_FILE": str(folder / "ca.pem")}
    worker = [sys.executable, "-m", "truename.cli", "worker"]
    photo = encode_jpeg(a_passport_photo())
    try:
        with (
            a_receiver(folder, port),
            served(data, "--no-worker", **given) as service,
            Popen(worker, env=environment_of(data, **given), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL) as working,
        ):
            try:
                run = _Run(folder, database.url, hook, service.process.pid, working.pid)
                form = {name: service.credential(name) for name in ("client_id", "client_secret")}
                async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SETTLE_WITHIN)) as http:
                    asked = http.post(f"{service.url}/oauth/token", data={"grant_type": "client_credentials", **form})
                    async with asked as answer:
                        token = (await answer.json())["access_token"]
                    await one_verification(http, service.url, token, hook, photo)  # loads the models
                    before, uploaded = await run.read(webhooks=3), 0
                    for _ in range(verifications):
                        uploaded += await one_verification(http, service.url, token, hook, photo)
                    after = await run.read(webhooks=before.webhooks + 3 * verifications)
            finally:
                working.terminate()
                working.wait(60)
        commits = await audit_commits(data, database.url)
    finally:
        database.close()
    one = Reading(
        *((late - early) / verifications for early, late in zip(astuple(before), astuple(after), strict=True))
    )
    return Cost(**asdict(one), upload_bytes=uploaded / verifications, audit_commits_per_second=commits)


class _Run:
    """What can be read while it runs."""

    def __init__(self, folder: Path, url: str, hook: str, api: int, worker: int) -> None:
        self.folder, self.url, self.hook, self.api, self.worker = folder, url, hook, api, worker
        self.clock = CpuClock(folder)

    async def read(self, webhooks: float) -> Reading:
        """Everything, when at least so many webhooks have come."""
        until = time.monotonic() + 60
        while (told := await report_of(self.hook, self.folder / "ca.pem", forget=False)).events < webhooks:
            if time.monotonic() > until:
                break
            await asyncio.sleep(0.2)
        with psycopg.connect(self.url) as connection:
            found = connection.execute(
                f"SELECT pg_database_size(current_database()), pg_current_wal_lsn() - '0/0', ({ENTRIES_OF_ONE})"
            ).fetchone()
        assert found is not None
        size, log, entries = (float(one) for one in found)
        stored = sum(one.stat().st_size for one in (self.folder / "data" / "media").rglob("*") if one.is_file())
        database = self.clock.read()
        return Reading(cpu_of(self.api), cpu_of(self.worker), database, size, log, stored, told.events, entries)


async def audit_commits(data: Path, url: str, seconds: float = 3.0, at_once: int = 8) -> float:
    """Transactions a second that write one line to the audit log of one account, which chains them."""
    async with wired(load_settings(data_dir=data, database_url=url)) as plumbing:
        account = (await create_account(plumbing, "capacity")).account_id
        done, until = 0, time.monotonic() + seconds

        async def writes() -> None:
            nonlocal done
            while time.monotonic() < until:
                async with plumbing.database.account(account) as connection:
                    await record(connection, account, actor="benchmark", action=Action.WEBHOOK_REDELIVERED, subject="x")
                done += 1

        await asyncio.gather(*(writes() for _ in range(at_once)))
    return done / seconds


def show(cost: Cost, console: Console) -> None:
    """What one costs, what many need, and what gives way first."""
    table = Table("one verification", "costs")
    table.add_row("CPU of the API", f"{cost.api_cpu_s * 1000:.0f} ms")
    table.add_row("CPU of the worker (models, rules, webhooks)", f"{cost.worker_cpu_s * 1000:.0f} ms")
    table.add_row("CPU of PostgreSQL", f"{cost.database_cpu_s * 1000:.0f} ms")
    table.add_row("rows and indexes in PostgreSQL", f"{cost.database_bytes / 1000:.1f} kB")
    table.add_row("write-ahead log", f"{cost.log_bytes / 1000:.1f} kB")
    table.add_row("sealed pictures", f"{cost.storage_bytes / 1000:.0f} kB")
    table.add_row("webhooks; lines of the audit log", f"{cost.webhooks:.0f}; {cost.audit_entries:.0f}")
    console.print(table)
    table = Table("needed for", *(f"{rate:,}/s" for rate in RATES))
    rows = (
        ("cores for workers", cost.worker_cpu_s, "{:,.1f}"),
        ("cores for the API", cost.api_cpu_s, "{:,.2f}"),
        ("cores for PostgreSQL", cost.database_cpu_s, "{:,.2f}"),
        ("write-ahead log, MB/s", cost.log_bytes / 1e6, "{:,.2f}"),
        ("PostgreSQL grows by, GB a day", cost.database_bytes * DAY / 1e9, "{:,.1f}"),
        ("pictures grow by, GB a day", cost.storage_bytes * DAY / 1e9, "{:,.0f}"),
        ("uploads, MB/s", cost.upload_bytes / 1e6, "{:,.1f}"),
        ("webhooks/s", cost.webhooks, "{:,.0f}"),
    )
    for name, each, form in rows:
        table.add_row(name, *(form.format(each * rate) for rate in RATES))
    console.print(table)
    console.print("What gives way first (workers and API are only added to):")
    for rate, what, lifted in bottlenecks(cost):
        console.print(f"  from {rate:,.0f}/s on: {what}. Lifted by {lifted}.", highlight=False)


def bottlenecks(cost: Cost) -> list[tuple[float, str, str]]:
    """Verifications a second at which something gives way that more processes do not help, the lowest first."""
    return sorted(
        (
            (
                cost.audit_commits_per_second / max(cost.audit_entries, 1),
                f"the audit chain of a single account, {cost.audit_commits_per_second:.0f} commits a second here",
                "several accounts; a chain for each part of an account (not built)",
            ),
            (
                LARGE_PRIMARY_CORES / cost.database_cpu_s,
                f"the primary PostgreSQL at {LARGE_PRIMARY_CORES} cores",
                "Citus by account, which leads every key, and read replicas for lists and reports (neither was run)",
            ),
            (
                TEN_GIGABIT / cost.upload_bytes,
                "the network of one entrance at 10 Gbit/s",
                "more entrances: API processes hold no state",
            ),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verifications", type=int, default=6)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="truename-capacity-") as scratch:
        Path(scratch).chmod(0o711)  # PostgreSQL runs as another user where we are root
        cost = asyncio.run(measure(Path(scratch), given.verifications))
    if given.json:
        json.dump(asdict(cost), sys.stdout, indent=2)
        print()
    else:
        show(cost, Console(width=110))


if __name__ == "__main__":
    main()
