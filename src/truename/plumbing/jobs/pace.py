"""How fast is a queue worked off, and when will it be a certain job's turn?"""

from datetime import timedelta
from typing import Final

from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue_names import Queue

KEPT: Final = timedelta(hours=1)
BEST_OF: Final = timedelta(minutes=10)
"""The best minute of these tells what the workers can do; in the others there may have been nothing to do."""
EXPECTED: Final = """
SELECT (SELECT count(*) FROM procrastinate_jobs other
        WHERE other.queue_name = own.queue_name AND other.status = 'todo'
          AND (other.scheduled_at IS NULL OR other.scheduled_at <= now())
          AND (other.priority > own.priority OR (other.priority = own.priority AND other.id < own.id)))
       * 60.0 / nullif((SELECT max(done) FROM jobs.pace
                        WHERE queue = own.queue_name AND minute > now() - %(best_of)s), 0) AS seconds
FROM procrastinate_jobs own WHERE own.lock = %(lock)s AND own.status = 'todo' ORDER BY own.id DESC LIMIT 1
"""


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
    cursor = await connection.execute(EXPECTED, {"lock": lock, "best_of": BEST_OF})
    row = await cursor.fetchone()
    if row is None or row["seconds"] is None:
        return None
    return timedelta(seconds=float(row["seconds"]))
