"""A worker beside processes of a later version: what it does not know waits for one that does, and loses nothing."""

import pytest
from structlog.testing import capture_logs

from tests.support.jobs import ask, attended
from truename.cli.doctor import _jobs
from truename.plumbing.jobs import unknown
from truename.plumbing.jobs.backlog import backlog_metrics
from truename.plumbing.jobs.queue_names import Queue
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


async def metric_of_unknown_jobs(plumbing):
    page = (await backlog_metrics(plumbing.database)).decode()
    return next(float(line.split()[1]) for line in page.splitlines() if line.startswith("truename_unknown_jobs "))


async def test_whoever_runs_the_service_is_told_of_them_and_the_log_names_them_once(plumbing, seen, monkeypatch):
    """There was a line every ten seconds for each of them, and nothing that would ring."""
    monkeypatch.setattr(unknown, "_said_at", {})
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM jobs.ticks WHERE name = %s", (unknown.MARK + NAME,))
    await ask(plumbing, NAME)
    await ask(plumbing, NAME)
    assert await metric_of_unknown_jobs(plumbing) == 0, "no worker has said yet that it does not know them"
    with capture_logs() as lines:
        for _ in range(3):
            await run_pending(plumbing)
            await make_due(plumbing)
    told = [line for line in lines if line.get("job") == NAME]
    assert [(line["log_level"], line["waiting"]) for line in told] == [("warning", 2)]
    assert await metric_of_unknown_jobs(plumbing) == 2
    for seconds_ago in (1, 100):
        async with plumbing.database.system() as connection:
            for queue in Queue:
                await attended(connection, queue, seconds_ago)
        found = await _jobs(plumbing.database)
        assert not found.good
        assert f"2 of {NAME} wait, which a worker did not know" in found.words, "whatever else is wrong"

    @job(NAME)
    async def later(plumbing, *, word):
        seen.append(word)

    await run_pending(plumbing)
    assert (len(seen), await metric_of_unknown_jobs(plumbing)) == (2, 0)
    assert NAME not in (await _jobs(plumbing.database)).words


async def test_where_there_are_thousands_of_them_they_are_looked_at_less_often(plumbing, seen):
    """After a downgrade each was taken, written and put back every ten seconds, before all that could be done."""
    async with plumbing.database.system() as connection:
        await connection.execute(
            """INSERT INTO procrastinate_jobs (queue_name, task_name, args, status, scheduled_at)
               SELECT 'upkeep', %s, '{"word": "later"}', 'todo', now() + interval '1 hour'
               FROM generate_series(1, %s)""",
            (NAME, 1000),
        )
    await ask(plumbing, NAME)
    await run_pending(plumbing)
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT extract(epoch FROM min(scheduled_at) - now())::float AS seconds FROM procrastinate_jobs "
            "WHERE task_name = %s",
            (NAME,),
        )
        row = await cursor.fetchone()
        await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = %s", (NAME,))
    assert 60 < row["seconds"] <= 101
