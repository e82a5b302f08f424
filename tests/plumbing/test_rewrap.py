"""Can the master key be replaced while the service goes on, broken off and resumed, and the old key be dropped?"""

import asyncio
import base64
import os
import secrets
from pathlib import Path

import aiohttp
import psycopg
import pytest
from psycopg import sql

from tests.support.dashboard import an_operator
from tests.support.forks import Order, forks
from tests.support.served import environment_of, forked, truename_here
from tests.support.transactions import a_customer, caller_of
from truename.accounts.create import create_account
from truename.accounts.signing_keys import rotate
from truename.accounts.webhook_secrets import secrets_in_force
from truename.audit.adopt import begin_chains
from truename.audit.verify import verify
from truename.customers.read import read_customer
from truename.face_search.blocklist import NewEntry, add_entry, list_entries
from truename.operators.model import Role
from truename.operators.one_time_codes import begin_totp, pending_secret
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.master_key import GivenKeys, KeyCommand, KeyFile, MasterKeyError, master_keys
from truename.plumbing.crypto.vault import CannotOpen, Vault
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing
from truename.plumbing.rewrap import COLUMNS, left_to_rewrap, rewrap
from truename.plumbing.settings import load_settings
from truename.plumbing.storage.objects import Objects
from truename.plumbing.system_secrets import HASH_ROOT, system_secret
from truename.receipts.keys import signing_key
from truename.vision.captures import FaceTemplate
from truename.vision.face.embed import template_sha256

CUSTOMER = "/api/account/integration/kyc/customer"


def a_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


@pytest.fixture
async def house(new_database, settings, tmp_path):
    """A database of its own, whose master key stands in a file."""
    (tmp_path / "master.key").write_text(a_key() + "\n")
    database = Database(new_database(), connections=6)
    await database.open()
    vault = Vault(KeyFile(tmp_path / "master.key"))
    plumbing = Plumbing(settings, database, Objects(settings.media_url), vault)
    await begin_chains(plumbing)
    yield plumbing, tmp_path / "master.key"
    await database.close()


def again(plumbing: Plumbing, key_file: Path) -> Plumbing:
    """Another process on the same database."""
    return Plumbing(plumbing.settings, plumbing.database, plumbing.objects, Vault(KeyFile(key_file)))


class BrokenOff(Exception):
    pass


async def test_everything_is_under_the_new_key_after_breaking_off_and_resuming_while_customers_come(house):
    service, key_file = house
    account = await create_account(service, f"test {secrets.token_hex(8)}")
    customers = [await a_customer(service, account, email="ana@example.com") for _ in range(25)]
    old = key_file.read_text()
    key_file.write_text(a_key() + "\n" + old)

    stop = asyncio.Event()

    async def traffic() -> None:
        while not stop.is_set():
            customers.append(await a_customer(service, account, email="ana@example.com"))
            shown = await read_customer(service, caller_of(account), secrets.choice(customers))
            assert shown.email == "ana@example.com"
            await asyncio.sleep(0.005)

    going_on = asyncio.create_task(traffic())
    operator, bites = again(service, key_file), 0

    def break_off(*_: object) -> None:
        nonlocal bites
        bites += 1
        if bites == 3:
            raise BrokenOff

    with pytest.raises(BrokenOff):
        await rewrap(operator, batch=4, progress=break_off)
    before = await left_to_rewrap(operator)
    assert before["customers.data_key"] >= 10
    assert before["webhook_secrets.sealed"] == 1
    assert await rewrap(operator, batch=4) >= sum(before.values())
    await asyncio.sleep(0.05)
    stop.set()
    await going_on
    await rewrap(operator, batch=4)
    assert not any((await left_to_rewrap(operator)).values())

    key_file.write_text(key_file.read_text().splitlines()[0] + "\n")
    alone = again(service, key_file)
    for customer in customers:
        assert (await read_customer(alone, caller_of(account), customer)).email == "ana@example.com"
    async with alone.database.account(account.account_id) as connection:
        assert await secrets_in_force(connection, alone.vault, account.account_id) == [account.webhook_secret]
    assert (await verify(alone)).whole
    former = Plumbing(service.settings, service.database, service.objects, Vault(GivenKeys((base64.b64decode(old),))))
    with pytest.raises(CannotOpen):
        await read_customer(former, caller_of(account), customers[0])


