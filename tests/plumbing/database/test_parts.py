"""Do tables in parts keep every row, refuse none, and lose what has expired by dropping its part?"""

import asyncio
import re
import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from tests.support.earlier_steps import database_at_step
from tests.support.waiting import until
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.migrate import _migrate
from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.parts import drop_parts, keep_parts, make_parts, rows_without_part

OF_A_TRANSACTION = (
    ("examinations", "transaction_id, account_id, customer_id, sealed_dossier", "%(t)s, %(a)s, %(c)s, 'x'"),
    ("captures", "transaction_id, account_id, slot, usable", "%(t)s, %(a)s, 'LIVENESS', true"),
    ("device_signals", "transaction_id, account_id, reported, sealed", "%(t)s, %(a)s, true, 'x'"),
    ("seen_frames", "fingerprint, account_id, customer_id, transaction_id", "'x', %(a)s, %(c)s, %(t)s"),
    ("search_keys", "account_id, key, transaction_id, customer_id", "%(a)s, 'x', %(t)s, %(c)s"),
    ("consents", "transaction_id, account_id, given, text_version, language", "%(t)s, %(a)s, true, '1', 'en'"),
    ("receipts", "transaction_id, account_id, jws, kid, issued_at", "%(t)s, %(a)s, 'x', 'k', now()"),
    ("webhook_events", "event_id, account_id, transaction_id, sequence, type, url, body",
     "%(e)s, %(a)s, %(t)s, 1, 't', 'u', '{}'"),
    ("webhook_attempts", "attempt_id, account_id, event_id, number, outcome", "%(t)s, %(a)s, %(e)s, 1, 'o'"),
    ("audit_log", "audit_id, account_id, sequence, at, actor, action, subject, details, hash",
     "%(t)s, %(a)s, %(n)s, %(at)s, 'a', 'b', 'c', '{}', 'h'"),
    ("request_log", "account_id, request_id, at, method, path, status, took_ms, client",
     "%(a)s, 'r', %(at)s, 'GET', '/', 200, 1, 'x'"),
    ("media", "media_id, account_id, customer_id, transaction_id, kind, content_type, size, storage_key",
     "%(t)s, %(a)s, %(c)s, %(t)s, 'FRONT', 'image/png', 1, 'k'"),
)  # fmt: skip
"""One row in each table that hangs on a transaction or is in parts itself."""


def id_of(moment: datetime) -> UUID:
    """An identifier as `new_id` makes it at that moment."""
    return UUID(int=(int(moment.timestamp() * 1000) << 80) | new_id().int & (1 << 80) - 1)


def a_story(connection: psycopg.Connection, account: UUID, customer: UUID, transaction: UUID, at: datetime) -> None:
    own = {
        "a": account,
        "c": customer,
        "t": transaction,
        "e": f"evt_{transaction}",
        "at": at,
        "n": secrets.randbelow(2**40) + 1,
    }
    connection.execute(
        "INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, config, expires_at) "
        "VALUES (%(t)s, %(a)s, %(c)s, 'DOCUMENT_ONLY', '{}', now())",
        own,
    )
    for table, columns, values in OF_A_TRANSACTION:
        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", own)


def an_owner(connection: psycopg.Connection) -> tuple[UUID, UUID]:
    account, customer = new_id(), new_id()
    connection.execute("INSERT INTO accounts (account_id, name) VALUES (%s, %s)", (account, account.hex))
    connection.execute(
        "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key) VALUES (%s, %s, 'ana', 'x')",
        (customer, account),
    )
    return account, customer


def parts_of(connection: psycopg.Connection, table: str) -> list[str]:
    found = connection.execute(
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
        "WHERE i.inhparent = %s::regclass ORDER BY c.relname",
        (f"public.{table}",),
    )
    return [row[0] for row in found]


@pytest.mark.slow
def test_an_old_database_keeps_every_row_and_every_rule(postgres):
    """As a login that is no superuser owns it: with rows of last year, of now, and one whose id is of no time."""
    url = database_at_step(postgres, "0031")
    now = datetime.now(UTC)
    ids = [id_of(now - timedelta(days=400)), id_of(now), UUID(int=(0xF << 124) | new_id().int)]
    with psycopg.connect(url) as connection:
        connection.execute("SET ROLE truename_system")
        (account, customer), (other, _) = an_owner(connection), an_owner(connection)
        for one in ids:
            a_story(connection, account, customer, one, now)
        tables = ["transactions", *(table for table, _, _ in OF_A_TRANSACTION)]
        before = {table: connection.execute(f"SELECT * FROM {table} t ORDER BY t::text").fetchall() for table in tables}
    assert _migrate(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET ROLE truename_system")
        for table in tables:
            assert len(before[table]) == 3
            assert connection.execute(f"SELECT * FROM {table} t ORDER BY t::text").fetchall() == before[table], table
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            connection.execute(
                "INSERT INTO consents (transaction_id, account_id, given, text_version, language) "
                "VALUES (%s, %s, true, '1', 'en')",
                (new_id(), account),
            )
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            connection.execute("DELETE FROM transactions WHERE transaction_id = %s", (ids[0],))
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO consents SELECT * FROM consents WHERE transaction_id = %s", (ids[0],))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT 1 FROM months.consents_rest")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM audit_log")
        with pytest.raises(psycopg.errors.RaiseException, match="never dropped"):
            connection.execute("SELECT drop_parts('audit_log', now() + interval '10 years')")
        connection.execute("RESET ROLE; SET ROLE truename_app")
        connection.execute(f"SET truename.account_id = '{other}'")
        for table in tables:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


