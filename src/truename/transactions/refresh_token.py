"""A fresh SDK token for the time that is left."""

from datetime import datetime
from uuid import UUID

from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.transactions import store
from truename.transactions.lifecycle import OPEN, Status


async def time_left(connection: Connection, account_id: UUID, transaction_id: UUID) -> tuple[datetime, int]:
    """When the transaction expires and how many whole seconds that is from now; refuses when it is not open."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(store.TIME_LEFT, own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    if Status(row["status"]) not in OPEN:
        words = f"The transaction is {row['status']}; its capture is over."
        raise WrongState(words, extra={"transaction_status": row["status"]})
    return row["expires_at"], int(row["seconds_left"])
