"""Accounts share workers: who asks for much keeps nobody else waiting, and who must wait is told for how long."""

import asyncio
from datetime import timedelta

import pytest

from tests.support.jobs import working
from tests.support.waiting import until
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.pace import expected_wait, note_done
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.registry import job

ATTEND = """INSERT INTO jobs.ticks (name, last_at) VALUES ('jobs.recover_stalled.analysis', clock_timestamp())
            ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at"""
"""As a worker of the queue does every other second."""


async def ask_for(plumbing, account, *words, name="analysis.test_fair", lock=None):
    async with plumbing.database.account(account) as connection:
        for word in words:
            await enqueue(connection, name, {"account_id": str(account), "word": word}, lock=lock)


async def worked_off(plumbing, seen, count):
    async def all_seen():
        return len(seen) >= count

    async with working(plumbing, {Queue.ANALYSIS: 1}):
        await until(all_seen)


async def test_the_next_of_each_account_comes_before_anybodys_next_but_one(plumbing, seen):
    begun, free = asyncio.Event(), asyncio.Event()

    @job("analysis.test_fair")
    async def note(given, *, account_id, word):
        seen.append(word)
        if word == "flood 2":
            begun.set()
            await free.wait()

    hostile, honest, third = new_id(), new_id(), new_id()
    await ask_for(plumbing, hostile, *(f"flood {number}" for number in range(40)))
    work = asyncio.create_task(worked_off(plumbing, seen, 46))
    await begun.wait()
    await ask_for(plumbing, honest, "honest 0", "honest 1", "honest 2")
    await ask_for(plumbing, third, "third 0")
    await ask_for(plumbing, hostile, "flood 40", "flood 41")
    free.set()
    await work
    floods = [word for word in seen if word.startswith("flood")]
    assert floods == [f"flood {number}" for number in range(42)], "each account's own stay in their order"
    assert seen.index("honest 0") <= 5
    assert seen.index("third 0") <= 5
    assert seen.index("honest 2") <= 10


async def test_a_job_that_was_given_a_priority_keeps_it(plumbing, seen):
    """It is for the caller to say: no turn of its account is counted for it."""

    @job("analysis.test_fair")
    async def note(given, *, account_id, word):
        seen.append(word)

    account = new_id()
    async with plumbing.database.account(account) as connection:
        for word in ("first", "second"):
            args = {"account_id": str(account), "word": word}
            await enqueue(connection, "analysis.test_fair", args, priority=7)
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT priority FROM procrastinate_jobs WHERE args ->> 'account_id' = %s", (str(account),)
        )
        assert [row["priority"] for row in await cursor.fetchall()] == [7, 7]
    await worked_off(plumbing, seen, 2)


async def test_a_queue_that_was_empty_starts_over(plumbing, seen):
    @job("analysis.test_fair")
    async def note(given, *, account_id, word):
        seen.append(word)

    for _ in range(2):
        await ask_for(plumbing, new_id(), "a", "b", "c")
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(
                "SELECT priority FROM procrastinate_jobs WHERE task_name = 'analysis.test_fair' ORDER BY id"
            )
            assert [row["priority"] for row in await cursor.fetchall()] == [0, -1, -2]
        seen.clear()
        await worked_off(plumbing, seen, 3)


@pytest.mark.parametrize("name", ["analysis.test_shared", "webhooks.test_shared", "media.test_shared"])
async def test_analyses_and_deliveries_are_shared_between_accounts_and_upkeep_goes_by_its_order(plumbing, name):
    account = new_id()
    await ask_for(plumbing, account, "a", "b", "c", name=name)
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "DELETE FROM procrastinate_jobs WHERE task_name = %s RETURNING id, priority", (name,)
        )
        found = [row["priority"] for row in sorted(await cursor.fetchall(), key=lambda row: row["id"])]
    assert found == ([0, 0, 0] if name.startswith("media") else [0, -1, -2])


