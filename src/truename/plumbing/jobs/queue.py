"""Ask for work: the request commits, or vanishes, with the change that caused it."""

from datetime import datetime, timedelta
from typing import Final

from psycopg.types.json import Jsonb

from truename.plumbing.clock import now
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue_names import ALONE, BY_ROOM, ONE_FOR_ALL, Queue, queue_of
from truename.rules.json_values import JsonObject

SOON: Final = timedelta(seconds=60)
"""What is due later than this waits outside the hot queue, whose fetch slows down with every row that is not due."""


async def enqueue(
    connection: Connection,
    name: str,
    args: JsonObject,
    *,
    lock: str | None = None,
    run_at: datetime | None = None,
    priority: int = 0,
) -> None:
    """Ask for the job `name`, on the caller's connection. Jobs with the same lock run one after another."""
    if run_at is not None and run_at - now() > SOON:
        await connection.execute(
            "INSERT INTO jobs.later (run_at, name, args, lock, priority) VALUES (%s, %s, %s, %s, %s)",
            (run_at, name, Jsonb(dict(args)), lock, priority),
        )
        return
    # The engine's own versioned function: its Python layer would do the same at five times the cost.
    await connection.execute(
        """SELECT procrastinate_defer_jobs_v1(ARRAY[
               ROW(%s, %s, %s, %s, NULL, %s, %s)::procrastinate_job_to_defer_v1])""",
        (queue_of(name), name, priority, lock, Jsonb(dict(args)), run_at),
    )


async def move_due(connection: Connection, limit: int = 1000) -> int:
    """Bring what will soon be due into the hot queue; says how many there were."""
    cursor = await connection.execute(
        """
        WITH due AS (
            DELETE FROM jobs.later WHERE later_id IN (
                SELECT later_id FROM jobs.later WHERE run_at < now() + interval '10 seconds'
                ORDER BY run_at LIMIT %s FOR UPDATE SKIP LOCKED)
            RETURNING run_at, name, args, lock, priority)
        SELECT cardinality(procrastinate_defer_jobs_v1(array_agg(
            ROW(coalesce(%s::jsonb ->> split_part(name, '.', 1), %s), name, priority, lock, NULL, args, run_at
                )::procrastinate_job_to_defer_v1))) AS moved FROM due
        HAVING count(*) > 0""",
        (limit, Jsonb(BY_ROOM), Queue.UPKEEP),
    )
    row = await cursor.fetchone()
    return 0 if row is None else int(row["moved"])


async def adopt(connection: Connection) -> int:
    """Sort what processes of an earlier version have asked for into our queues; says how many jobs there were."""
    cursor = await connection.execute(
        """
        UPDATE procrastinate_jobs
        SET queue_name = coalesce(%(rooms)s::jsonb ->> split_part(task_name, '.', 1), %(other)s)
                         || substr(queue_name, %(behind)s)
        WHERE queue_name = ANY (%(old)s) AND status = 'todo'
        """,
        {
            "rooms": Jsonb(BY_ROOM),
            "other": Queue.UPKEEP,
            "behind": len(ONE_FOR_ALL) + 1,
            "old": [ONE_FOR_ALL, ONE_FOR_ALL + ALONE],
        },
    )
    return cursor.rowcount
