"""Each kind of work waits by itself: a worker does what it is for, and none waits behind another's."""

import asyncio
import subprocess
import sys
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.jobs import ask, count, working
from tests.support.waiting import until
from truename.cli.working import slots
from truename.plumbing.clock import now
from truename.plumbing.jobs.backlog import backlog_metrics, backlogs
from truename.plumbing.jobs.engine import _isolate, lone_work_waits
from truename.plumbing.jobs.pace import expected_wait
from truename.plumbing.jobs.queue import adopt, enqueue
from truename.plumbing.jobs.queue_names import Queue, queue_of
from truename.plumbing.jobs.registry import JOBS, TICKS, job
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.settings import load_settings
from truename.wiring import load_jobs


def test_every_job_and_regular_task_has_its_queue():
    load_jobs()
    named = {name: queue_of(name) for name in (*JOBS, *TICKS) if not name.startswith("test")}
    assert {name for name, queue in named.items() if queue is Queue.ANALYSIS} == {"analysis.analyse"}
    assert {name for name, queue in named.items() if queue is Queue.DELIVERY} == {
        "webhooks.deliver",
        "webhooks.deliver.bring_back_due_events",
        "webhooks.deliver.bring_back_from_the_future",
    }
    assert named["privacy.finish_erasure"] is named["transactions.expire.expire_due"] is Queue.UPKEEP


@pytest.mark.slow
def test_a_worker_that_only_delivers_loads_neither_models_nor_the_analysis():
    script = (
        "import sys; from truename.wiring import load_jobs; from truename.plumbing.jobs.queue_names import Queue; "
        "load_jobs([Queue.DELIVERY]); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "truename.webhooks.deliver" in loaded
    assert not {"onnxruntime", "truename.analysis.analyse", "truename.vision.examine"} & set(loaded)


async def test_a_worker_does_the_work_of_its_queues_and_leaves_the_rest(plumbing, seen):
    for name in ("analysis.test_role", "webhooks.test_role"):

        @job(name)
        async def note(given, *, word, name=name):
            seen.append(name)

        await ask(plumbing, name)

    async def delivered():
        return seen == ["webhooks.test_role"]

    async with working(plumbing, {Queue.DELIVERY: 1}):
        await until(delivered)
    await run_pending(plumbing)
    assert seen == ["webhooks.test_role", "analysis.test_role"]


async def test_deliveries_go_on_while_every_place_for_analyses_is_taken(plumbing, seen):
    free = asyncio.Event()

    @job("analysis.test_long")
    async def long(given, *, word):
        seen.append("looking")
        await free.wait()

    @job("webhooks.test_quick")
    async def quick(given, *, word):
        seen.append("delivered")

    for _ in range(20):
        await ask(plumbing, "analysis.test_long")

    async def looking():
        return seen == ["looking"] * 2

    async def delivered():
        return "delivered" in seen

    async with working(plumbing, {Queue.ANALYSIS: 2, Queue.DELIVERY: 1}):
        try:
            await until(looking)
            await ask(plumbing, "webhooks.test_quick")
            await until(delivered)
            assert seen == ["looking", "looking", "delivered"]
        finally:
            free.set()
    await run_pending(plumbing)
    assert seen.count("looking") == 20


async def test_what_a_process_of_the_version_before_asks_for_is_sorted_into_its_queue(plumbing, seen):
    """While a new version replaces an old one, old API processes still put everything into the one queue they know."""

    @job("webhooks.test_old")
    async def note(given, *, word):
        seen.append(word)

    for old in ("truename", "truename.alone"):
        await ask(plumbing, "webhooks.test_old")
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE procrastinate_jobs SET queue_name = %s WHERE task_name = 'webhooks.test_old' "
                "AND queue_name = 'delivery'",
                (old,),
            )
    await run_pending(plumbing)
    assert seen == []
    async with plumbing.database.system() as connection:
        assert await adopt(connection) == 2
    where = "SELECT string_agg(queue_name, ' ' ORDER BY queue_name) FROM procrastinate_jobs WHERE task_name = "
    assert await count(plumbing, where + "'webhooks.test_old'") == "delivery delivery.alone"
    await run_pending(plumbing)
    assert seen == ["hello", "hello"]


async def test_lone_work_that_is_not_due_starts_no_process(plumbing, seen):
    @job("webhooks.test_lone")
    async def note(given, *, word):
        seen.append(word)

    await ask(plumbing, "webhooks.test_lone")
    moved = "UPDATE procrastinate_jobs SET queue_name = 'delivery.alone', scheduled_at = now() + %s::interval "
    async with plumbing.database.system() as connection:
        await connection.execute(moved + "WHERE task_name = 'webhooks.test_lone'", ("1 hour",))
    assert not await lone_work_waits(plumbing, [Queue.DELIVERY])
    async with plumbing.database.system() as connection:
        await connection.execute(moved + "WHERE task_name = 'webhooks.test_lone'", ("0",))
    assert await lone_work_waits(plumbing, [Queue.DELIVERY])
    await run_pending(plumbing)
    assert seen == ["hello"]


