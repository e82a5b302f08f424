"""Refresh an SDK token: a fresh one for the time that the transaction has left."""

from uuid import UUID

from truename.accounts.tokens import issue_sdk_token
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.plumbing.resources import Plumbing
from truename.transactions import store
from truename.transactions.lifecycle import OPEN, Status


async def refresh_token(
    connection: Connection, plumbing: Plumbing, account_id: UUID, transaction_id: UUID
) -> tuple[str, int]:
    """A fresh SDK token, and for how many whole seconds it works.

    Raises TransactionNotFound, or WrongState when the capture is over.
    """
    own = {"account_id": account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(store.TIME_LEFT, own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    if Status(row["status"]) not in OPEN:
        words = f"The transaction is {row['status']}; its capture is over."
        raise WrongState(words, extra={"transaction_status": row["status"]})
    token = await issue_sdk_token(plumbing, account_id, transaction_id, row["expires_at"])
    return token, int(row["seconds_left"])