async def test_who_waits_behind_many_is_told_for_how_long_and_who_has_none_before_is_not(plumbing, seen):
    @job("analysis.test_fair")
    async def note(given, *, account_id, word):
        seen.append(word)

    busy, honest = new_id(), new_id()
    await ask_for(plumbing, busy, *map(str, range(100)))
    await ask_for(plumbing, busy, "last", lock="the last of many")
    await ask_for(plumbing, honest, "first", lock="the first of few")
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM jobs.pace")
        await connection.execute(ATTEND)
        assert await expected_wait(connection, "the last of many") is None, "nothing tells yet"
        for _ in range(30):
            await note_done(connection, Queue.ANALYSIS)
        assert await expected_wait(connection, "the last of many") == timedelta(seconds=(100 + 1) * 2)
        few = await expected_wait(connection, "the first of few")
        assert few is not None
        assert few <= timedelta(seconds=2)
        assert await expected_wait(connection, "of nobody") is None
        await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'analysis.test_fair'")


async def test_only_what_is_due_and_waits_in_the_same_queue_stands_before_somebody(plumbing):
    """Exactly three jobs, and the better of this queue's two minutes."""
    job_row = (
        "INSERT INTO procrastinate_jobs (queue_name, task_name, lock, args, status, scheduled_at) "
        "VALUES (%s, 'analysis.test_fair', %s, '{}', %s, now() + make_interval(secs => %s))"
    )
    async with plumbing.database.system() as connection, connection.transaction(force_rollback=True):
        await connection.execute("DELETE FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")
        await connection.execute("DELETE FROM jobs.pace")
        await connection.execute(
            "INSERT INTO jobs.pace (queue, minute, done) VALUES ('analysis', now() - interval '3 minutes', 6), "
            "('analysis', now() - interval '2 minutes', 2), ('delivery', now() - interval '2 minutes', 1000)"
        )
        for queue, lock, status, seconds in (
            *(("analysis", None, "todo", -1),) * 2,
            ("analysis", "of mine", "todo", -1),
            ("analysis", None, "todo", 30),  # not due
            ("analysis", "in hand", "doing", -1),
            ("delivery", None, "todo", -1),
            ("analysis", "of mine", "todo", -1),
        ):
            await connection.execute(job_row, (queue, lock, status, seconds))
        assert await expected_wait(connection, "of mine") == timedelta(seconds=3 * 60 / 6)
        assert await expected_wait(connection, "in hand") is None, "it waits no longer"


async def test_where_no_worker_attends_one_is_told_as_long_as_the_oldest_has_waited(plumbing):
    """Nothing was done lately that would tell a pace: a queue of hours was said to be none."""
    aged = "UPDATE procrastinate_events SET at = at - interval '20 minutes' WHERE job_id = %s"
    async with plumbing.database.system() as connection, connection.transaction(force_rollback=True):
        await connection.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")
        await connection.execute("DELETE FROM jobs.pace")
        await connection.execute("DELETE FROM jobs.ticks WHERE name LIKE 'jobs.recover_stalled.%%'")
        for lock in ("of the first", "of the second"):
            await enqueue(connection, "analysis.test_fair", {"account_id": str(new_id())}, lock=lock)
        cursor = await connection.execute("SELECT min(id) AS first FROM procrastinate_jobs WHERE status = 'todo'")
        row = await cursor.fetchone()
        await connection.execute(aged, (row["first"],))
        assert await expected_wait(connection, "of the first") is None, "nobody stands before it"
        told = await expected_wait(connection, "of the second")
        assert told is not None
        assert timedelta(minutes=20) <= told < timedelta(minutes=21)
        await connection.execute(ATTEND)
        assert await expected_wait(connection, "of the second") is None, "a worker is there, and was not measured yet"
        await note_done(connection, Queue.ANALYSIS)
        assert await expected_wait(connection, "of the second") == timedelta(seconds=60)


async def test_what_was_done_is_known_for_an_hour(plumbing):
    async with plumbing.database.system() as connection, connection.transaction(force_rollback=True):
        await connection.execute("DELETE FROM jobs.pace")
        await connection.execute(
            "INSERT INTO jobs.pace (queue, minute, done) VALUES ('analysis', now() - interval '59 minutes', 6), "
            "('analysis', now() - interval '61 minutes', 7)"
        )
        for _ in range(2):
            await note_done(connection, Queue.ANALYSIS)
        cursor = await connection.execute("SELECT done FROM jobs.pace ORDER BY minute")
        assert [row["done"] for row in await cursor.fetchall()] == [6, 2]