async def test_of_every_column_what_was_sealed_opens_under_the_new_key_alone(house):
    service, key_file = house
    account = await create_account(service, f"test {secrets.token_hex(8)}")
    own = account.account_id
    customer = await a_customer(service, account, email="ana@example.com")
    operator = await an_operator(service, {own: Role.ADMIN})
    async with service.database.account(own) as connection:
        face = FaceTemplate((1.0, *(0.0,) * 319), template_sha256())
        await add_entry(connection, service.vault, own, NewEntry(face, b"picture", "Case 4711"), actor="test")
    async with service.database.system() as connection:
        totp = await begin_totp(service, connection, operator)
        receipts = await signing_key(connection, service)
    tokens = await rotate(service)

    key_file.write_text(a_key() + "\n" + key_file.read_text())
    newer = again(service, key_file)
    assert all((left := await left_to_rewrap(newer)).values()), f"of each column there is something: {left}"
    assert await rewrap(newer) == sum(left.values())
    assert not any((await left_to_rewrap(newer)).values())

    key_file.write_text(key_file.read_text().splitlines()[0] + "\n")
    alone = again(service, key_file)
    async with alone.database.account(own) as connection:
        assert [entry.reason for entry in await list_entries(connection, alone.vault, own)] == ["Case 4711"]
        assert await secrets_in_force(connection, alone.vault, own) == [account.webhook_secret]
    async with alone.database.system() as connection:
        assert await pending_secret(alone, connection, operator) == totp
        assert (await signing_key(connection, alone)).as_dict() == receipts.as_dict()
        await system_secret(connection, alone.vault, HASH_ROOT)
        cursor = await connection.execute("SELECT sealed FROM signing_keys WHERE kid = %s", (tokens,))
        row = await cursor.fetchone()
    assert row is not None
    assert alone.vault.open_system(seals.signing_key(tokens), bytes(row["sealed"]))
    assert (await read_customer(alone, caller_of(account), customer)).email == "ana@example.com"


async def test_a_customer_erased_meanwhile_stays_erased(house):
    service, key_file = house
    account = await create_account(service, f"test {secrets.token_hex(8)}")
    customer = await a_customer(service, account)
    key_file.write_text(a_key() + "\n" + key_file.read_text())
    operator = again(service, key_file)
    column = next(one for one in COLUMNS if one.name == "customers.data_key")
    async with service.database.system() as connection:
        given = {"prefix": operator.vault.current_prefix, "after": None, "limit": 10}
        rows = await (await connection.execute(column.page, given)).fetchall()
        await connection.execute(
            "UPDATE customers SET data_key = NULL, external_customer_id = NULL, erased_at = now() "
            "WHERE customer_id = %s",
            (customer,),
        )
    from truename.plumbing.rewrap import _store

    async with service.database.system() as connection:
        assert await _store(connection, column, operator.vault, rows) == 0
        row = await (await connection.execute("SELECT data_key FROM customers")).fetchone()
    assert row == {"data_key": None}


async def test_the_list_of_sealed_columns_is_complete(house):
    """Every column that holds a value under a master key is one that is wrapped anew."""
    service, _ = house
    account = await create_account(service, f"test {secrets.token_hex(8)}")
    await a_customer(service, account, email="ana@example.com")
    found = set()
    async with await psycopg.AsyncConnection.connect(service.database.url) as connection:
        cursor = await connection.execute(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns "
            "WHERE data_type = 'bytea' AND table_schema NOT IN ('pg_catalog', 'information_schema')"
        )
        for schema, table, column in await cursor.fetchall():
            query = sql.SQL("SELECT count(*) FROM {}.{} WHERE substr({}, 1, 5) = %s").format(
                sql.Identifier(schema), sql.Identifier(table), sql.Identifier(column)
            )
            row = await (await connection.execute(query, (service.vault.current_prefix,))).fetchone()
            assert row is not None
            if row[0]:
                found.add(f"{table}.{column}")
    listed = {one.name for one in COLUMNS}
    assert found <= listed
    assert {"customers.data_key", "webhook_secrets.sealed", "system_secrets.sealed"} <= found


# ── where master keys come from ──────────────────────────────────────────────────────────────────────────────


def test_a_value_from_before_there_were_ids_opens_under_any_key_that_is_given():
    from truename.plumbing.crypto.seals import Seal
    from truename.plumbing.crypto.vault import WITHOUT_KEY_ID, _seal

    old, new = secrets.token_bytes(32), secrets.token_bytes(32)
    account, record = new_id(), Seal("r")
    key = Vault(GivenKeys((old,)))._keys[0]
    purpose = next(one for one in key.ciphers if one == "account secrets")
    sealed = _seal(key.ciphers[purpose], WITHOUT_KEY_ID, b"secret", f"account/{account}/{record}")
    both = Vault(GivenKeys((new, old)))
    assert both.open_for_account(account, record, sealed) == b"secret"
    fresh = both.rewrapped_for_account(account, record, sealed)
    assert Vault(GivenKeys((new,))).open_for_account(account, record, fresh) == b"secret"
    with pytest.raises(CannotOpen):
        Vault(GivenKeys((new,))).open_for_account(account, record, sealed)


