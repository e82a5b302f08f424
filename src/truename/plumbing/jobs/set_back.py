"""The database's clock was ahead and is set right: what was put off meanwhile lies days in the future, and would wait.

Nothing in the queues is ever due so far ahead by itself: what comes later waits outside of them (`queue.SOON`), and no
schedule of retries reaches so far. So what lies there is due now.
"""

import structlog

from truename.plumbing.clock import NEVER_SO_FAR_AHEAD
from truename.plumbing.database.pool import Connection

log = structlog.get_logger(__name__)


async def bring_back_from_the_future(connection: Connection) -> int:
    """Make such jobs due now, and let workers that fell silent since be found dead; says how many jobs there were."""
    await connection.execute(
        "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE last_heartbeat > now() + %s",
        (NEVER_SO_FAR_AHEAD,),
    )
    cursor = await connection.execute(
        "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo' AND scheduled_at > now() + %s",
        (NEVER_SO_FAR_AHEAD,),
    )
    if cursor.rowcount:
        log.warning("the clock was set back: jobs that were put off far too long are due now", jobs=cursor.rowcount)
    return cursor.rowcount
