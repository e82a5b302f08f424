"""Does the doctor tell the truth of what it looks at?"""

import pytest

from tests.support.jobs import ask, attended
from truename.cli.doctor import _jobs
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.resources import Plumbing

NAME = "analysis.test_doctor"


@pytest.mark.parametrize("alone", [False, True], ids=["beside workers of other queues", "with no worker at all"])
async def test_a_queue_that_nobody_works_off_is_named_at_once(plumbing: Plumbing, alone: bool):
    """Beside a worker that only delivers all was well for a quarter of an hour, while nobody was decided on."""
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")
        for queue in Queue:
            await attended(connection, queue, 100 if alone or queue is Queue.ANALYSIS else 1)
        await connection.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) SELECT now() FROM generate_series(1, %s)",
            (0 if alone else 4,),
        )
    try:
        found = await _jobs(plumbing.database)
        assert found.good, found.words
        assert f"{0 if alone else 2} of 3 queues attended to" in found.words, "two processes are not twice the queues"
        await ask(plumbing, NAME)
        found = await _jobs(plumbing.database)
        assert not found.good
        assert "nobody works off analysis, where 1 are due" in found.words
        assert "--queues analysis" in found.advice
    finally:
        async with plumbing.database.system() as connection:
            await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = %s", (NAME,))
            await connection.execute("DELETE FROM procrastinate_workers")
