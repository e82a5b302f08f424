"""How much waits in each queue, and since when? Asked of the database, so that it is right although no worker lives."""

import asyncio
from dataclasses import dataclass
from typing import Final

import psycopg
import psycopg_pool
from psycopg.types.json import Jsonb

from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.jobs.queue_names import ALONE, BY_ROOM, Queue
from truename.plumbing.jobs.unknown import unknown_jobs
from truename.plumbing.metrics import QueueGauges, gauges

PATIENCE_SECONDS: Final = 3.0
SILENT_SECONDS: Final = 30
"""A job in the hands of a worker that was silent for so long waits, too, until a living one takes it over."""
ATTENDED: Final = "jobs.recover_stalled."
"""The regular task, by the queue's name behind it, that whoever works a queue off takes turns at."""
BACKLOGS: Final = """
SELECT q.queue, w.jobs,
       coalesce(extract(epoch FROM clock_timestamp() - least(w.due_since, e.at)), 0)::float AS oldest_seconds,
       greatest(extract(epoch FROM clock_timestamp() - coalesce(t.last_at, pg_postmaster_start_time())), 0)::float
           AS unattended_seconds
FROM unnest(%(queues)s::text[]) AS q (queue)
CROSS JOIN LATERAL (
    SELECT count(*) AS jobs, min(scheduled_at) AS due_since, min(id) FILTER (WHERE scheduled_at IS NULL) AS first
    FROM (SELECT id, scheduled_at FROM procrastinate_jobs
          WHERE queue_name IN (q.queue, q.queue || %(alone)s) AND status = 'todo'
            AND (scheduled_at IS NULL OR scheduled_at <= now())
          UNION ALL
          SELECT held.id, held.scheduled_at FROM procrastinate_jobs held
          WHERE held.queue_name IN (q.queue, q.queue || %(alone)s) AND held.status = 'doing' AND NOT EXISTS (
              SELECT FROM procrastinate_workers living WHERE living.id = held.worker_id
              AND living.last_heartbeat > now() - make_interval(secs => %(silent)s))
          UNION ALL
          SELECT NULL, run_at FROM jobs.later
          WHERE run_at <= now() AND coalesce(%(rooms)s::jsonb ->> split_part(name, '.', 1), %(other)s) = q.queue
         ) AS nobodys) AS w
LEFT JOIN procrastinate_events e ON e.job_id = w.first AND e.type = 'deferred'
LEFT JOIN jobs.ticks t ON t.name = %(attended)s || q.queue
"""
"""A job that was asked for at once bears no time of its own; the engine's event tells when that was.

Work for later is brought into its queue by a worker: what is due there waits, too, where none lives.
"""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is due in one queue and in nobody's hands."""

    queue: Queue
    jobs: int
    oldest_seconds: float
    """How long the oldest of them has waited; 0 when there is none."""
    unattended_seconds: float
    """How long ago a worker of this queue was last at its regular work, which is done every other second.

    Where none ever was: for how long the database has been running.
    """


async def backlogs(connection: Connection) -> list[Backlog]:
    """Every queue, also those in which nothing waits."""
    cursor = await connection.execute(
        BACKLOGS,
        {
            "queues": list(Queue),
            "alone": ALONE,
            "silent": SILENT_SECONDS,
            "rooms": Jsonb(BY_ROOM),
            "other": Queue.UPKEEP,
            "attended": ATTENDED,
        },
    )
    return [
        Backlog(Queue(row["queue"]), row["jobs"], row["oldest_seconds"], row["unattended_seconds"])
        for row in await cursor.fetchall()
    ]


async def backlog_metrics(database: Database) -> bytes:
    """The queues as Prometheus reads them; where the database does not answer, that alone is said."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), database.system() as connection:
            found = await backlogs(connection)
            unknown = await unknown_jobs(connection)
    except (TimeoutError, OSError, psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed):
        return gauges(None)
    queues = [QueueGauges(one.queue, one.jobs, one.oldest_seconds, one.unattended_seconds) for one in found]
    return gauges(queues, unknown_jobs=sum(one.jobs for one in unknown))
