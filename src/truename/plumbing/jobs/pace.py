"""How fast is a queue worked off, and when will it be a certain job's turn?"""

from datetime import timedelta
from typing import Final

from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.backlog import ATTENDED, SILENT_SECONDS
from truename.plumbing.jobs.queue_names import Queue

KEPT: Final = timedelta(hours=1)
BEST_OF: Final = timedelta(minutes=10)
"""The best minute of these tells what the workers can do; in the others there may have been nothing to do."""
EXPECTED: Final = """
WITH own AS (
    SELECT id, queue_name, priority FROM procrastinate_jobs
    WHERE lock = %(lock)s AND status = 'todo' ORDER BY id DESC LIMIT 1
), before AS (
    SELECT count(*) AS jobs, min(other.scheduled_at) AS since,
           min(other.id) FILTER (WHERE other.scheduled_at IS NULL) AS first
    FROM own, procrastinate_jobs other
    WHERE other.queue_name = own.queue_name AND other.status = 'todo'
      AND (other.scheduled_at IS NULL OR other.scheduled_at <= now())
      AND (other.priority > own.priority OR (other.priority = own.priority AND other.id < own.id))
)
SELECT greatest(
    before.jobs * 60.0 / nullif((SELECT max(done) FROM jobs.pace
                                 WHERE queue = own.queue_name AND minute > now() - %(best_of)s), 0),
    CASE WHEN NOT EXISTS (SELECT FROM jobs.ticks t WHERE t.name = %(attended)s || own.queue_name
                          AND t.last_at > clock_timestamp() - make_interval(secs => %(silent)s))
         THEN extract(epoch FROM clock_timestamp() - least(before.since, (
             SELECT e.at FROM procrastinate_events e WHERE e.job_id = before.first AND e.type = 'deferred'))) END
    ) AS seconds
FROM own, before
"""
"""Where no worker attends to the queue nobody knows when one will: as long again as the oldest before it has waited.
While workers live that would say nothing: what waits for its account's turn is old, and stands before few."""


async def note_done(connection: Connection, queue: Queue) -> None:
    """Count a job that was done, in its minute; what is old is forgotten."""
    await connection.execute(
        """
        WITH forgotten AS (DELETE FROM jobs.pace WHERE minute < now() - %(kept)s)
        INSERT INTO jobs.pace AS pace (queue, minute, done) VALUES (%(queue)s, date_trunc('minute', now()), 1)
        ON CONFLICT (queue, minute) DO UPDATE SET done = pace.done + 1
        """,
        {"queue": queue, "kept": KEPT},
    )


async def expected_wait(connection: Connection, lock: str) -> timedelta | None:
    """How long the job with this lock will wait for its turn, by what stands before it; None when nothing tells."""
    given = {"lock": lock, "best_of": BEST_OF, "attended": ATTENDED, "silent": SILENT_SECONDS}
    cursor = await connection.execute(EXPECTED, given)
    row = await cursor.fetchone()
    if row is None or row["seconds"] is None:
        return None
    return timedelta(seconds=float(row["seconds"]))
