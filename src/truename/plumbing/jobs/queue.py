"""Ask for work: the request commits, or vanishes, with the change that caused it."""

from datetime import datetime, timedelta
from typing import Final

from psycopg.types.json import Jsonb

from truename.plumbing.clock import now
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue_names import ALONE, BY_ROOM, ONE_FOR_ALL, SHARED_FAIRLY, Queue, queue_of
from truename.rules.json_values import JsonObject

SOON: Final = timedelta(seconds=60)
"""What is due later than this waits outside the hot queue, whose fetch slows down with every row that is not due."""
SHORTLY: Final = timedelta(seconds=10)
"""A job that was put off for no longer waits, too: another beside it would be put off as well."""
UNLESS_WAITING: Final = """WHERE NOT EXISTS (
    SELECT FROM procrastinate_jobs WHERE queue_name = %(queue)s AND status = 'todo' AND task_name = %(name)s
    AND args ->> 'account_id' = %(account)s AND (scheduled_at IS NULL OR scheduled_at <= now() + %(shortly)s))"""


async def enqueue(
    connection: Connection,
    name: str,
    args: JsonObject,
    *,
    lock: str | None = None,
    run_at: datetime | None = None,
    priority: int = 0,
    unless_waiting: bool = False,
) -> None:
    """Ask for the job `name`, on the caller's connection. Jobs with the same lock run one after another.

    In a queue that accounts share, the job of one that has few waiting comes before those of one that has many.
    `unless_waiting`: nothing is asked for while a job of this name waits for the same account. It may be taken just
    before the caller commits, so whoever says this must look again from time to time.
    """
    if run_at is not None and run_at - now() > SOON:
        await connection.execute(
            "INSERT INTO jobs.later (run_at, name, args, lock, priority) VALUES (%s, %s, %s, %s, %s)",
            (run_at, name, Jsonb(dict(args)), lock, priority),
        )
        return
    queue = queue_of(name)
    shares = queue in SHARED_FAIRLY and "account_id" in args and priority == 0
    turn = "jobs.fair_priority(%(queue)s::text, %(account)s)" if shares else "%(priority)s"
    waits = UNLESS_WAITING if unless_waiting else ""
    # The engine's own versioned function: its Python layer would do the same at five times the cost.
    await connection.execute(
        f"""SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(%(queue)s::text, %(name)s, {turn}, %(lock)s, NULL, %(args)s,
                                                         %(run_at)s)::procrastinate_job_to_defer_v1]) {waits}""",
        {
            "queue": queue,
            "name": name,
            "account": args.get("account_id"),
            "priority": priority,
            "lock": lock,
            "args": Jsonb(dict(args)),
            "run_at": run_at,
            "shortly": SHORTLY,
        },
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
