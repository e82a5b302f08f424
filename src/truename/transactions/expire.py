"""Write down what time has already decided, so that its event is sent."""

from typing import Final
from uuid import UUID

from truename.plumbing.jobs.apart import each_apart
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing
from truename.transactions.lifecycle import Status, move
from truename.transactions.store import DUE, DUE_STILL

BATCH: Final = 100
MANY: Final = 1000
"""So many are tried one by one, where a batch has failed, before the next round."""


@periodic(seconds=2)
async def expire_due(plumbing: Plumbing) -> None:
    """Move every open transaction whose time is up to EXPIRED. Several sweeps at once do not meet: rows are skipped."""
    try:
        while await sweep(plumbing, BATCH) == BATCH:
            continue
    except Exception as fault:
        if is_outage(fault):
            raise
        await _expire_apart(plumbing)


async def _expire_apart(plumbing: Plumbing) -> None:
    """Each in a database transaction of its own, where one of them cannot be moved: the others of its batch can."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(DUE, (MANY,))
        due = [row["transaction_id"] for row in await cursor.fetchall()]

    async def expire(transaction_id: UUID) -> None:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(DUE_STILL, (transaction_id,))
            if (row := await cursor.fetchone()) is not None:
                await move(connection, row["account_id"], transaction_id, Status.EXPIRED)

    await each_apart(due, expire)


async def sweep(plumbing: Plumbing, limit: int) -> int:
    """One batch in one database transaction; says how many there were."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(DUE, (limit,))
        due = await cursor.fetchall()
        for row in due:
            await move(connection, row["account_id"], row["transaction_id"], Status.EXPIRED)
    return len(due)
