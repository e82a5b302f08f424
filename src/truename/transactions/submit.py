"""The capture is complete: from here the time limit no longer counts, and the analysis begins."""

from datetime import timedelta
from uuid import UUID

from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.pace import expected_wait
from truename.plumbing.jobs.queue import enqueue
from truename.transactions.lifecycle import Status, move


async def submit(connection: Connection, account_id: UUID, transaction_id: UUID) -> timedelta | None:
    """Move to PROCESSING, with the job that analyses it; answers how long that will wait, where it can be told."""
    await move(connection, account_id, transaction_id, Status.PROCESSING)
    await enqueue(
        connection,
        "analysis.analyse",
        {"account_id": str(account_id), "transaction_id": str(transaction_id)},
        lock=f"transaction:{transaction_id}",
    )
    return await expected_wait(connection, f"transaction:{transaction_id}")
