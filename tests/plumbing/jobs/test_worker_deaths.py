"""A worker that dies loses no job, and a job is suspected only when it was alone in the worker that died."""

import asyncio
import os
import subprocess
import sys
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest
from procrastinate import JobContext
from procrastinate.jobs import Job as EngineJob

from tests.support.jobs import ask, count, working
from tests.support.waiting import until
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs import unheld
from truename.plumbing.jobs.engine import DEATHS_ALONE, engine, recover_stalled
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.registry import Retry, job
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.metrics import OWN


@pytest.mark.slow
async def test_a_killed_workers_job_is_done_by_another_within_seconds(plumbing, seen, tmp_path):
    program = tmp_path / "victim.py"
    program.write_text(
        textwrap.dedent("""
        import asyncio, sys
        from dataclasses import dataclass
        from truename.plumbing.database.pool import Database
        from truename.plumbing.jobs.registry import job
        from truename.plumbing.jobs.worker import run_worker

        @job("test.victim")
        async def victim(plumbing, *, word):
            print("begun", flush=True)
            await asyncio.sleep(600)

        @dataclass
        class Only:
            database: Database

        async def main():
            database = Database(sys.argv[1])
            await database.open()
            await run_worker(Only(database))

        asyncio.run(main())
    """)
    )
    await ask(plumbing, "test.victim")
    process = subprocess.Popen([sys.executable, str(program), plumbing.database.url], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            assert (await asyncio.to_thread(process.stdout.readline)) == b"begun\n"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

    @job("test.victim")
    async def victim(given, *, word):
        seen.append(word)

    began = asyncio.get_running_loop().time()

    async def done():
        return bool(seen)

    async with working(plumbing):
        await until(done, seconds=20)
    print(f"recovered after {asyncio.get_running_loop().time() - began:.1f} s")
    assert seen == ["hello"]


async def test_a_death_in_company_counts_for_nothing_and_the_job_is_run_alone(plumbing, seen):
    @job("test.company", retry=Retry(attempts=1))
    async def company(given, *, word):
        seen.append(word)

    await ask(plumbing, "test.company")
    async with engine(plumbing.database, plumbing) as app:
        for _ in range(3):
            await left_by_a_dead_worker(plumbing, "test.company", queue="upkeep")
            # A worker that is for something else may not even know the job.
            assert await recover_stalled(app, plumbing, [Queue.ANALYSIS, Queue.DELIVERY]) == 0
            await recover_stalled(app, plumbing)
            query = "SELECT queue_name || attempts FROM procrastinate_jobs WHERE task_name = 'test.company'"
            assert await count(plumbing, query) == "upkeep.alone0"
    await run_pending(plumbing)
    assert seen == ["hello"]


async def test_a_job_that_was_alone_in_every_worker_that_died_is_given_up(plumbing, seen):
    async def given_up(given, *, error, word):
        seen.append(str(error))

    @job("test.killer", retry=Retry(attempts=2), on_exhausted=given_up)
    async def killer(given, *, word):
        raise AssertionError("never runs here")

    def counted():
        return OWN.get_sample_value("truename_jobs_total", {"job": "test.killer", "outcome": "given_up"})

    await ask(plumbing, "test.killer")
    async with engine(plumbing.database, plumbing) as app:
        assert counted() == 0, "Prometheus sees no increase in what it meets for the first time"
        for death in range(DEATHS_ALONE):
            assert seen == [], death
            await left_by_a_dead_worker(plumbing, "test.killer", queue="upkeep.alone")
            await recover_stalled(app, plumbing)
    assert seen == ["The worker died during every attempt."]
    assert counted() == 1, "it is what the alert TruenameJobsGivenUp asks for"
    assert await count(plumbing, "SELECT status FROM procrastinate_jobs WHERE task_name = 'test.killer'") == "failed"


async def left_by_a_dead_worker(plumbing, name, queue):
    """As a worker leaves it that was killed and whose row was removed since."""
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', queue_name = %s WHERE task_name = %s", (queue, name)
        )


async def test_a_job_that_a_living_worker_was_given_and_does_not_run_is_run_again(plumbing, seen, monkeypatch):
    """As it is left when the database dies while the engine writes that the job is done, and is back at once."""
    monkeypatch.setattr(unheld, "LOOK_SECONDS", 0.2)
    finished = asyncio.Event()

    @job("test.unheld")
    async def left(given, *, word):
        seen.append(word)

    @job("test.held")
    async def held(given, *, word):
        seen.append("held")
        await finished.wait()

    async def is_running():
        return "held" in seen

    async def is_done():
        return "hello" in seen

    await ask(plumbing, "test.held")
    async with working(plumbing, {Queue.UPKEEP: 2}):
        await until(is_running)
        async with plumbing.database.system() as connection:
            await enqueue(connection, "test.unheld", {"word": "hello"})
            await connection.execute(
                "UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT worker_id FROM procrastinate_jobs "
                "WHERE task_name = 'test.held') WHERE task_name = 'test.unheld'"
            )
        await until(is_done, seconds=20)
        finished.set()
    assert seen == ["held", "hello"], "what runs is not taken out of its hands"
    assert await count(plumbing, "SELECT count(*) FROM procrastinate_jobs WHERE task_name LIKE 'test.%held'") == 0


