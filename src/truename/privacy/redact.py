"""Redact a finished transaction: its pictures and everything that was read from them are deleted.

The customer's own record stays: the enrolled face and the data of the last approved document serve later
transactions, and go with the customer (`erase`) or with the retention of the account (`retain`).
"""

from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.media.delete import delete_later
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.plumbing.http.idempotency import destroy_answers_about_transaction
from truename.privacy.forget import forget_transactions, redact_pictures
from truename.transactions import store
from truename.transactions.lifecycle import FINAL, Status


async def redact(
    connection: Connection,
    account_id: UUID,
    transaction_id: UUID,
    *,
    actor: str,
    from_states: frozenset[Status] = FINAL,
) -> None:
    """Delete what is personal, with the job that deletes the stored pictures. Safe to repeat.

    Raises TransactionNotFound, or WrongState while it is not finished; retention alone allows another state.
    """
    own = {"account_id": account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(store.STATUS_QUERY + " FOR UPDATE", own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    if Status(row["status"]) not in from_states:
        words = f"The transaction is {row['status']}; only a finished one can be redacted."
        raise WrongState(words, extra={"transaction_status": row["status"]})
    await forget_transactions(connection, account_id, [transaction_id])
    await destroy_answers_about_transaction(connection, account_id, transaction_id)
    deleted = await redact_pictures(connection, account_id, [transaction_id])
    await delete_later(connection, account_id, transaction_id=transaction_id)
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.TRANSACTION_REDACTED,
        subject=f"transaction:{transaction_id}",
        details={"media_deleted": deleted},
    )
