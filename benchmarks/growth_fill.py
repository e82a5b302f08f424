"""A database as it stands after months of work: in its parts, with everything that a verification leaves behind."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from truename.rules.config import Config

CHUNK = 50_000
CUSTOMERS_PER_TRANSACTION = 0.5
KEPT_DAYS = 90
"""Older ones have been emptied by retention, as in an installation that has had it on from the beginning."""

A_TIME = "lpad(to_hex((extract(epoch FROM {at}) * 1000)::bigint), 12, '0')"
AN_ID = "(" + A_TIME + " || '7' || substr(md5({seed}), 1, 3) || '8' || substr(md5({seed}), 4, 15))::uuid"


def an_id(at: str, seed: str) -> str:
    """SQL for an identifier of that time, as `new_id` makes them."""
    return AN_ID.format(at=at, seed=seed)


CUSTOMERS = f"""
INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, created_at)
SELECT {an_id("at", "'c' || n || random()")}, %(account)s, 'filled-' || n, '\\x00', at
FROM generate_series(1, %(count)s) AS n, LATERAL (SELECT %(since)s + n * %(step)s AS at) AS made
"""
SOME_CUSTOMERS = """
SELECT array_agg(customer_id) FROM (
    (SELECT customer_id FROM customers WHERE account_id = %(account)s AND created_at >= %(since)s
     ORDER BY customer_id LIMIT 20000)
    UNION (SELECT customer_id FROM customers WHERE account_id = %(account)s ORDER BY customer_id LIMIT 1)) AS found
"""
MADE = f"""
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT {an_id("at", "'t' || n || random()")} AS transaction_id, at, n,
       (%(customers)s::uuid[])[1 + (random() * (cardinality(%(customers)s::uuid[]) - 1))::integer] AS customer_id,
       CASE WHEN n %% 11 = 4 THEN 'REJECTED' ELSE 'APPROVED' END AS status, at > %(kept_since)s AS kept
FROM generate_series(1, %(count)s) AS n, LATERAL (SELECT %(since)s + n * %(step)s AS at) AS moment
"""
ROWS = {
    "transactions": """
        INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, sequence, config,
            config_sent, created_at, started_at, submitted_at, completed_at, expires_at, outcome, decided_by,
            decided_at, issues, checks, redacted_at)
        SELECT transaction_id, %(account)s, customer_id, 'DOCUMENT_AND_BIOMETRIC', status, 3, %(config)s, '{}', at,
               at + interval '20 s', at + interval '2 min', at + interval '3 min', at + interval '1 day', status,
               'ENGINE', at + interval '3 min',
               CASE WHEN status = 'REJECTED' THEN '[{"code": "EXPIRED_DOCUMENT", "severity":
               "REJECTION", "group": "DOCUMENT", "policy": null, "details": {}}]' ELSE '[]' END::jsonb,
               (SELECT jsonb_agg(jsonb_build_object('check', 'CHECK_' || c, 'result', 'PASSED', 'details', '{}'::jsonb))
                FROM generate_series(1, 14) AS c),
               CASE WHEN NOT kept THEN at + interval '90 days' END
        FROM made""",
    "examinations": """
        INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier, engine, judged_at)
        SELECT transaction_id, %(account)s, customer_id, decode(repeat(md5(random()::text), 256), 'hex'), '[]', at
        FROM made WHERE kept""",
    "captures": """
        INSERT INTO captures (transaction_id, account_id, slot, usable, taken_at)
        SELECT transaction_id, %(account)s, slot, true, at
        FROM made, unnest(ARRAY['DOCUMENT_FRONT', 'LIVENESS']) AS slot WHERE kept""",
    "device_signals": """
        INSERT INTO device_signals (transaction_id, account_id, reported, sealed, seen_at)
        SELECT transaction_id, %(account)s, true, decode(repeat(md5(random()::text), 30), 'hex'), at
        FROM made WHERE kept""",
    "seen_frames": """
        INSERT INTO seen_frames (fingerprint, account_id, customer_id, transaction_id, at)
        SELECT decode(md5(random()::text) || md5(f::text || n), 'hex'), %(account)s, customer_id, transaction_id, at
        FROM made, generate_series(1, 3) AS f WHERE kept""",
    "search_keys": """
        INSERT INTO search_keys (account_id, key, transaction_id, customer_id)
        SELECT %(account)s, decode(md5(random()::text), 'hex'), transaction_id, customer_id
        FROM made, generate_series(1, 8) WHERE kept""",
    "consents": """
        INSERT INTO consents (transaction_id, account_id, given, text_version, language, at)
        SELECT transaction_id, %(account)s, true, '1', 'en', at FROM made""",
    "receipts": """
        INSERT INTO receipts (transaction_id, account_id, jws, kid, issued_at)
        SELECT transaction_id, %(account)s, (SELECT string_agg(md5(g::text || random()), '')
               FROM generate_series(1, 24) AS g), 'filled', at FROM made""",
    "media": f"""
        INSERT INTO media (media_id, account_id, customer_id, transaction_id, kind, content_type, size, width, height,
                           storage_key, created_at, redacted_at)
        SELECT {an_id("at", "'m' || n || '.' || p || random()")}, %(account)s, customer_id, transaction_id,
               'LIVENESS_FRAME', 'image/jpeg', 200000, 1280, 720, 'filled/' || transaction_id || '/' || p, at,
               CASE WHEN NOT kept THEN at + interval '90 days' END
        FROM made, generate_series(1, 4) AS p""",
    "faces": f"""
        INSERT INTO faces (face_id, account_id, customer_id, transaction_id, origin, usable, sealed_template,
                           created_at)
        SELECT {an_id("at", "'f' || n || random()")}, %(account)s, customer_id, transaction_id, 'LIVENESS', true,
               decode(repeat(md5(random()::text), 64), 'hex'), at + interval '3 min' FROM made WHERE kept""",
    "customers": """
        UPDATE customers c SET sealed_record = decode(repeat(md5(random()::text), 8), 'hex'),
               record_transaction_id = made.transaction_id, reference_face_id = f.face_id
        FROM made JOIN faces f USING (customer_id, transaction_id)
        WHERE made.kept AND c.customer_id = made.customer_id AND c.account_id = %(account)s""",
    "webhook_events": f"""
        INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body, state, attempts,
                                    next_attempt_at, queued_at, created_at)
        SELECT 'evt_' || {an_id("at", "transaction_id::text || s")}, %(account)s, transaction_id, s,
               'transaction.approved', 'https://hooks.example.com/truename', repeat('x', 420),
               'DELIVERED', 1, at, NULL, at
        FROM made, generate_series(1, 3) AS s""",
    "webhook_attempts": f"""
        INSERT INTO webhook_attempts (attempt_id, account_id, event_id, number, at, took_ms, status_code, outcome)
        SELECT {an_id("at", "'a' || n || '.' || s || random()")}, %(account)s,
               'evt_' || {an_id("at", "transaction_id::text || s")}, 1, at, 30, 204, 'DELIVERED'
        FROM made, generate_series(1, 3) AS s""",
    "audit_log": f"""
        INSERT INTO audit_log (audit_id, account_id, sequence, at, actor, action, subject, details, hash)
        SELECT {an_id("at", "'l' || n || '.' || s || random()")}, %(account)s, %(lines)s + 4 * n + s, at, 'engine',
               'transaction.status_changed', 'transaction:' || transaction_id,
               '{{"from": "PROCESSING", "to": "APPROVED"}}',
               decode(md5(random()::text) || md5(n::text), 'hex')
        FROM made, generate_series(1, 4) AS s""",
    "request_log": """
        INSERT INTO request_log (account_id, request_id, at, method, path, status, took_ms, client)
        SELECT %(account)s, md5(random()::text), at, 'GET', '/api/account/integration/kyc/transaction', 200, 12, 'shop'
        FROM made, generate_series(1, 4) WHERE at > now() - interval '7 days'""",
}
"""What one verification leaves in each table, as the capacity model counted it: 3 events, 4 lines of the audit log …"""


@contextmanager
def filling(url: str) -> Iterator[psycopg.Connection]:
    """The owner's connection, without waiting for the disk and without asking after each foreign key."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute("SET session_replication_role = replica")
        yield connection


