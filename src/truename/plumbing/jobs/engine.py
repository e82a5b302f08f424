"""The job engine behind our port: procrastinate, with our rules for retries and for giving up."""

import asyncio
import contextlib
import inspect
import time
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any, Final, cast

import psycopg
import psycopg_pool
import structlog
from opentelemetry.trace import SpanKind
from procrastinate import App, JobContext, PsycopgConnector, RetryDecision
from procrastinate.jobs import Job as EngineJob
from procrastinate.jobs import Status
from procrastinate.retry import BaseRetryStrategy
from procrastinate.tasks import Task

from truename.plumbing.clock import now
from truename.plumbing.database.pool import Database, configure_connection, is_away
from truename.plumbing.error_text import error_text
from truename.plumbing.jobs.pace import note_done
from truename.plumbing.jobs.queue_names import ALONE, Queue, queue_of
from truename.plumbing.jobs.registry import JOBS, HasDatabase, Job, JobFunction, PutOff, Retry
from truename.plumbing.jobs.unknown import put_off
from truename.plumbing.metrics import GIVEN_UP, count_job, expect_job
from truename.plumbing.storage.objects import StorageUnavailable
from truename.plumbing.tracing import caused_by, span
from truename.rules.json_values import Json
from truename.vision.decoding.decoder import DecoderStarved

HEARTBEAT_SECONDS = 2.0
DEAD_AFTER_SECONDS = 8.0
"""A worker that was silent for so long is dead, and its jobs are given to others."""
HOOK_AGAIN_SECONDS: Final = 30.0
UNKNOWN: Final = "jobs.unknown"
"""Whoever does in this process what it does not know: it puts it off."""
OUTAGE_AGAIN_SECONDS: Final = 5.0
DEATHS_ALONE: Final = 6
"""How many workers a job must have killed while it was alone before it is given up: the power may fail, too."""

log = structlog.get_logger(__name__)


class GaveUp(Exception):
    """The last attempt failed, and whoever must know of it was told."""


class WorkerDied(Exception):
    """Every worker that ran the job alone died of it, or with it."""


class Outage(Exception):
    """The database or the store is away, or the machine too busy to decode: that is nobody's failed attempt."""


def is_outage(error: BaseException) -> bool:
    """Is it what the work stands on that fails, and not the work? Then it is tried for as long as that lasts."""
    return is_away(error) or isinstance(error, (StorageUnavailable, DecoderStarved))


