"""Read what people answered and decided in some range, and count it."""

from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.plumbing.database.pool import Connection
from truename.reviews.agreement import AnswerCounted, OpinionCounted, ReviewNumbers, count
from truename.reviews.model import Answer, Decided, Question

MOST: Final = 20_000
"""So many of the newest rows are counted at most; a page must not wait for more."""

OPINIONS: LiteralString = """
SELECT * FROM (
    SELECT o.transaction_id, o.reviewer, o.outcome, o.decided_at, o.opinion_id,
           extract(epoch FROM o.decided_at - o.taken_at)::float8 AS took,
           CASE WHEN t.issues @> '[{"severity": "REJECTION"}]' THEN 'REJECTED' ELSE 'APPROVED' END AS machine,
           CASE WHEN s.transaction_id IS NOT NULL THEN s.outcome
                WHEN t.decided_by = 'REVIEWER' THEN t.outcome END AS final,
           s.transaction_id IS NOT NULL AS sampled
    FROM review_opinions o JOIN transactions t USING (account_id, transaction_id)
    LEFT JOIN review_samples s USING (account_id, transaction_id)
    WHERE o.account_id = %(account_id)s AND o.decided_at >= %(since)s AND o.state IN ('GIVEN', 'FINAL')
    ORDER BY o.decided_at DESC, o.opinion_id DESC LIMIT %(most)s) AS newest
ORDER BY decided_at, opinion_id
"""
ANSWERS: LiteralString = """
SELECT * FROM (
    SELECT a.transaction_id, a.reviewer, a.question, a.answer, a.blind, a.answered_at, a.answer_id, c.truth
    FROM review_answers a LEFT JOIN review_controls c USING (account_id, transaction_id)
    WHERE a.account_id = %(account_id)s AND a.answered_at >= %(since)s
    ORDER BY answered_at DESC, answer_id DESC LIMIT %(most)s) AS newest
ORDER BY answered_at, answer_id
"""


async def read_numbers(connection: Connection, account_id: UUID, since: datetime) -> ReviewNumbers:
    """The numbers of all reviews since then."""
    own = {"account_id": account_id, "since": since, "most": MOST}
    opinions = await (await connection.execute(OPINIONS, own)).fetchall()
    answers = await (await connection.execute(ANSWERS, own)).fetchall()
    return count([_opinion(row) for row in opinions], [_answer(row) for row in answers])


def _opinion(row: DictRow) -> OpinionCounted:
    return OpinionCounted(
        row["transaction_id"],
        row["reviewer"],
        Decided(row["outcome"]),
        Decided(row["machine"]),
        Decided(row["final"]) if row["final"] else None,
        row["sampled"],
        row["took"],
    )


def _answer(row: DictRow) -> AnswerCounted:
    given = Question(row["question"]), Answer(row["answer"])
    truth = Answer(row["truth"]) if row["truth"] else None
    return AnswerCounted(row["transaction_id"], row["reviewer"], *given, row["blind"], truth)
