"""Do the work: fetch jobs, run regular tasks, stop cleanly on SIGTERM."""

import asyncio
import contextlib
import random
import socket
from datetime import timedelta
from typing import Any, Protocol

import structlog
from procrastinate import App

from truename.plumbing.database.pool import Database
from truename.plumbing.jobs import engine as engine_module
from truename.plumbing.jobs.engine import DEAD_AFTER_SECONDS, HEARTBEAT_SECONDS, engine
from truename.plumbing.jobs.queue import QUEUE, move_due
from truename.plumbing.jobs.registry import TICKS, Tick

log = structlog.get_logger(__name__)

KEEP_FAILED = timedelta(days=30)


class HasDatabase(Protocol):
    """The plumbing, of which this room needs to know only the database."""

    @property
    def database(self) -> Database: ...


async def run_worker(
    plumbing: HasDatabase, *, concurrency: int = 4, until_empty: bool = False, handle_signals: bool = True
) -> None:
    """Work until told to stop (SIGTERM, SIGINT or cancellation), or until nothing is left to do."""
    app = engine(plumbing.database, plumbing)
    ticking = [] if until_empty else [asyncio.create_task(_keep(tick, plumbing)) for tick in _all_ticks(app, plumbing)]
    try:
        await app.run_worker_async(
            queues=[QUEUE],
            name=f"{socket.gethostname()}-{random.randrange(10**6)}",
            concurrency=concurrency,
            wait=not until_empty,
            fetch_job_polling_interval=1.0,
            # Whoever waits for all work to be done does not want it broken off.
            shutdown_graceful_timeout=600.0 if until_empty else 20.0,
            delete_jobs="successful",
            install_signal_handlers=handle_signals,
            update_heartbeat_interval=HEARTBEAT_SECONDS,
            stalled_worker_timeout=DEAD_AFTER_SECONDS,
        )
    finally:
        for task in ticking:
            task.cancel()
        await asyncio.gather(*ticking, return_exceptions=True)


def _all_ticks(app: App, plumbing: HasDatabase) -> list[Tick]:
    async def recover(_: Any) -> None:
        await engine_module.recover_stalled(app, plumbing)

    async def wake_later_work(_: Any) -> None:
        async with plumbing.database.system() as connection:
            while await move_due(connection) == 1000:
                pass

    async def forget_failures(_: Any) -> None:
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
        except Exception:
            log.exception("regular task failed", task=tick.name)
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
        await run_worker(plumbing, until_empty=True, handle_signals=False)
