"""Does the audit log notice everything that is done to it, and nothing that is not?"""

import asyncio
import contextlib
import json
import random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.support.chains import a_chain, superuser
from truename.audit.adopt import begin_chains
from truename.audit.chain import SPOILED
from truename.audit.model import INSTALLATION, Action, Entry
from truename.audit.record import record, write
from truename.audit.verify import read_heads, verify
from truename.plumbing.crypto.master_key import master_keys
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import Objects


async def test_an_untouched_log_verifies(house):
    for lines in (0, 1, 7):
        await a_chain(house, lines)
    found = await verify(house)
    assert found.whole, found.breaks
    assert found.chains >= 4


async def test_lines_of_simultaneous_deeds_form_one_chain_without_a_gap(house):
    account_id = await a_chain(house, 0)

    async def deed(number: int) -> None:
        async with house.database.account(account_id) as connection:
            write(connection, Entry(account_id, "sdk", Action.MEDIA_READ, "media:x", {"count": number}))

    await asyncio.gather(*(deed(number) for number in range(40)))
    found = await verify(house, account_id)
    assert (found.whole, found.lines) == (True, 42)


async def test_others_are_heard_while_a_chain_is_walked(house, monkeypatch):
    """Five thousand lines at once kept everybody waiting for a tenth of a second, again and again for a long chain."""
    monkeypatch.setattr("truename.audit.verify.BREATH", 1)
    account_id, turns = await a_chain(house, 200), 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    heard = asyncio.create_task(others())
    walked = (await verify(house, account_id)).lines
    heard.cancel()
    assert turns > walked > 200


async def test_what_is_rolled_back_leaves_no_line(house):
    account_id = await a_chain(house, 0)

    async def deed_that_fails(connection: Connection) -> None:
        await record(connection, account_id, actor="a", action=Action.MEDIA_READ, subject="failed")
        raise ZeroDivisionError

    with contextlib.suppress(ZeroDivisionError):
        async with house.database.account(account_id) as connection:
            await deed_that_fails(connection)
    async with house.database.account(account_id) as connection:
        with contextlib.suppress(ZeroDivisionError):
            async with connection.transaction():
                await deed_that_fails(connection)
        await record(connection, account_id, actor="a", action=Action.MEDIA_READ, subject="outer")
    rows = await house.database.statement(account_id, "SELECT subject FROM audit_log ORDER BY sequence")
    assert [row["subject"] for row in rows][2:] == ["outer"]
    assert (await verify(house, account_id)).whole


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log SET actor = 'nobody'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "DELETE FROM audit_heads",
        "UPDATE audit_heads SET count = count - 1",
        "UPDATE audit_heads SET hash = '\\x00'",
        "DELETE FROM system_secrets",
    ],
)
@pytest.mark.parametrize("system", [False, True])
async def test_the_applications_roles_can_only_append(house, statement, system):
    account_id = await a_chain(house, 2)
    scope = house.database.system() if system else house.database.account(account_id)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with scope as connection:
            await connection.execute(statement)


def test_details_hold_only_what_is_listed():
    with pytest.raises(ValueError, match="no detail email"):
        Entry(new_id(), "a", Action.CUSTOMER_READ, "s", {"email": "ana@example.com"})
    with pytest.raises(ValueError, match="no place for long text"):
        Entry(new_id(), "a", Action.CUSTOMER_READ, "s", {"reason": "x" * 301})


# ── tampering, with every right that the database knows ──────────────────────────────────────────────────────

COLUMNS = ["audit_id", "account_id", "sequence", "at", "actor", "action", "subject", "details", "sealed_reason", "hash"]


def other_value(column: str, row: dict[str, Any], chance: random.Random) -> Any:
    """Something else for this column."""
    value = row[column]
    if column == "audit_id":
        return new_id()
    if column == "account_id":
        return chance.choice([INSTALLATION, new_id()])
    if column == "sequence":
        return value + chance.choice([1000, -1000, 10**6]) if value > 1000 else value + 10**6
    if column == "at":
        return value.replace(microsecond=(value.microsecond + chance.randrange(1, 10**6)) % 10**6)
    if column == "details":
        return Jsonb({**value, "count": chance.choice([chance.randrange(100, 10**9), "1", None, True])})
    if column == "sealed_reason":
        return None if value is not None and chance.random() < 0.3 else chance.randbytes(20)
    if column == "hash":
        return chance.randbytes(32)
    return value + chance.choice([" ", "x"]) if chance.random() < 0.5 else value[:-1]


