"""Jobs that a living worker was given and does not run: their end could not be written, and nobody would touch them.

The engine says that a job is done in a statement of its own. If the database dies in that moment and is back before the
worker notices, the worker lives on, and so the job is in its hands for ever as far as the database can tell.
"""

import asyncio
from typing import Final

import structlog
from procrastinate import JobContext
from procrastinate.middleware import AsyncCallNext
from procrastinate.worker import Worker

from truename.plumbing.error_text import error_text
from truename.plumbing.jobs.registry import HasDatabase

log = structlog.get_logger(__name__)

LOOK_SECONDS = 10.0
"""A job is given back when it was in nobody's hands in two looks, so far apart: its end may just be being written."""

OF_THIS_WORKER: Final = "SELECT id FROM procrastinate_jobs WHERE worker_id = %s AND status = 'doing'"
GIVE_BACK: Final = """
UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL, scheduled_at = now()
WHERE worker_id = %s AND status = 'doing' AND id = ANY (%s) RETURNING id, task_name
"""


class Held:
    """The jobs that one worker runs at this moment, noted by itself as the engine's middleware."""

    def __init__(self) -> None:
        self.ids: set[int | None] = set()

    async def __call__(self, call_next: AsyncCallNext, context: JobContext, worker: Worker) -> object:
        """Run a job, and know of it meanwhile."""
        self.ids.add(context.job.id)
        try:
            return await call_next()
        finally:
            self.ids.discard(context.job.id)


async def give_back_unheld(plumbing: HasDatabase, worker: Worker, held: Held) -> None:
    """Look for such jobs of this worker until cancelled, and have them run again; no attempt is counted."""
    before: set[int] = set()
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            before = await _look(plumbing, worker, held, before)
        except Exception as error:
            log.warning("jobs that nobody runs could not be looked for", error=error_text(error))


async def _look(plumbing: HasDatabase, worker: Worker, held: Held, before: set[int]) -> set[int]:
    """One look: gives back what was unheld before and still is; returns what is unheld for the first time."""
    if worker.worker_id is None:
        return set()
    async with plumbing.database.system() as connection:
        rows = await (await connection.execute(OF_THIS_WORKER, (worker.worker_id,))).fetchall()
        unheld = {row["id"] for row in rows} - held.ids
        if again := unheld & before:
            cursor = await connection.execute(GIVE_BACK, (worker.worker_id, sorted(again)))
            for row in await cursor.fetchall():
                log.warning("a job was in nobody's hands and is run again", job=row["task_name"], id=row["id"])
    return unheld - before
