"""Do the work: fetch jobs, run regular tasks, stop cleanly when cancelled."""

import asyncio
import contextlib
import random
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import timedelta
from functools import partial
from typing import Final

import procrastinate
import psycopg
import psycopg_pool
import structlog
from procrastinate import App
from procrastinate.worker import Worker

from truename.plumbing.database.pool import Database
from truename.plumbing.error_text import error_text
from truename.plumbing.jobs import engine as engine_module
from truename.plumbing.jobs.backlog import ATTENDED
from truename.plumbing.jobs.engine import engine
from truename.plumbing.jobs.outages import outages
from truename.plumbing.jobs.queue import adopt, move_due
from truename.plumbing.jobs.queue_names import Queue, queue_of
from truename.plumbing.jobs.registry import TICKS, HasDatabase, Tick
from truename.plumbing.jobs.set_back import bring_back_from_the_future
from truename.plumbing.jobs.unheld import Held, give_back_unheld

log = structlog.get_logger(__name__)

KEEP_FAILED = timedelta(days=30)
LOOK_FOR_LONE_WORK_SECONDS = 1.0
LONE_TASK: Final = "jobs.run_alone"
STOP_WITHIN_SECONDS = 20.0
START_OVER_AFTER_SECONDS = 1.0
AT_ONCE: Final = 4
EVERY_QUEUE: Final[Mapping[Queue, int]] = dict.fromkeys(Queue, AT_ONCE)

LoneWork = Callable[[], Awaitable[None]]


class EngineStopped(Exception):
    """The engine lost the database, or its ear for new jobs, and put its work down: start over."""


BROKEN: Final = (psycopg.Error, psycopg_pool.PoolTimeout, procrastinate.exceptions.ConnectorException, EngineStopped)


def never() -> bool:
    """Nobody asks this worker to end."""
    return False


async def whatever_breaks(work: Callable[[], Awaitable[None]], is_leaving: Callable[[], bool] = never) -> None:
    """Do this work, over again whenever the database was away, or thought that we were dead and gave ours to others.

    Who was asked to end does, whatever broke in that moment: without the database no work ends well. To look at
    whether our task is being cancelled would not do: a group of tasks of which one fails leaves it looking so (3.11).
    """
    while True:
        try:
            return await work()
        except BROKEN as error:
            if is_leaving():
                raise asyncio.CancelledError from None
            log.warning("the work is broken off and starts over", error=error_text(error))
            await asyncio.sleep(START_OVER_AFTER_SECONDS)


async def run_worker(
    plumbing: HasDatabase, slots: Mapping[Queue, int] = EVERY_QUEUE, *, alone: LoneWork | None = None
) -> None:
    """Work until cancelled, then finish what was begun.

    `slots` says which queues are worked off here, and how many jobs of each at once. `alone` is called when jobs wait
    that must be run alone, and again after it has returned; by default they are run here, one at a time. Raises
    EngineStopped, or what the database said, when the work cannot go on.
    """
    async with engine(plumbing.database, plumbing) as app:
        lone_work = alone or partial(_work, app, plumbing, [queue.alone for queue in slots], 1)
        beside = [asyncio.create_task(_keep(tick, plumbing)) for tick in _ticks_of(app, plumbing, slots)]
        beside.append(asyncio.create_task(_keep_lone_work(plumbing, slots, lone_work)))
        try:
            async with asyncio.TaskGroup() as group:
                for queue, at_once in slots.items():
                    group.create_task(_work_for_ever(app, plumbing, queue, at_once))
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)


async def run_alone(plumbing: HasDatabase, queues: Collection[Queue] = tuple(Queue)) -> None:
    """Run the jobs that must be run alone, one at a time, until none is left: the whole work of a lone process."""
    async with engine(plumbing.database, plumbing) as app:
        await _work(app, plumbing, [queue.alone for queue in queues], 1, stop_within=STOP_WITHIN_SECONDS)


async def _work_for_ever(app: App, plumbing: HasDatabase, queue: Queue, at_once: int) -> None:
    await _work(app, plumbing, [queue], at_once, wait=True)
    raise EngineStopped(f"The work on the queue {queue} ended by itself.")


