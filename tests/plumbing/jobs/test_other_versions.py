"""A worker beside processes of a later version: what it does not know waits for one that does, and loses nothing."""

import pytest

from tests.support.jobs import ask
from truename.plumbing.jobs.registry import JOBS, job
from truename.plumbing.jobs.worker import run_pending

NAME = "test.of_a_later_version"


async def left_of_it(plumbing):
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT status::text, attempts, scheduled_at > now() AS later FROM procrastinate_jobs WHERE task_name = %s",
            (NAME,),
        )
        return [tuple(row.values()) for row in await cursor.fetchall()]


async def make_due(plumbing):
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE task_name = %s", (NAME,))


@pytest.mark.parametrize("known", [False, True], ids=["the name", "an argument"])
async def test_what_a_later_version_asks_for_is_put_off_until_a_worker_of_it_comes(plumbing, seen, known):
    """By its name it was given up at once, by its arguments after three minutes."""
    if known:

        @job(NAME)
        async def earlier(plumbing):
            seen.append("done without its argument")

    await ask(plumbing, NAME)
    for _ in range(7):
        await run_pending(plumbing)
        assert await left_of_it(plumbing) == [("todo", 0, True)]
        await make_due(plumbing)
    JOBS.pop(NAME, None)

    @job(NAME)
    async def later(plumbing, *, word):
        seen.append(word)

    await run_pending(plumbing)
    assert (seen, await left_of_it(plumbing)) == (["hello"], [])
