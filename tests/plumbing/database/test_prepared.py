"""Do statements without a cursor keep accounts apart, quote what they are given, and outlive what a session forgets?"""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Database
from truename.plumbing.database.prepared import PreparedStatement, moments_by_id
from truename.plumbing.resources import Plumbing

OWN = PreparedStatement("test_own_accounts", ("text",), "SELECT account_id, $1 FROM accounts")
ECHO = PreparedStatement("test_echo", ("text", "integer"), "SELECT $1, $2, NULL")
SCOPE = PreparedStatement("test_scope", ("text",), "SELECT current_user, current_setting($1, true)")


@pytest.fixture
async def one_connection(plumbing: Plumbing) -> AsyncIterator[Database]:
    database = Database(plumbing.database.url, connections=1)
    await database.open()
    yield database
    await database.close()


async def new_account(plumbing: Plumbing) -> UUID:
    account_id = new_id()
    async with plumbing.database.system() as connection:
        await connection.execute(
            "INSERT INTO accounts (account_id, name) VALUES (%s, %s)", (account_id, str(account_id))
        )
    return account_id


async def test_it_sees_only_the_rows_of_the_account_that_is_named(plumbing: Plumbing) -> None:
    ours, theirs = await new_account(plumbing), await new_account(plumbing)
    for _ in range(8):  # from the sixth time on the database may take one plan for all
        for account in (ours, theirs):
            rows = await plumbing.database.prepared(OWN, ("a",), account)
            assert rows == [(str(account).encode(), b"a")]
        assert await plumbing.database.prepared(OWN, ("a",)) == []


async def test_the_scope_ends_with_it_also_where_somebody_left_more_rights(
    plumbing: Plumbing, one_connection: Database
) -> None:
    ours = await new_account(plumbing)
    async with one_connection.pool.connection() as connection:
        await connection.execute("RESET ROLE")
    assert await one_connection.prepared(SCOPE, ("truename.account_id",), ours) == [
        (b"truename_app", str(ours).encode())
    ]
    async with one_connection.pool.connection() as connection:
        await connection.execute("SET ROLE truename_app")
    assert (await one_connection.prepared(SCOPE, ("truename.account_id",)))[0] in {
        (b"truename_app", b""),
        (b"truename_app", None),
    }


@pytest.mark.parametrize(
    "text", ["", "it's", "'; DROP TABLE customers; --", "back\\slash", "$1 %s ?", "é 字 😀", "\n\t"]
)
async def test_a_parameter_comes_back_as_it_was_given(plumbing: Plumbing, text: str) -> None:
    assert await plumbing.database.prepared(ECHO, (text, "-7")) == [(text.encode(), b"-7", None)]


async def test_an_error_is_the_drivers_and_leaves_a_connection_that_works(one_connection: Database) -> None:
    for _ in range(3):
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            await one_connection.prepared(ECHO, ("a", "none"))
        assert await one_connection.prepared(ECHO, ("a", "1")) == [(b"a", b"1", None)]


async def break_off(database: Database) -> None:
    """A transaction that is rolled back, with statements that the driver has prepared: it forgets all of them then."""
    async with database.system() as connection:
        for _ in range(6):
            await connection.execute("SELECT %s::integer", (1,))
        raise LookupError


async def test_what_the_driver_makes_the_session_forget_is_known_before_it_is_used(one_connection: Database) -> None:
    """Seen before: the next use was an error first, which the operator of the database finds in its log."""
    await one_connection.prepared(ECHO, ("a", "1"))
    with pytest.raises(LookupError):
        await break_off(one_connection)
    async with one_connection.pool.connection() as connection:
        cursor = await connection.execute("SELECT name FROM pg_prepared_statements WHERE name = 'test_echo'")
        assert await cursor.fetchall() == []
        assert connection.prepared == set()
    assert await one_connection.prepared(ECHO, ("a", "1")) == [(b"a", b"1", None)]


async def test_what_the_session_forgot_is_prepared_again(one_connection: Database) -> None:
    await one_connection.prepared(ECHO, ("a", "1"))
    async with one_connection.pool.connection() as connection:
        await connection.execute("DEALLOCATE ALL")
    assert await one_connection.prepared(ECHO, ("b", "2")) == [(b"b", b"2", None)]


async def test_a_lost_connection_is_an_error_and_the_next_call_has_another(one_connection: Database) -> None:
    await one_connection.prepared(ECHO, ("a", "1"))
    async with one_connection.pool.connection() as connection:
        pid = connection.info.backend_pid
    with psycopg.connect(one_connection.url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (pid,))
    with pytest.raises(psycopg.OperationalError):
        await one_connection.prepared(ECHO, ("a", "1"))
    assert await one_connection.prepared(ECHO, ("a", "1")) == [(b"a", b"1", None)]


async def test_who_is_cancelled_leaves_a_connection_that_works(one_connection: Database) -> None:
    sleep = PreparedStatement("test_sleep", ("float8",), "SELECT pg_sleep($1)")
    await one_connection.prepared(sleep, ("0",))
    slow = asyncio.create_task(one_connection.prepared(sleep, ("30",)))
    await asyncio.sleep(0.1)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    async with asyncio.timeout(10):
        assert await one_connection.prepared(ECHO, ("a", "1")) == [(b"a", b"1", None)]


def test_times_are_read_with_all_their_digits_and_in_utc() -> None:
    rows = [
        (b"a", b"2026-11-17 02:44:17.499141+00"),
        (b"b", b"2026-11-17 02:44:17+00"),
        (b"c", b"2026-11-17 04:44:17+02"),
    ]
    found = moments_by_id(rows)
    whole = datetime(2026, 11, 17, 2, 44, 17, tzinfo=UTC)
    assert found == {"a": whole.replace(microsecond=499141), "b": whole, "c": whole}
    assert {moment.tzinfo for moment in found.values()} == {UTC}
    with pytest.raises(ValueError, match="null"):
        moments_by_id([(b"a", None)])
