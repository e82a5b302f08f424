"""Is every job done, once at least, whatever happens in between?"""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from datetime import timedelta

import pytest
from procrastinate import JobContext
from procrastinate.jobs import Job as EngineJob

from tests.support.waiting import until
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs import registry
from truename.plumbing.jobs.engine import DEATHS_ALONE, engine, recover_stalled
from truename.plumbing.jobs.queue import enqueue, move_due
from truename.plumbing.jobs.registry import Retry, Tick, job, periodic
from truename.plumbing.jobs.worker import is_our_turn, run_pending, run_worker

FAST = Retry(attempts=3, first_wait_seconds=0.01, growth=1)


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


async def test_a_job_runs_with_the_plumbing_and_its_arguments_and_leaves_no_row(plumbing, seen):
    @job("test.greet")
    async def greet(given, *, word):
        seen.append((given, word))

    await ask(plumbing, "test.greet")
    await run_pending(plumbing)
    assert seen == [(plumbing, "hello")]
    assert await count(plumbing, "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'test.greet'") == 0


async def test_a_request_vanishes_with_the_change_that_caused_it(plumbing, seen):
    @job("test.never")
    async def never(given, *, word):
        seen.append(word)

    async def change_that_fails():
        async with plumbing.database.account(new_id()) as connection:
            await enqueue(connection, "test.never", {"word": "x"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_that_fails()
    await run_pending(plumbing)
    assert seen == []


async def test_a_failing_job_is_tried_again_and_given_up_aloud(plumbing, seen):
    async def given_up(given, *, error, word):
        seen.append(("given up", str(error), word))

    @job("test.fail", retry=FAST, on_exhausted=given_up)
    async def fail(given, *, word):
        seen.append("tried")
        raise ValueError("no")

    await ask(plumbing, "test.fail")
    for _ in range(4):
        await run_pending(plumbing)
        await asyncio.sleep(0.05)
    assert seen == ["tried", "tried", "tried", ("given up", "no", "hello")]
    query = "SELECT status::text || attempts FROM procrastinate_jobs WHERE task_name = 'test.fail'"
    assert await count(plumbing, query) == "failed3"


async def test_a_job_whose_giving_up_fails_is_not_forgotten(plumbing, seen):
    async def given_up(given, *, error, word):
        raise OSError("nobody listens")

    @job("test.stubborn", retry=Retry(attempts=1), on_exhausted=given_up)
    async def fail(given, *, word):
        raise ValueError("no")

    await ask(plumbing, "test.stubborn")
    await run_pending(plumbing)
    assert await count(plumbing, "SELECT status FROM procrastinate_jobs WHERE task_name = 'test.stubborn'") == "todo"


async def test_jobs_with_the_same_lock_run_one_after_another(plumbing, seen):
    @job("test.alone")
    async def alone(given, *, word):
        seen.append("in")
        await asyncio.sleep(0.05)
        seen.append("out")

    for _ in range(3):
        await ask(plumbing, "test.alone", lock="the same")
    await run_pending(plumbing)
    while seen.count("out") < 3:
        await run_pending(plumbing)
    assert seen == ["in", "out"] * 3


async def test_far_future_work_waits_outside_the_hot_queue_and_comes_in_when_due(plumbing, seen):
    @job("test.later")
    async def later(given, *, word):
        seen.append(word)

    await ask(plumbing, "test.later", run_at=now() + timedelta(hours=20))
    assert await count(plumbing, "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'test.later'") == 0
    async with plumbing.database.system() as connection:
        assert await move_due(connection) == 0
        await connection.execute("UPDATE jobs.later SET run_at = now() WHERE name = 'test.later'")
        assert await move_due(connection) == 1
    await run_pending(plumbing)
    assert seen == ["hello"]


async def test_a_stopped_worker_finishes_what_it_has_begun(plumbing, seen):
    @job("test.slow")
    async def slow(given, *, word):
        seen.append("begun")
        await asyncio.sleep(0.5)
        seen.append("done")

    worker = asyncio.create_task(run_worker(plumbing, handle_signals=False))
    await ask(plumbing, "test.slow")

    async def begun():
        return seen == ["begun"]

    await until(begun)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert seen == ["begun", "done"]


async def test_a_worker_runs_a_regular_task_again_and_again(plumbing, seen):
    @periodic(seconds=0.1)
    async def tick(given):
        seen.append(given)

    async def thrice():
        return len(seen) >= 3

    worker = asyncio.create_task(run_worker(plumbing, handle_signals=False))
    await until(thrice)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert all(given is plumbing for given in seen)


async def test_of_many_workers_one_has_the_turn_for_a_regular_task(plumbing, seen):
    async def whoever(given):
        raise AssertionError("only the turn is asked for")

    tick = Tick(f"test.{new_id()}", whoever, 3600)

    async def turns():
        return sum(await asyncio.gather(*(is_our_turn(tick, plumbing.database) for _ in range(10))))

    assert await turns() == 1
    assert await turns() == 0
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE jobs.ticks SET last_at = last_at - interval '1 hour' WHERE name = %s", (tick.name,)
        )
    assert await turns() == 1


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
    assert (await asyncio.to_thread(process.stdout.readline)) == b"begun\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()

    @job("test.victim")
    async def victim(given, *, word):
        seen.append(word)

    began = asyncio.get_running_loop().time()
    worker = asyncio.create_task(run_worker(plumbing, handle_signals=False))

    async def done():
        return bool(seen)

    await until(done, seconds=20)
    print(f"recovered after {asyncio.get_running_loop().time() - began:.1f} s")
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert seen == ["hello"]


async def test_a_death_in_company_counts_for_nothing_and_the_job_is_run_alone(plumbing, seen):
    @job("test.company", retry=Retry(attempts=1))
    async def company(given, *, word):
        seen.append(word)

    await ask(plumbing, "test.company")
    async with engine(plumbing.database, plumbing) as app:
        for _ in range(3):
            await left_by_a_dead_worker(plumbing, "test.company", queue="truename")
            await recover_stalled(app, plumbing)
            query = "SELECT queue_name || attempts FROM procrastinate_jobs WHERE task_name = 'test.company'"
            assert await count(plumbing, query) == "truename.alone0"
    await run_pending(plumbing)
    assert seen == ["hello"]


async def test_a_job_that_was_alone_in_every_worker_that_died_is_given_up(plumbing, seen):
    async def given_up(given, *, error, word):
        seen.append(str(error))

    @job("test.killer", retry=Retry(attempts=2), on_exhausted=given_up)
    async def killer(given, *, word):
        raise AssertionError("never runs here")

    await ask(plumbing, "test.killer")
    async with engine(plumbing.database, plumbing) as app:
        for death in range(DEATHS_ALONE):
            assert seen == [], death
            await left_by_a_dead_worker(plumbing, "test.killer", queue="truename.alone")
            await recover_stalled(app, plumbing)
    assert seen == ["The worker died during every attempt."]
    assert await count(plumbing, "SELECT status FROM procrastinate_jobs WHERE task_name = 'test.killer'") == "failed"


async def left_by_a_dead_worker(plumbing, name, queue):
    """As a worker leaves it that was killed and whose row was removed since."""
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', queue_name = %s WHERE task_name = %s", (queue, name)
        )


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
                await run_worker(Only(database), concurrency=3, alone=spawn)

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
