"""The SQL of events and attempts."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    cause: str | None
    """The request that the event goes back to, as `plumbing.tracing` wrote it."""


@dataclass(frozen=True)
class TriedEvent:
    """An event after one attempt, and what comes next."""

    event: ClaimedEvent
    attempt: Attempt
    began: float
    """By the monotonic clock of this process."""
    state: EventState
    wait: timedelta | None
    """Before the next attempt; None when there is none."""
    attempt_id: UUID = field(default_factory=new_id)


@dataclass(frozen=True)
class Telling:
    """An account that has something due, and one such event."""

    account_id: UUID
    event_id: str


async def claim_due_events(connection: Connection, account_id: UUID, limit: int) -> list[ClaimedEvent]:
    """Take events for one attempt each, those that have been due for the longest; nobody else gets them meanwhile.

    No event is taken before each earlier one of its transaction has had its first attempt: so they arrive in their
    order, and one that must be tried again keeps none of the others waiting.
    """
    # OFFSET 0 keeps the planner, whose statistics of a queue are always old, from reading all that waits, for each.
    cursor = await connection.cursor(row_factory=class_row(ClaimedEvent)).execute(
        """
        UPDATE webhook_events SET next_attempt_at = clock_timestamp() + %(lease)s
        WHERE event_id = ANY (ARRAY (
            SELECT due.event_id FROM webhook_events due
            WHERE due.account_id = %(account_id)s AND due.state = 'PENDING'
              AND due.next_attempt_at <= statement_timestamp()
              AND NOT EXISTS (
                  SELECT FROM webhook_events earlier
                  WHERE earlier.account_id = %(account_id)s AND earlier.transaction_id = due.transaction_id
                    AND earlier.sequence < due.sequence AND earlier.attempts = 0 OFFSET 0)
            ORDER BY due.next_attempt_at, due.event_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED))
        RETURNING event_id, url, body, attempts, next_attempt_at AS claimed_until, cause
        """,
        {"account_id": account_id, "lease": LEASE, "limit": limit},
    )
    return await cursor.fetchall()


async def release_events(connection: Connection, events: Sequence[ClaimedEvent]) -> None:
    """Give back events that were taken and not tried: they are due at once."""
    await connection.execute(
        """
        UPDATE webhook_events e SET next_attempt_at = clock_timestamp()
        FROM unnest(%s::text[], %s::timestamptz[]) AS taken (event_id, claimed_until)
        WHERE e.event_id = taken.event_id AND e.next_attempt_at = taken.claimed_until AND e.state = 'PENDING'
        """,
        ([event.event_id for event in events], [event.claimed_until for event in events]),
    )


async def record_attempts(
    connection: Connection, account_id: UUID, tried: Sequence[TriedEvent], *, again: bool = False
) -> None:
    """Log the attempts; move each event on only if it is still in the same hands.

    Who asked for a redelivery meanwhile, or took the event over from a worker that was thought dead, decides now: an
    attempt that began before must not end what began after it. `again`: they may have been recorded before, and only
    the answer was lost; what is there stays as it is.
    """
    now = time.monotonic()
    await connection.execute(
        """
        WITH tried AS (
            SELECT * FROM unnest(%(attempt_ids)s::uuid[], %(event_ids)s::text[], %(claimed)s::timestamptz[],
                                 %(ago)s::interval[], %(took)s::integer[], %(status)s::integer[], %(outcomes)s::text[],
                                 %(errors)s::text[], %(states)s::text[], %(waits)s::interval[])
            AS t (attempt_id, event_id, claimed_until, ago, took_ms, status_code, outcome, error, state, wait)
        ), logged AS (
            INSERT INTO webhook_attempts
                (attempt_id, account_id, event_id, number, at, took_ms, status_code, outcome, error)
            SELECT t.attempt_id, %(account_id)s, t.event_id,
                   (SELECT count(*) + 1 FROM webhook_attempts a
                    WHERE a.event_id = t.event_id AND a.account_id = %(account_id)s),
                   clock_timestamp() - t.ago, t.took_ms, t.status_code, t.outcome, t.error
            FROM tried t JOIN webhook_events e ON e.event_id = t.event_id
            WHERE e.event_id = ANY (%(event_ids)s)
              AND NOT (%(again)s AND EXISTS (
                  SELECT FROM webhook_attempts a WHERE a.event_id = t.event_id AND a.account_id = %(account_id)s
                    AND a.attempt_id = t.attempt_id))
        )
        UPDATE webhook_events e
        SET attempts = e.attempts + 1,
            state = t.state,
            next_attempt_at = clock_timestamp() + coalesce(t.wait, interval '0'),
            queued_at = NULL
        FROM tried t
        WHERE e.event_id = t.event_id AND e.event_id = ANY (%(event_ids)s)
          AND e.next_attempt_at = t.claimed_until AND e.state || '' = 'PENDING'
        """,
        {
            "account_id": account_id,
            "again": again,
            "attempt_ids": [one.attempt_id for one in tried],
            "event_ids": [one.event.event_id for one in tried],
            "claimed": [one.event.claimed_until for one in tried],
            "ago": [timedelta(seconds=now - one.began) for one in tried],
            "took": [one.attempt.took_ms for one in tried],
            "status": [one.attempt.status_code for one in tried],
            "outcomes": [str(one.attempt.outcome) for one in tried],
            "errors": [one.attempt.error for one in tried],
            "states": [str(one.state) for one in tried],
            "waits": [one.wait for one in tried],
        },
    )


async def accounts_with_due_events(connection: Connection) -> list[Telling]:
    """Every account that has an event whose time has come (system scope), found by one probe of the index for each."""
    cursor = await connection.cursor(row_factory=class_row(Telling)).execute(
        """
        WITH RECURSIVE owner AS (
            (SELECT account_id FROM webhook_events WHERE state = 'PENDING' ORDER BY account_id LIMIT 1)
            UNION ALL
            SELECT (SELECT e.account_id FROM webhook_events e WHERE e.state = 'PENDING'
                    AND e.account_id > owner.account_id ORDER BY e.account_id LIMIT 1)
            FROM owner WHERE owner.account_id IS NOT NULL
        )
        SELECT owner.account_id, due.event_id FROM owner CROSS JOIN LATERAL (
            SELECT e.event_id FROM webhook_events e WHERE e.account_id = owner.account_id AND e.state = 'PENDING'
            AND e.next_attempt_at <= statement_timestamp() ORDER BY e.next_attempt_at LIMIT 1) due
        """
    )
    return await cursor.fetchall()


async def oldest_due_seconds(connection: Connection) -> float:
    """How long the event that is due for the longest has waited (system scope); 0 when none is due."""
    cursor = await connection.execute(
        """SELECT greatest(extract(epoch FROM clock_timestamp() - min(next_attempt_at)), 0)::float AS waited
           FROM webhook_events WHERE state = 'PENDING'"""
    )
    row = await cursor.fetchone()
    return 0.0 if row is None or row["waited"] is None else float(row["waited"])


async def hasten_far_events(connection: Connection, further_than: timedelta) -> int:
    """Make due what waits for longer than that (system scope); says how many there were."""
    cursor = await connection.execute(
        "UPDATE webhook_events SET next_attempt_at = clock_timestamp() "
        "WHERE state = 'PENDING' AND next_attempt_at > clock_timestamp() + %s",
        (further_than,),
    )
    return cursor.rowcount


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
    """Events that were made in this range, the oldest first; `failed_only`: tried, and did not arrive."""
    cursor = await connection.cursor(row_factory=scalar_row).execute(
        """
        SELECT event_id FROM webhook_events
        WHERE account_id = %(account_id)s AND created_at >= %(since)s AND created_at < %(until)s
          AND (NOT %(failed_only)s OR state IN ('EXHAUSTED', 'STOPPED') OR (state = 'PENDING' AND attempts > 0))
        ORDER BY event_id LIMIT %(limit)s
        """,
        {"account_id": account_id, "since": since, "until": until, "failed_only": failed_only, "limit": limit},
    )
    return await cursor.fetchall()
