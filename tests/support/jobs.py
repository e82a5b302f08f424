"""Jobs that tests ask for, and what is left of them in the database."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from truename.accounts.model import NewAccount
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs import registry
from truename.plumbing.jobs.backlog import ATTENDED
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.worker import run_worker
from truename.plumbing.resources import Plumbing


@asynccontextmanager
async def working(plumbing: Plumbing, slots: Mapping[Queue, int] | None = None) -> AsyncIterator[None]:
    """A worker that is stopped when the block ends, also by a failure: else it would take the next tests' jobs."""
    worker = asyncio.create_task(run_worker(plumbing, slots) if slots else run_worker(plumbing))
    try:
        yield
    finally:
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)


@pytest.fixture
def seen(monkeypatch):
    """Jobs registered by a test vanish with it."""
    monkeypatch.setattr(registry, "JOBS", registry.JOBS)
    before, ticks = dict(registry.JOBS), dict(registry.TICKS)
    yield []
    registry.JOBS.clear()
    registry.JOBS.update(before)
    registry.TICKS.clear()
    registry.TICKS.update(ticks)


async def count(plumbing, query):
    async with plumbing.database.system() as connection:
        row = await (await connection.execute(query)).fetchone()
        return next(iter(row.values()))


async def ask(plumbing, name, **options):
    async with plumbing.database.account(new_id()) as connection:
        await enqueue(connection, name, {"word": "hello"}, **options)


async def forget_jobs(plumbing: Plumbing, account: NewAccount) -> None:
    """What a test asked for (jobs, webhooks) and did not wait for is not left to the next, which would run it."""
    async with plumbing.database.system() as connection:
        await connection.execute(
            "DELETE FROM procrastinate_jobs WHERE status = 'todo' AND args ->> 'account_id' = %s",
            (str(account.account_id),),
        )
        await connection.execute(
            "UPDATE webhook_events SET state = 'STOPPED' WHERE account_id = %s AND state = 'PENDING'",
            (account.account_id,),
        )


async def attended(connection: Connection, queue: Queue, seconds_ago: int) -> None:
    """A worker of this queue was last there so long ago."""
    await connection.execute(
        """INSERT INTO jobs.ticks AS tick (name, last_at) VALUES (%s, now() - make_interval(secs => %s))
           ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at""",
        (f"{ATTENDED}{queue}", seconds_ago),
    )
