"""Redact a finished transaction: its pictures and everything that was read from them are deleted."""

from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.transactions import store
from truename.transactions.lifecycle import FINAL, Status


async def redact(connection: Connection, account_id: UUID, transaction_id: UUID, *, actor: str) -> tuple[str, ...]:
    """Delete what is personal and answer the keys of the stored pictures, to be deleted after the commit."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(store.NOW + " FOR UPDATE", own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    if Status(row["status"]) not in FINAL:
        words = f"The transaction is {row['status']}; only a finished one can be redacted."
        raise WrongState(words, extra={"transaction_status": row["status"]})
    await connection.execute(
        "UPDATE transactions SET sealed_matching = NULL, redacted_at = coalesce(redacted_at, now()) "
        "WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        own,
    )
    await connection.execute(
        "DELETE FROM examinations WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s", own
    )
    await connection.execute(
        "DELETE FROM device_signals WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s", own
    )
    cursor = await connection.execute(
        "UPDATE media SET redacted_at = now() WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s AND redacted_at IS NULL RETURNING storage_key",
        own,
    )
    keys = tuple(found["storage_key"] for found in await cursor.fetchall())
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.TRANSACTION_REDACTED,
        subject=f"transaction:{transaction_id}",
        details={"media_deleted": len(keys)},
    )
    return keys
