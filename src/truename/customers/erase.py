"""Erase a customer: the data key is destroyed, and with it everything that was sealed under it.

The customer's transactions stay as bare facts (type, status, issues, times), because an integrator must be able to
show that a check took place; nothing in them names or shows the person any more.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.jobs.queue import enqueue


@dataclass(frozen=True)
class Erased:
    receipt_id: UUID
    erased_at: datetime
    storage_keys: tuple[str, ...]
    transactions_kept: int


async def erase(connection: Connection, account_id: UUID, customer_id: UUID, *, actor: str) -> Erased:
    """Destroy key and sealed rows; the caller deletes the stored pictures (which nobody can open) after the commit."""
    cursor = await connection.execute(
        """
        UPDATE customers SET data_key = NULL, sealed_profile = NULL, sealed_record = NULL, external_customer_id = NULL,
               reference_face_id = NULL, erased_at = now()
        WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL RETURNING erased_at
        """,
        (account_id, customer_id),
    )
    row = await cursor.fetchone()
    if row is None:
        raise CustomerNotFound
    own = (account_id, customer_id)
    await connection.execute("DELETE FROM faces WHERE account_id = %s AND customer_id = %s", own)
    await connection.execute("DELETE FROM examinations WHERE account_id = %s AND customer_id = %s", own)
    await connection.execute("DELETE FROM seen_frames WHERE account_id = %s AND customer_id = %s", own)
    cursor = await connection.execute(
        "UPDATE media SET redacted_at = coalesce(redacted_at, now()) WHERE account_id = %s AND customer_id = %s "
        "RETURNING storage_key",
        own,
    )
    keys = tuple(found["storage_key"] for found in await cursor.fetchall())
    cursor = await connection.execute(
        "UPDATE transactions SET sealed_matching = NULL, redacted_at = coalesce(redacted_at, now()) "
        "WHERE account_id = %s AND customer_id = %s",
        own,
    )
    # Captures that are still open can lead nowhere now; their room cancels them.
    await enqueue(
        connection, "transactions.cancel_open", {"account_id": str(account_id), "customer_id": str(customer_id)}
    )
    receipt_id = new_id()
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.CUSTOMER_ERASED,
        subject=f"customer:{customer_id}",
        details={"receipt_id": str(receipt_id), "media_deleted": len(keys), "transactions_kept": cursor.rowcount},
    )
    return Erased(receipt_id, row["erased_at"], keys, cursor.rowcount)
