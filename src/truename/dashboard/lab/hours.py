"""What a policy would cost people: the cases that it would send to them, at the pace at which they decide."""

from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

from truename.backtest.model import ShownBacktestResult
from truename.plumbing.database.pool import Connection

NEWEST: Final = 200
PACE: LiteralString = """
SELECT count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds FROM (
    SELECT extract(epoch FROM o.decided_at - (
        SELECT max(a.at) FROM audit_log a WHERE a.account_id = o.account_id AND a.actor = o.reviewer
          AND a.subject = 'transaction:' || o.transaction_id AND a.action IN ('review.taken', 'review.taken_over')
          AND a.at <= o.decided_at))::float8 AS seconds
    FROM review_opinions o WHERE o.account_id = %(account_id)s AND o.state IN ('FINAL', 'GIVEN')
    ORDER BY o.decided_at DESC LIMIT %(newest)s) AS paces WHERE seconds IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ReviewerHours:
    """How many more or fewer cases people would get, and how long those take."""

    cases: int
    """More (or, negative, fewer) than they got."""
    seconds_each: float | None
    """Half of the newest decisions took less, from taking the case; None when nobody decided any yet."""
    measured: int

    @property
    def hours(self) -> float | None:
        return None if self.seconds_each is None else self.cases * self.seconds_each / 3600


async def reviewer_hours(
    connection: Connection, account_id: UUID, result: ShownBacktestResult | None
) -> ReviewerHours | None:
    """What the result means for reviewers of an account in which rejections wait for a person."""
    if result is None:
        return None
    row = await (await connection.execute(PACE, {"account_id": account_id, "newest": NEWEST})).fetchone()
    more = sum(counts.to_rejected - counts.to_approved for counts in (result.decisions, result.reviewed))
    return ReviewerHours(more, row["seconds"] if row else None, row["n"] if row else 0)
