"""Do the work: fetch jobs, run regular tasks, stop cleanly when cancelled."""

import asyncio
import contextlib
import random
import socket
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import structlog
from procrastinate import App

from truename.plumbing.database.pool import Database
from truename.plumbing.error_text import traceback_text
from truename.plumbing.jobs import engine as engine_module
from truename.plumbing.jobs.engine import engine
from truename.plumbing.jobs.queue import ALONE, QUEUE, move_due
from truename.plumbing.jobs.registry import TICKS, HasDatabase, Tick

log = structlog.get_logger(__name__)

KEEP_FAILED = timedelta(days=30)
LOOK_FOR_LONE_WORK_SECONDS = 1.0
STOP_WITHIN_SECONDS = 20.0

LoneWork = Callable[[], Awaitable[None]]


async def run_worker(
    plumbing: HasDatabase,
    *,
    concurrency: int = 4,
    until_empty: bool = False,
    alone: LoneWork | None = None,
) -> None:
    """Work until cancelled, then finish what was begun; or work until nothing is left to do.

    `alone` is called when jobs wait that must be run alone, and again after it has returned; by default they are run
    here, one at a time.
    """
    async with engine(plumbing.database, plumbing) as app:
        beside: list[asyncio.Task[None]] = []
        if not until_empty:
            beside = [asyncio.create_task(_keep(tick, plumbing)) for tick in _all_ticks(app, plumbing)]
            beside.append(asyncio.create_task(_keep_lone_work(plumbing, alone or partial(_work, app, ALONE, 1))))
        try:
            if until_empty:
                await _work(app, ALONE, 1)
            await _work(app, QUEUE, concurrency, wait=not until_empty)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)


async def run_alone(plumbing: HasDatabase) -> None:
    """Run the jobs that must be run alone, one at a time, until none is left: the whole work of a lone process."""
    async with engine(plumbing.database, plumbing) as app:
        await _work(app, ALONE, 1, stop_within=STOP_WITHIN_SECONDS)


async def _work(
    app: App, queue: str, concurrency: int, *, wait: bool = False, stop_within: float | None = None
) -> None:
    # Whoever waits for all work to be done does not want it broken off.
    stop_within = stop_within or (STOP_WITHIN_SECONDS if wait else 600.0)
    await app.run_worker_async(
        queues=[queue],
        name=f"{socket.gethostname()}-{random.randrange(10**6)}",
        concurrency=concurrency,
        wait=wait,
        fetch_job_polling_interval=1.0,
        shutdown_graceful_timeout=stop_within,
        delete_jobs="successful",
        install_signal_handlers=False,
        update_heartbeat_interval=engine_module.HEARTBEAT_SECONDS,
        stalled_worker_timeout=engine_module.DEAD_AFTER_SECONDS,
    )


async def _keep_lone_work(plumbing: HasDatabase, alone: LoneWork) -> None:
    """Look for jobs that must be run alone, and have them run, as long as this worker lives."""
    while True:
        try:
            if await engine_module.lone_work_waits(plumbing):
                await alone()
        except Exception:
            log.exception("jobs could not be run alone")
        await asyncio.sleep(LOOK_FOR_LONE_WORK_SECONDS)


def _all_ticks(app: App, plumbing: HasDatabase) -> list[Tick]:
    async def recover(_: HasDatabase) -> None:
        await engine_module.recover_stalled(app, plumbing)

    async def wake_later_work(_: HasDatabase) -> None:
        async with plumbing.database.system() as connection:
            while await move_due(connection) == 1000:
                pass

    async def forget_failures(_: HasDatabase) -> None:
        await app.job_manager.delete_old_jobs(
            nb_hours=int(KEEP_FAILED.total_seconds() // 3600),
            include_failed=True,
            include_cancelled=True,
            include_aborted=True,
        )

    own = [
        Tick("jobs.recover_stalled", recover, 2),
        Tick("jobs.wake_later_work", wake_later_work, 2),
        Tick("jobs.forget_failures", forget_failures, 3600),
    ]
    return own + list(TICKS.values())


async def _keep(tick: Tick, plumbing: HasDatabase) -> None:
    """Run a regular task for ever; one failure is logged and the next round tries again."""
    while True:
        try:
            if await is_our_turn(tick, plumbing.database):
                await tick.function(plumbing)
        except Exception as error:
            log.error("regular task failed", task=tick.name, traceback=traceback_text(error))
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
        await run_worker(plumbing, until_empty=True)
