"""Does everything work on a PostgreSQL of the operator's own, with a login that is no superuser?"""

import asyncio
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.support.existing_server import as_user
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.migrate import (
    DatabaseError,
    DatabaseUnfit,
    NotEmpty,
    migrate,
    prepare_for_restore,
    require_newest,
)
from truename.plumbing.database.pool import Database
from truename.plumbing.database.programs import ProgramFailed, dump_into_new_file, holds_vectors, restore_database
from truename.plumbing.jobs.queue import enqueue

pytestmark = pytest.mark.slow


async def test_a_login_without_superuser_rights_migrates_and_is_bound_by_isolation(server):
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE ROLE tenant_service LOGIN CREATEROLE")
        chief.execute("CREATE DATABASE verification OWNER tenant_service")
    url = as_user(server, "tenant_service", "verification")
    assert sorted(await asyncio.gather(*(migrate(url) for _ in range(4)))) == [False, False, False, True]
    assert await migrate(url) is False
    database = Database(url, connections=3)
    await database.open()
    try:
        ours, theirs = new_id(), new_id()
        async with database.system() as connection:
            for account in (ours, theirs):
                insert = "INSERT INTO accounts (account_id, name) VALUES (%s, %s)"
                await connection.execute(insert, (account, str(account)))
        async with database.account(ours) as connection:
            await enqueue(connection, "test.nothing", {})
            cursor = await connection.execute("SELECT account_id FROM accounts")
            assert await cursor.fetchall() == [{"account_id": ours}]
        assert await database.statement(theirs, "SELECT count(*) AS n FROM accounts") == [{"n": 1}]
    finally:
        await database.close()


