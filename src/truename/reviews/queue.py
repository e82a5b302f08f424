"""The queue: hand out one case at a time, keep it with its holder while there is work, and let it go."""

from collections.abc import Iterable, Mapping
from typing import LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.audit.model import Action, Detail, Entry
from truename.audit.record import write
from truename.customers.reasons import sealed_reason
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.reviews import store
from truename.reviews.model import COUNTED_TO, LEASE, Lease, NotTheirs, ReviewConflict, Waiting, WaitingCase
from truename.transactions.lifecycle import Status

TRIES = 20
"""How often a case that another took in the same instant is passed over before the queue counts as empty."""


async def take_next(connection: Connection, account_id: UUID, reviewer: str) -> Lease | None:
    """The case that the reviewer has in hand already, or else the one that waits longest; None when none is left.

    Of two who ask at once each gets another case: rows that somebody looks at are skipped, and whoever finds a case
    taken meanwhile looks again. The quality sample waits in the same order, and nothing tells it apart. One who asks
    twice at once (a double click) waits for himself: else the second case would lie in his hands unseen.
    """
    await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{account_id} {reviewer}",))
    own: dict[str, object] = {"account_id": account_id, "reviewer": reviewer, "lease": LEASE, "over": False}
    cursor = await connection.execute(store.HELD_BY, own)
    if (row := await cursor.fetchone()) is not None:
        return _lease(row)
    cursor = await connection.execute(store.SAMPLE_FIRST, own)
    row = await cursor.fetchone()
    kinds = (store.NEXT_SAMPLE, store.NEXT) if row and row["sample_first"] else (store.NEXT, store.NEXT_SAMPLE)
    for query in kinds:
        if (taken := await _take_first(connection, own, query)) is not None:
            _write(connection, account_id, reviewer, Action.REVIEW_TAKEN, taken.transaction_id, {})
            return taken
    return None


async def _take_first(connection: Connection, own: dict[str, object], query: LiteralString) -> Lease | None:
    for _ in range(TRIES):
        cursor = await connection.execute(query, own)
        if (row := await cursor.fetchone()) is None:
            return None
        this = {**own, "transaction_id": row["transaction_id"]}
        # The row is locked now, but was chosen by a snapshot from before: another may have decided it in between.
        undecided = await (await connection.execute(store.STILL_UNDECIDED, this)).fetchone()
        if undecided is not None and (taken := await _hold(connection, this)) is not None:
            return taken
    return None


async def take(connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID) -> Lease:
    """This very case, if nobody else has it; raises ReviewConflict, NotTheirs or TransactionNotFound."""
    row = await standing(connection, account_id, transaction_id)
    if row["status"] != Status.IN_REVIEW or row["pending_by"] is not None:
        raise conflict(transaction_id, row)
    await _refuse_second_opinion(connection, account_id, reviewer, transaction_id)
    own = {"account_id": account_id, "reviewer": reviewer, "transaction_id": transaction_id, "lease": LEASE}
    taken = await _hold(connection, {**own, "over": False})
    if taken is None:
        raise conflict(transaction_id, row)
    if row["holder"] != reviewer:
        _write(connection, account_id, reviewer, Action.REVIEW_TAKEN, transaction_id, {})
    return taken


async def take_over(
    connection: Connection, plumbing: Plumbing, account_id: UUID, admin: str, transaction_id: UUID, note: str
) -> Lease:
    """Take a case out of another's hands, with a note why. Raises ReviewConflict when there is nothing to take.

    Whoever calls this has made sure that the person is an admin.
    """
    row = await standing(connection, account_id, transaction_id)
    if row["status"] != Status.IN_REVIEW or row["pending_by"] is not None:
        raise conflict(transaction_id, row)
    await _refuse_second_opinion(connection, account_id, admin, transaction_id)
    own = {"account_id": account_id, "reviewer": admin, "transaction_id": transaction_id, "lease": LEASE, "over": True}
    taken = await _hold(connection, own)
    if taken is None:
        raise conflict(transaction_id, row)
    audit_id = new_id()
    sealed = await sealed_reason(connection, plumbing.keys, account_id, row["customer_id"], audit_id, note)
    details: dict[str, Detail] = {"from": row["holder"], "customer_id": str(row["customer_id"])}
    subject = f"transaction:{transaction_id}"
    write(
        connection,
        Entry(account_id, admin, Action.REVIEW_TAKEN_OVER, subject, details, sealed_reason=sealed, audit_id=audit_id),
    )
    return taken


