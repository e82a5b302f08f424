"""The whole history of a run, from four witnesses: the callers, the database, the receiver and the store of objects."""

import json
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

from benchmarks.faults.callers import Acknowledged, Ledger
from benchmarks.faults.house import House
from benchmarks.faults.receiver import Processed, processed
from benchmarks.faults.store import Stored


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
    ended: list[str]
    """Processes that ended although nobody killed them."""
    transactions: list[StoredTransaction]
    events: list[StoredEvent]
    moves: list[Move]
    told: list[Processed]
    attempts: dict[str, int]
    """How attempts to tell ended, by the word for it; an attempt whose sender was killed left none."""
    stuck_jobs: list[str]
    pictures: set[str]
    """Keys of objects that rows know of."""
    objects: set[str]
    """Keys of objects that lie in the store, after one sweep of orphans."""
    unopened: list[str]
    """Keys of objects that are there and cannot be opened."""
    audit_breaks: list[str]
    swept: int = 0
    """Orphans that the sweep has found."""
    kills: int = 0
    """How many parts were killed, which may have left orphans."""


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
ATTEMPTS = "SELECT outcome, count(*) FROM webhook_attempts GROUP BY outcome ORDER BY outcome"
STUCK = """
SELECT task_name || ' ' || status || ' in ' || queue_name FROM jobs.procrastinate_jobs
WHERE status <> 'succeeded' AND (attempts > 0 OR scheduled_at IS NULL OR scheduled_at <= now())
UNION ALL SELECT name || ' is due and nobody brought it into its queue' FROM jobs.later WHERE run_at < now()
"""
"""Also what has failed and waits for its next attempt."""
UNSETTLED = """
SELECT (SELECT count(*) FROM transactions WHERE status = 'PROCESSING')
     + (SELECT count(*) FROM webhook_events WHERE state = 'PENDING')
     + (SELECT count(*) FROM jobs.procrastinate_jobs
        WHERE status IN ('todo', 'doing') AND (attempts > 0 OR scheduled_at IS NULL OR scheduled_at <= now()))
     + (SELECT count(*) FROM jobs.later WHERE run_at < now())
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


def transactions_of(house: House) -> frozenset[str]:
    """What there is by now."""
    with psycopg.connect(house.database_url) as connection:
        return frozenset(row[0] for row in connection.execute("SELECT transaction_id::text FROM transactions"))


def read_history(
    house: House, ledger: Ledger, earlier: frozenset[str] = frozenset(), *, kills: int, all_of_it: bool = True
) -> History:
    """Ask every witness, when all is quiet and so many parts were killed.

    `earlier` transactions are not on trial: they were there before. Unless `all_of_it` is wanted, the store of objects
    and the chain of the audit log are not asked.
    """
    with psycopg.connect(house.database_url) as connection:
        stored = connection.cursor(row_factory=class_row(StoredTransaction)).execute(TRANSACTIONS).fetchall()
        events = connection.cursor(row_factory=class_row(StoredEvent)).execute(EVENTS).fetchall()
        moves = connection.cursor(row_factory=class_row(Move)).execute(MOVES).fetchall()
        stuck = [row[0] for row in connection.execute(STUCK)]
        attempts: dict[str, int] = dict(connection.execute(ATTEMPTS).fetchall())
    found = _stored(house) if all_of_it else Stored(0, [], [], [], [])
    return History(
        acknowledged=ledger.acknowledged,
        unexpected=ledger.unexpected,
        ended=house.ended,
        transactions=[one for one in stored if one.transaction_id not in earlier],
        events=[one for one in events if one.transaction_id not in earlier],
        moves=[one for one in moves if one.transaction_id not in earlier],
        told=[one for one in processed(house.receiver_folder) if one.transaction_id not in earlier],
        attempts=attempts,
        stuck_jobs=stuck,
        pictures=set(found.pictures),
        objects=set(found.objects),
        unopened=found.unopened,
        audit_breaks=found.breaks,
        swept=found.swept,
        kills=kills,
    )


def _stored(house: House) -> Stored:
    file = house.folder / "stored.json"
    house.run_to_its_end("store", ["-m", "benchmarks.faults.store", str(file)])
    return Stored(**json.loads(file.read_text()))
