"""Decide a case: the decision is held for a while, in which its author may take it back; then it is final.

Until then the transaction stays IN_REVIEW: no status, receipt or webhook follows from a decision that is held. A job
that commits with it makes it final, so that neither a closed tab nor a crash loses it.
"""

from collections.abc import Callable
from uuid import UUID

from psycopg.rows import DictRow

from truename.accounts.store import account_settings
from truename.audit.model import Action, Entry
from truename.audit.record import write
from truename.plumbing.crypto import seals
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.resources import Plumbing
from truename.reviews import store
from truename.reviews.answer import unanswered
from truename.reviews.model import LEASE, AnswerFirst, Decided, Lease, Opinion, OpinionState, TooLateToUndo
from truename.reviews.queue import conflict, standing
from truename.reviews.reasons import checked_note, findings_of
from truename.reviews.shown import seen_by
from truename.transactions.lifecycle import Status
from truename.transactions.review import refuse_blocked, refuse_redacted

OpenSealed = Callable[[bytes, seals.Seal], bytes]
"""A sealed value and its name in; what was sealed out."""


async def decide(
    connection: Connection,
    plumbing: Plumbing,
    account_id: UUID,
    reviewer: str,
    transaction_id: UUID,
    version: int,
    outcome: Decided,
    reason: str,
    note: str,
) -> Opinion:
    """Store a decision that is final after the account's `review_hold_seconds`, with what its author was served.

    Raises ReviewConflict when the case is not the reviewer's any more, BadReason, AnswerFirst while a question is
    unanswered, and WrongState (`customer_blocked`, `transaction_redacted`) for an approval that no review can give.
    """
    row = await standing(connection, account_id, transaction_id)
    theirs = row["holder"] == reviewer and row["version"] == version and row["pending_by"] is None
    if row["status"] != Status.IN_REVIEW or not theirs:
        raise conflict(transaction_id, row)
    note = checked_note(findings_of(row["issues"], row["checks"]), outcome, reason, note)
    settings = await account_settings(connection, account_id)
    if missing := await unanswered(connection, account_id, reviewer, transaction_id, settings):
        raise AnswerFirst(missing)
    if outcome is Decided.APPROVED and not row["sampled"]:
        await _refuse_approval(connection, account_id, transaction_id)
    seen = await seen_by(connection, account_id, reviewer, transaction_id)
    opinion_id = new_id()
    owned = await plumbing.keys.of_transaction(connection, account_id, transaction_id)
    sealed = owned.key.seal(note.encode(), seals.review_note(opinion_id)) if owned and note else None
    own = {"account_id": account_id, "transaction_id": transaction_id, "reviewer": reviewer}
    held = {"opinion_id": opinion_id, "outcome": outcome, "reason": reason, "sealed_note": sealed}
    held |= {"seen": [str(one) for one in seen], "taken_at": row["taken_at"], "hold": settings.review_hold_seconds}
    cursor = await connection.execute(store.DECIDE, {**own, **held})
    times = await cursor.fetchone()
    if times is None:
        raise conflict(transaction_id, row)
    await connection.execute(store.KEEP_UNTIL, {**own, "until": times["finalise_at"]})
    arguments = {"account_id": str(account_id), "opinion_id": str(opinion_id)}
    await enqueue(connection, "reviews.finalise", arguments, run_at=times["finalise_at"])
    details = {"outcome": outcome, "reason": reason, "seen": ",".join(seen), "customer_id": str(row["customer_id"])}
    write(connection, Entry(account_id, reviewer, Action.REVIEW_DECIDED, f"transaction:{transaction_id}", details))
    decided_at, finalise_at = times["decided_at"], times["finalise_at"]
    pending = OpinionState.PENDING
    return Opinion(
        opinion_id, transaction_id, reviewer, pending, outcome, reason, note or None, decided_at, finalise_at
    )


async def undo(connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID) -> Lease:
    """Take a held decision back; the case is the reviewer's again. Raises TooLateToUndo or TransactionNotFound."""
    await standing(connection, account_id, transaction_id)
    own = {"account_id": account_id, "transaction_id": transaction_id, "reviewer": reviewer}
    cursor = await connection.execute(store.UNDO, own)
    if await cursor.fetchone() is None:
        raise TooLateToUndo("The decision is final.")
    cursor = await connection.execute(store.HOLD, {**own, "lease": LEASE, "over": True})
    row = await cursor.fetchone()
    if row is None:
        raise TooLateToUndo("The case is in other hands.")
    write(connection, Entry(account_id, reviewer, Action.REVIEW_UNDONE, f"transaction:{transaction_id}"))
    return Lease(row["transaction_id"], row["holder"], row["held_until"], row["version"])


async def opinions(connection: Connection, plumbing: Plumbing, account_id: UUID, transaction_id: UUID) -> list[Opinion]:
    """Everything that people decided about a transaction, in order; notes as far as they can still be opened."""
    cursor = await connection.execute(store.OPINIONS, {"account_id": account_id, "transaction_id": transaction_id})
    rows = await cursor.fetchall()
    if not rows:
        return []
    owned = await plumbing.keys.of_transaction(connection, account_id, transaction_id)
    return [_opinion(row, owned.key.open if owned else None) for row in rows]


async def held_by(connection: Connection, account_id: UUID, reviewer: str) -> list[Opinion]:
    """The reviewer's own decisions that can still be taken back, the newest first; without their notes."""
    cursor = await connection.execute(store.HELD_OPINIONS, {"account_id": account_id, "reviewer": reviewer})
    return [_opinion(row, None) for row in await cursor.fetchall()]


async def _refuse_approval(connection: Connection, account_id: UUID, transaction_id: UUID) -> None:
    await refuse_blocked(connection, account_id, transaction_id)
    await refuse_redacted(connection, account_id, transaction_id)


def _opinion(row: DictRow, opened: OpenSealed | None) -> Opinion:
    note = None
    if opened is not None and row["sealed_note"] is not None:
        note = opened(bytes(row["sealed_note"]), seals.review_note(row["opinion_id"])).decode()
    return Opinion(
        row["opinion_id"],
        row["transaction_id"],
        row["reviewer"],
        OpinionState(row["state"]),
        Decided(row["outcome"]),
        row["reason"],
        note,
        row["decided_at"],
        row["finalise_at"],
    )
