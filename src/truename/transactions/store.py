"""The SQL of transactions."""
# ruff: noqa: S608 - every part that is put together here is a constant of this house

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, LiteralString
from uuid import UUID

from pydantic import JsonValue

from truename.plumbing.database.prepared import PreparedStatement
from truename.transactions.lifecycle import STATUS


@dataclass(frozen=True)
class TransactionRow:
    """A row of SUMMARY: one transaction as a list needs it."""

    transaction_id: UUID
    account_id: UUID
    customer_id: UUID
    external_customer_id: str | None
    transaction_type: str
    status: str
    """At this very moment: EXPIRED once its time is up."""
    outcome: Literal["APPROVED", "REJECTED"] | None
    decided_by: Literal["ENGINE", "REVIEWER"] | None
    decided_at: datetime | None
    issues: list[JsonValue]
    created_at: datetime
    started_at: datetime | None
    submitted_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True)
class WholeTransactionRow(TransactionRow):
    """A row of WHOLE: what is sealed is sealed still, and None once it was redacted or erased."""

    checks: list[JsonValue]
    config: dict[str, JsonValue]
    sealed_matching: bytes | None
    redacted_at: datetime | None
    data_key: bytes | None
    """None when the customer was erased."""
    sealed_dossier: bytes | None
    engine: list[JsonValue] | None
    media: list[JsonValue]


INSERT: LiteralString = """
INSERT INTO transactions
    (transaction_id, account_id, customer_id, transaction_type, config, config_sent, sealed_matching, expires_at)
SELECT %(transaction_id)s, c.account_id, c.customer_id, %(transaction_type)s, %(config)s, %(config_sent)s,
       %(sealed_matching)s,
       now() + make_interval(mins => %(minutes)s)
FROM customers c
WHERE c.account_id = %(account_id)s AND c.customer_id = %(customer_id)s AND c.erased_at IS NULL FOR KEY SHARE OF c
RETURNING expires_at
"""
"""No row comes back when there is no such customer in this account.

The customer is locked as the foreign key locks it anyway, only before the look: whoever waits for an erasure that is
under way finds nobody, instead of opening a transaction that nothing would cancel.
"""

INSERT_MANY: Final = PreparedStatement(
    "insert_transactions",
    ("jsonb", "jsonb", "uuid"),
    """
    INSERT INTO transactions
        (transaction_id, account_id, customer_id, transaction_type, config, config_sent, sealed_matching, expires_at)
    SELECT n.transaction_id, c.account_id, c.customer_id, n.transaction_type, $2 -> n.config, $2 -> n.config_sent,
           decode(n.sealed_matching, 'base64'), now() + make_interval(mins => n.minutes)
    FROM jsonb_to_recordset($1) AS n (transaction_id uuid, customer_id uuid, transaction_type text, config int,
                                      config_sent int, sealed_matching text, minutes int)
    CROSS JOIN LATERAL (SELECT account_id, customer_id FROM customers
                        WHERE account_id = $3 AND customer_id = n.customer_id AND erased_at IS NULL
                        LIMIT 1 FOR KEY SHARE) AS c
    RETURNING transaction_id, expires_at
    """,
)
"""$2 are the different configs of all of them, which name them by their place: most say the same.

The limit has each customer looked up by its key. Without it, and before the table was first analysed, all customers of
the account are read for each batch: 17 ms for twelve transactions among 20,000 customers, instead of 0.3.
"""

SUMMARY: LiteralString = f"""
t.transaction_id, t.account_id, t.customer_id, c.external_customer_id, t.transaction_type, {STATUS} AS status,
t.outcome, t.decided_by, t.decided_at, t.issues, t.created_at, t.started_at, t.submitted_at, t.expires_at,
CASE WHEN {STATUS} = 'EXPIRED' THEN t.expires_at ELSE t.completed_at END AS completed_at
"""

WHOLE: LiteralString = f"""
SELECT {SUMMARY}, t.checks, t.config, t.sealed_matching, t.redacted_at, c.data_key, e.sealed_dossier, e.engine,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'media_id', m.media_id, 'kind', m.kind, 'content_type', m.content_type, 'size', m.size, 'width', m.width,
            'height', m.height, 'redacted', m.redacted_at IS NOT NULL,
            'created_at', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            ) ORDER BY m.created_at, m.media_id), '[]')
        FROM media m WHERE m.transaction_id = t.transaction_id AND m.account_id = t.account_id) AS media
FROM transactions t
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
LEFT JOIN examinations e ON e.transaction_id = t.transaction_id AND e.account_id = t.account_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""

STATUS_QUERY: LiteralString = f"""
SELECT {STATUS} AS status FROM transactions t
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""

TIME_LEFT: LiteralString = f"""
SELECT {STATUS} AS status, t.expires_at, extract(epoch FROM t.expires_at - clock_timestamp())::float8 AS seconds_left
FROM transactions t WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""

LIST: LiteralString = f"""
SELECT {SUMMARY}
FROM transactions t JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
WHERE t.account_id = %(account_id)s
"""
"""Filters are added by list.py, each a fixed text with its own parameter."""

DUE: LiteralString = """
SELECT t.account_id, t.transaction_id FROM transactions t
WHERE t.status IN ('CREATED', 'IN_PROGRESS') AND t.expires_at <= clock_timestamp()
ORDER BY t.expires_at LIMIT %s FOR UPDATE SKIP LOCKED
"""
DUE_STILL: LiteralString = """
SELECT t.account_id FROM transactions t
WHERE t.transaction_id = %s AND t.status IN ('CREATED', 'IN_PROGRESS') AND t.expires_at <= clock_timestamp()
FOR UPDATE SKIP LOCKED
"""
