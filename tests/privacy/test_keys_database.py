"""Keys in a database of their own: created first, destroyed durably, moved over without a pause (P4)."""

import secrets
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from tests.support.people import a_verified_person, key_of
from tests.support.transactions import a_customer, caller_of
from truename.customers import create as customers
from truename.customers.model import NewCustomer
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.master_key import GivenKeys
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.customer_keys import KeysElsewhere
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.keys_database import PARTS, KeysDatabase, WrappedKey
from truename.plumbing.resources import Plumbing
from truename.plumbing.rewrap import ELSEWHERE, _columns, _rewrap_column
from truename.privacy.erase import erase, finish_erasure
from truename.privacy.keys import move_keys, rewrite_parts, settle


@pytest.fixture
async def keys_url(postgres: str):
    """An empty database on the server of the tests."""
    name = f"keys_{secrets.token_hex(6)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return postgres.replace("@/truename?", f"@/{name}?")


@pytest.fixture
async def with_keys(plumbing: Plumbing, keys_url: str):
    """The plumbing as the wiring makes it when TRUENAME_KEYS_DATABASE_URL is set."""
    keys = KeysDatabase(keys_url)
    await keys.open()
    yield Plumbing(plumbing.settings, plumbing.database, plumbing.objects, plumbing.vault, keys_database=keys)
    await keys.close()


def rows(url: str, query: str) -> list[tuple]:
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchall()  # type: ignore[arg-type,unused-ignore]


async def data_key(plumbing: Plumbing, account, customer_id: UUID) -> bytes | None:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT data_key FROM customers WHERE customer_id = %s", (customer_id,))
        row = await cursor.fetchone()
    assert row is not None
    return None if row["data_key"] is None else bytes(row["data_key"])


async def test_the_key_of_a_new_customer_is_in_the_other_database_only(with_keys, keys_url, plumbing, an_account):
    customer_id = await a_customer(with_keys, an_account, email="ana@example.com")
    assert await data_key(plumbing, an_account, customer_id) == b""
    assert rows(keys_url, "SELECT customer_id FROM customer_keys") == [(customer_id,)]
    key = await key_of(with_keys, an_account, customer_id)
    assert key.open(key.seal(b"x", seals.PROFILE), seals.PROFILE) == b"x"
    with pytest.raises(KeysElsewhere, match="TRUENAME_KEYS_DATABASE_URL"):
        await key_of(plumbing, an_account, customer_id)