async def _work(
    app: App,
    plumbing: HasDatabase,
    queues: Collection[str],
    at_once: int,
    *,
    wait: bool = False,
    stop_within: float | None = None,
) -> None:
    # Whoever waits for all work to be done does not want it broken off.
    stop_within = stop_within or (STOP_WITHIN_SECONDS if wait else 600.0)
    held = Held()
    worker = Worker(
        app,
        queues=list(queues),
        name=f"{socket.gethostname()}-{random.randrange(10**6)}",
        concurrency=at_once,
        wait=wait,
        fetch_job_polling_interval=1.0,
        shutdown_graceful_timeout=stop_within,
        delete_jobs="successful",
        install_signal_handlers=False,
        update_heartbeat_interval=engine_module.HEARTBEAT_SECONDS,
        stalled_worker_timeout=engine_module.DEAD_AFTER_SECONDS,
        worker_middleware=[held],
    )
    looking = asyncio.create_task(give_back_unheld(plumbing, worker, held))
    try:
        await worker.run()  # type: ignore[no-untyped-call]
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


async def _keep_lone_work(plumbing: HasDatabase, queues: Collection[Queue], alone: LoneWork) -> None:
    """Look for jobs that must be run alone, and have them run, as long as this worker lives."""
    while True:
        try:
            if await engine_module.lone_work_waits(plumbing, queues):
                await alone()
            outages.note_success(LONE_TASK)
        except Exception as error:
            outages.note_failure(LONE_TASK, error)
        await asyncio.sleep(LOOK_FOR_LONE_WORK_SECONDS)


def _ticks_of(app: App, plumbing: HasDatabase, queues: Collection[Queue]) -> list[Tick]:
    """The regular tasks of these queues, and the engine's own, which every worker takes its turn at."""

    async def recover(queue: Queue, _: HasDatabase) -> None:
        await engine_module.recover_stalled(app, plumbing, [queue])

    async def wake_later_work(_: HasDatabase) -> None:
        async with plumbing.database.system() as connection:
            await adopt(connection)
            while await move_due(connection) == 1000:
                pass

    async def after_a_clock_was_set_back(_: HasDatabase) -> None:
        async with plumbing.database.system() as connection:
            await bring_back_from_the_future(connection)

    async def forget_failures(_: HasDatabase) -> None:
        await app.job_manager.delete_old_jobs(
            nb_hours=int(KEEP_FAILED.total_seconds() // 3600),
            include_failed=True,
            include_cancelled=True,
            include_aborted=True,
        )

    own = [
        # Of each queue by one of those who know its jobs: a turn that another took would be none.
        *(Tick(f"{ATTENDED}{queue}", partial(recover, queue), 2) for queue in queues),
        Tick("jobs.wake_later_work", wake_later_work, 2),
        Tick("jobs.after_a_clock_was_set_back", after_a_clock_was_set_back, 30),
        Tick("jobs.forget_failures", forget_failures, 3600),
    ]
    return own + [tick for tick in TICKS.values() if queue_of(tick.name) in queues]


async def _keep(tick: Tick, plumbing: HasDatabase) -> None:
    """Run a regular task for ever; a failure is logged and the next round tries again."""
    while True:
        try:
            if await is_our_turn(tick, plumbing.database):
                await tick.function(plumbing)
            outages.note_success(tick.name)
        except Exception as error:
            outages.note_failure(tick.name, error)
        await asyncio.sleep(tick.seconds * random.uniform(0.5, 1.0))


async def is_our_turn(tick: Tick, database: Database) -> bool:
    """Whoever moves the hand of the clock first runs the task; the others wait for the next round."""
    async with database.system() as connection:
        cursor = await connection.execute(
            """INSERT INTO jobs.ticks AS tick (name, last_at) VALUES (%(name)s, clock_timestamp())
               ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at
               WHERE tick.last_at < clock_timestamp() - make_interval(secs => %(seconds)s)
                  OR tick.last_at > clock_timestamp() + interval '1 hour'
               RETURNING name""",
            {"name": tick.name, "seconds": tick.seconds * 0.5},
        )
        return await cursor.fetchone() is not None


async def run_pending(plumbing: HasDatabase) -> None:
    """Do all work that is due now, then return: for tests and tools."""
    with contextlib.suppress(asyncio.CancelledError):
        async with engine(plumbing.database, plumbing) as app:
            await _work(app, plumbing, [queue.alone for queue in Queue], 1)
            await _work(app, plumbing, list(Queue), AT_ONCE)