def make_old(connection: psycopg.Connection, months: int) -> None:
    """Give an empty database the parts that it would have, had it been installed so many months ago."""
    tables = connection.execute("SELECT name, period FROM partitioned_tables()").fetchall()
    for name, period in tables:
        first = connection.execute(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE i.inhparent = %s::regclass AND starts_with(c.relname, %s)",
            (name, f"{name}_to_"),
        ).fetchone()
        if first is not None:
            connection.execute(f"ALTER TABLE {name} DETACH PARTITION months.{first[0]}")
            connection.execute(f"DROP TABLE months.{first[0]}")
        ago = 7 if period == "day" else months
        for step in range(ago, -1, -2):
            connection.execute(
                "SELECT make_parts(%s, now() - make_interval(days => %s))",
                (name, step * (1 if period == "day" else 31)),
            )
        connection.execute("SELECT make_parts(%s)", (name,))


def fill(connection: psycopg.Connection, account_id: UUID, transactions: int, months: int) -> Iterator[int]:
    """Fill an account evenly over the months up to now; says how many transactions there are, chunk by chunk."""
    now = datetime.now(UTC)
    since = now - timedelta(days=30.4 * months)
    count = max(1, int(transactions * CUSTOMERS_PER_TRANSACTION))
    connection.execute(
        CUSTOMERS, {"account": account_id, "count": count, "since": since, "step": (now - since) / count}
    )
    step = (now - since) / transactions
    for done in range(0, transactions, CHUNK):
        chunk = min(CHUNK, transactions - done)
        add(
            connection,
            account_id,
            chunk,
            since + done * step,
            step,
            kept_since=now - timedelta(days=KEPT_DAYS),
            lines=4 * done,
        )
        yield done + chunk


def add(
    connection: psycopg.Connection,
    account_id: UUID,
    count: int,
    since: datetime,
    step: timedelta,
    *,
    kept_since: datetime,
    lines: int | None,
) -> None:
    """So many finished transactions of random customers; those since `kept_since` with all that their captures left.

    `lines` is where their lines of the audit log begin, beyond any that the service has written; None writes none.
    """
    with connection.transaction():
        some = connection.execute(SOME_CUSTOMERS, {"account": account_id, "since": since}).fetchone()
        own = {
            "account": account_id,
            "customers": some[0] if some else [],
            "config": Jsonb(Config().model_dump(mode="json")),
            "count": count,
            "since": since,
            "step": step,
            "kept_since": kept_since,
            "lines": 1_000_000_000 + (lines or 0),
        }
        connection.execute(MADE, own)
        for table, query in ROWS.items():
            if table != "audit_log" or lines is not None:
                connection.execute(query, own)
