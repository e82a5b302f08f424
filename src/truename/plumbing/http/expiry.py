"""Forget what is over: answers kept for a day, and rate limits that have long been paid back."""

from typing import Final

from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing

BATCH: Final = 5000


@periodic(seconds=300)
async def forget_old_answers(plumbing: Plumbing) -> None:
    """Delete idempotent answers after 24 hours, in small bites."""
    gone = BATCH
    while gone == BATCH:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(
                """
                DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM idempotent_answers WHERE created_at < now() - interval '24 hours' LIMIT %s))
                """,
                (BATCH,),
            )
            gone = cursor.rowcount


@periodic(seconds=300)
async def forget_idle_limits(plumbing: Plumbing) -> None:
    """A bucket whose time lies in the past says nothing."""
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM rate_limits WHERE tat < now() - interval '1 hour'")
