"""The SQL of events and attempts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import class_row, scalar_row

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.webhooks.model import EventState, ShownAttempt, ShownEvent
from truename.webhooks.send import Attempt

LEASE = timedelta(seconds=60)
"""An attempt that was begun and never recorded (its worker died) is due again after this."""
SHOWN: Final[LiteralString] = """
event_id, transaction_id, type, url, state, attempts, created_at,
CASE WHEN state = 'PENDING' THEN next_attempt_at END AS next_attempt_at
"""


@dataclass(frozen=True)
class ClaimedEvent:
    """An event that one worker took for one attempt."""

    event_id: str
    url: str
    body: str
    attempts: int
    """How many were made before."""
    claimed_until: datetime


@dataclass(frozen=True)
class DueEvent:
    """An event whose time has come, and whose it is."""

    event_id: str
    account_id: UUID


async def claim_due_event(connection: Connection, event_id: str) -> ClaimedEvent | None:
    """Take the event for one attempt, if it is due; another worker that comes meanwhile gets None."""
    cursor = await connection.cursor(row_factory=class_row(ClaimedEvent)).execute(
        """
        UPDATE webhook_events SET next_attempt_at = clock_timestamp() + %(lease)s
        WHERE event_id = %(event_id)s AND state = 'PENDING' AND next_attempt_at <= clock_timestamp()
        RETURNING event_id, url, body, attempts, next_attempt_at AS claimed_until
        """,
        {"event_id": event_id, "lease": LEASE},
    )
    return await cursor.fetchone()


async def record_attempt(
    connection: Connection,
    account_id: UUID,
    event_id: str,
    claimed_until: datetime,
    attempt: Attempt,
    state: EventState,
    wait: timedelta | None,
) -> None:
    """Log the attempt; move the event on only if it is still in the same hands.

    Who asked for a redelivery meanwhile, or took the event over from a worker that was thought dead, decides now: an
    attempt that began before must not end what began after it.
    """
    await connection.execute(
        """
        WITH logged AS (
            INSERT INTO webhook_attempts
                (attempt_id, account_id, event_id, number, took_ms, status_code, outcome, error)
            SELECT %(attempt_id)s, %(account_id)s, %(event_id)s, (SELECT count(*) + 1 FROM webhook_attempts
                   WHERE event_id = %(event_id)s AND account_id = %(account_id)s), %(took_ms)s, %(status_code)s,
                   %(outcome)s, %(error)s
            FROM webhook_events WHERE event_id = %(event_id)s
        )
        UPDATE webhook_events
        SET attempts = attempts + 1,
            state = %(state)s,
            next_attempt_at = clock_timestamp() + coalesce(%(wait)s, interval '0'),
            queued_at = NULL
        WHERE event_id = %(event_id)s AND next_attempt_at = %(claimed_until)s AND state = 'PENDING'
        """,
        {
            "attempt_id": new_id(),
            "account_id": account_id,
            "event_id": event_id,
            "took_ms": attempt.took_ms,
            "status_code": attempt.status_code,
            "outcome": attempt.outcome,
            "error": attempt.error,
            "state": state,
            "wait": wait,
            "claimed_until": claimed_until,
        },
    )


async def take_due_events(connection: Connection, limit: int) -> list[DueEvent]:
    """Events of any account whose time has come and that no job waits for (system scope); marks them as queued."""
    cursor = await connection.cursor(row_factory=class_row(DueEvent)).execute(
        """
        UPDATE webhook_events SET queued_at = clock_timestamp() WHERE event_id IN (
            SELECT event_id FROM webhook_events
            WHERE state = 'PENDING' AND next_attempt_at <= clock_timestamp()
              AND (queued_at IS NULL OR queued_at < clock_timestamp() - %(lease)s)
            ORDER BY next_attempt_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
        RETURNING event_id, account_id
        """,
        {"limit": limit, "lease": LEASE},
    )
    return await cursor.fetchall()


async def renew_event(connection: Connection, event_id: str) -> ShownEvent | None:
    """Make the event due now, whatever became of it; it keeps its id. None when it is unknown."""
    cursor = await connection.cursor(row_factory=class_row(ShownEvent)).execute(
        f"""
        UPDATE webhook_events SET state = 'PENDING', attempts = 0, next_attempt_at = clock_timestamp(),
               queued_at = clock_timestamp()
        WHERE event_id = %s
        RETURNING {SHOWN}
        """,  # noqa: S608 (SHOWN is a constant)
        (event_id,),
    )
    return await cursor.fetchone()


async def read_event(connection: Connection, event_id: str) -> ShownEvent | None:
    """The event; None when it is unknown."""
    cursor = await connection.cursor(row_factory=class_row(ShownEvent)).execute(
        f"SELECT {SHOWN} FROM webhook_events WHERE event_id = %s",  # noqa: S608 (SHOWN is a constant)
        (event_id,),
    )
    return await cursor.fetchone()


async def body_of(connection: Connection, event_id: str) -> str | None:
    """The very text that is sent; None when the event is unknown."""
    cursor = await connection.execute("SELECT body FROM webhook_events WHERE event_id = %s", (event_id,))
    row = await cursor.fetchone()
    return row["body"] if row else None


async def attempts_of(connection: Connection, event_id: str) -> list[ShownAttempt]:
    """Every attempt to deliver the event, the oldest first."""
    cursor = await connection.cursor(row_factory=class_row(ShownAttempt)).execute(
        """
        SELECT number, at, took_ms, status_code, outcome, error FROM webhook_attempts
        WHERE event_id = %s ORDER BY at, number
        """,
        (event_id,),
    )
    return await cursor.fetchall()


async def list_events(
    connection: Connection, transaction_id: UUID | None, state: str | None, before: str | None, limit: int
) -> list[ShownEvent]:
    """Newest first. Event ids grow with time, so the id itself is the cursor."""
    cursor = await connection.cursor(row_factory=class_row(ShownEvent)).execute(
        f"""
        SELECT {SHOWN} FROM webhook_events
        WHERE (%(transaction_id)s::uuid IS NULL OR transaction_id = %(transaction_id)s)
          AND (%(state)s::text IS NULL OR state = %(state)s)
          AND (%(before)s::text IS NULL OR event_id < %(before)s)
        ORDER BY event_id DESC LIMIT %(limit)s
        """,  # noqa: S608 (SHOWN is a constant)
        {"transaction_id": transaction_id, "state": state, "before": before, "limit": limit},
    )
    return await cursor.fetchall()


async def last_events(connection: Connection, account_id: UUID, transaction_ids: Sequence[UUID]) -> list[str]:
    """The newest event of each of these transactions that has one."""
    cursor = await connection.cursor(row_factory=scalar_row).execute(
        """
        SELECT DISTINCT ON (transaction_id) event_id FROM webhook_events
        WHERE account_id = %s AND transaction_id = ANY(%s) ORDER BY transaction_id, sequence DESC
        """,
        (account_id, list(transaction_ids)),
    )
    return await cursor.fetchall()


async def events_between(
    connection: Connection, account_id: UUID, since: datetime, until: datetime, failed_only: bool, limit: int
) -> list[str]:
    """Events that were made in this range, the oldest first; `failed_only`: those that did not arrive."""
    cursor = await connection.cursor(row_factory=scalar_row).execute(
        """
        SELECT event_id FROM webhook_events
        WHERE account_id = %(account_id)s AND created_at >= %(since)s AND created_at < %(until)s
          AND (NOT %(failed_only)s OR state = 'EXHAUSTED' OR (state = 'PENDING' AND attempts > 0))
        ORDER BY event_id LIMIT %(limit)s
        """,
        {"account_id": account_id, "since": since, "until": until, "failed_only": failed_only, "limit": limit},
    )
    return await cursor.fetchall()