async def test_a_job_that_went_on_since_its_worker_was_thought_dead_is_not_run_alone(plumbing, seen):
    @job("webhooks.test_lone")
    async def note(given, *, word):
        seen.append(word)

    await ask(plumbing, "webhooks.test_lone")
    asked = "SELECT id FROM procrastinate_jobs WHERE task_name = 'webhooks.test_lone'"
    found: Any = SimpleNamespace(id=await count(plumbing, asked), task_name="webhooks.test_lone")  # what is asked of it
    await _isolate(plumbing, found)
    where = "SELECT queue_name FROM procrastinate_jobs WHERE task_name = 'webhooks.test_lone'"
    assert await count(plumbing, where) == "delivery"
    await run_pending(plumbing)
    assert seen == ["hello"]


async def test_what_a_worker_of_the_version_before_runs_stays_in_its_queue(plumbing, seen):
    """By its queue it is told from what was run alone, should that worker die."""

    @job("webhooks.test_old")
    async def note(given, *, word):
        seen.append(word)

    await ask(plumbing, "webhooks.test_old")
    moved = "UPDATE procrastinate_jobs SET queue_name = 'truename', status = %s WHERE task_name = 'webhooks.test_old'"
    async with plumbing.database.system() as connection:
        await connection.execute(moved, ("doing",))
        assert await adopt(connection) == 0
        await connection.execute(moved, ("todo",))
        assert await adopt(connection) == 1
    await run_pending(plumbing)
    assert seen == ["hello"]


@pytest.mark.parametrize(("silent_for", "waiting"), [(1, 0), (60, 1), (None, 1)])
async def test_a_job_in_the_hands_of_a_worker_that_died_waits_whoever_is_left_to_take_it_over(
    plumbing, seen, silent_for, waiting
):
    """Where the only worker died or froze, nobody takes over: the queue must not seem empty, its alert must ring."""
    await run_pending(plumbing)

    async def delivery():
        async with plumbing.database.system() as connection:
            return next(one for one in await backlogs(connection) if one.queue is Queue.DELIVERY)

    before = await delivery()
    await ask(plumbing, "webhooks.test_held")
    async with plumbing.database.system() as connection:
        await connection.execute(
            """WITH its AS (INSERT INTO procrastinate_workers (last_heartbeat)
                            SELECT now() - make_interval(secs => %(silent)s)
                            WHERE %(silent)s::integer IS NOT NULL RETURNING id)
               UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT id FROM its)
               WHERE task_name = 'webhooks.test_held'""",
            {"silent": silent_for},
        )
        await connection.execute(
            "UPDATE procrastinate_events SET at = at - interval '100 seconds' WHERE type = 'deferred' AND job_id = "
            "(SELECT id FROM procrastinate_jobs WHERE task_name = 'webhooks.test_held')"
        )
    try:
        after = await delivery()
        assert after.jobs - before.jobs == waiting
        assert (after.oldest_seconds >= 100) == bool(waiting)
    finally:
        async with plumbing.database.system() as connection:
            await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'webhooks.test_held'")


async def test_the_age_of_a_queue_is_the_wait_of_its_oldest_job_that_is_due(plumbing, seen):
    await run_pending(plumbing)

    async def ages():
        async with plumbing.database.system() as connection:
            return {one.queue: one for one in await backlogs(connection)}

    assert set(await ages()) == set(Queue)
    before = (await ages())[Queue.DELIVERY]
    for _ in range(2):
        await ask(plumbing, "webhooks.test_waits")
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE procrastinate_events SET at = at - interval '100 seconds' WHERE type = 'deferred' AND job_id = "
            "(SELECT min(id) FROM procrastinate_jobs WHERE task_name = 'webhooks.test_waits')"
        )
    after = (await ages())[Queue.DELIVERY]
    assert after.jobs == before.jobs + 2
    assert 100 <= after.oldest_seconds < 200
    page = (await backlog_metrics(plumbing.database)).decode()
    assert f'truename_queue_jobs{{queue="delivery"}} {float(after.jobs)}' in page
    assert 'truename_queue_age_seconds{queue="delivery"} 1' in page
    assert "truename_database_up 1.0" in page
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 hour' WHERE task_name = "
            "'webhooks.test_waits'"
        )
    assert (await ages())[Queue.DELIVERY].jobs == before.jobs, "what is not due does not wait"
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'webhooks.test_waits'")


