"""How well do webhooks arrive? Each address over the newest events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import class_row

from truename.plumbing.database.pool import Connection

NEWEST: Final = 1000
"""Events that are looked at: an address that tells nobody any more drops out by itself."""

HEALTH: LiteralString = """
SELECT split_part(split_part(e.url, '?', 1), '#', 1) AS url, count(DISTINCT e.event_id) AS events,
       count(DISTINCT e.event_id) FILTER (WHERE e.state = 'DELIVERED') AS delivered,
       count(DISTINCT e.event_id) FILTER (WHERE e.state = 'EXHAUSTED' OR (e.state = 'PENDING' AND e.attempts > 0))
           AS failing,
       count(DISTINCT e.event_id) FILTER (WHERE e.state = 'STOPPED') AS stopped,
       count(a.attempt_id) AS attempts,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY a.took_ms) AS p95_ms,
       max(a.at) FILTER (WHERE a.outcome = 'DELIVERED') AS last_delivered,
       max(a.at) FILTER (WHERE a.outcome <> 'DELIVERED') AS last_failed,
       (array_agg(coalesce(a.status_code::text, a.error, a.outcome) ORDER BY a.at DESC)
           FILTER (WHERE a.outcome <> 'DELIVERED'))[1] AS last_trouble
FROM (SELECT w.event_id, w.url, w.state, w.attempts FROM webhook_events w WHERE w.account_id = %(account_id)s
      ORDER BY w.event_id DESC LIMIT %(newest)s) AS e
LEFT JOIN webhook_attempts a ON a.account_id = %(account_id)s AND a.event_id = e.event_id
GROUP BY 1 ORDER BY failing DESC, events DESC LIMIT 20
"""


@dataclass(frozen=True)
class EndpointHealth:
    """One address without its query, and what became of the events that it was told."""

    url: str
    events: int
    delivered: int
    failing: int
    stopped: int
    """Events of which the address said that it wants no more (410): they did not arrive, and nothing failed."""
    attempts: int
    p95_ms: int | None
    last_delivered: datetime | None
    last_failed: datetime | None
    last_trouble: str | None
    """Status or error of the newest attempt that failed."""

    @property
    def switched_off(self) -> bool:
        """It wanted no more, and nothing has arrived there since."""
        if not self.stopped or self.last_failed is None:
            return False
        return self.last_delivered is None or self.last_delivered < self.last_failed


async def endpoint_health(connection: Connection, account_id: UUID) -> list[EndpointHealth]:
    """Each address that the newest events went to, the worst first."""
    cursor = await connection.cursor(row_factory=class_row(EndpointHealth)).execute(
        HEALTH, {"account_id": account_id, "newest": NEWEST}
    )
    return await cursor.fetchall()
