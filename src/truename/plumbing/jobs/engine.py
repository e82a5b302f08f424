"""The job engine behind our port: procrastinate, with our rules for retries and for giving up."""

import asyncio
import time
from datetime import timedelta
from typing import Any, Final

import structlog
from procrastinate import App, JobContext, PsycopgConnector, RetryDecision
from procrastinate.jobs import Job as EngineJob
from procrastinate.jobs import Status
from procrastinate.retry import BaseRetryStrategy

from truename.plumbing.clock import now
from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.queue import QUEUE
from truename.plumbing.jobs.registry import JOBS, Job
from truename.plumbing.metrics import count_job

HEARTBEAT_SECONDS: Final = 2.0
DEAD_AFTER_SECONDS: Final = 8.0
"""A worker that was silent for so long is dead, and its jobs are given to others."""
HOOK_AGAIN_SECONDS: Final = 30.0

log = structlog.get_logger(__name__)


class GaveUp(Exception):
    """The last attempt failed, and whoever must know of it was told."""


class OurRetries(BaseRetryStrategy):
    def __init__(self, job: Job) -> None:
        self.job = job

    def get_retry_decision(self, *, exception: BaseException, job: EngineJob) -> RetryDecision | None:
        if isinstance(exception, GaveUp):
            return None
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_at=now())  # the worker stops: another takes over at once
        attempt = job.attempts + 1
        seconds = self.job.retry.wait_after(attempt) if attempt < self.job.retry.attempts else HOOK_AGAIN_SECONDS
        return RetryDecision(retry_at=now() + timedelta(seconds=seconds))


def engine(database: Database, plumbing: Any) -> App:
    """An engine on the pool of this process that knows every registered job."""
    app = App(connector=_OnOurPool(database))
    for job in JOBS.values():
        app.task(name=job.name, queue=QUEUE, pass_context=True, retry=OurRetries(job))(
            _counted(job, _runner(job, plumbing))
        )
    return app


def _runner(job: Job, plumbing: Any) -> Any:
    async def run(context: JobContext, **args: Any) -> None:
        attempt = context.job.attempts + 1
        try:
            await job.function(plumbing, **args)
        except Exception as error:
            log.warning("job failed", job=job.name, attempt=attempt, of=job.retry.attempts, error=repr(error))
            if attempt < job.retry.attempts:
                raise
            await give_up(job, plumbing, args, error)
            raise GaveUp from error

    return run


def _counted(job: Job, work: Any) -> Any:
    """The same work, with each attempt counted by how it ended."""

    async def run(context: JobContext, **args: Any) -> None:
        began, outcome = time.perf_counter(), "failed"
        try:
            await work(context, **args)
            outcome = "done"
        except GaveUp:
            outcome = "given_up"
            raise
        except asyncio.CancelledError:
            outcome = "interrupted"
            raise
        finally:
            count_job(job.name, outcome, time.perf_counter() - began)

    return run


async def give_up(job: Job, plumbing: Any, args: dict[str, Any], error: BaseException) -> None:
    """Tell whoever must know. If that fails too, the job stays and is tried again: never a silent end."""
    log.error("job given up", job=job.name, error=repr(error), **{key: str(value) for key, value in args.items()})
    if job.on_exhausted is not None:
        await job.on_exhausted(plumbing, error=error, **args)


async def recover_stalled(app: App, plumbing: Any) -> int:
    """Give the jobs of dead workers to living ones; a job that keeps killing its worker is given up in the end."""
    stalled = list(await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER_SECONDS))
    for found in stalled:
        job = JOBS.get(found.task_name)
        log.warning("worker died", job=found.task_name, attempt=found.attempts + 1)
        if job is not None and found.attempts + 1 >= job.retry.attempts:
            await give_up(job, plumbing, found.task_kwargs, RuntimeError("The worker died during every attempt."))
            await app.job_manager.finish_job(found, Status.FAILED, delete_job=False)
        else:
            await app.job_manager.retry_job(found, retry_at=now())
    return len(stalled)


class _OnOurPool(PsycopgConnector):
    """The engine's bookkeeping runs on our own pool, so that one process has one set of connections."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._async_pool = database.pool  # type: ignore[assignment]  # the engine asks each cursor for its own rows
        self._pool_externally_set = True
        self._pool_args = {"configure": database.pool._configure}
