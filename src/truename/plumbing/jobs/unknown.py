"""Jobs that a later version has asked for, by their name or by their arguments: put off until a worker knows them.

Whoever was given one leaves a mark, so that /metrics and `truename doctor` can tell how many wait.
"""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog
from procrastinate import JobContext

from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.registry import HasDatabase, PutOff
from truename.rules.json_values import Json

AGAIN_SECONDS: Final = 10.0
LONGEST_SECONDS: Final = 300.0
A_SECOND: Final = 10
"""So many of one name are looked at in a second, where there are more than a hundred: each look costs the database
about as much as a job that is done."""
SAY_AGAIN_SECONDS: Final = 600.0
MARK: Final = "jobs.unknown."
"""Beside the regular tasks, with the job's name behind it: when a worker was last given one that it does not know."""
MARKED_FOR: Final = timedelta(minutes=10)
"""In a queue that is full it takes minutes until one is given to a worker again."""
PUT_OFF: Final = """
WITH uncounted AS (UPDATE procrastinate_jobs SET attempts = attempts - 1 WHERE id = %(id)s),
marked AS (INSERT INTO jobs.ticks (name, last_at) VALUES (%(mark)s, clock_timestamp())
           ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at)
SELECT count(*) AS waiting FROM procrastinate_jobs WHERE status IN ('todo', 'doing') AND task_name = %(name)s
"""
WAITING: Final = """
SELECT task_name AS name, count(*) AS jobs FROM procrastinate_jobs
WHERE status = 'todo' AND %(mark)s || task_name = ANY (ARRAY (
    SELECT name FROM jobs.ticks WHERE starts_with(name, %(mark)s) AND last_at > clock_timestamp() - %(marked_for)s))
GROUP BY task_name ORDER BY task_name
"""

log = structlog.get_logger(__name__)

_said_at: Final[dict[str, float]] = {}
"""By the job's name: when this process last wrote a line about it."""


class NotKnownHere(PutOff):
    """A worker of the version that asked for it will come."""


@dataclass(frozen=True, slots=True)
class UnknownJobs:
    """Jobs of one name, of which a worker has lately been given one that it does not know."""

    name: str
    jobs: int


async def put_off(plumbing: HasDatabase, context: JobContext, **_: Json) -> None:
    """Count no attempt and raise NotKnownHere; one line for each name in ten minutes."""
    name = context.job.task_name
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(PUT_OFF, {"id": context.job.id, "mark": MARK + name, "name": name})
        row = await cursor.fetchone()
    waiting = int(row["waiting"]) if row else 1  # with this one, and those that others are looking at just now
    if time.monotonic() - _said_at.get(name, -SAY_AGAIN_SECONDS) >= SAY_AGAIN_SECONDS:
        _said_at[name] = time.monotonic()
        log.warning("a job that this version does not know waits for a worker that does", job=name, waiting=waiting)
    raise NotKnownHere(min(max(waiting / A_SECOND, AGAIN_SECONDS), LONGEST_SECONDS))


async def unknown_jobs(connection: Connection) -> list[UnknownJobs]:
    """What waits for a worker of another version. Of a name whose arguments were not known, all that wait."""
    cursor = await connection.execute(WAITING, {"mark": MARK, "marked_for": MARKED_FOR})
    return [UnknownJobs(row["name"], row["jobs"]) for row in await cursor.fetchall()]
