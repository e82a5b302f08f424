"""A worker whose database goes and comes: does it start over, and end when it is asked to meanwhile?"""

import asyncio

import psycopg
import pytest

from tests.support.waiting import until
from truename.plumbing.jobs.worker import whatever_breaks


async def test_a_worker_that_is_asked_to_end_while_the_database_is_away_ends():
    """Seen before: what broke in that moment came first, so the work started over, and went on until it was killed."""
    begun, asked = 0, False

    async def work():
        nonlocal begun
        begun += 1
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise psycopg.OperationalError("the connection is lost") from None

    worker = asyncio.create_task(whatever_breaks(work, lambda: asked))
    await until(lambda: as_is(begun == 1))
    asked = True
    worker.cancel()
    async with asyncio.timeout(30):
        with pytest.raises(asyncio.CancelledError):
            await worker
    assert begun == 1


async def test_a_worker_whose_work_breaks_starts_over_as_often_as_it_does(plumbing, seen, monkeypatch):
    """As the engine does when the database goes and comes: its parts end one after another, in one group of tasks."""
    monkeypatch.setattr("truename.plumbing.jobs.worker.START_OVER_AFTER_SECONDS", 0.01)
    begun = 0

    async def breaks():
        await asyncio.sleep(0.01)
        raise psycopg.OperationalError("the connection is lost")

    async def work():
        nonlocal begun
        begun += 1
        if begun == 3:
            async with plumbing.database.system() as connection:
                seen.append(await count_one(connection))
            return
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(3):
                    group.create_task(breaks())
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None

    async with asyncio.timeout(30):
        await asyncio.create_task(whatever_breaks(work))
    assert (begun, seen) == (3, [1])


async def count_one(connection):
    return (await (await connection.execute("SELECT 1 AS one")).fetchone())["one"]


async def as_is(value: bool) -> bool:
    return value
