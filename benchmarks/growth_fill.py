"""A database as it stands after months of work: in its parts, with everything that a verification leaves behind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from truename.rules.config import Config
from truename.rules.issues import Issue, IssueCode, Severity
from truename.rules.results import CheckName, CheckResult, Outcome

CHUNK = 50_000
CUSTOMERS_PER_TRANSACTION = 0.5
KEPT_DAYS = 90
"""Older ones have been emptied by retention, as in an installation that has had it on from the beginning."""


IN_ONE_ORDER = """
SELECT FROM customers WHERE customer_id IN (SELECT customer_id FROM made) ORDER BY customer_id FOR NO KEY UPDATE
"""
"""Of few customers two writers have the same ones in hand, and each would wait for the other."""


@dataclass(frozen=True)
class Width:
    """How many rows a verification leaves in the tables that have several for each, and whether its JSON is whole."""

    events: int
    lines: int
    pictures: int
    captures: int
    frames: int
    keys: int
    whole: bool


FULL = Width(events=3, lines=4, pictures=4, captures=2, frames=3, keys=8, whole=True)
"""As the capacity model counted it."""
SLIM = Width(events=1, lines=1, pictures=1, captures=1, frames=1, keys=1, whole=False)
"""One row in each table, with little in it: as many rows to search, and a quarter of the disk."""
AHEAD = timedelta(hours=3)
"""Retention has been there before us: nothing more becomes due while it is measured but what is added for it."""
NEWEST = 100_000
"""So many of the newest transactions are always full: they are what is listed, shown and retained."""

AT = "uuidv7(at - clock_timestamp())"
"""SQL for an identifier of that moment, as `new_id` makes them."""

CUSTOMERS = f"""
INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, created_at)
SELECT {AT}, %(account)s, 'filled-' || n, '\\x00', at
FROM generate_series(1, %(count)s) AS n, LATERAL (SELECT %(since)s + n * %(step)s AS at) AS made
"""
SOME_CUSTOMERS = """
SELECT array_agg(customer_id) FROM (
    (SELECT customer_id FROM customers WHERE account_id = %(account)s AND customer_id >= least_id(%(since)s)
     ORDER BY customer_id LIMIT 20000)
    UNION (SELECT customer_id FROM customers WHERE account_id = %(account)s ORDER BY customer_id LIMIT 1)) AS found
"""
MADE = f"""
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT {AT} AS transaction_id, at, n,
       (%(customers)s::uuid[])[1 + (random() * (cardinality(%(customers)s::uuid[]) - 1))::integer] AS customer_id,
       CASE WHEN n %% 11 = 4 THEN 'REJECTED' ELSE 'APPROVED' END AS status, at > %(kept_since)s AS kept
