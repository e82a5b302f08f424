"""Cancel a transaction that was not submitted yet."""

from uuid import UUID

from truename.database.pool import Connection
from truename.transactions.lifecycle import Status, move


async def cancel(connection: Connection, account_id: UUID, transaction_id: UUID) -> None:
    await move(connection, account_id, transaction_id, Status.CANCELLED)
