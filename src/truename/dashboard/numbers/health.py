"""Is anything broken right now? Few rows each, by index, so that it is always the present that is told."""

from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

from truename.plumbing.database.pool import Connection

MOST: Final = 1000
HEALTH: LiteralString = """
SELECT (SELECT count(*) FROM (SELECT DISTINCT w.transaction_id FROM webhook_events w
        WHERE w.account_id = %(account_id)s AND (w.state = 'EXHAUSTED' OR (w.state = 'PENDING' AND w.attempts > 0))
        LIMIT %(most)s) AS f) AS failing,
       (SELECT count(*) FROM (SELECT 1 FROM transactions t WHERE t.account_id = %(account_id)s
        AND t.status = 'PROCESSING' AND t.submitted_at < clock_timestamp() - interval '15 minutes' LIMIT %(most)s)
        AS s) AS stuck,
       (SELECT s.until FROM statistics_progress s WHERE s.account_id = %(account_id)s) AS counted_at
"""


@dataclass(frozen=True, slots=True)
class Health:
    """What is wrong at this moment; counts stop at 1,000."""

    failing_webhooks: int
    """Transactions of which an event was not delivered: the rows to which the number leads."""
    stuck: int
    counted_at: object
    """When the sums were last made; None before the first time."""


async def read_health(connection: Connection, account_id: UUID) -> Health:
    """The present state of one account."""
    row = await (await connection.execute(HEALTH, {"account_id": account_id, "most": MOST})).fetchone()
    return Health(0, 0, None) if row is None else Health(row["failing"], row["stuck"], row["counted_at"])
