"""Delete the objects of redacted pictures: a job queued with the redaction itself, repeated until it is done."""

from typing import Final
from uuid import UUID

from truename.media.pictures import customer_prefix
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import Retry, job
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import Objects

FOR_EVER: Final = Retry(attempts=10**9, first_wait_seconds=30, growth=1)
"""What must not be left undone is tried every half minute until it is done."""


class NotDeleted(Exception):
    """Some objects could not be deleted; the job is tried again."""


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
    await _delete_all(plumbing.objects, keys)


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
        await _delete_all(plumbing.objects, [found.key for found in chunk])


async def _delete_all(objects: Objects, keys: list[str]) -> None:
    """One that cannot be deleted does not keep the others."""
    failures = 0
    for key in keys:
        try:
            await objects.delete(key)
        except Exception:
            failures += 1
    if failures:
        raise NotDeleted(f"{failures} of {len(keys)} objects could not be deleted.")
