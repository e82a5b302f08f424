"""Write down what time has already decided, so that its event is sent."""

from typing import Final

from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing
from truename.transactions.lifecycle import Status, move
from truename.transactions.store import DUE

BATCH: Final = 100


@periodic(seconds=2)
async def expire_due(plumbing: Plumbing) -> None:
    """Move every open transaction whose time is up to EXPIRED. Several sweeps at once do not meet: rows are skipped."""
    while await sweep(plumbing, BATCH) == BATCH:
        continue


async def sweep(plumbing: Plumbing, limit: int) -> int:
    """One batch in one database transaction; says how many there were."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(DUE, (limit,))
        due = await cursor.fetchall()
        for row in due:
            await move(connection, row["account_id"], row["transaction_id"], Status.EXPIRED)
    return len(due)