async def tamper(connection: psycopg.AsyncConnection[Any], account_id: UUID, chance: random.Random) -> str:
    """Do one random thing to the chain of this account; says what."""
    cursor = await connection.execute("SELECT * FROM audit_log WHERE account_id = %s ORDER BY sequence", (account_id,))
    rows = await cursor.fetchall()
    one = chance.choice(rows)
    what = chance.choice(["edit", "edit", "delete", "swap", "truncate", "insert", "head", "all"])
    if what == "edit":
        column = chance.choice(COLUMNS)
        query = sql.SQL("UPDATE audit_log SET {} = %s WHERE audit_id = %s").format(sql.Identifier(column))
        await connection.execute(query, (other_value(column, one, chance), one["audit_id"]))
        return f"edit {column}"
    if what == "delete":
        await connection.execute("DELETE FROM audit_log WHERE audit_id = %s", (one["audit_id"],))
        if chance.random() < 0.5:  # and close the gap
            await connection.execute(
                "UPDATE audit_log SET sequence = -sequence WHERE account_id = %s AND sequence > %s",
                (account_id, one["sequence"]),
            )
            await connection.execute(
                "UPDATE audit_log SET sequence = -sequence - 1 WHERE account_id = %s AND sequence < 0", (account_id,)
            )
            await connection.execute("UPDATE audit_heads SET count = count - 1 WHERE account_id = %s", (account_id,))
    elif what == "swap":
        other = chance.choice([row for row in rows if row is not one])
        for row, place in ((one, -1), (other, one["sequence"]), (one, other["sequence"])):
            await connection.execute("UPDATE audit_log SET sequence = %s WHERE audit_id = %s", (place, row["audit_id"]))
    elif what == "truncate":
        keep = chance.randrange(len(rows))
        await connection.execute("DELETE FROM audit_log WHERE account_id = %s AND sequence > %s", (account_id, keep))
        if chance.random() < 0.7:  # and move the head to the new end
            last = rows[keep - 1]["hash"] if keep else b"\x00" * 32
            await connection.execute(
                "UPDATE audit_heads SET count = %s, hash = %s WHERE account_id = %s", (keep, last, account_id)
            )
    elif what == "insert":
        forged = {**one, "audit_id": new_id(), "sequence": len(rows) + 1, "details": Jsonb(one["details"])}
        names = sql.SQL(", ").join(map(sql.Identifier, forged))
        holes = sql.SQL(", ").join(sql.Placeholder() * len(forged))
        await connection.execute(
            sql.SQL("INSERT INTO audit_log ({}) VALUES ({})").format(names, holes), list(forged.values())
        )
        await connection.execute(
            "UPDATE audit_heads SET count = count + 1, hash = %s WHERE account_id = %s", (one["hash"], account_id)
        )
    elif what == "head":
        change = chance.choice(["count = count + 1", "hash = '\\x00'", "mac = sha256('')", "account_id = %(new)s"])
        altered = f"UPDATE audit_heads SET {change} WHERE account_id = %(own)s"
        await connection.execute(altered.encode(), {"own": account_id, "new": new_id()})
    else:
        await connection.execute("DELETE FROM audit_log WHERE account_id = %s", (account_id,))
        await connection.execute("DELETE FROM audit_heads WHERE account_id = %s", (account_id,))
    return what


async def found_after_tampering(
    house: Plumbing, connection: psycopg.AsyncConnection[Any], account_id: UUID, chance: random.Random
) -> tuple[str, bool, bool]:
    """Tamper, verify by the whole and by the account alone, and put everything back as `keep` found it."""
    what = await tamper(connection, account_id, chance)
    await connection.commit()
    of_all, of_one = await verify(house), await verify(house, account_id)
    for table in (b"log", b"heads"):
        await connection.execute(b"DELETE FROM audit_%b" % table)
        await connection.execute(b"INSERT INTO audit_%b SELECT * FROM kept_%b" % (table, table))
    await connection.commit()
    return what, of_all.whole, of_one.whole