async def test_an_erasure_destroys_the_key_there_also_when_that_database_was_away(
    with_keys, keys_url, an_account, shared_folder
):
    """The job fails and is repeated; afterwards neither table nor file holds the key."""
    person = await a_verified_person(with_keys, an_account)
    (wrapped,) = rows(keys_url, "SELECT wrapped FROM customer_keys")[0]
    async with with_keys.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, person.customer_id, actor="test")
    own = {"account_id": str(an_account.account_id), "customer_id": str(person.customer_id)}
    away = KeysDatabase(keys_url)  # never opened: every use of it fails
    broken = Plumbing(with_keys.settings, with_keys.database, with_keys.objects, with_keys.vault, keys_database=away)
    with pytest.raises(Exception, match="pool"):
        await finish_erasure(broken, **own)
    assert len(rows(keys_url, "SELECT 1 FROM customer_keys")) == 1
    await finish_erasure(with_keys, **own)
    assert rows(keys_url, "SELECT 1 FROM customer_keys") == []

    def files_with_key() -> list[Path]:
        with psycopg.connect(keys_url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            found = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        assert found is not None
        files = (next((shared_folder / "postgres-of-tests").rglob("base")) / str(found[0])).iterdir()
        return [path for path in files if bytes(wrapped) in path.read_bytes()]

    assert files_with_key(), "the dead row was expected in the file until it is rewritten"
    await rewrite_parts(with_keys)
    assert files_with_key() == []
    assert rows(keys_url, "SELECT 1 FROM parts_to_rewrite") == []


async def test_keys_of_customers_that_never_came_to_be_are_swept(with_keys, keys_url, an_account):
    living = await a_customer(with_keys, an_account)
    new = NewCustomer(external_customer_id=secrets.token_hex(8))
    await customers.prepare(with_keys, caller_of(an_account), new)  # here the process dies: no row is inserted
    assert len(rows(keys_url, "SELECT 1 FROM customer_keys")) == 2
    assert with_keys.keys_database is not None
    assert await settle(with_keys, with_keys.keys_database, 3600) == 0, "both are young"
    assert await settle(with_keys, with_keys.keys_database, 0) == 1
    assert rows(keys_url, "SELECT customer_id, settled_at IS NOT NULL FROM customer_keys") == [(living, True)]
    # Settled once, a key is never taken for an orphan: a main database of yesterday does not cost today's keys.
    with psycopg.connect(keys_url) as connection:
        connection.execute("UPDATE customer_keys SET customer_id = %s", (UUID(int=7),))
    assert await settle(with_keys, with_keys.keys_database, 0) == 0


async def test_a_key_that_outlived_the_erasure_of_its_customer_is_swept_with_the_orphans(
    with_keys, keys_url, plumbing, an_account
):
    """As after a database of keys that was put back to before the erasure."""
    customer_id = await a_customer(with_keys, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer_id, actor="test")
    assert len(rows(keys_url, "SELECT 1 FROM customer_keys")) == 1, "the job that destroys it has not run"
    assert with_keys.keys_database is not None
    assert await settle(with_keys, with_keys.keys_database, 0) == 1
    assert rows(keys_url, "SELECT 1 FROM customer_keys") == []


async def test_keys_move_over_while_the_service_runs_and_again_after_a_stop(with_keys, keys_url, plumbing, an_account):
    people = [await a_customer(plumbing, an_account, email=f"p{number}@example.com") for number in range(5)]
    before = {person: await data_key(plumbing, an_account, person) for person in people}
    assert all(before.values())
    assert with_keys.keys_database is not None
    # A stop after the keys were written there and before they were emptied here.
    first = before[people[0]]
    assert first is not None
    await with_keys.keys_database.insert_settled([WrappedKey(people[0], an_account.account_id, first)])
    assert sum([some async for some in move_keys(with_keys, with_keys.keys_database)]) >= 5
    kept = {row[0]: bytes(row[1]) for row in rows(keys_url, "SELECT customer_id, wrapped FROM customer_keys")}
    for person in people:
        assert await data_key(plumbing, an_account, person) == b""
        assert kept[person] == before[person]
        await key_of(with_keys, an_account, person)
    assert sum([some async for some in move_keys(with_keys, with_keys.keys_database)]) == 0
    # The other tests of this run know nothing of that database: put everything back.
    with psycopg.connect(plumbing.database.url) as connection:
        for person, wrapped in kept.items():
            connection.execute("UPDATE customers SET data_key = %s WHERE customer_id = %s", (wrapped, person))


async def test_the_table_is_in_parts_so_that_a_rewrite_locks_little(with_keys, keys_url):
    assert with_keys.keys_database is not None
    found = rows(keys_url, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'customer_keys'::regclass")
    assert found == [(PARTS,)]


async def test_a_new_master_key_rewraps_the_keys_there_too(with_keys, keys_url, plumbing, an_account, monkeypatch):
    # Each Plumbing gives the database its own vault: also after a failure it has that of the other tests again.
    monkeypatch.setattr(plumbing.database, "vault", plumbing.vault)
    old, new = secrets.token_bytes(32), secrets.token_bytes(32)
    before = Plumbing(
        plumbing.settings,
        plumbing.database,
        plumbing.objects,
        Vault(GivenKeys((old,))),
        keys_database=with_keys.keys_database,
    )
    customer_id = new_id()
    made = await before.keys.make(an_account.account_id, customer_id)
    sealed = made.key.seal(b"x", seals.PROFILE)
    vault = Vault(GivenKeys((new, old)))
    assert with_keys.keys_database is not None
    column, scope = next(one for one in _columns(with_keys) if one[0] is ELSEWHERE)
    after = Plumbing(
        plumbing.settings, plumbing.database, plumbing.objects, vault, keys_database=with_keys.keys_database
    )
    assert await _rewrap_column(after, column, scope, 1, 10, lambda *_: None) == 1
    alone = Plumbing(
        plumbing.settings,
        plumbing.database,
        plumbing.objects,
        Vault(GivenKeys((new,))),
        keys_database=with_keys.keys_database,
    )
    key = await alone.keys.open(made.data_key, an_account.account_id, customer_id)
    assert key is not None
    assert key.open(sealed, seals.PROFILE) == b"x"
