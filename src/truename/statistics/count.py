"""Keep the hourly sums: a regular task counts the last hours anew; the rest never changes any more.

Everything but the start is counted by the hour of its end, so that an hour is settled once it is over. Sums that were
lost are made again from the transactions themselves. Erasure changes no sum: transactions stay as bare facts.
"""

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.apart import each_apart
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing
from truename.statistics import store
from truename.statistics.settled import forget_days

EVERY_SECONDS: Final = 30
BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)


@periodic(seconds=EVERY_SECONDS)
async def keep_sums(plumbing: Plumbing) -> None:
    """Count anew for every account in which something happened since the last time."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(store.STALE)
        accounts = [row["account_id"] for row in await cursor.fetchall()]

    async def count(account_id: UUID) -> None:
        async with plumbing.database.account(account_id) as connection:
            await count_again(connection, account_id)

    await each_apart(accounts, count)


async def count_again(connection: Connection, account_id: UUID, *, everything: bool = False) -> None:
    """Count the hours since the last count, and the one before it, or everything there ever was."""
    own = {"account_id": account_id}
    cursor = await connection.execute("SELECT clock_timestamp() AS moment")
    clock = await cursor.fetchone()
    cursor = await connection.execute(store.SINCE, own)
    row = await cursor.fetchone()
    since = BEGINNING if row is None or everything else row["since"]
    if since == BEGINNING:
        forget_days(connection.database, account_id)
    await connection.execute(store.FORGET, {**own, "since": since})
    await connection.execute(store.COUNT, {**own, "since": since})
    await connection.execute(store.PROGRESS, {**own, "until": clock["moment"] if clock else since})