def test_a_command_can_give_the_keys_as_a_kms_would(tmp_path):
    program = tmp_path / "kms"
    keys = [a_key(), a_key()]
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' {keys[0]} {keys[1]}\n")
    program.chmod(0o700)
    source = master_keys(load_settings(data_dir=tmp_path, master_key_command=str(program)), may_create=False)
    assert source.read_keys() == tuple(base64.b64decode(key) for key in keys)
    for command, words in (
        ("/nonexistent/kms --secret hunter2", "there is no such program"),
        ("/bin/false", "it ended with 1"),
        ("/bin/echo none", "does not hold a master key"),
        (str(tmp_path), "may not be run"),
        ("'", "is a quotation mark left open"),
    ):
        with pytest.raises(MasterKeyError, match=words) as refused:
            KeyCommand(command).read_keys()
        assert "hunter2" not in str(refused.value)


def test_a_running_vault_notices_a_new_key_in_the_file(tmp_path):
    from truename.plumbing.crypto.seals import Seal

    path, record = tmp_path / "master.key", Seal("r")
    path.write_text(a_key())
    running = Vault(KeyFile(path))
    path.write_text(a_key() + "\n" + path.read_text())
    newer = Vault(KeyFile(path))
    sealed = newer.seal_system(record, b"x")
    assert running.open_system(record, sealed) == b"x"
    assert running.current_key_id == newer.current_key_id


def test_a_running_vault_goes_on_with_the_keys_at_hand_while_their_file_is_written(tmp_path, monkeypatch):
    """Whoever looked at the wrong moment was answered 500, or took up a list that lacked the key which all needs."""
    from truename.plumbing.crypto.seals import Seal

    monkeypatch.setattr("truename.plumbing.crypto.vault.LOOK_AGAIN_SECONDS", -1.0)
    path, record, old, new = tmp_path / "master.key", Seal("r"), a_key(), a_key()
    path.write_text(old + "\n")
    running = Vault(KeyFile(path, may_create=True))
    sealed = running.seal_system(record, b"before")
    for half in ("", new[:20], f"{new}\n{old[:7]}", "\N{KEY}", f"{new}\n"):
        path.write_text(half, "utf-8")
        assert running.open_system(record, running.seal_system(record, b"now")) == b"now"
        assert running.open_system(record, sealed) == b"before"
    assert running.current_key_id == Vault(KeyFile(path)).current_key_id
    path.unlink()
    assert running.open_system(record, running.seal_system(record, b"now")) == b"now"
    with pytest.raises(MasterKeyError, match="is missing"):
        running._source.read_keys()
    assert not path.exists(), "a lost key is never made anew"


# ── the command, killed ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
async def test_the_command_survives_kill_9_while_the_service_answers(tmp_path):
    with forked(tmp_path, "--no-worker") as service:
        async with aiohttp.ClientSession(service.url) as session:
            form = {"grant_type": "client_credentials"}
            form |= {name: service.credential(name) for name in ("client_id", "client_secret")}
            token = await (await session.post("/oauth/token", data=form)).json()
            headers = {"Authorization": f"Bearer {token['access_token']}"}

            async def create() -> str:
                body = {"external_customer_id": secrets.token_hex(8), "email": "ana@example.com"}
                answer = await session.post(CUSTOMER, json=body, headers=headers)
                assert answer.status == 201
                return (await answer.json())["customer_id"]

            async def reads(customer: str) -> bool:
                answer = await session.get(f"{CUSTOMER}/{customer}", headers=headers)
                return (await answer.json()).get("email") == "ana@example.com"

            customers = [await create() for _ in range(60)]
            key_file = tmp_path / "master.key"
            key_file.write_text(a_key() + "\n" + key_file.read_text())
            told, errors = os.pipe()
            command = Order("truename.cli", ["keys", "rewrap", "--batch", "1"], environment_of(tmp_path))
            killed = forks().start(command, stdout=errors, stderr=errors)
            os.close(errors)
            with os.fdopen(told) as lines:
                assert "of" in await asyncio.to_thread(lines.readline)
            killed.kill()
            killed.wait()
            assert (await asyncio.to_thread(truename_here, tmp_path, "keys", "status")).returncode == 1
            customers += [await create() for _ in range(5)]
            assert all([await reads(customer) for customer in customers])
            done = await asyncio.to_thread(truename_here, tmp_path, "keys", "rewrap", "--json")
            assert done.returncode == 0, done.stderr
            customers += [await create() for _ in range(5)]
            assert (await asyncio.to_thread(truename_here, tmp_path, "keys", "status", "--json")).returncode == 0
            done = await asyncio.to_thread(truename_here, tmp_path, "keys", "rewrap")
            assert "The earlier one can go." in done.stdout
            key_file.write_text(key_file.read_text().splitlines()[0] + "\n")
            assert all([await reads(customer) for customer in customers])
    with forked(tmp_path, "--no-worker") as service:
        async with aiohttp.ClientSession(service.url) as session:
            assert (await (await session.get(f"{CUSTOMER}/{customers[0]}", headers=headers)).json())["email"]
            done = await asyncio.to_thread(truename_here, tmp_path, "keys", "rewrap")
            assert ("There is no other." in done.stdout, "can go" in done.stdout) == (True, False)
    assert truename_here(tmp_path, "audit", "verify").returncode == 0
