"""`truename keys move`, and what is said when the setting is then forgotten."""

import base64
import secrets

import psycopg
import pytest
from psycopg import sql

from tests.support.served import truename_here
from tests.support.transactions import a_customer
from truename.accounts.create import create_account
from truename.cli.exit_codes import ExitCode
from truename.plumbing.crypto.master_key import GivenKeys
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing


@pytest.fixture
async def installation(plumbing, new_database):
    """A database with three customers, and the environment of a command that works on it."""
    url, key = new_database(), secrets.token_bytes(32)
    database = Database(url, connections=4)
    await database.open()
    own = Plumbing(plumbing.settings, database, plumbing.objects, Vault(GivenKeys((key,))))
    account = await create_account(own, "shop")
    for _ in range(3):
        await a_customer(own, account, email="ana@example.com")
    await database.close()
    return {"TRUENAME_DATABASE_URL": url, "TRUENAME_MASTER_KEY": base64.b64encode(key).decode()}


@pytest.mark.slow
async def test_keys_are_moved_by_a_command_and_missed_without_the_setting(installation, postgres, tmp_path):
    name = f"keys_{secrets.token_hex(6)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    keys_url = postgres.replace("@/truename?", f"@/{name}?")
    without = truename_here(tmp_path, "keys", "move", **installation)
    assert without.returncode == ExitCode.CONFIGURATION
    assert "TRUENAME_KEYS_DATABASE_URL" in without.stderr
    moved = truename_here(tmp_path, "keys", "move", **installation, TRUENAME_KEYS_DATABASE_URL=keys_url)
    assert moved.returncode == 0, moved.stderr
    assert "Done: 3 keys moved." in moved.stdout
    with psycopg.connect(keys_url) as connection:
        assert connection.execute("SELECT count(*) FROM customer_keys").fetchone() == (3,)
    with psycopg.connect(installation["TRUENAME_DATABASE_URL"]) as connection:
        assert connection.execute("SELECT count(*) FROM customers WHERE data_key = ''").fetchone() == (3,)
    forgotten = truename_here(tmp_path, "keys", "status", **installation)
    assert forgotten.returncode == ExitCode.CONFIGURATION
    assert "set TRUENAME_KEYS_DATABASE_URL" in forgotten.stderr
    found = truename_here(tmp_path, "keys", "status", "--json", **installation, TRUENAME_KEYS_DATABASE_URL=keys_url)
    assert found.returncode == 0, found.stderr
    assert '"customer_keys.wrapped": 0' in found.stdout
