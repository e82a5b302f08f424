"""The states of a transaction, the moves between them, and the only code that makes one.

    CREATED ──begin──▶ IN_PROGRESS ──submit──▶ PROCESSING ──▶ APPROVED | REJECTED | IN_REVIEW | FAILED
       └──── time ─────────┴──▶ EXPIRED    CANCELLED ◀── before submit        IN_REVIEW ──▶ APPROVED | REJECTED

Time is the database's. An open transaction whose time is up is EXPIRED at that instant, whether or not the sweep that
writes it down and sends the event has come by: every read uses `STATUS`, and no move leaves an open state too late.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.rules.issues import Issue
from truename.rules.results import CheckResult
from truename.webhooks.outbox import ChangedStatus, record_event


class Status(StrEnum):
    """The nine states of a transaction; MOVES says which may follow which."""

    CREATED = "CREATED"
    IN_PROGRESS = "IN_PROGRESS"
    PROCESSING = "PROCESSING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    IN_REVIEW = "IN_REVIEW"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"
    CANCELLED = "CANCELLED"


OPEN: Final = frozenset({Status.CREATED, Status.IN_PROGRESS})
"""The capture may go on; time runs."""

MOVES: Final[Mapping[Status, frozenset[Status]]] = {
    Status.CREATED: frozenset({Status.IN_PROGRESS, Status.EXPIRED, Status.CANCELLED}),
    Status.IN_PROGRESS: frozenset({Status.PROCESSING, Status.EXPIRED, Status.CANCELLED}),
    Status.PROCESSING: frozenset({Status.APPROVED, Status.REJECTED, Status.IN_REVIEW, Status.FAILED}),
    Status.IN_REVIEW: frozenset({Status.APPROVED, Status.REJECTED}),
    Status.APPROVED: frozenset(),
    Status.REJECTED: frozenset(),
    Status.FAILED: frozenset(),
    Status.EXPIRED: frozenset(),
    Status.CANCELLED: frozenset(),
}
FINAL: Final = frozenset(status for status, onward in MOVES.items() if not onward)

USUAL_ACTOR: Final[Mapping[Status, str]] = {
    Status.IN_PROGRESS: "sdk",
    Status.PROCESSING: "sdk",
    Status.EXPIRED: "clock",
    Status.CANCELLED: "truename",
}
"""Who makes a move, as the audit log says, unless somebody else is named; all others are the engine's."""

STATUS: LiteralString = (
    "(CASE WHEN t.status IN ('CREATED', 'IN_PROGRESS') AND t.expires_at <= clock_timestamp() "
    "THEN 'EXPIRED' ELSE t.status END)"
)
"""The status at this very moment, of the table `transactions t`."""

_LOCK: Final = """
SELECT t.status, t.expires_at <= clock_timestamp() AS too_late
FROM transactions t WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s FOR UPDATE
"""
_MOVE: Final = """
UPDATE transactions t SET
    status = %(to)s,
    sequence = t.sequence + 1,
    started_at = CASE WHEN %(to)s = 'IN_PROGRESS' THEN clock_timestamp() ELSE t.started_at END,
    submitted_at = CASE WHEN %(to)s = 'PROCESSING' THEN clock_timestamp() ELSE t.submitted_at END,
    completed_at = CASE WHEN %(to)s = 'EXPIRED' THEN t.expires_at
                        WHEN %(is_final)s THEN clock_timestamp() ELSE t.completed_at END,
    outcome = CASE WHEN %(to)s IN ('APPROVED', 'REJECTED') THEN %(to)s ELSE t.outcome END,
    decided_by = CASE WHEN %(to)s IN ('APPROVED', 'REJECTED') THEN %(decided_by)s ELSE t.decided_by END,
    decided_at = CASE WHEN %(to)s IN ('APPROVED', 'REJECTED') THEN clock_timestamp() ELSE t.decided_at END,
    issues = coalesce(%(issues)s, t.issues),
    checks = coalesce(%(checks)s, t.checks),
    fraud_signs = coalesce(%(fraud_signs)s, t.fraud_signs)
FROM customers c, accounts a
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s AND t.status = %(was)s
  AND c.customer_id = t.customer_id AND c.account_id = t.account_id AND a.account_id = t.account_id
RETURNING t.transaction_id, t.account_id, t.customer_id, c.external_customer_id, t.transaction_type, t.status,
          t.sequence, clock_timestamp() AS changed_at, a.livemode,
          coalesce(t.config->'webhook'->>'url', CASE WHEN NOT a.livemode OR a.settings->>'trial' = 'true'
                   THEN a.settings->>'webhook_listener' END) AS webhook_url
"""


async def move(
    connection: Connection,
    account_id: UUID,
    transaction_id: UUID,
    to: Status,
    *,
    after: Status | None = None,
    actor: str | None = None,
    decided_by: str | None = None,
    issues: Sequence[Issue] | None = None,
    checks: Sequence[CheckResult] | None = None,
    fraud_signs: bool | None = None,
    reason: str | None = None,
) -> ChangedStatus:
    """Make one move and record its event in the same database transaction.

    Refuses with TransactionNotFound, and with WrongState when the status does not allow the move (any more): of two
    that try at once, one finds the status changed. `after` allows only that one state before.
    `actor` is who the audit log says did it, `reason` one word about why, where that is not plain.
    """
    own = {"account_id": account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(_LOCK, own)
    found = await cursor.fetchone()
    if found is None:
        raise TransactionNotFound
    was = Status(found["status"])
    if was in OPEN and found["too_late"] != (to is Status.EXPIRED):
        raise wrong_state(Status.EXPIRED if found["too_late"] else was, to)
    if to not in MOVES[was] or after not in (None, was):
        raise wrong_state(was, to)
    mover = await connection.cursor(row_factory=class_row(ChangedStatus)).execute(
        _MOVE,
        {
            **own,
            "was": was,
            "to": to,
            "is_final": to in FINAL,
            "decided_by": decided_by,
            "issues": None if issues is None else Jsonb([issue.as_dict() for issue in issues]),
            "checks": None if checks is None else Jsonb([result.as_dict() for result in checks]),
            "fraud_signs": fraud_signs,
        },
    )
    changed = await mover.fetchone()
    if changed is None:
        raise wrong_state(was, to)
    await record_event(connection, changed, was)
    await record(
        connection,
        account_id,
        actor=actor or USUAL_ACTOR.get(to, "engine"),
        action=Action.TRANSACTION_STATUS_CHANGED,
        subject=f"transaction:{transaction_id}",
        details={"from": was, "to": to, **({} if reason is None else {"reason": reason})},
    )
    return changed


def wrong_state(status: Status | str, to: Status) -> WrongState:
    """The refusal (409) of a move that the status does not allow; it tells the status."""
    return WrongState(f"The transaction is {status}; it cannot become {to}.", extra={"transaction_status": str(status)})


async def begin(connection: Connection, account_id: UUID, transaction_id: UUID) -> ChangedStatus | None:
    """The first call of the SDK; None when the capture had begun already."""
    cursor = await connection.execute(
        "SELECT t.status FROM transactions t WHERE t.account_id = %s AND t.transaction_id = %s FOR UPDATE",
        (account_id, transaction_id),
    )
    row = await cursor.fetchone()
    if row is not None and row["status"] == Status.IN_PROGRESS:
        return None
    return await move(connection, account_id, transaction_id, Status.IN_PROGRESS)
