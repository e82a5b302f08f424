"""Is every job done, once at least, whatever happens in between?"""

import asyncio
from datetime import timedelta

import psycopg
import pytest
from psycopg import errors
from psycopg.errors import DeadlockDetected, IdleInTransactionSessionTimeout
from psycopg_pool import PoolTimeout

from tests.support.jobs import ask, count, working
from tests.support.waiting import until
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.engine import engine, is_outage
from truename.plumbing.jobs.queue import enqueue, move_due
from truename.plumbing.jobs.registry import Retry, Tick, job, periodic
from truename.plumbing.jobs.set_back import bring_back_from_the_future
from truename.plumbing.jobs.worker import _ticks_of, is_our_turn, run_pending, run_worker
from truename.plumbing.metrics import OWN
from truename.plumbing.storage.objects import StorageUnavailable

FAST = Retry(attempts=3, first_wait_seconds=0.01, growth=1)


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


async def test_what_fails_because_the_store_or_the_database_is_away_is_no_attempt(plumbing, seen, monkeypatch):
    """An outage of an hour must not end every transaction of that hour as FAILED."""
    monkeypatch.setattr("truename.plumbing.jobs.engine.OUTAGE_AGAIN_SECONDS", 0.01)
    kinds = (
        StorageUnavailable("no"),
        psycopg.OperationalError("the connection broke"),
        PoolTimeout("none came"),
        IdleInTransactionSessionTimeout("the server broke it off"),
    )
    away: list[Exception] = [kind for kind in kinds for _ in range(FAST.attempts)]  # as many as would end it
    away += [ValueError("no")] * (FAST.attempts - 1)  # its own failures, of which it has as many left as at first

    @job("test.outage", retry=FAST)
    async def needy(given, *, word):
        if len(seen) < len(away):
            seen.append("away")
            raise away[len(seen) - 1]
        seen.append(word)

    await ask(plumbing, "test.outage")
    for _ in range(2 * len(away)):
        await run_pending(plumbing)
        await asyncio.sleep(0.02)
    assert seen == ["away"] * len(away) + ["hello"]
    counted = {
        outcome: OWN.get_sample_value("truename_jobs_total", {"job": "test.outage", "outcome": outcome})
        for outcome in ("interrupted", "failed", "done")
    }
    assert counted == {"interrupted": len(kinds) * FAST.attempts, "failed": FAST.attempts - 1, "done": 1}
    assert not is_outage(DeadlockDetected("a fault of the work itself"))


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (errors.TooManyConnections(), True),
        (errors.DiskFull(), True),
        (errors.AdminShutdown(), True),
        (errors.CannotConnectNow(), True),
        (errors.ConnectionFailure(), True),
        (psycopg.OperationalError("the connection is lost"), True),
        (StorageUnavailable("away"), True),
        (errors.SerializationFailure(), False),
        (errors.DeadlockDetected(), False),
        (errors.UniqueViolation(), False),
        (ValueError("wrong"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_what_the_work_stands_on_is_an_outage(error, outage):
    assert is_outage(error) is outage


async def test_a_job_that_is_put_off_keeps_no_other_of_its_account_from_being_asked_for(plumbing):
    """Else who failed once, and is tried again in minutes, would keep all that comes meanwhile waiting with it."""
    account = str(new_id())
    arguments = {"account_id": account, "event_id": "evt_nobody"}
    waiting = "SELECT count(*) FROM procrastinate_jobs WHERE args ->> 'account_id' = %s"

    async def asked(**options):
        async with plumbing.database.system() as connection:
            await enqueue(connection, "webhooks.deliver", arguments, unless_waiting=True, **options)
            return (await (await connection.execute(waiting, (account,))).fetchone())["count"]

    try:
        assert await asked(run_at=now() + timedelta(seconds=30)) == 1
        assert await asked() == 2
        assert await asked() == 2, "one that waits for its turn will do"
    finally:
        async with plumbing.database.system() as connection:
            await connection.execute("DELETE FROM procrastinate_jobs WHERE args ->> 'account_id' = %s", (account,))


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


async def test_of_much_work_that_is_due_what_has_waited_longest_comes_in_first(plumbing, seen):
    @job("test.later")
    async def later(given, *, word):
        seen.append(word)

    for hours in (21, 20, 22):
        await ask(plumbing, "test.later", run_at=now() + timedelta(hours=hours), priority=hours)
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE jobs.later SET run_at = run_at - interval '23 hours' WHERE name = 'test.later'"
        )
        came = []
        for _ in range(3):
            assert await move_due(connection, limit=1) == 1
            cursor = await connection.execute(
                "DELETE FROM procrastinate_jobs WHERE task_name = 'test.later' RETURNING priority"
            )
            came += [row["priority"] for row in await cursor.fetchall()]
    assert came == [20, 21, 22]


async def test_a_job_that_was_given_up_is_kept_for_a_month_and_no_longer(plumbing, seen):
    @job("test.given_up", retry=Retry(attempts=1))
    async def fail(given, *, word):
        raise ValueError("no")

    for _ in range(2):
        await ask(plumbing, "test.given_up")
    await run_pending(plumbing)
    kept = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'test.given_up' AND status = 'failed'"
    assert await count(plumbing, kept) == 2
    async with engine(plumbing.database, plumbing) as app:
        [forget] = [tick for tick in _ticks_of(app, plumbing, ()) if tick.name == "jobs.forget_failures"]
        await forget.function(plumbing)
        assert await count(plumbing, kept) == 2
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE procrastinate_events SET at = at - interval '31 days' WHERE job_id = ("
                "SELECT min(id) FROM procrastinate_jobs WHERE task_name = 'test.given_up')"
            )
        await forget.function(plumbing)
    assert await count(plumbing, kept) == 1
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'test.given_up'")


async def test_work_that_was_put_off_keeps_its_lock_and_its_priority(plumbing, seen):
    """Without its lock it would run beside what it must wait for."""

    @job("test.later")
    async def later(given, *, word):
        seen.append(word)

    await ask(plumbing, "test.later", run_at=now() + timedelta(hours=20), lock="the same", priority=3)
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE jobs.later SET run_at = now() WHERE name = 'test.later'")
        await move_due(connection)
        cursor = await connection.execute(
            "SELECT lock, priority FROM procrastinate_jobs WHERE task_name = 'test.later'"
        )
        assert await cursor.fetchall() == [{"lock": "the same", "priority": 3}]
    await run_pending(plumbing)
    assert seen == ["hello"]


async def test_a_stopped_worker_finishes_what_it_has_begun(plumbing, seen):
    @job("test.slow")
    async def slow(given, *, word):
        seen.append("begun")
        await asyncio.sleep(0.5)
        seen.append("done")

    async def begun():
        return seen == ["begun"]

    async with working(plumbing):
        await ask(plumbing, "test.slow")
        await until(begun)
    assert seen == ["begun", "done"]


async def test_a_worker_runs_a_regular_task_again_and_again(plumbing, seen):
    @periodic(seconds=0.1)
    async def tick(given):
        seen.append(given)

    async def thrice():
        return len(seen) >= 3

    worker = asyncio.create_task(run_worker(plumbing))
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
    for by in (timedelta(hours=-1), timedelta(days=10)):  # an hour has passed; a clock that was ahead is set back
        async with plumbing.database.system() as connection:
            await connection.execute("UPDATE jobs.ticks SET last_at = last_at + %s WHERE name = %s", (by, tick.name))
        assert await turns() == 1
        assert await turns() == 0


@pytest.mark.slow
async def test_a_clock_that_is_right_brings_nothing_back(plumbing, seen):
    """What is to wait for minutes waits for them; and a worker that was heard just now is alive."""

    @job("test.soon")
    async def soon(given, *, word):
        seen.append(word)

    await ask(plumbing, "test.soon")
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '59 minutes' WHERE task_name = 'test.soon'"
        )
        cursor = await connection.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() + interval '59 minutes'), "
            "(now() + interval '61 minutes') RETURNING id"
        )
        slightly, far = [row["id"] for row in await cursor.fetchall()]
        await bring_back_from_the_future(connection)
        cursor = await connection.execute(
            "SELECT id, last_heartbeat > now() AS ahead FROM procrastinate_workers WHERE id = ANY(%s)",
            ([slightly, far],),
        )
        assert {row["id"]: row["ahead"] for row in await cursor.fetchall()} == {slightly: True, far: False}
        await connection.execute("DELETE FROM procrastinate_workers WHERE id = ANY(%s)", ([slightly, far],))
        cursor = await connection.execute(
            "DELETE FROM procrastinate_jobs WHERE task_name = 'test.soon' RETURNING scheduled_at > now() AS waits"
        )
        assert [row["waits"] for row in await cursor.fetchall()] == [True]