async def renew(
    connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID, version: int
) -> Lease | None:
    """A sign of work: the lease begins anew. None when the case is in other hands by now."""
    own = {"account_id": account_id, "reviewer": reviewer, "transaction_id": transaction_id}
    cursor = await connection.execute(store.RENEW, {**own, "lease": LEASE, "version": version})
    row = await cursor.fetchone()
    return None if row is None else _lease(row)


async def release(
    connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID, *, for_another: bool = False
) -> bool:
    """Put the case back; `for_another`: a second opinion is wanted, so it is not handed to this reviewer again.

    Says whether it was the reviewer's to give: it is not while a decision of theirs is held.
    """
    own = {"account_id": account_id, "reviewer": reviewer, "transaction_id": transaction_id, "passed": for_another}
    await connection.execute(store.LOCK, own)
    cursor = await connection.execute(store.RELEASE, own)
    if await cursor.fetchone() is None:
        return False
    reason: dict[str, Detail] = {"reason": "SECOND_OPINION" if for_another else "RELEASED"}
    _write(connection, account_id, reviewer, Action.REVIEW_RELEASED, transaction_id, reason)
    return True


async def waiting(connection: Connection, account_id: UUID, *, samples: bool = False) -> Waiting:
    """How many wait, and since when; decisions that are held do not wait any more. `samples`: those included."""
    own = {"account_id": account_id, "limit": COUNTED_TO, "samples": samples}
    cursor = await connection.execute(store.WAITING, own)
    row = await cursor.fetchone()
    return Waiting(0, None, 0) if row is None else Waiting(row["count"], row["oldest"], row["held"])


async def longest_waiting(connection: Connection, account_id: UUID, limit: int) -> list[WaitingCase]:
    """The cases that wait longest, and who has them in hand."""
    cursor = await connection.execute(
        store.LONGEST_WAITING, {"account_id": account_id, "limit": limit, "samples": True}
    )
    return [
        WaitingCase(
            row["transaction_id"],
            row["transaction_type"],
            row["created_at"],
            _lease(row) if row["holder"] else None,
        )
        for row in await cursor.fetchall()
    ]


async def leases(connection: Connection, account_id: UUID, transaction_ids: Iterable[UUID]) -> Mapping[UUID, Lease]:
    """Who holds which of these transactions now."""
    own = {"account_id": account_id, "ids": list(transaction_ids)}
    cursor = await connection.execute(store.LEASES, own)
    return {row["transaction_id"]: _lease(row) for row in await cursor.fetchall()}


async def standing(connection: Connection, account_id: UUID, transaction_id: UUID) -> DictRow:
    """How the case stands, with the transaction locked; raises TransactionNotFound.

    Locked by a statement of its own: one that waits for a lock still sees the case as it was before the wait.
    """
    await connection.execute(store.LOCK, {"account_id": account_id, "transaction_id": transaction_id})
    cursor = await connection.execute(store.STANDING, {"account_id": account_id, "transaction_id": transaction_id})
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    return row


def conflict(transaction_id: UUID, row: DictRow) -> ReviewConflict:
    """The conflict that this standing means for somebody who wanted the case."""
    if row["status"] != Status.IN_REVIEW:
        found = {"by": row["decided_by"], "outcome": row["outcome"], "at": row["decided_at"]}
        return ReviewConflict(transaction_id, status=row["status"], **found)
    if row["pending_by"] is not None:
        found = {"by": row["pending_by"], "outcome": row["pending_outcome"], "at": row["pending_at"]}
        return ReviewConflict(transaction_id, status=row["status"], **found)
    return ReviewConflict(transaction_id, status=row["status"], by=row["holder"], held_until=row["held_until"])


async def _refuse_second_opinion(connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID) -> None:
    own = {"account_id": account_id, "transaction_id": transaction_id, "reviewer": reviewer}
    cursor = await connection.execute(
        "SELECT 1 FROM review_opinions WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s "
        "AND reviewer = %(reviewer)s AND state = 'GIVEN'",
        own,
    )
    if await cursor.fetchone() is not None:
        raise NotTheirs("You have given your opinion on this case; another person must give theirs.")


async def _hold(connection: Connection, own: dict[str, object]) -> Lease | None:
    cursor = await connection.execute(store.HOLD, own)
    row = await cursor.fetchone()
    return None if row is None else _lease(row)


def _lease(row: DictRow) -> Lease:
    return Lease(row["transaction_id"], row["holder"], row["held_until"], row["version"])


def _write(
    connection: Connection,
    account_id: UUID,
    actor: str,
    action: Action,
    transaction_id: UUID,
    details: Mapping[str, Detail],
) -> None:
    write(connection, Entry(account_id, actor, action, f"transaction:{transaction_id}", details))
