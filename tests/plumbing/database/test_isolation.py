"""Can one account ever see another's rows?"""

import psycopg
import pytest

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing


async def make_account(plumbing: Plumbing):
    account_id = new_id()
    async with plumbing.database.system() as connection:
        await connection.execute(
            "INSERT INTO accounts (account_id, name) VALUES (%s, %s)", (account_id, str(account_id))
        )
    return account_id


async def accounts_seen_by(plumbing: Plumbing, account_id) -> list:
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute("SELECT account_id FROM accounts")
        return [row["account_id"] for row in await cursor.fetchall()]


async def test_an_account_sees_only_its_own_rows(plumbing):
    ours, theirs = await make_account(plumbing), await make_account(plumbing)
    assert await accounts_seen_by(plumbing, ours) == [ours]
    assert await accounts_seen_by(plumbing, theirs) == [theirs]


async def test_an_account_cannot_write_rows_of_another(plumbing):
    ours, theirs = await make_account(plumbing), await make_account(plumbing)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with plumbing.database.account(ours) as connection:
            await connection.execute(
                "INSERT INTO webhook_secrets (secret_id, account_id, sealed) VALUES (%s, %s, '')",
                (new_id(), theirs),
            )


async def test_the_scope_ends_with_its_transaction(plumbing):
    ours = await make_account(plumbing)
    for _ in range(12):
        async with plumbing.database.account(ours):
            pass
        async with plumbing.database.pool.connection() as connection:
            cursor = await connection.execute("SELECT count(*) AS seen, current_user AS role FROM accounts")
            assert await cursor.fetchone() == {"seen": 0, "role": "truename_app"}


async def test_a_session_that_somebody_left_with_more_rights_still_sees_one_account(plumbing):
    ours, _ = await make_account(plumbing), await make_account(plumbing)
    database = Database(plumbing.database.url, connections=1)
    await database.open()
    try:
        async with database.pool.connection() as connection:
            await connection.execute("RESET ROLE")
        async with database.account(ours) as connection:
            cursor = await connection.execute("SELECT account_id FROM accounts")
            assert await cursor.fetchall() == [{"account_id": ours}]
        assert await database.statement(ours, "SELECT account_id FROM accounts") == [{"account_id": ours}]
    finally:
        await database.close()


async def test_a_single_statement_is_scoped_commits_and_leaves_no_scope_behind(plumbing):
    ours, theirs = await make_account(plumbing), await make_account(plumbing)
    query = "INSERT INTO webhook_secrets (secret_id, account_id, sealed) "
    query += "VALUES (%s, %s, '100 %% ''') RETURNING convert_from(sealed, 'utf8') AS text"
    assert await plumbing.database.statement(ours, query, (new_id(), ours)) == [{"text": "100 % '"}]
    assert await plumbing.database.statement(ours, "SELECT count(*) AS n FROM webhook_secrets") == [{"n": 1}]
    assert await plumbing.database.statement(theirs, "SELECT count(*) AS n FROM webhook_secrets") == [{"n": 0}]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await plumbing.database.statement(ours, query, (new_id(), theirs))
    async with plumbing.database.pool.connection() as connection:
        cursor = await connection.execute("SELECT count(*) AS n FROM webhook_secrets")
        assert await cursor.fetchone() == {"n": 0}
    # It opens with no key: a command of a later test would say that the master key is another one.
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM webhook_secrets WHERE account_id = %s", (ours,))


async def test_a_failure_rolls_everything_back(plumbing):
    ours = await make_account(plumbing)

    async def change_that_fails():
        async with plumbing.database.account(ours) as connection:
            await connection.execute("UPDATE accounts SET name = 'changed ' || name")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_that_fails()
    async with plumbing.database.account(ours) as connection:
        cursor = await connection.execute("SELECT name FROM accounts")
        assert await cursor.fetchone() == {"name": str(ours)}


async def test_the_scope_takes_nothing_but_a_uuid(plumbing):
    with pytest.raises(TypeError):
        async with plumbing.database.account("'; RESET ROLE; --"):
            pass