class OurRetries(BaseRetryStrategy):
    """The engine's question whether and when to try again, answered by the job's own schedule."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def get_retry_decision(self, *, exception: BaseException, job: EngineJob) -> RetryDecision | None:
        if isinstance(exception, GaveUp):
            return None
        if isinstance(exception, PutOff):
            return RetryDecision(retry_at=now() + timedelta(seconds=exception.seconds))
        if isinstance(exception, Outage):
            return RetryDecision(retry_at=now() + timedelta(seconds=OUTAGE_AGAIN_SECONDS))
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_at=now())  # the worker stops: another takes over at once
        attempt = job.attempts + 1
        seconds = self.job.retry.wait_after(attempt) if attempt < self.job.retry.attempts else HOOK_AGAIN_SECONDS
        return RetryDecision(retry_at=now() + timedelta(seconds=seconds))


class KnownTasks(dict[str, Task[..., object, ...]]):
    """What does which job; where nothing does, what puts it off: the engine would give it up at once."""

    def get(self, name: str, _: object = None) -> Task[..., object, ...]:
        """What does the job of this name."""
        return self[name if name in self else UNKNOWN]


@asynccontextmanager
async def engine(database: Database, plumbing: HasDatabase) -> AsyncGenerator[App]:
    """An engine on the pool of this process, so that one process has one set of connections; knows every job."""
    app = App(connector=PsycopgConnector(configure=configure_connection))
    for job in JOBS.values():
        expect_job(job.name)
        app.task(name=job.name, queue=queue_of(job.name), pass_context=True, retry=OurRetries(job))(
            _counted(job, _traced(job, plumbing, _runner(job, plumbing)))
        )
    unknown = Job(UNKNOWN, partial(put_off, plumbing), Retry(), None)
    app.task(name=UNKNOWN, pass_context=True, retry=OurRetries(unknown))(unknown.function)
    app.tasks = KnownTasks(app.tasks)
    # The engine asks each cursor for rows of its own kind, whatever the pool's connections give by default.
    async with app.open_async(cast(Any, database.pool)):
        yield app


def _runner(job: Job, plumbing: HasDatabase) -> JobFunction:
    takes = inspect.signature(job.function)

    async def run(context: JobContext, **args: Json) -> None:
        attempt = context.job.attempts + 1
        try:
            takes.bind(plumbing, **args)
        except TypeError:
            await put_off(plumbing, context)
        try:
            await job.function(plumbing, **args)
            if queue_of(job.name) is Queue.ANALYSIS:
                await _keep_pace(plumbing)
        except PutOff:
            await _take_off_an_attempt(plumbing, context.job)
            raise
        except Exception as error:
            if is_outage(error):
                log.warning("job waits for what it needs", job=job.name, error=error_text(error))
                await _take_off_an_attempt(plumbing, context.job)
                raise Outage from error
            log.warning("job failed", job=job.name, attempt=attempt, of=job.retry.attempts, error=error_text(error))
            if attempt < job.retry.attempts:
                raise
            await give_up(job, plumbing, args, error)
            raise GaveUp from error
        except asyncio.CancelledError:
            # The worker stops. The engine will count an attempt that was none, so one is taken off before.
            await asyncio.shield(_take_off_an_attempt(plumbing, context.job))
            raise

    return run


async def _keep_pace(plumbing: HasDatabase) -> None:
    """An analysis is done; that it could not be counted does not undo it."""
    with contextlib.suppress(psycopg.Error, psycopg_pool.PoolTimeout):
        async with plumbing.database.system() as connection:
            await note_done(connection, Queue.ANALYSIS)


async def _take_off_an_attempt(plumbing: HasDatabase, job: EngineJob) -> None:
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET attempts = attempts - 1 WHERE id = %s", (job.id,))


def _traced(job: Job, plumbing: HasDatabase, work: JobFunction) -> JobFunction:
    """The same work as a part of the request that has asked for it."""

    async def run(context: JobContext, **args: Json) -> None:
        cause = await _cause_of(plumbing, context.job)
        with caused_by(cause) as within, span(f"job {job.name}", within, SpanKind.CONSUMER) as made:
            made.set_attribute("truename.attempt", context.job.attempts + 1)
            await work(context, **args)

    return run


async def _cause_of(plumbing: HasDatabase, job: EngineJob) -> str | None:
    """What was stored with the job; where it cannot be read, the work is done without."""
    with contextlib.suppress(psycopg.Error, psycopg_pool.PoolTimeout):
        async with plumbing.database.system() as connection:
            cursor = await connection.execute("SELECT cause FROM procrastinate_jobs WHERE id = %s", (job.id,))
            row = await cursor.fetchone()
        return None if row is None else row["cause"]
    return None


def _counted(job: Job, work: JobFunction) -> JobFunction:
    """The same work, with each attempt counted by how it ended."""

    async def run(context: JobContext, **args: Json) -> None:
        began, outcome = time.perf_counter(), "failed"
        try:
            await work(context, **args)
            outcome = "done"
        except GaveUp:
            outcome = GIVEN_UP
            raise
        except (asyncio.CancelledError, Outage, PutOff):
            outcome = "interrupted"
            raise
        finally:
            count_job(job.name, outcome, time.perf_counter() - began)

    return run


async def give_up(job: Job, plumbing: HasDatabase, args: Mapping[str, Json], error: BaseException) -> None:
    """Tell whoever must know. If that fails too, the job stays and is tried again: never a silent end."""
    log.error("job given up", job=job.name, error=error_text(error), **{key: str(value) for key, value in args.items()})
    if job.on_exhausted is not None:
        await job.on_exhausted(plumbing, error=error, **args)


async def recover_stalled(app: App, plumbing: HasDatabase, queues: Collection[Queue] = tuple(Queue)) -> int:
    """Take the jobs of dead workers out of their hands: those of these queues, which are known here.

    To have been in company when a worker died says nothing about a job: it is run again alone, and nothing is counted.
    Only who was alone in a worker that died is suspected, and given up once that has happened again and again.
    """
    silent = await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER_SECONDS)
    stalled = [found for found in silent if queue_of(found.task_name) in queues]
    for found in stalled:
        job = JOBS.get(found.task_name)
        alone = found.queue.endswith(ALONE)
        log.warning("worker died", job=found.task_name, alone=alone, deaths=found.attempts + 1 if alone else 0)
        if not alone:
            await _isolate(plumbing, found)
        elif job is not None and found.attempts + 1 >= DEATHS_ALONE:
            await give_up(job, plumbing, found.task_kwargs, WorkerDied("The worker died during every attempt."))
            await app.job_manager.finish_job(found, Status.FAILED, delete_job=False)
            count_job(job.name, GIVEN_UP, 0)
        else:
            await app.job_manager.retry_job(found, retry_at=now())
    return len(stalled)


async def _isolate(plumbing: HasDatabase, found: EngineJob) -> None:
    # The engine's own way to try a job again would count the attempt.
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE procrastinate_jobs SET status = 'todo', queue_name = %s, scheduled_at = now() "
            "WHERE id = %s AND status = 'doing'",
            (queue_of(found.task_name).alone, found.id),
        )


async def lone_work_waits(plumbing: HasDatabase, queues: Collection[Queue]) -> bool:
    """Is there a job of these queues that must be run alone, and is it due?"""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = ANY (%s) "
            "AND status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())) AS waits",
            ([queue.alone for queue in queues],),
        )
        row = await cursor.fetchone()
    return row is not None and bool(row["waits"])
