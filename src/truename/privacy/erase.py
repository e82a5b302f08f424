"""Erase a customer: the data key is destroyed, and with it everything that was sealed under it.

All rows that tell of the person go in one database transaction, together with the jobs that finish the work outside of
it: objects in the store, captures that are still open, addresses of webhooks that are still to be told. Each of these
is repeated until it is done, so a crash at any point leaves nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.media.delete import FOR_EVER, delete_later
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.http.idempotency import destroy_answers_about_customer
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import job
from truename.plumbing.resources import Plumbing
from truename.privacy.forget import forget_transactions
from truename.webhooks.privacy import forget_external_id, forget_told_queries

LOOK_AGAIN: Final = timedelta(hours=1)
"""Requests that were under way when the customer was erased are over by then, whatever they left is swept up."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What the receipt says."""

    receipt_id: UUID
    erased_at: datetime
    media_deleted: int
    transactions_kept: int


async def erase(connection: Connection, account_id: UUID, customer_id: UUID, *, actor: str) -> Erased:
    """Destroy the key and every row that tells of the person. Raises CustomerNotFound when there is none."""
    # Transactions before their customer, as a conclusion locks them: the other way round the two could wait for ever.
    await _locked_transactions(connection, account_id, customer_id)
    cursor = await connection.execute(
        """
        UPDATE customers SET data_key = NULL, sealed_profile = NULL, sealed_record = NULL, record_transaction_id = NULL,
               external_customer_id = NULL, reference_face_id = NULL, erased_at = now()
        WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL RETURNING erased_at
        """,
        (account_id, customer_id),
    )
    row = await cursor.fetchone()
    if row is None:
        raise CustomerNotFound
    cursor = await connection.execute(
        "SELECT count(*) AS pictures FROM media WHERE account_id = %s AND customer_id = %s AND redacted_at IS NULL",
        (account_id, customer_id),
    )
    counted = await cursor.fetchone()
    pictures = int(counted["pictures"]) if counted else 0
    transactions = await _sweep(connection, account_id, customer_id)
    arguments = {"account_id": str(account_id), "customer_id": str(customer_id)}
    # Captures that are still open can lead nowhere now; their room cancels them.
    await enqueue(connection, "transactions.cancel_open", arguments)
    await enqueue(connection, "privacy.finish_erasure", arguments)
    await enqueue(connection, "privacy.finish_erasure", arguments, run_at=now() + LOOK_AGAIN)
    receipt_id = new_id()
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.CUSTOMER_ERASED,
        subject=f"customer:{customer_id}",
        details={"receipt_id": str(receipt_id), "media_deleted": pictures, "transactions_kept": len(transactions)},
    )
    return Erased(receipt_id, row["erased_at"], pictures, len(transactions))


async def _sweep(connection: Connection, account_id: UUID, customer_id: UUID) -> list[UUID]:
    """Delete everything of an erased customer, with the job for the objects; answers its transactions."""
    own = (account_id, customer_id)
    transactions = await _locked_transactions(connection, account_id, customer_id)
    await forget_transactions(connection, account_id, transactions)
    # Vectors of faces and of entries go with their rows.
    await connection.execute("DELETE FROM faces WHERE account_id = %s AND customer_id = %s", own)
    await connection.execute("DELETE FROM blocklist_entries WHERE account_id = %s AND customer_id = %s", own)
    await connection.execute("DELETE FROM biometric_attempts WHERE account_id = %s AND customer_id = %s", own)
    await connection.execute(
        "UPDATE media SET redacted_at = now() WHERE account_id = %s AND customer_id = %s AND redacted_at IS NULL", own
    )
    await destroy_answers_about_customer(connection, account_id, customer_id)
    await forget_external_id(connection, account_id, transactions)
    await delete_later(connection, account_id, customer_id=customer_id)
    return transactions


async def _locked_transactions(connection: Connection, account_id: UUID, customer_id: UUID) -> list[UUID]:
    """The customer's transactions, locked: a capture that is under way is either seen or finds itself refused."""
    cursor = await connection.execute(
        "SELECT transaction_id FROM transactions WHERE account_id = %s AND customer_id = %s "
        "ORDER BY transaction_id FOR UPDATE",
        (account_id, customer_id),
    )
    return [found["transaction_id"] for found in await cursor.fetchall()]


@job("privacy.finish_erasure", retry=FOR_EVER)
async def finish_erasure(plumbing: Plumbing, *, account_id: str, customer_id: str) -> None:
    """Sweep again for what requests left that were under way, and strip webhook addresses once they were told.

    Comes back by itself until the last event of the customer's transactions was told or given up.
    """
    account, customer = UUID(account_id), UUID(customer_id)
    async with plumbing.database.account(account) as connection:
        cursor = await connection.execute(
            "SELECT 1 FROM customers WHERE account_id = %s AND customer_id = %s AND erased_at IS NOT NULL",
            (account, customer),
        )
        if await cursor.fetchone() is None:
            return
        # First of all: whatever was sealed is unreadable from here on, wherever a copy may lie.
        await plumbing.keys.destroy(customer)
        transactions = await _sweep(connection, account, customer)
        if await forget_told_queries(connection, account, transactions):
            arguments = {"account_id": account_id, "customer_id": customer_id}
            await enqueue(connection, "privacy.finish_erasure", arguments, run_at=now() + LOOK_AGAIN)
