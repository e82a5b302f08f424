"""Cancel transactions that were not submitted yet: at the integrator's word, or because their customer was erased."""

from uuid import UUID

from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState
from truename.plumbing.jobs.registry import job
from truename.plumbing.resources import Plumbing
from truename.transactions.lifecycle import OPEN, Status, move


async def cancel(connection: Connection, account_id: UUID, transaction_id: UUID, *, actor: str | None = None) -> None:
    """Move to CANCELLED; raises WrongState once it was submitted."""
    await move(connection, account_id, transaction_id, Status.CANCELLED, actor=actor)


@job("transactions.cancel_open")
async def cancel_open(plumbing: Plumbing, *, account_id: str, customer_id: str) -> None:
    """Cancel every open transaction of a customer."""
    account = UUID(account_id)
    async with plumbing.database.account(account) as connection:
        cursor = await connection.execute(
            "SELECT transaction_id FROM transactions WHERE account_id = %s AND customer_id = %s AND status = ANY(%s)",
            (account, UUID(customer_id), sorted(OPEN)),
        )
        found = [row["transaction_id"] for row in await cursor.fetchall()]
    for transaction_id in found:
        try:
            async with plumbing.database.account(account) as connection:
                await cancel(connection, account, transaction_id)
        except WrongState:
            continue  # it was submitted or has expired meanwhile