@pytest.fixture
async def house(new_database, settings):
    """A database of its own, whose tables may be altered, and a connection of its owner."""
    database = Database(new_database(), connections=2)
    await database.open()
    with psycopg.connect(database.url, autocommit=True) as connection:
        yield database, connection
    await database.close()


async def test_parts_are_made_ahead_and_a_row_without_one_is_kept_all_the_same(house):
    database, connection = house
    later = datetime(2098, 11, 15, tzinfo=UTC)
    account, customer = an_owner(connection)
    early = id_of(later)
    a_story(connection, account, customer, early, later)
    lies = "SELECT tableoid::regclass::text FROM examinations WHERE transaction_id = %s"
    assert connection.execute(lies, (early,)).fetchone() == ("months.examinations_rest",)
    assert "examinations" in await rows_without_part(database)
    assert await make_parts(database, "examinations", later) == ["examinations_2098_12", "examinations_2099_01"]
    assert await make_parts(database, "examinations", later) == []
    in_time = id_of(datetime(2098, 12, 31, 23, 59, 59, tzinfo=UTC))
    a_story(connection, account, customer, in_time, later)
    assert connection.execute(lies, (in_time,)).fetchone() == ("months.examinations_2098_12",)
    plan = str(connection.execute("EXPLAIN " + lies, (in_time,)).fetchall())
    assert "examinations_2098_12" in plan
    assert "examinations_rest" not in plan


async def test_what_has_expired_goes_with_its_part_and_what_has_not_stays(house, settings):
    database, connection = house
    past = datetime(2025, 3, 10, tzinfo=UTC)
    for table, key in (("request_log", "at"), ("examinations", "transaction_id")):
        # As if the house were older: its first part begins later.
        first = next(one for one in parts_of(connection, table) if "_to_" in one)
        border = connection.execute("SELECT part_border(%s::regclass, %s, '2025-06-01')", (table, key)).fetchone()
        end = connection.execute(
            "SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \\((.*)\\)') FROM pg_class WHERE relname = %s",
            (first,),
        ).fetchone()
        connection.execute(f"ALTER TABLE {table} DETACH PARTITION months.{first}")
        connection.execute(
            f"ALTER TABLE {table} ATTACH PARTITION months.{first} FOR VALUES FROM ('{border[0]}') TO ({end[0]})"
        )
        connection.execute(f"ALTER TABLE months.{first} RENAME TO {first.replace('_to_', '_')}")
    assert len(await make_parts(database, "request_log", past)) == 8
    assert await make_parts(database, "examinations", past) == [f"examinations_2025_{month:02}" for month in (3, 4, 5)]
    account, customer = an_owner(connection)
    for day in range(3):
        a_story(connection, account, customer, id_of(past + timedelta(days=day)), past + timedelta(days=day))
    assert len(await drop_parts(database, "request_log", older_than=datetime.now(UTC) - past - timedelta(days=1))) == 1
    assert connection.execute("SELECT count(*) FROM request_log").fetchone() == (2,)
    await keep_parts(Holding(database))
    assert "examinations_2025_03" in parts_of(connection, "examinations")
    assert "examinations_2025_04" not in parts_of(connection, "examinations")
    connection.execute("DELETE FROM examinations")
    await keep_parts(Holding(database))
    assert "examinations_2025_03" not in parts_of(connection, "examinations")
    assert connection.execute("SELECT count(*) FROM captures").fetchone() == (3,)
    this_month = f"{datetime.now(UTC):%Y_%m}"
    kept = [one for one in parts_of(connection, "examinations") if re.search(r"_\d{4}_\d\d$", one)]
    assert len([one for one in kept if one[-7:] >= this_month]) == 3, "empty ones of this and the coming months stay"


async def test_a_part_into_which_somebody_just_writes_is_not_dropped_for_empty(house):
    database, connection = house
    account, customer = an_owner(connection)
    part = next(one for one in parts_of(connection, "examinations") if re.search(r"_\d{4}_\d\d$", one))
    month = datetime.strptime(part[-7:], "%Y_%m").replace(tzinfo=UTC)
    with psycopg.connect(database.url) as writer:
        a_story(writer, account, customer, id_of(month + timedelta(days=9)), month)
        over = datetime.now(UTC) - month - timedelta(days=40)  # as if it were so much later
        dropping = asyncio.create_task(drop_parts(database, "examinations", older_than=over))

        async def waits() -> bool:
            found = connection.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)").fetchone()
            return found == (True,)

        await until(waits)
        writer.commit()
        assert part not in await dropping
    assert connection.execute("SELECT count(*) FROM examinations").fetchone() == (1,)


class Holding:
    """As much plumbing as the upkeep of parts needs."""

    def __init__(self, database: Database) -> None:
        self.database = database
