"""The disk of the pictures is full, or that of the database: what is refused, and is anything lost?"""

import asyncio
import dataclasses
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import obstore
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import DiskFull

from tests.support.api import KYC, person_id, problem
from tests.support.loopback import serving
from tests.support.small_disk import a_small_disk
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.cli.doors import application
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import Objects, StorageUnavailable


@contextmanager
def tables_on(disk: Path, url: str, postgres: str, owner: os.stat_result) -> Iterator[None]:
    """The tables of this database lie on this disk; the server's log of changes stays elsewhere."""
    place = disk / "tables"
    place.mkdir(mode=0o700)
    os.chown(place, owner.st_uid, owner.st_gid)
    name = sql.Identifier(str(conninfo_to_dict(url)["dbname"]))
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE TABLESPACE {} LOCATION {}").format(name, str(place)))
        try:
            connection.execute(sql.SQL("ALTER DATABASE {} SET TABLESPACE {}").format(name, name))
            yield
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
            connection.execute(sql.SQL("DROP TABLESPACE {}").format(name))


async def test_a_full_disk_refuses_new_pictures_and_keeps_the_old_ones():
    with a_small_disk("300k") as disk:
        objects = Objects(str(disk / "media"))
        await objects.put("a/b/first", b"x" * 100_000)
        with pytest.raises(StorageUnavailable, match="space"):
            await objects.put("a/b/second", b"y" * 1_000_000)
        assert await objects.get("a/b/first") == b"x" * 100_000
        assert [found.key async for chunk in objects.list() for found in chunk] == ["a/b/first"]
        await objects.put("a/b/third", b"z" * 1_000)


async def test_a_process_whose_store_takes_nothing_is_not_ready_until_it_does_again(plumbing, monkeypatch):
    """What only reads never noticed: /readyz said that all was well, while every upload was refused."""
    with a_small_disk("300k") as disk:
        objects = Objects(str(disk / "media"))
        own = dataclasses.replace(plumbing, objects=objects)
        offered = []
        real = obstore.put_async

        async def put_async(store, key, data):
            offered.append(len(data))
            await real(store, key, data)

        monkeypatch.setattr(obstore, "put_async", put_async)
        async with serving(application(own)) as address, aiohttp.ClientSession(address) as caller:
            assert (await caller.get("/readyz")).status == 200
            assert offered == [], "nothing is written where nothing was refused"
            await objects.put("a/first", b"x" * 100_000)
            with pytest.raises(StorageUnavailable):
                await objects.put("a/second", b"y" * 250_000)
            told = await problem(await caller.get("/readyz"), 503)
            assert told["detail"] == "The store of pictures takes no new ones."
            await objects.put("a/third", b"z" * 1_000)
            assert (await caller.get("/readyz")).status == 503, "there is room for a small one only"
            before = len(offered)
            answers = await asyncio.gather(*(caller.get("/readyz") for _ in range(20)))
            assert {answer.status for answer in answers} == {503}
            assert len(offered) - before < 20, "who asks at the same time hears of the same offer"
            await objects.delete("a/first")
            assert (await caller.get("/readyz")).status == 200
            count = len(offered)
            assert (await caller.get("/readyz")).status == 200
            assert len(offered) == count
        assert {found.key async for chunk in objects.list() for found in chunk} == {"a/third"}


async def test_while_the_disk_of_the_database_is_full_callers_are_asked_to_come_again_and_nothing_confirmed_is_lost(
    plumbing, postgres, new_database, shared_folder
):
    owner = (shared_folder / "postgres-of-tests" / "postgres").stat()
    url = new_database()
    with a_small_disk("80m") as disk, tables_on(disk, url, postgres, owner):
        database = Database(url, connections=4)
        await database.open()
        own = Plumbing(plumbing.settings, database, plumbing.objects, plumbing.vault)
        try:
            account = await create_account(own, "of a small disk")
            token = await issue_access_token(own, account.account_id, account.client_id, SCOPES)
            headers = {"Authorization": f"Bearer {token}"}
            async with serving(application(own)) as address, aiohttp.ClientSession(address, headers=headers) as caller:

                async def create(key: str) -> aiohttp.ClientResponse:
                    body = {"external_customer_id": f"of {key}"}
                    return await caller.post(f"{KYC}/customer", json=body, headers={"Idempotency-Key": key})

                confirmed = [(await (await create(person_id())).json())["customer_id"]]
                with (disk / "something else").open("wb") as other:
                    while chunk := shutil.disk_usage(disk).free:
                        os.posix_fallocate(other.fileno(), other.seek(0, 2), chunk)
                        other.seek(0, 2)
                for _ in range(2000):
                    refused = person_id()
                    answer = await create(refused)
                    if answer.status != 201:
                        break
                    confirmed.append((await answer.json())["customer_id"])
                told = await problem(answer, 503)
                assert (told["code"], answer.headers["Retry-After"]) == ("not_ready", "5")
                assert (await caller.get(f"{KYC}/customer/{confirmed[0]}")).status == 200, "what is there can be read"
                for _ in range(3):
                    told = await problem(await caller.get("/readyz"), 503)
                    assert told["detail"] == "The database has no room.", "seen before: it only read, and all was well"
                with pytest.raises(DiskFull):
                    await database.check_room()
                (disk / "something else").unlink()
                assert (await caller.get("/readyz")).status == 200
                answer = await create(refused)
                assert answer.status == 201, await answer.text()
                confirmed.append((await answer.json())["customer_id"])
            async with database.system() as connection:
                cursor = await connection.execute("SELECT customer_id::text AS found FROM customers")
                assert sorted(row["found"] for row in await cursor.fetchall()) == sorted(confirmed)
        finally:
            await database.close()
            await own.decoders.close()