FROM generate_series(1, %(count)s) AS n, LATERAL (SELECT %(since)s + n * %(step)s AS at) AS moment
"""
EVENTS = f"""
CREATE TEMPORARY TABLE told ON COMMIT DROP AS
SELECT 'evt_' || {AT} AS event_id, transaction_id, at, s AS sequence FROM made, generate_series(1, %(events)s) AS s
"""
ROWS = {
    "transactions": """
        INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, sequence, config,
            config_sent, created_at, started_at, submitted_at, completed_at, expires_at, outcome, decided_by,
            decided_at, issues, checks, redacted_at)
        SELECT transaction_id, %(account)s, customer_id, 'DOCUMENT_AND_BIOMETRIC', status, 3, %(config)s, '{}', at,
               at + interval '20 s', at + interval '2 min', at + interval '3 min', at + interval '1 day', status,
               'ENGINE', at + interval '3 min',
               CASE WHEN status = 'REJECTED' THEN %(issues)s ELSE '[]'::jsonb END,
               %(checks)s,
               CASE WHEN NOT kept THEN at + interval '90 days' END
        FROM made""",
    "examinations": """
        INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier, engine, judged_at)
        SELECT transaction_id, %(account)s, customer_id, %(dossier)s, '[]', at
        FROM made WHERE kept""",
    "captures": """
        INSERT INTO captures (transaction_id, account_id, slot, usable, taken_at)
        SELECT transaction_id, %(account)s, slot, true, at
        FROM made, unnest((ARRAY['DOCUMENT_FRONT', 'LIVENESS'])[:%(captures)s]) AS slot WHERE kept""",
    "device_signals": """
        INSERT INTO device_signals (transaction_id, account_id, reported, sealed, seen_at)
        SELECT transaction_id, %(account)s, true, %(signals)s, at
        FROM made WHERE kept""",
    "seen_frames": """
        INSERT INTO seen_frames (fingerprint, account_id, customer_id, transaction_id, at)
        SELECT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), %(account)s, customer_id, transaction_id,
               at FROM made, generate_series(1, %(frames)s) AS f WHERE kept""",
    "search_keys": """
        INSERT INTO search_keys (account_id, key, transaction_id, customer_id)
        SELECT %(account)s, uuid_send(gen_random_uuid()), transaction_id, customer_id
        FROM made, generate_series(1, %(keys)s) WHERE kept""",
    "consents": """
        INSERT INTO consents (transaction_id, account_id, given, text_version, language, at)
        SELECT transaction_id, %(account)s, true, '1', 'en', at FROM made""",
    "receipts": """
        INSERT INTO receipts (transaction_id, account_id, jws, kid, issued_at)
        SELECT transaction_id, %(account)s, %(receipt)s::text || transaction_id, 'filled', at FROM made""",
    "media": f"""
        INSERT INTO media (media_id, account_id, customer_id, transaction_id, kind, content_type, size, width, height,
                           storage_key, created_at, redacted_at)
        SELECT {AT}, %(account)s, customer_id, transaction_id,
               'LIVENESS_FRAME', 'image/jpeg', 200000, 1280, 720, 'filled/' || transaction_id || '/' || p, at,
               CASE WHEN NOT kept THEN at + interval '90 days' END
        FROM made, generate_series(1, %(pictures)s) AS p""",
    "faces": f"""
        INSERT INTO faces (face_id, account_id, customer_id, transaction_id, origin, usable, sealed_template,
                           created_at)
        SELECT {AT}, %(account)s, customer_id, transaction_id, 'LIVENESS', true,
               %(template)s, at + interval '3 min' FROM made WHERE kept""",
    "customers": """
        UPDATE customers c SET sealed_record = %(record)s,
               record_transaction_id = made.transaction_id, reference_face_id = f.face_id
        FROM made JOIN faces f USING (customer_id, transaction_id)
        WHERE made.kept AND c.customer_id = made.customer_id AND c.account_id = %(account)s""",
    "webhook_events": """
        INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body, state, attempts,
                                    next_attempt_at, queued_at, created_at)
        SELECT event_id, %(account)s, transaction_id, sequence, 'transaction.approved',
               'https://hooks.example.com/truename', %(body)s, 'DELIVERED', 1, at, NULL, at
        FROM told""",
    "webhook_attempts": f"""
        INSERT INTO webhook_attempts (attempt_id, account_id, event_id, number, at, took_ms, status_code, outcome)
        SELECT {AT}, %(account)s, event_id, 1, at, 30, 204, 'DELIVERED' FROM told""",
    "audit_log": f"""
        INSERT INTO audit_log (audit_id, account_id, sequence, at, actor, action, subject, details, hash)
        SELECT {AT}, %(account)s, %(line)s + %(lines)s * n + s, at, 'engine',
               'transaction.status_changed', 'transaction:' || transaction_id,
               '{{"from": "PROCESSING", "to": "APPROVED"}}',
               uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
        FROM made, generate_series(1, %(lines)s) AS s""",
    "request_log": """
        INSERT INTO request_log (account_id, request_id, at, method, path, status, took_ms, client)
        SELECT %(account)s, gen_random_uuid()::text, at, 'GET', '/api/account/integration/kyc/transaction', 200,
               12, 'shop'
        FROM made, generate_series(1, 4) WHERE at > now() - interval '7 days'""",
}
"""What one verification leaves in each table."""


QUICKLY = {"autovacuum": "off", "fsync": "off", "full_page_writes": "off", "max_wal_size": "2GB"}
"""The server's settings while it is filled: what is lost with a power cut is filled again."""
SECONDARY = """
SELECT i.indexrelid::regclass::text, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = ANY (%s::regclass[]) AND NOT i.indisunique AND NOT c.relispartition ORDER BY 1
"""


