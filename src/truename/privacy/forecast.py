"""How much will retention delete in the coming days?"""

from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from truename.plumbing.database.pool import Connection

DAYS: Final = 7
SOON: Final = """
SELECT greatest((t.completed_at + make_interval(days => %(days)s))::date, clock_timestamp()::date - 1) AS day,
       count(*) AS n
FROM transactions t
WHERE t.account_id = %(account_id)s AND t.redacted_at IS NULL AND t.completed_at IS NOT NULL
  AND t.completed_at < clock_timestamp() - make_interval(days => %(days)s) + make_interval(days => %(ahead)s)
GROUP BY 1 ORDER BY 1
"""


@dataclass(frozen=True)
class DueDay:
    """So many transactions lose their pictures and data on this day (UTC); yesterday stands for all that is due now."""

    day: date
    transactions: int


async def due_soon(connection: Connection, account_id: UUID, days: int) -> list[DueDay]:
    """What is due within a week, if captures are kept for so many days."""
    cursor = await connection.execute(SOON, {"account_id": account_id, "days": days, "ahead": DAYS})
    return [DueDay(row["day"], row["n"]) for row in await cursor.fetchall()]