@pytest.mark.slow
async def test_what_was_put_off_by_a_clock_that_was_ahead_is_done_when_it_is_set_back(plumbing, seen):
    @job("test.ahead")
    async def ahead(given, *, word):
        seen.append(word)

    for _ in range(2):
        await ask(plumbing, "test.ahead")
    async with plumbing.database.system() as connection:
        await connection.execute(
            """WITH dead AS (INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() + interval '10 days')
                             RETURNING id),
                    taken AS (SELECT min(id) AS id FROM procrastinate_jobs WHERE task_name = 'test.ahead')
               UPDATE procrastinate_jobs job SET
                   status = (CASE WHEN job.id = taken.id THEN 'doing' ELSE 'todo' END)::procrastinate_job_status,
                   worker_id = CASE WHEN job.id = taken.id THEN (SELECT id FROM dead) END,
                   scheduled_at = now() + interval '10 days'
               FROM taken WHERE job.task_name = 'test.ahead'"""
        )
        # A worker of an earlier test may have looked a moment ago: the next turn would be half a minute away.
        await connection.execute("DELETE FROM jobs.ticks WHERE name = 'jobs.after_a_clock_was_set_back'")

    async def both():
        return seen == ["hello", "hello"]

    async with working(plumbing):
        await until(both, 60)