@contextmanager
def filling(url: str) -> Iterator[psycopg.Connection]:
    """The owner's connection, without waiting for the disk and without asking after each foreign key."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET timezone = 'UTC'")
        yield connection


@contextmanager
def quickly(connection: psycopg.Connection) -> Iterator[None]:
    """Fill many rows: without indexes that are no keys, which are made at the end, and without care for the disk."""
    for name, value in QUICKLY.items():
        connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    connection.execute("SELECT pg_reload_conf()")
    indexes = connection.execute(SECONDARY, (list(ROWS),)).fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    yield
    connection.execute("SET maintenance_work_mem = '1GB'")
    for _, definition in indexes:
        connection.execute(definition)
    connection.execute("VACUUM (ANALYZE)")
    for name in QUICKLY:
        connection.execute(f"ALTER SYSTEM RESET {name}")
    connection.execute("SELECT pg_reload_conf()")
    connection.execute("CHECKPOINT")


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


@dataclass(frozen=True)
class Filling:
    """An account that is filled evenly over the months up to now; each share by a connection of its own."""

    account_id: UUID
    transactions: int
    months: int
    slim: bool
    now: datetime

    @property
    def since(self) -> datetime:
        return self.now - timedelta(days=30.4 * self.months)

    def customers(self, connection: psycopg.Connection) -> None:
        """Those whom the transactions are of, first of all."""
        count = max(1, int(self.transactions * CUSTOMERS_PER_TRANSACTION))
        own = {"account": self.account_id, "count": count, "since": self.since}
        connection.execute(CUSTOMERS, {**own, "step": (self.now - self.since) / count})
        connection.execute("ANALYZE customers")

    def share(self, connection: psycopg.Connection, first: int, end: int) -> Iterator[int]:
        """The transactions from `first` to before `end`; says how many were made, chunk by chunk."""
        step = (self.now - self.since) / self.transactions
        kept_since = self.now - timedelta(days=KEPT_DAYS) + AHEAD
        for done in range(first, end, CHUNK):
            chunk = min(CHUNK, end - done)
            slim = self.slim and done + chunk <= self.transactions - NEWEST
            start = self.since + done * step
            add(
                connection,
                self.account_id,
                chunk,
                start,
                step,
                kept_since=kept_since,
                line=FULL.lines * done,
                width=SLIM if slim else FULL,
            )
            yield chunk


def add(
    connection: psycopg.Connection,
    account_id: UUID,
    count: int,
    since: datetime,
    step: timedelta,
    *,
    kept_since: datetime,
    line: int | None,
    width: Width = FULL,
) -> None:
    """So many finished transactions of random customers; those since `kept_since` with all that their captures left.

    `line` is where their lines of the audit log begin, beyond any that the service has written; None writes none.
    """
    with connection.transaction():
        some = connection.execute(SOME_CUSTOMERS, {"account": account_id, "since": since}).fetchone()
        own = {
            **asdict(width),
            **contents_of_columns(width.whole),
            "account": account_id,
            "customers": some[0] if some else [],
            "count": count,
            "since": since,
            "step": step,
            "kept_since": kept_since,
            "line": 1_000_000_000 + (line or 0),
        }
        connection.execute(MADE, own)
        connection.execute(EVENTS, own)
        connection.execute("ANALYZE made")
        connection.execute(IN_ONE_ORDER)
        for table, query in ROWS.items():
            if table != "audit_log" or line is not None:
                connection.execute(query, own)


def contents_of_columns(whole: bool) -> dict[str, object]:
    """What stands in the wide columns: as long as the service's own, though compressing better; or next to nothing."""
    checks = [CheckResult(check, Outcome.PASSED).as_dict() for check in list(CheckName)[:14]]
    times = 256 if whole else 4
    return {
        "config": Jsonb(Config().model_dump(mode="json") if whole else {}),
        "checks": Jsonb(checks if whole else []),
        "issues": Jsonb([Issue(IssueCode.EXPIRED_DOCUMENT, Severity.REJECTION, None, {}).as_dict()]),
        "dossier": os.urandom(16) * times,
        "signals": os.urandom(16) * min(30, times),
        "template": os.urandom(16) * min(64, times),
        "record": os.urandom(16) * min(8, times),
        "receipt": os.urandom(366).hex() if whole else "",
        "body": "x" * (420 if whole else 20),
    }
