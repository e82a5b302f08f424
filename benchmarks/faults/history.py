"""The whole history of a run, from four witnesses: the callers, the database, the receiver and the store of objects."""

import json
import subprocess
import sys
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row
from tests.support.served import environment_of

from benchmarks.faults.callers import Acknowledged, Ledger
from benchmarks.faults.house import House
from benchmarks.faults.receiver import Processed, processed


@dataclass(frozen=True)
class StoredTransaction:
    """What the database says of a transaction."""

    transaction_id: str
    customer_id: str
    status: str
    sequence: int
    outcome: str | None
    has_receipt: bool


@dataclass(frozen=True)
class StoredEvent:
    """A change of status that is to be told."""

    event_id: str
    transaction_id: str
    sequence: int
    type: str
    state: str


@dataclass(frozen=True)
class Move:
    """A change of status, as the audit log has it, in its order."""

    transaction_id: str
    before: str
    after: str


@dataclass(frozen=True)
class History:
    """Everything that is known when nothing moves any more."""

    acknowledged: list[Acknowledged]
    unexpected: list[str]
    transactions: list[StoredTransaction]
    events: list[StoredEvent]
    moves: list[Move]
    told: list[Processed]
    stuck_jobs: list[str]
    pictures: set[str]
    """Keys of objects that rows know of."""
    objects: set[str]
    """Keys of objects that lie in the store, after one sweep of orphans."""
    audit_is_whole: bool


TRANSACTIONS = """
SELECT t.transaction_id::text, t.customer_id::text, t.status, t.sequence, t.outcome,
       r.transaction_id IS NOT NULL AS has_receipt
FROM transactions t LEFT JOIN receipts r USING (transaction_id)
"""
EVENTS = "SELECT event_id, transaction_id::text, sequence, type, state FROM webhook_events"
MOVES = """
SELECT substr(subject, 13) AS transaction_id, details->>'from' AS before, details->>'to' AS after
FROM audit_log WHERE action = 'transaction.status_changed' ORDER BY account_id, sequence
"""
STUCK = """
SELECT task_name || ' ' || status || ' in ' || queue_name FROM jobs.procrastinate_jobs
WHERE status <> 'succeeded' AND (scheduled_at IS NULL OR scheduled_at <= now())
"""
UNSETTLED = """
SELECT (SELECT count(*) FROM transactions WHERE status = 'PROCESSING')
     + (SELECT count(*) FROM webhook_events WHERE state = 'PENDING')
     + (SELECT count(*) FROM jobs.procrastinate_jobs
        WHERE status IN ('todo', 'doing') AND (scheduled_at IS NULL OR scheduled_at <= now()))
"""


def unsettled(house: House) -> int:
    """How much is still under way: analyses, webhooks, jobs."""
    with psycopg.connect(house.database_url) as connection:
        row = connection.execute(UNSETTLED).fetchone()
        assert row is not None
        return int(row[0])


def let_time_run(house: House) -> None:
    """What waits minutes or hours for its next attempt is due now: the schedule is not what is on trial."""
    with psycopg.connect(house.database_url) as connection:
        connection.execute(
            "UPDATE webhook_events SET next_attempt_at = least(next_attempt_at, now()), queued_at = NULL "
            "WHERE state = 'PENDING' AND attempts > 0 AND next_attempt_at > now() + interval '1 second' "
            "AND (queued_at IS NULL OR queued_at < now() - interval '20 seconds')"
        )


SWEEP = """
import asyncio, json, sys
from datetime import timedelta
from truename.media.orphans import sweep_orphans
from truename.plumbing.settings import load_settings
from truename.wiring import wired

async def main():
    async with wired(load_settings()) as plumbing:
        swept = await sweep_orphans(plumbing, timedelta(0))
        left = [found.key async for chunk in plumbing.objects.list() for found in chunk]
        print(json.dumps({"swept": swept, "left": left}))

asyncio.run(main())
"""


def read_history(house: House, ledger: Ledger) -> tuple[History, int]:
    """Ask every witness, when all is quiet; also how many orphans the sweep found."""
    with psycopg.connect(house.database_url) as connection:
        stored = connection.cursor(row_factory=class_row(StoredTransaction)).execute(TRANSACTIONS).fetchall()
        events = connection.cursor(row_factory=class_row(StoredEvent)).execute(EVENTS).fetchall()
        moves = connection.cursor(row_factory=class_row(Move)).execute(MOVES).fetchall()
        stuck = [row[0] for row in connection.execute(STUCK)]
        pictures = {row[0] for row in connection.execute("SELECT storage_key FROM media WHERE redacted_at IS NULL")}
    swept = json.loads(_run(house, "-c", SWEEP).stdout.splitlines()[-1])  # before it, the log of what was swept
    audit = _run(house, "-m", "truename.cli", "audit", "verify")
    told = processed(house.receiver_folder)
    history = History(
        acknowledged=ledger.acknowledged,
        unexpected=ledger.unexpected,
        transactions=stored,
        events=events,
        moves=moves,
        told=told,
        stuck_jobs=stuck,
        pictures=pictures,
        objects=set(swept["left"]),
        audit_is_whole=audit.returncode == 0,
    )
    return history, int(swept["swept"])


def _run(house: House, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = environment_of(house.data, **house.environment)
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return done
