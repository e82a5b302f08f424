"""Time passes in a sandbox account when it is told to: everything that the account holds becomes so much older.

The account's rows are moved into the past, instead of its clock into the future: so every rule about time, wherever it
stands, sees the same as after a real wait, and no query of a live account pays for it. What was said once keeps its
time: bodies of webhooks, receipts, the audit log. So do access tokens, by which the sandbox itself is driven.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from psycopg import sql

from truename.accounts.authentication import Caller
from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Invalid
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import job
from truename.plumbing.resources import Plumbing
from truename.plumbing.tracing import caused_by
from truename.privacy.retain import retain_of
from truename.rules.faults import Fault
from truename.statistics.count import count_again
from truename.transactions.expire import expire_due
from truename.webhooks.deliver import bring_back_due_events

MOST_SECONDS: Final = 10 * 366 * 24 * 3600
"""How far a sandbox can be moved in all."""

AGES: Final[tuple[tuple[LiteralString, tuple[LiteralString, ...]], ...]] = (
    (
        "transactions",
        ("created_at", "started_at", "submitted_at", "completed_at", "expires_at", "decided_at", "redacted_at"),
    ),
    ("customers", ("created_at", "erased_at")),
    ("media", ("created_at", "redacted_at")),
    ("faces", ("created_at",)),
    ("blocklist_entries", ("created_at", "expires_at")),
    ("examinations", ("judged_at",)),
    ("captures", ("taken_at",)),
    ("seen_frames", ("at",)),
    ("challenges", ("created_at", "expires_at", "used_at")),
    ("device_signals", ("seen_at",)),
    ("consents", ("at",)),
    ("biometric_attempts", ("at",)),
    ("handoffs", ("created_at", "seen_at", "expires_at")),
    ("webhook_events", ("created_at", "next_attempt_at", "queued_at")),
    ("webhook_attempts", ("at",)),
    ("webhook_secrets", ("created_at", "expires_at")),
    ("clients", ("created_at", "rotated_at", "previous_expires_at")),
    ("idempotent_answers", ("created_at",)),
    ("review_cases", ("held_until", "taken_at", "assigned_until")),
    ("review_answers", ("answered_at",)),
    ("review_opinions", ("taken_at", "decided_at", "finalise_at", "finalised_at")),
    ("review_samples", ("chosen_at", "settled_at")),
    ("review_controls", ("said_at",)),
    ("default_policies", ("drafted_at", "decided_at", "effective_from")),
    ("backtests", ("since", "until", "created_at", "finished_at")),
)
"""What grows older: every time that a rule about time looks at."""

STAYS: Final[tuple[tuple[LiteralString, tuple[LiteralString, ...], str], ...]] = (
    ("accounts", ("created_at",), "no rule looks at it"),
    ("audit_log", ("at",), "what was written down keeps its time"),
    ("audit_log_before_chain", ("at",), "what was written down keeps its time"),
    ("clients", ("revoked_at",), "revoked is revoked, whenever it was"),
    ("face_search_counts", ("counted_at",), "no rule looks at it"),
    ("failed_sign_ins", ("first_at",), "guesses are counted by the real clock"),
    ("idempotent_answers", ("sealed_on",), "the name of the key that it was sealed with"),
    ("operator_roles", ("granted_at",), "operators live by the real clock"),
    ("receipts", ("issued_at",), "what was signed keeps its time"),
    ("request_log", ("at",), "it tells when a request was really made"),
    ("saved_views", ("created_at",), "no rule looks at it"),
    ("statistics_hours", ("hour",), "counted anew when the clock was moved"),
    ("statistics_progress", ("until",), "counted anew when the clock was moved"),
)
"""Times that stay as they are, and why. A test demands that every time of an account stands here or above."""


@dataclass(frozen=True)
class Clock:
    """The time of a sandbox account."""

    now: datetime
    advanced_seconds: int
    """How much older everything in the account was made, in all."""


async def read_clock(connection: Connection, account_id: UUID) -> Clock:
    """How far the account's time was moved; raises LookupError without such an account."""
    cursor = await connection.execute(
        "SELECT clock_timestamp() AS now, clock_advanced_seconds FROM accounts WHERE account_id = %s", (account_id,)
    )
    row = await cursor.fetchone()
    if row is None:
        raise LookupError(f"There is no account {account_id}.")
    return Clock(row["now"], int(row["clock_advanced_seconds"]))


async def advance(connection: Connection, caller: Caller, seconds: int) -> Clock:
    """Let so many seconds pass in the caller's sandbox, and have done what is due then; raises Invalid when too far."""
    cursor = await connection.execute(
        """UPDATE accounts SET clock_advanced_seconds = clock_advanced_seconds + %(seconds)s
           WHERE account_id = %(account_id)s AND NOT livemode AND clock_advanced_seconds + %(seconds)s <= %(most)s
           RETURNING account_id""",
        {"account_id": caller.account_id, "seconds": seconds, "most": MOST_SECONDS},
    )
    if await cursor.fetchone() is None:
        words = f"The time of a sandbox can be moved by {MOST_SECONDS} seconds in all."
        raise Invalid([Fault("/advance_seconds", "clock_too_far", words)])
    for table, columns in AGES:
        moved = sql.SQL(", ").join(
            sql.SQL("{0} = {0} - make_interval(secs => %(seconds)s)").format(sql.Identifier(column))
            for column in columns
        )
        query = sql.SQL("UPDATE {} SET {} WHERE account_id = %(account_id)s").format(sql.Identifier(table), moved)
        await connection.execute(query, {"account_id": caller.account_id, "seconds": seconds})
    await record(
        connection,
        caller.account_id,
        actor=caller.actor,
        action=Action.CLOCK_ADVANCED,
        subject=f"account:{caller.account_id}",
        details={"advanced_seconds": seconds},
    )
    await enqueue(connection, "sandbox.catch_up", {"account_id": str(caller.account_id)})
    return await read_clock(connection, caller.account_id)


@job("sandbox.catch_up")
async def catch_up(plumbing: Plumbing, *, account_id: str) -> None:
    """Do at once what the regular rounds would do a little later: expiry, deliveries, retention, sums."""
    with caused_by(None):
        await expire_due(plumbing)
        await bring_back_due_events(plumbing)
    await retain_of(plumbing, UUID(account_id))
    async with plumbing.database.account(UUID(account_id)) as connection:
        await count_again(connection, UUID(account_id), everything=True)