async def keep(connection: psycopg.AsyncConnection[Any]) -> None:
    """A copy of the log, to put back."""
    await connection.execute("CREATE TEMP TABLE kept_log AS SELECT * FROM audit_log")
    await connection.execute("CREATE TEMP TABLE kept_heads AS SELECT * FROM audit_heads")
    await connection.commit()


@pytest.mark.parametrize("rounds", [60, pytest.param(1000, marks=pytest.mark.slow)])
async def test_every_random_tampering_is_found(new_database, settings, rounds):
    database = Database(new_database(), connections=4)
    await database.open()
    try:
        keys = master_keys(settings, may_create=False)
        own = Plumbing(settings, database, Objects(settings.media_url), Vault(keys))
        await begin_chains(own)
        account_id = await a_chain(own, 9)
        chance = random.Random(20261115)
        kinds = set()
        async with await superuser(own) as connection:
            await keep(connection)
            for number in range(rounds):
                what, all_whole, one_whole = await found_after_tampering(own, connection, account_id, chance)
                assert not all_whole, (number, what)
                assert not one_whole, (number, what)
                kinds.add(what)
        assert len(kinds) >= 12
        assert (await verify(own)).whole
    finally:
        await database.close()


async def test_a_shortened_chain_is_not_healed_by_going_on(house):
    account_id = await a_chain(house, 5)
    async with await superuser(house) as connection:
        await connection.execute("DELETE FROM audit_log WHERE account_id = %s AND sequence > 3", (account_id,))
        await connection.execute(
            "UPDATE audit_heads SET count = 3, hash = (SELECT hash FROM audit_log WHERE account_id = %(own)s "
            "AND sequence = 3) WHERE account_id = %(own)s",
            {"own": account_id},
        )
    for _ in range(2):
        async with house.database.account(account_id) as connection:
            await record(connection, account_id, actor="a", action=Action.MEDIA_READ, subject="s")
        found = await verify(house, account_id)
        assert [one.what for one in found.breaks] == ["The head of the chain was altered."]
    async with house.database.system() as connection:
        assert (await read_heads(connection))[account_id].mac == SPOILED


async def test_another_chains_head_is_called_one_that_was_altered(house):
    account_id, other = await a_chain(house, 5), await a_chain(house, 5)
    async with await superuser(house) as connection:
        await connection.execute(
            "UPDATE audit_heads own SET count = o.count, hash = o.hash, mac = o.mac FROM audit_heads o "
            "WHERE own.account_id = %s AND o.account_id = %s",
            (account_id, other),
        )
    found = await verify(house, account_id)
    assert [one.what for one in found.breaks] == ["The head of the chain was altered."]


async def test_rows_from_before_the_chain_are_linked_into_it_once(new_database, settings):
    database = Database(new_database(), connections=3)
    await database.open()
    try:
        account_id, customer = new_id(), f"customer:{new_id()}"
        async with database.system() as connection:
            await connection.execute(
                "INSERT INTO accounts (account_id, name) VALUES (%s, %s)", (account_id, str(account_id))
            )
            for number in range(3):
                details = {"from": "ACTIVE", "to": "BLOCKED", "reason": "Ana Perez owes us", "count": number}
                await connection.execute(
                    "INSERT INTO audit_log_before_chain (audit_id, account_id, actor, action, subject, details) "
                    "VALUES (%s, %s, 'client:a', 'customer.status_changed', %s, %s)",
                    (new_id(), account_id, customer, Jsonb(details)),
                )
        own = Plumbing(settings, database, Objects(settings.media_url), Vault(master_keys(settings, may_create=False)))
        await begin_chains(own)
        await begin_chains(own)
        found = await verify(own)
        assert (found.whole, found.lines, found.chains) == (True, 5, 2)
        rows = await database.statement(account_id, "SELECT subject, details FROM audit_log ORDER BY sequence")
        assert [row["subject"] for row in rows] == [f"account:{account_id}", customer, customer, customer]
        assert "Ana" not in json.dumps([row["details"] for row in rows])
        async with await superuser(own) as connection:
            await connection.execute("DELETE FROM audit_log WHERE account_id = %s", (account_id,))
            await connection.execute("DELETE FROM audit_heads WHERE account_id = %s", (account_id,))
        await begin_chains(own)
        assert not (await verify(own)).whole, "a removed chain is not begun anew in silence"
    finally:
        await database.close()
