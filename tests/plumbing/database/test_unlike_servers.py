"""What is said of a database that is unlike ours: another program's, of other letters, with odd settings, a pooler?"""

import asyncio
import os
import shutil
import subprocess
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.existing_server import as_user
from tests.support.waiting import free_port, within
from truename.cli.doctor import _sessions
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.migrate import (
    DatabaseUnfit,
    migrate,
    prepare_for_restore,
    require_newest,
)
from truename.plumbing.database.pool import Database

pytestmark = pytest.mark.slow


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
    as_servant: dict[str, Any] = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
    with (tmp_path / "log").open("w") as log:
        pooler = subprocess.Popen(["pgbouncer", "-q", config], stdout=log, stderr=log, **as_servant)
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