async def test_a_job_whose_end_may_just_be_being_written_is_not_given_back_at_the_first_look(plumbing, seen):
    @job("test.ending")
    async def ending(given, *, word):
        seen.append(word)

    await ask(plumbing, "test.ending")
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")
        worker: Any = SimpleNamespace(worker_id=(await cursor.fetchone())["id"])  # what a look asks of the engine's
        cursor = await connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s WHERE task_name = 'test.ending' "
            "RETURNING id",
            (worker.worker_id,),
        )
        unwritten = {(await cursor.fetchone())["id"]}
    query = "SELECT status FROM procrastinate_jobs WHERE task_name = 'test.ending'"
    try:
        assert await unheld._look(plumbing, worker, unheld.Held(), set()) == unwritten
        assert await count(plumbing, query) == "doing"
        running = unheld.Held()
        running.ids = set(unwritten)
        assert await unheld._look(plumbing, worker, running, unwritten) == set(), "it runs: it is in good hands"
        assert await count(plumbing, query) == "doing"
        assert await unheld._look(plumbing, worker, unheld.Held(), unwritten) == set()
        assert await count(plumbing, query) == "todo"
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE procrastinate_jobs SET status = 'failed', worker_id = %s WHERE task_name = 'test.ending'",
                (worker.worker_id,),
            )
            await connection.execute(unheld.GIVE_BACK, (worker.worker_id, sorted(unwritten)))
        assert await count(plumbing, query) == "failed", "its end was written between the look and this"
    finally:
        async with plumbing.database.system() as connection:
            await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'test.ending'")
            await connection.execute("DELETE FROM procrastinate_workers WHERE id = %s", (worker.worker_id,))


async def test_to_be_stopped_is_no_attempt(plumbing, seen, monkeypatch):
    """As often as a worker is replaced by a newer one, so often may a long job be interrupted."""

    @job("test.interrupted", retry=Retry(attempts=1))
    async def interrupted(given, *, word):
        seen.append(word)
        raise asyncio.CancelledError

    await ask(plumbing, "test.interrupted")
    async with engine(plumbing.database, plumbing) as app:
        task = app.tasks["test.interrupted"]
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(
                "UPDATE procrastinate_jobs SET status = 'doing' WHERE task_name = 'test.interrupted' RETURNING *"
            )
            found = EngineJob.from_row(await cursor.fetchone())
        with pytest.raises(asyncio.CancelledError):
            await task.func(JobContext(app=app, job=found, start_timestamp=0, abort_reason=lambda: None), word="hello")
        await app.job_manager.retry_job(found, retry_at=now())
    query = "SELECT status::text || attempts FROM procrastinate_jobs WHERE task_name = 'test.interrupted'"
    assert await count(plumbing, query) == "todo0"
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'test.interrupted'")


@pytest.mark.slow
async def test_a_poison_job_is_given_up_and_the_innocent_beside_it_are_all_done(plumbing, seen, tmp_path):
    """Real worker processes: the poison kills every one that runs it."""
    program = tmp_path / "worker.py"
    program.write_text(
        textwrap.dedent("""
        import asyncio, os, signal, sys
        from dataclasses import dataclass
        from truename.plumbing.database.pool import Database
        from truename.plumbing.jobs import engine
        from truename.plumbing.jobs.queue_names import Queue
        from truename.plumbing.jobs.registry import Retry, job
        from truename.plumbing.jobs.worker import run_alone, run_worker

        engine.HEARTBEAT_SECONDS, engine.DEAD_AFTER_SECONDS = 0.3, 1.5

        def write(word):
            with open(sys.argv[2], "a") as file:
                file.write(word + chr(10))

        async def given_up(plumbing, *, error, word):
            write("given up " + word)

        @job("test.poison", retry=Retry(attempts=2), on_exhausted=given_up)
        async def poison(plumbing, *, word):
            await asyncio.sleep(0.2)
            write("killed")
            os.kill(os.getpid(), signal.SIGKILL)

        @job("test.innocent", retry=Retry(attempts=2), on_exhausted=given_up)
        async def innocent(plumbing, *, word):
            await asyncio.sleep(0.4)
            write("done " + word)

        @dataclass
        class Only:
            database: Database

        async def spawn():
            process = await asyncio.create_subprocess_exec(sys.executable, *sys.argv, "alone")
            await process.wait()

        async def main():
            database = Database(sys.argv[1], connections=3)
            await database.open()
            if sys.argv[-1] == "alone":
                await run_alone(Only(database))
            else:
                await run_worker(Only(database), {Queue.UPKEEP: 3}, alone=spawn)

        asyncio.run(main())
    """)
    )
    told, environment = tmp_path / "told", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    async with plumbing.database.account(new_id()) as connection:
        for number in range(6):
            await enqueue(connection, "test.innocent", {"word": str(number)})
        await enqueue(connection, "test.poison", {"word": "poison"}, priority=1)

    def said():
        return told.read_text().splitlines() if told.exists() else []

    def start():
        return subprocess.Popen([sys.executable, str(program), plumbing.database.url, str(told)], env=environment)

    process = start()

    async def over():
        nonlocal process
        if process.poll() is not None:
            process = start()
        return {"given up poison", *(f"done {number}" for number in range(6))} <= set(said())

    try:
        await until(over, seconds=150)
    finally:
        process.terminate()
        process.wait()
    assert [line for line in said() if line.startswith("given up")] == ["given up poison"]
    assert said().count("killed") == 1 + DEATHS_ALONE, "once in company, then alone until it was enough"
