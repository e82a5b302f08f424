"""Decide a transaction that waits for a person, with a reason that is kept."""

from uuid import UUID

from truename.audit.model import Action, Entry
from truename.audit.record import write
from truename.customers.reasons import sealed_reason
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import CustomerStatus
from truename.transactions.conclude import conclude, customer_standing
from truename.transactions.lifecycle import Status


async def review(
    connection: Connection,
    plumbing: Plumbing,
    account_id: UUID,
    transaction_id: UUID,
    outcome: Status,
    reason: str,
    *,
    actor: str,
) -> None:
    """Move from IN_REVIEW to the outcome, write down who decided and why; raises TransactionNotFound or WrongState.

    Nobody approves a blocked customer: that needs another status first, and then a new transaction. Nor what retention
    has deleted while it waited.
    """
    own = account_id, transaction_id
    if outcome is Status.APPROVED:
        await refuse_blocked(connection, *own)
        await refuse_redacted(connection, *own)
    await conclude(connection, plumbing, *own, outcome, decided_by="REVIEWER", after=Status.IN_REVIEW, actor=actor)
    cursor = await connection.execute(
        "SELECT customer_id FROM transactions WHERE account_id = %s AND transaction_id = %s", own
    )
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    customer_id, audit_id = row["customer_id"], new_id()
    sealed = await sealed_reason(connection, plumbing.keys, account_id, customer_id, audit_id, reason)
    write(
        connection,
        Entry(
            account_id,
            actor,
            Action.TRANSACTION_REVIEWED,
            f"transaction:{transaction_id}",
            {"outcome": str(outcome), "customer_id": str(customer_id)},
            sealed_reason=sealed,
            audit_id=audit_id,
        ),
    )


async def refuse_blocked(connection: Connection, account_id: UUID, transaction_id: UUID) -> None:
    """Refuse (WrongState) to approve a blocked customer; where nothing waits for a review, that is not the matter."""
    standing = await customer_standing(connection, account_id, transaction_id)
    cursor = await connection.execute(
        "SELECT 1 FROM transactions WHERE account_id = %s AND transaction_id = %s AND status = 'IN_REVIEW'",
        (account_id, transaction_id),
    )
    if standing is CustomerStatus.BLOCKED and await cursor.fetchone() is not None:
        raise WrongState("The customer is blocked: no review approves this transaction.", code="customer_blocked")


async def refuse_redacted(connection: Connection, account_id: UUID, transaction_id: UUID) -> None:
    """Refuse (WrongState) to approve what retention has deleted while it waited for a person."""
    cursor = await connection.execute(
        "SELECT 1 FROM transactions WHERE account_id = %s AND transaction_id = %s AND redacted_at IS NOT NULL "
        "AND status = 'IN_REVIEW'",
        (account_id, transaction_id),
    )
    if await cursor.fetchone() is not None:
        words = "Pictures and data of this transaction were deleted: nothing is left that could be approved."
        raise WrongState(words, code="transaction_redacted")