async def test_work_for_later_that_nobody_has_brought_into_its_queue_waits_from_when_it_is_due(plumbing):
    """A webhook's second try lies there for minutes. Where no worker lives it stays, and the alert must ring for it."""
    async with plumbing.database.system() as connection, connection.transaction(force_rollback=True):
        await connection.execute("DELETE FROM jobs.later")
        before = {one.queue: one for one in await backlogs(connection)}
        for name in ("webhooks.test_later", "privacy.test_later"):
            await enqueue(connection, name, {"word": "hello"}, run_at=now() + timedelta(minutes=5))
        assert [one.jobs for one in await backlogs(connection)] == [one.jobs for one in before.values()], "not due yet"
        moved = await connection.execute("UPDATE jobs.later SET run_at = run_at - interval '8 minutes'")
        assert moved.rowcount == 2
        after = {one.queue: one for one in await backlogs(connection)}
        for queue in (Queue.DELIVERY, Queue.UPKEEP):
            assert after[queue].jobs == before[queue].jobs + 1
            assert after[queue].oldest_seconds >= 179
        assert after[Queue.ANALYSIS].jobs == before[Queue.ANALYSIS].jobs


async def test_that_no_worker_lives_is_told_of_each_queue_although_nothing_waits_there(plumbing, seen):
    """What is done regularly (expiry, retention) is in no queue: without upkeep nothing waited, and nothing rang."""

    async def unattended():
        async with plumbing.database.system() as connection:
            return {one.queue: one.unattended_seconds for one in await backlogs(connection)}

    async with plumbing.database.system() as connection:
        await connection.execute(
            """INSERT INTO jobs.ticks AS tick (name, last_at)
               SELECT 'jobs.recover_stalled.' || queue, now() - interval '500 seconds' FROM unnest(%s::text[]) queue
               ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at""",
            (list(Queue),),
        )
        await connection.execute("DELETE FROM jobs.ticks WHERE name = 'jobs.recover_stalled.upkeep'")

    @job("webhooks.test_attended")
    async def work(plumbing, *, word):
        seen.append(word)

    await ask(plumbing, "webhooks.test_attended")
    async with working(plumbing, {Queue.DELIVERY: 1}):

        async def delivery_is_attended():
            return bool(seen) and (await unattended())[Queue.DELIVERY] < 60

        await until(delivery_is_attended)
    async with plumbing.database.system() as connection:
        row = await (await connection.execute("SELECT now() - pg_postmaster_start_time() AS up")).fetchone()
    told = await unattended()
    assert 500 <= told[Queue.ANALYSIS] < 1000
    assert abs(told[Queue.UPKEEP] - row["up"].total_seconds()) < 5, "none ever was there"
    page = (await backlog_metrics(plumbing.database)).decode()
    assert 'truename_queue_unattended_seconds{queue="delivery"} ' in page


@pytest.mark.parametrize(("concurrency", "analyses", "taken"), [(4, 1, 2), (1, 1, 1), (8, 6, 7)])
def test_a_worker_takes_no_more_analyses_than_it_looks_at_and_one(concurrency, analyses, taken):
    settings = load_settings(worker_concurrency=concurrency, analyses=analyses)
    assert slots(settings, list(Queue)) == {
        Queue.ANALYSIS: taken,
        Queue.DELIVERY: concurrency,
        Queue.UPKEEP: concurrency,
    }


async def test_how_long_one_will_wait_is_told_by_what_was_done_lately_and_not_by_better_days(plumbing):
    """Half an hour ago there were ten times the workers: whoever goes by that promises a result far too early."""
    async with plumbing.database.system() as connection, connection.transaction(force_rollback=True):
        await connection.execute("DELETE FROM procrastinate_jobs WHERE queue_name = 'analysis' AND status = 'todo'")
        await connection.execute("DELETE FROM jobs.pace")
        await connection.execute(
            "INSERT INTO jobs.pace (queue, minute, done) VALUES ('analysis', now() - interval '30 minutes', 1000), "
            "('analysis', now() - interval '2 minutes', 3)"
        )
        for number in range(4):
            arguments = {"account_id": "nobody", "transaction_id": str(number)}
            await enqueue(connection, "analysis.analyse", arguments, lock=f"the one of {number}")
        told = [await expected_wait(connection, f"the one of {number}") for number in (0, 3)]
    assert told == [timedelta(0), timedelta(seconds=60)]


async def test_what_must_be_run_alone_waits_in_its_queue_too_also_in_the_hands_of_the_dead(plumbing):
    """Where it kills every worker it is all that waits, and nothing else would ring."""
    row = (
        "INSERT INTO procrastinate_jobs (queue_name, task_name, args, status, scheduled_at) "
        "VALUES ('delivery.alone', 'webhooks.test_alone', '{}', %s, now() - interval '100 seconds')"
    )
    async with plumbing.database.system() as connection, connection.transaction(force_rollback=True):
        await connection.execute("DELETE FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")
        for count, status in ((1, "todo"), (2, "doing")):
            await connection.execute(row, (status,))
            found = {one.queue: one for one in await backlogs(connection)}
            assert found[Queue.DELIVERY].jobs == count
            assert 100 <= found[Queue.DELIVERY].oldest_seconds < 200
            assert found[Queue.UPKEEP].jobs == 0
