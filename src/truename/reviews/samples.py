"""The quality sample: some of the engine's approvals, which a person looks at without knowing that they were approved.

A queue of rejections alone tells its verdict by itself, and wrong approvals would never be seen. The verdict is kept
beside the transaction: its status stays, no receipt is changed, and nobody is told.
"""

from uuid import UUID

from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.registry import job
from truename.plumbing.resources import Plumbing


@job("reviews.sample")
async def draw_sample(plumbing: Plumbing, *, account_id: str, transaction_id: str) -> None:
    """Put an approval that was drawn among the cases; the draw itself commits with the approval. Safe to repeat."""
    async with plumbing.database.account(UUID(account_id)) as connection:
        await put_among_cases(connection, UUID(account_id), UUID(transaction_id))


async def put_among_cases(connection: Connection, account_id: UUID, transaction_id: UUID) -> None:
    """Let a person look at an approval of the engine; nothing happens to other transactions, nor to one looked at."""
    await connection.execute(
        """
        INSERT INTO review_samples (transaction_id, account_id)
        SELECT t.transaction_id, t.account_id FROM transactions t
        WHERE t.account_id = %s AND t.transaction_id = %s AND t.status = 'APPROVED' AND t.decided_by = 'ENGINE'
          AND t.redacted_at IS NULL
        ON CONFLICT (transaction_id) DO NOTHING
        """,
        (account_id, transaction_id),
    )


async def settle_sample(
    connection: Connection, account_id: UUID, transaction_id: UUID, outcome: str, reviewer: str
) -> None:
    """Keep the verdict."""
    await connection.execute(
        "UPDATE review_samples SET state = 'DONE', outcome = %s, reviewer = %s, settled_at = clock_timestamp() "
        "WHERE account_id = %s AND transaction_id = %s AND state = 'WAITING'",
        (outcome, reviewer, account_id, transaction_id),
    )


async def waits_as_sample(connection: Connection, account_id: UUID, transaction_id: UUID) -> bool:
    """Is it an approval that waits for a person's look?"""
    cursor = await connection.execute(
        "SELECT 1 FROM review_samples WHERE account_id = %s AND transaction_id = %s AND state = 'WAITING'",
        (account_id, transaction_id),
    )
    return await cursor.fetchone() is not None
