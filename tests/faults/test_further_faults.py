"""A picture that kills, a worker that freezes, a clock that is days off: what becomes of it?"""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.support.analyses import row_of, status_of
from tests.support.jobs import ask, count, working
from tests.support.people import a_verified_person
from tests.support.transactions import a_customer, a_transaction, submitted
from tests.support.waiting import until
from truename.media.orphans import SAFE_AGE, sweep_orphans
from truename.plumbing import clock
from truename.plumbing.database.heard_time import hearing_time
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.engine import DEATHS_ALONE, engine, recover_stalled
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import Retry, job
from truename.plumbing.jobs.worker import run_pending, run_worker
from truename.wiring import load_jobs

HOOK = {"webhook": {"url": "https://hooks.example.com/x"}}


async def test_a_picture_that_kills_every_worker_fails_its_own_transaction_with_a_reason_and_no_other(
    plumbing, an_account
):
    load_jobs()
    poisoned, innocent = [
        await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account), config=HOOK) for _ in range(2)
    ]
    for one in (poisoned, innocent):
        await submitted(plumbing, an_account, one)

    async def dies(*transactions):
        """As a worker leaves its jobs that was killed."""
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE procrastinate_jobs SET status = 'doing' WHERE args ->> 'transaction_id' = ANY (%s) "
                "AND task_name = 'analysis.analyse'",
                ([str(one) for one in transactions],),
            )

    async with engine(plumbing.database, plumbing) as app:
        await dies(poisoned, innocent)  # in company: both are run alone from now on
        await recover_stalled(app, plumbing)
        for _ in range(DEATHS_ALONE):
            assert await status_of(plumbing, an_account, poisoned) == "PROCESSING"
            await dies(poisoned)
            await recover_stalled(app, plumbing)
    assert await status_of(plumbing, an_account, poisoned) == "FAILED"
    line = await row_of(
        plumbing, an_account, "audit_log", "details ->> 'to' = 'FAILED' AND subject", f"transaction:{poisoned}"
    )
    assert line["details"] == {"from": "PROCESSING", "to": "FAILED", "reason": "WORKER_DIED"}
    event = await row_of(
        plumbing, an_account, "webhook_events", "type = 'transaction.failed' AND transaction_id", poisoned
    )
    assert event["sequence"] == 3
    assert await status_of(plumbing, an_account, innocent) == "PROCESSING"
    waiting = "SELECT queue_name || attempts FROM procrastinate_jobs WHERE args ->> 'transaction_id' = "
    assert await count(plumbing, f"{waiting}'{innocent}'") == "analysis.alone0"


FROZEN = textwrap.dedent("""
    import asyncio, sys
    from dataclasses import dataclass
    from truename.plumbing.database.pool import Database
    from truename.plumbing.jobs import engine
    from truename.plumbing.jobs.queue_names import Queue
    from truename.plumbing.jobs.registry import job
    from truename.plumbing.jobs.worker import run_worker, whatever_breaks

    engine.HEARTBEAT_SECONDS, engine.DEAD_AFTER_SECONDS = 0.3, 1.5

    @job("test.freezes")
    async def freezes(plumbing, *, word):
        print("begun", word, flush=True)
        await asyncio.sleep(4 if word == "hello" else 0)  # longer than it takes to freeze it
        print("done", word, flush=True)

    @dataclass
    class Only:
        database: Database

    async def main():
        database = Database(sys.argv[1], connections=3)
        await database.open()
        await whatever_breaks(lambda: run_worker(Only(database), {Queue.UPKEEP: 1}))

    asyncio.run(main())
""")


@pytest.mark.slow
async def test_a_worker_that_was_frozen_past_its_lease_wakes_up_and_works_on(plumbing, seen, monkeypatch):
    monkeypatch.setattr("truename.plumbing.jobs.engine.HEARTBEAT_SECONDS", 0.3)
    monkeypatch.setattr("truename.plumbing.jobs.engine.DEAD_AFTER_SECONDS", 1.5)
    process = subprocess.Popen(
        [sys.executable, "-c", FROZEN, plumbing.database.url],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.DEVNULL,  # the engine complains at length that its job is gone
        text=True,
    )
    told = process.stdout
    assert told is not None

    async def says(line):
        async with asyncio.timeout(60):
            while not (found := (await asyncio.to_thread(told.readline)).strip()).startswith(("begun", "done")):
                assert process.poll() is None, "it ended"
        assert found == line

    try:
        await ask(plumbing, "test.freezes")
        await says("begun hello")
        process.send_signal(signal.SIGSTOP)

        @job("test.freezes")
        async def freezes(given, *, word):
            seen.append(word)

        async def taken_over():
            return seen == ["hello"]

        async with working(plumbing):
            await until(taken_over, 30)
        process.send_signal(signal.SIGCONT)
        await says("done hello")  # it cannot know; every job is safe to repeat
        async with plumbing.database.account(new_id()) as connection:
            await enqueue(connection, "test.freezes", {"word": "again"})
        await says("begun again")
        await says("done again")

        async def nothing_is_left():
            return (
                await count(plumbing, "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'test.freezes'") == 0
            )

        await until(nothing_is_left)
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(30)
        told.close()


@pytest.mark.parametrize("days", [10, -10])
async def test_a_worker_whose_clock_is_ten_days_off_tries_again_when_the_database_says_so(
    plumbing, seen, monkeypatch, days
):
    monkeypatch.setattr(clock, "_began", clock._began + days * 24 * 3600 * 10**9)

    @job("test.clock", retry=Retry(attempts=3, first_wait_seconds=1, growth=1))
    async def fails_once(given, *, word):
        seen.append(word)
        if len(seen) == 1:
            raise ValueError("no")

    await ask(plumbing, "test.clock")

    async def twice():
        return seen == ["hello", "hello"]

    async with hearing_time(plumbing.database):  # as `wired` does for every process
        worker = asyncio.create_task(run_worker(plumbing))
        try:
            await until(twice, 20)
        finally:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)


async def test_a_worker_whose_clock_is_ten_days_ahead_takes_no_fresh_picture_for_an_orphan(
    plumbing, an_account, monkeypatch
):
    person = await a_verified_person(plumbing, an_account)
    being_stored = f"{an_account.account_id}/{person.customer_id}/{new_id()}"
    await plumbing.objects.put(being_stored, b"its row will commit in a moment")
    monkeypatch.setattr(clock, "_began", clock._began + 10 * 24 * 3600 * 10**9)
    await sweep_orphans(plumbing, SAFE_AGE)
    assert await plumbing.objects.get(being_stored)
    await plumbing.objects.delete(being_stored)
    await run_pending(plumbing)
