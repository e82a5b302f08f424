"""Does code refuse a database that is not at its step, and change nothing meanwhile?"""

import psycopg
import pytest

from tests.support.served import truename_here
from truename.cli.exit_codes import ExitCode
from truename.plumbing.database.migrate import DatabaseOutdated, current, migrate, newest, require_newest


def step_of(url: str) -> str | None:
    with psycopg.connect(url) as connection:
        return current(connection)


def put_back_to(url: str, step: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", (step,))


async def test_a_database_of_an_older_step_is_refused_until_it_is_migrated(new_database):
    url = new_database()
    await require_newest(url)
    before = f"{int(newest()) - 1:04}"
    put_back_to(url, before)
    with pytest.raises(DatabaseOutdated, match=rf"is at step {before}, this Truename needs step {newest()}"):
        await require_newest(url)
    assert step_of(url) == before, "who only asks changes nothing"


async def test_an_empty_database_is_refused_until_it_is_migrated(new_database):
    url = new_database("template0")
    with pytest.raises(DatabaseOutdated, match="The database is empty"):
        await require_newest(url)
    assert step_of(url) is None
    assert await migrate(url) is True
    await require_newest(url)
    assert step_of(url) == newest()


def test_a_command_stops_at_a_database_of_an_older_step(new_database, settings, tmp_path):
    """As anything of the new version that is started before the migration: it would read rows that it does not know."""
    url = new_database()
    own = {"TRUENAME_DATABASE_URL": url, "TRUENAME_MASTER_KEY": settings.master_key.get_secret_value()}
    assert truename_here(tmp_path / "data", "account", "list", **own).returncode == ExitCode.OK
    put_back_to(url, "0031")
    for command in (("account", "list"), ("audit", "verify"), ("keys", "status")):
        refused = truename_here(tmp_path / "data", *command, **own)
        assert refused.returncode == ExitCode.CONFIGURATION, (command, refused.stderr)
        assert "is at step 0031" in refused.stderr
    assert step_of(url) == "0031"