async def test_a_dump_comes_back_by_a_login_without_superuser_rights_or_not_at_all(server, tmp_path):
    with psycopg.connect(server, autocommit=True) as chief:
        searched = chief.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone() is not None
        chief.execute("CREATE ROLE keeper LOGIN")
        for role in ("truename_app", "truename_system"):
            _make_role(chief, role)
            chief.execute(f"GRANT {role} TO keeper")
        for name in ("lived", "empty"):
            chief.execute(f"CREATE DATABASE {name} OWNER keeper")
    if searched:  # as docs/how-to/face-search.md has it: an administrator adds it
        _add_vectors(as_user(server, "chief", "lived"))
    url = as_user(server, "keeper", "lived")
    await migrate(url)
    ours = new_id()
    with psycopg.connect(as_user(server, "chief", "lived"), autocommit=True) as chief:
        chief.execute("INSERT INTO accounts (account_id, name) VALUES (%s, 'ours')", (ours,))
        rows = _sizes(chief)
    dump = tmp_path / "lived.dump"
    await dump_into_new_file(as_user(server, "chief", "lived"), dump)
    to = as_user(server, "keeper", "empty")
    await prepare_for_restore(to, vectors=False)
    if searched:
        with pytest.raises(DatabaseUnfit, match=r"an administrator run.*CREATE EXTENSION vector"):
            await prepare_for_restore(to, vectors=await holds_vectors(dump))
        with pytest.raises(ProgramFailed, match=r"an administrator run.*CREATE EXTENSION vector"):
            await restore_database(to, dump)
        _add_vectors(as_user(server, "chief", "empty"))
    broken = tmp_path / "broken.dump"
    broken.write_bytes(dump.read_bytes()[: dump.stat().st_size * 9 // 10])
    with pytest.raises(ProgramFailed):
        await restore_database(to, broken)
    await prepare_for_restore(to, vectors=searched)  # raises NotEmpty if anything of it had stayed
    await restore_database(to, dump)
    assert await migrate(to) is False
    with psycopg.connect(as_user(server, "chief", "empty"), autocommit=True) as chief:
        assert _sizes(chief) == rows
    database = Database(to, connections=3)
    await database.open()
    try:
        assert await database.statement(ours, "SELECT name FROM accounts") == [{"name": "ours"}]
        assert await database.statement(new_id(), "SELECT name FROM accounts") == []
    finally:
        await database.close()


def _add_vectors(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as chief:
        chief.execute("CREATE EXTENSION vector SCHEMA public")


def _sizes(chief: psycopg.Connection[Any]) -> list[Any]:
    """Every table of ours with its rows."""
    tables = (
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'jobs', 'months') ORDER BY 1, 2"
    )
    names = [sql.Identifier(*row) for row in chief.execute(tables).fetchall()]
    return [(str(name), chief.execute(sql.SQL("SELECT count(*) FROM {}").format(name)).fetchone()) for name in names]


async def test_a_login_that_may_not_make_roles_is_told_what_to_ask_for(server):
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE ROLE modest LOGIN")
        chief.execute("CREATE DATABASE small OWNER modest")
    url = as_user(server, "modest", "small")
    with pytest.raises(DatabaseError, match="CREATE ROLE truename_app") as refused:
        await migrate(url)
    advice = str(refused.value).partition("run: ")[2]
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute(advice)
    assert await migrate(url) is True


async def test_a_second_login_is_told_only_what_it_lacks(server):
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE ROLE owns LOGIN")
        chief.execute("CREATE ROLE comes_later LOGIN")
        for role in ("truename_app", "truename_system"):
            _make_role(chief, role)
            chief.execute(f"GRANT {role} TO owns")
        chief.execute("CREATE DATABASE owned OWNER owns")
        chief.execute("CREATE DATABASE second OWNER comes_later")
    assert await migrate(as_user(server, "owns", "owned")) is True
    for database, words in (("second", "may not give itself the roles"), ("owned", "may not read its tables")):
        url = as_user(server, "comes_later", database)
        with pytest.raises(DatabaseError, match=words) as refused:
            await migrate(url)
        with psycopg.connect(as_user(server, "chief", database), autocommit=True) as chief:
            chief.execute(str(refused.value).partition("run: ")[2])
        assert await migrate(url) is (database == "second")


def _make_role(chief: psycopg.Connection[Any], name: str) -> None:
    chief.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOINHERIT").format(sql.Identifier(name)))


async def test_a_database_that_cannot_be_reached_is_one_sentence(tmp_path):
    with pytest.raises(DatabaseError, match="cannot be reached"):
        await migrate(f"postgresql://nobody@/nothing?host={tmp_path}")


async def test_a_database_of_another_program_is_left_as_it_is(server):
    """Seen before: our first steps were taken in it; the one that met a table of the same name ended as a defect."""
    with psycopg.connect(server, autocommit=True) as chief:
        for name in ("shop", "versioned"):
            chief.execute(f"CREATE DATABASE {name}")
    shop, versioned = (as_user(server, "chief", name) for name in ("shop", "versioned"))
    with psycopg.connect(shop) as chief:
        chief.execute("CREATE TABLE orders (id int)")
    with psycopg.connect(versioned) as chief:
        chief.execute("CREATE TABLE alembic_version (version_num varchar(32) NOT NULL PRIMARY KEY)")
        chief.execute("INSERT INTO alembic_version VALUES ('ae1027a6acf1')")
    with pytest.raises(DatabaseUnfit, match=r"holds public\.orders, which is not Truename's"):
        await migrate(shop)
    with pytest.raises(NotEmpty):
        await prepare_for_restore(shop, vectors=False)
    for use in (migrate, require_newest):
        with pytest.raises(DatabaseUnfit, match=r"step ae1027a6acf1. is another program's"):
            await use(versioned)
    for url in (shop, versioned):
        with psycopg.connect(url) as chief:
            assert len(chief.execute("SELECT FROM pg_tables WHERE schemaname = 'public'").fetchall()) == 1


async def test_a_login_that_may_not_make_tables_is_told_what_to_ask_for(server):
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE ROLE visitor LOGIN CREATEROLE")
        chief.execute("CREATE DATABASE visited")
    url = as_user(server, "visitor", "visited")
    with pytest.raises(DatabaseUnfit, match='ALTER DATABASE "visited" OWNER TO "visitor"'):
        await prepare_for_restore(url, vectors=False)
    with pytest.raises(DatabaseUnfit, match="may not create tables") as refused:
        await migrate(url)
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute(str(refused.value).partition("run: ")[2])
    assert await migrate(url) is True
