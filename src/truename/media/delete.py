"""Delete the objects of redacted pictures: a job queued with the redaction itself, repeated until it is done.

While a backup is taken nothing is deleted: what its snapshot of the database names must still be there to be copied.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

from truename.media.pictures import customer_prefix
from truename.plumbing.database.pool import Connection, Database, stay_idle
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import Retry, job
from truename.plumbing.resources import Plumbing

FOR_EVER: Final = Retry(attempts=10**9, first_wait_seconds=30, growth=1)
"""What must not be left undone is tried every half minute until it is done."""
DELETION_LOCK: Final = 0x6D65_6469
"""The advisory lock that deletions share, and that a backup has for itself."""


class NotDeleted(Exception):
    """Some objects could not be deleted; the job is tried again."""


@asynccontextmanager
async def without_deletions(database: Database) -> AsyncGenerator[None]:
    """While the block runs no object is deleted that was once made known; waits for deletions that have begun."""
    async with database.system() as connection:
        await stay_idle(connection)
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (DELETION_LOCK,))
        yield


@asynccontextmanager
async def deletions(database: Database) -> AsyncGenerator[bool]:
    """Whether objects may be deleted now; if so, no backup begins while the block runs."""
    async with database.system() as connection:
        await stay_idle(connection)
        cursor = await connection.execute("SELECT pg_try_advisory_xact_lock_shared(%s) AS granted", (DELETION_LOCK,))
        row = await cursor.fetchone()
        yield row is not None and bool(row["granted"])


async def delete_loose(plumbing: Plumbing, keys: Sequence[str]) -> None:
    """Delete objects whose rows were deleted; while a backup is taken that is left to the sweep of orphans."""
    if not keys:
        return
    async with deletions(plumbing.database) as granted:
        if granted:
            await plumbing.objects.discard(keys)


async def delete_later(
    connection: Connection, account_id: UUID, *, customer_id: UUID | None = None, transaction_id: UUID | None = None
) -> None:
    """Queue the deletion of every redacted picture of a customer or of a transaction, in the caller's transaction."""
    if customer_id is not None:
        arguments = {"account_id": str(account_id), "customer_id": str(customer_id)}
        await enqueue(connection, "media.delete_of_customer", arguments)
    if transaction_id is not None:
        arguments = {"account_id": str(account_id), "transaction_id": str(transaction_id)}
        await enqueue(connection, "media.delete_of_transaction", arguments)


@job("media.delete_of_transaction", retry=FOR_EVER)
async def delete_of_transaction(plumbing: Plumbing, *, account_id: str, transaction_id: str) -> None:
    """Delete the objects of a transaction's redacted pictures."""
    async with plumbing.database.account(UUID(account_id)) as connection:
        cursor = await connection.execute(
            "SELECT storage_key FROM media WHERE account_id = %s AND transaction_id = %s AND redacted_at IS NOT NULL",
            (UUID(account_id), UUID(transaction_id)),
        )
        keys = [row["storage_key"] for row in await cursor.fetchall()]
    await _delete_all(plumbing, keys)


@job("media.delete_of_customer", retry=FOR_EVER)
async def delete_of_customer(plumbing: Plumbing, *, account_id: str, customer_id: str) -> None:
    """Delete everything that lies in an erased customer's part of the store, known to the database or not."""
    async with plumbing.database.account(UUID(account_id)) as connection:
        cursor = await connection.execute(
            "SELECT 1 FROM customers WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL",
            (UUID(account_id), UUID(customer_id)),
        )
        if await cursor.fetchone() is not None:
            return  # a living customer's pictures are never deleted wholesale
    async for chunk in plumbing.objects.list(customer_prefix(UUID(account_id), UUID(customer_id))):
        await _delete_all(plumbing, [found.key for found in chunk])


async def _delete_all(plumbing: Plumbing, keys: list[str]) -> None:
    """One that cannot be deleted does not keep the others."""
    failures = 0
    async with deletions(plumbing.database) as granted:
        if not granted:
            raise NotDeleted("A backup is being taken: objects are deleted after it.")
        for key in keys:
            try:
                await plumbing.objects.delete(key)
            except Exception:
                failures += 1
    if failures:
        raise NotDeleted(f"{failures} of {len(keys)} objects could not be deleted.")
