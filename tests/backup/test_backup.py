"""Does a backup hold one moment, and does everything come back after everything was destroyed?"""

import asyncio
import gc
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from tests.support.earlier_steps import database_at_step
from tests.support.forks import Order, forks
from tests.support.people import JPEG, Person, a_verified_person, key_of, left_of
from tests.support.served import environment_of, truename_here
from tests.support.small_disk import a_small_disk
from tests.support.waiting import until
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings, NewAccount
from truename.audit.verify import verify
from truename.backup.archive import DATABASE, MEDIA, ArchiveWriter, BrokenArchive, check, pictures
from truename.backup.restore import restore_backup
from truename.backup.write import snapshot, write_backup
from truename.cli import app
from truename.cli.exit_codes import ExitCode
from truename.media.delete import NotDeleted, delete_loose, delete_of_customer, without_deletions
from truename.media.orphans import SAFE_AGE, sweep_orphans
from truename.media.pictures import MediaKind, open_picture, store_picture
from truename.media.store import insert_pictures
from truename.plumbing.database.migrate import DatabaseError, NotEmpty, current, migrate, newest, require_newest
from truename.plumbing.database.pool import Database
from truename.plumbing.database.programs import ProgramFailed
from truename.plumbing.private_files import private_draft
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject, Objects
from truename.privacy.erase import erase


@asynccontextmanager
async def installation(plumbing: Plumbing, url: str, media: Path) -> AsyncIterator[Plumbing]:
    """Another database and store under the same master key."""
    database = Database(url, connections=4)
    await database.open()
    try:
        yield Plumbing(plumbing.settings, database, Objects(str(media)), plumbing.vault)
    finally:
        await database.close()


@pytest.fixture
async def first(plumbing: Plumbing, new_database: Callable[..., str], tmp_path: Path) -> AsyncIterator[Plumbing]:
    async with installation(plumbing, new_database(), tmp_path / "first") as made:
        yield made


@pytest.fixture
async def account(first: Plumbing) -> NewAccount:
    return await create_account(first, "shop", settings=AccountSettings(trial=True))


def silent(_: int, __: int) -> None:
    return


async def readable(plumbing: Plumbing, account: NewAccount, person: Person) -> bool:
    key = await key_of(plumbing, account, person.customer_id)
    return all(
        [await open_picture(plumbing.objects, key, one.media_id, one.object_key) == JPEG for one in person.pictures]
    )


async def test_after_everything_was_destroyed_everything_is_there(first, account, new_database, tmp_path):
    people = [await a_verified_person(first, account) for _ in range(3)]
    file = tmp_path / "truename.backup"
    written = await write_backup(first, file, silent)
    assert (written.pictures, written.missing) == (9, 0)
    assert file.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "truename.backup"]
    late = await a_verified_person(first, account)
    url = new_database("template0")
    store = tmp_path / "second"
    await restore_backup(url, Objects(str(store)), file, check(file), silent)
    async with installation(first, url, store) as second:
        assert all([await readable(second, account, person) for person in people])
        with pytest.raises(NoSuchObject):
            await second.objects.get(late.object_keys[0])
    with pytest.raises(NotEmpty):
        await restore_backup(url, Objects(str(store)), file, check(file), silent)


async def test_what_comes_while_a_backup_is_taken_is_whole_in_it_or_not_there_at_all(
    first, account, new_database, tmp_path
):
    """Database and pictures are those of one moment: here three pictures come between it and the dump."""
    person = await a_verified_person(first, account)
    own = account.account_id, person.customer_id, person.transaction_id
    key = await key_of(first, account, person.customer_id)
    async with first.database.system(), first.database.system(), first.database.system():
        pass  # so many connections are open now: what comes later has to wait
    taken = """SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_export_snapshot%'
               AND datname = current_database() AND pid <> pg_backend_pid()"""
    with psycopg.connect(first.database.url) as doorkeeper:
        doorkeeper.execute("LOCK TABLE pg_catalog.pg_db_role_setting")  # each new session, the dump's too, reads it
        writing = asyncio.create_task(write_backup(first, tmp_path / "backup", silent))

        async def is_taken() -> bool:
            doorkeeper.execute("SELECT pg_stat_clear_snapshot()")
            return doorkeeper.execute(taken).fetchone() == (1,)

        await until(is_taken, 30)
        late = [await store_picture(first.objects, key, *own, MediaKind.LIVENESS_FRAME, JPEG, 1, 1) for _ in range(3)]
        async with first.database.account(account.account_id) as connection:
            await insert_pictures(connection, late)
        assert not writing.done()
    written = await writing
    assert (written.pictures, written.missing) == (3, 0)
    url, store = new_database("template0"), tmp_path / "second"
    await restore_backup(url, Objects(str(store)), tmp_path / "backup", check(tmp_path / "backup"), silent)
    async with installation(first, url, store) as second:
        async with second.database.system() as connection:
            cursor = await connection.execute("SELECT storage_key FROM media")
            named = {row["storage_key"] for row in await cursor.fetchall()}
        assert named == {kept for kept, _ in pictures(tmp_path / "backup")} == set(person.object_keys)
        assert await readable(second, account, person)
        assert (await verify(second)).whole


async def test_who_is_erased_while_a_backup_is_taken_is_whole_in_it_and_gone_after_it(first, account, tmp_path):
    person = await a_verified_person(first, account)
    ids = {"account_id": str(account.account_id), "customer_id": str(person.customer_id)}
    async with snapshot(first) as moment:
        async with first.database.account(account.account_id) as connection:
            await erase(connection, account.account_id, person.customer_id, actor="test")
        with pytest.raises(NotDeleted, match="backup"):
            await delete_of_customer(first, **ids)
        for key in person.object_keys:
            os.utime(tmp_path / "first" / key, (0, 0))
        assert await sweep_orphans(first, SAFE_AGE) == 0
        await delete_loose(first, person.object_keys)  # as when a take is replaced by another
        named = [key async for some in moment.storage_keys() for key in some]
        assert sorted(named) == sorted(person.object_keys)
        for key in named:
            assert await first.objects.get(key)
    await delete_of_customer(first, **ids)
    assert "objects" not in await left_of(first, account, person)


async def test_a_picture_that_the_store_lost_is_counted_and_the_rest_is_kept(first, account, tmp_path):
    person = await a_verified_person(first, account)
    await first.objects.delete(person.object_keys[0])
    written = await write_backup(first, tmp_path / "backup", silent)
    assert (written.pictures, written.missing) == (2, 1)
    assert {key for key, _ in pictures(tmp_path / "backup")} == set(person.object_keys[1:])


async def test_a_backup_never_takes_the_place_of_another(first, account, tmp_path):
    file = tmp_path / "backup"
    file.write_bytes(b"an older one")
    with pytest.raises(FileExistsError):
        await write_backup(first, file, silent)
    assert file.read_bytes() == b"an older one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "first"]


@pytest.mark.slow
async def test_a_backup_that_a_full_disk_ends_leaves_nothing_and_says_it_once(first, account, plumbing, monkeypatch):
    """Seen before: a traceback of the library beside the sentence, and the code of a wrong call."""
    for _ in range(3):
        await a_verified_person(first, account)
    monkeypatch.setenv("TRUENAME_DATABASE_URL", first.database.url)
    monkeypatch.setenv("TRUENAME_STORAGE_URL", str(first.objects._folder))
    monkeypatch.setenv("TRUENAME_MASTER_KEY", plumbing.settings.master_key.get_secret_value())
    unraised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    with a_small_disk("4m") as disk:
        await write_backup(first, disk / "whole", silent)
        with tarfile.open(disk / "whole") as tar:
            needed = tar.getmember(DATABASE).size + (disk / "whole").stat().st_size
        (disk / "whole").unlink()
        (disk / "rest").write_bytes(bytes(4 * 1024 * 1024 - needed + 20_000))
        done = await asyncio.to_thread(CliRunner().invoke, app, ["backup", str(disk / "one")])
        gc.collect()
        assert (done.exit_code, unraised) == (ExitCode.NOT_REACHABLE, []), done.stderr
        assert done.stderr == f"{disk / 'one'} cannot be written: No space left on device.\n"
        assert [file.name for file in disk.iterdir()] == ["rest"]


async def test_what_a_killed_backup_left_is_not_in_the_way_of_the_next_one(first, account, tmp_path):
    file = tmp_path / "backup"
    with private_draft(file), pytest.raises(FileExistsError, match="Another process"):
        await write_backup(first, file, silent)
    for name in (".backup.part", ".backup.dump.part"):
        (tmp_path / name).write_bytes(b"the half of one")
    await write_backup(first, file, silent)
    assert check(file).pictures == 0
    assert file.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "first"]


@pytest.mark.slow
async def test_a_backup_that_is_asked_to_stop_takes_away_what_it_has_begun(first, account, plumbing, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    where = {
        "TRUENAME_MASTER_KEY": plumbing.settings.master_key.get_secret_value(),
        "TRUENAME_STORAGE_URL": str(tmp_path / "first"),
        "TRUENAME_DATABASE_URL": first.database.url,
    }
    order = Order("truename.cli", ["backup", str(folder / "one")], environment_of(tmp_path / "data", **where))
    async with without_deletions(first.database):  # it waits for its turn
        with (tmp_path / "said").open("wb") as said:
            process = await asyncio.to_thread(forks().start, order, stdout=said, stderr=said)

        async def begun() -> bool:
            return any(folder.iterdir())

        await until(begun)
        os.kill(process.pid, signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 60) == ExitCode.INTERRUPTED, (tmp_path / "said").read_text()
    assert list(folder.iterdir()) == []


async def test_an_altered_or_shortened_file_is_refused_or_holds_the_same(first, account, tmp_path):
    await a_verified_person(first, account)
    file, other = tmp_path / "backup", tmp_path / "altered"
    contents = await write_backup(first, file, silent)
    whole = file.read_bytes()
    chance = random.Random(7)
    refused = 0
    for number in range(150):
        data = bytearray(whole)
        if number % 3:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        else:
            del data[chance.randrange(len(data)) :]
        other.write_bytes(data)
        try:
            found = check(other)
        except BrokenArchive:
            refused += 1
            continue
        # What padding and the attributes of files say is nobody's loss.
        assert (found, list(pictures(other))) == (contents, list(pictures(file)))
    assert refused > 120


async def test_nothing_is_put_anywhere_where_the_database_could_not_be(first, account, new_database, tmp_path):
    """Seen before: every picture was put into the store, then the database was refused."""
    await a_verified_person(first, account)
    file, url, second = tmp_path / "backup", new_database("template0"), tmp_path / "second"
    contents = await write_backup(first, file, silent)
    unreadable = tmp_path / "unreadable"
    with ArchiveWriter(unreadable) as archive:  # as of a later pg_dump
        archive.add(DATABASE, b"PGDMP\x09\x09\x09")
        for key, data in pictures(file):
            archive.add(MEDIA + key, data)
        archive.finish(contents)
    with pytest.raises(ProgramFailed, match="unsupported version"):
        await restore_backup(url, Objects(str(second)), unreadable, check(unreadable), silent)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE orders (id int)")
    with pytest.raises(NotEmpty):
        await restore_backup(url, Objects(str(second)), file, check(file), silent)
    assert list(second.glob("**/*")) == []


async def test_an_older_truename_touches_neither_a_newer_backup_nor_a_newer_database(
    first, account, new_database, tmp_path
):
    await a_verified_person(first, account)
    file = tmp_path / "backup"
    later = (await write_backup(first, file, silent)).model_copy(update={"step": "9999"})
    url = new_database("template0")
    with pytest.raises(DatabaseError, match=r"The backup .step 9999. is newer than this Truename"):
        await restore_backup(url, Objects(str(tmp_path / "second")), file, later, silent)
    assert list((tmp_path / "second").glob("**/*")) == []
    with psycopg.connect(url) as connection:
        assert current(connection) is None
    await migrate(url)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for start in (migrate, require_newest):
        with pytest.raises(DatabaseError, match=r"The database .step 9999. is newer than this Truename"):
            await start(url)


@pytest.mark.slow
async def test_a_backup_of_an_older_truename_is_brought_up_to_date(plumbing, postgres, new_database, tmp_path):
    # Its owner may not read all rows; the address without a role is the superuser's.
    old = re.sub("options=[^&]*&", "", database_at_step(postgres, "0031"))
    file = tmp_path / "backup"
    async with installation(plumbing, old, tmp_path / "first") as earlier:
        await write_backup(earlier, file, silent)
    url = new_database("template0")
    await restore_backup(url, Objects(str(tmp_path / "second")), file, check(file), silent)
    with psycopg.connect(url) as connection:
        assert current(connection) == newest()


async def test_common_tools_can_check_and_open_it(first, account, tmp_path):
    person = await a_verified_person(first, account)
    await write_backup(first, tmp_path / "backup", silent)
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["tar", "-xf", tmp_path / "backup", "-C", out], check=True)
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=out, check=True)
    key = person.object_keys[0]
    stored = await first.objects.get(key)
    assert hashlib.sha256((out / MEDIA / key).read_bytes()).digest() == hashlib.sha256(stored).digest()


@pytest.mark.slow
async def test_the_commands_back_up_and_restore_keys_in_their_own_database_too(
    first, account, plumbing, new_database, tmp_path
):
    await a_verified_person(first, account)
    key = plumbing.settings.master_key.get_secret_value()
    common = {"TRUENAME_MASTER_KEY": key, "TRUENAME_STORAGE_URL": str(tmp_path / "first")}
    before = {**common, "TRUENAME_DATABASE_URL": first.database.url}
    keys = {"TRUENAME_KEYS_DATABASE_URL": new_database("template0")}
    moved = truename_here(tmp_path / "data", "keys", "move", **before, **keys)
    assert moved.returncode == ExitCode.OK, moved.stderr
    file, of_keys = tmp_path / "backup", tmp_path / "keys"
    wanting = truename_here(tmp_path / "data", "backup", str(file), **before, **keys)
    assert (wanting.returncode, "--keys" in wanting.stderr) == (ExitCode.USAGE, True)
    cannot_be = str(tmp_path / ("k" * 252))  # a draft of it would have too long a name
    failed = truename_here(tmp_path / "data", "backup", str(file), "--keys", cannot_be, **before, **keys)
    assert (failed.returncode, "cannot be written" in failed.stderr) == (ExitCode.USAGE, True), failed.stderr
    assert not file.exists()
    done = truename_here(tmp_path / "data", "backup", str(file), "--keys", str(of_keys), "--json", **before, **keys)
    assert done.returncode == ExitCode.OK, done.stderr
    assert json.loads(done.stdout)["pictures"] == 3
    after = {
        **common,
        "TRUENAME_STORAGE_URL": str(tmp_path / "second"),
        "TRUENAME_DATABASE_URL": new_database("template0"),
        "TRUENAME_KEYS_DATABASE_URL": new_database("template0"),
    }
    broken = tmp_path / "broken"
    broken.write_bytes(file.read_bytes()[:-12_000])  # up to 10,240 bytes at its end are padding, which nobody misses
    refused = truename_here(tmp_path / "data", "restore", str(broken), **after)
    assert (refused.returncode, "Nothing was changed." in refused.stderr) == (ExitCode.USAGE, True)
    half = tmp_path / "half"
    half.write_bytes(of_keys.read_bytes()[:-200])
    refused = truename_here(tmp_path / "data", "restore", str(file), "--keys", str(half), **after)
    assert (refused.returncode, "Nothing was changed." in refused.stderr) == (ExitCode.USAGE, True), refused.stderr
    refused = truename_here(tmp_path / "data", "restore", str(file), "--keys", str(of_keys), **after | keys)
    assert (refused.returncode, "Nothing was changed." in refused.stderr) == (ExitCode.USAGE, True), refused.stderr
    restored = truename_here(tmp_path / "data", "restore", str(file), "--keys", str(of_keys), **after)
    assert restored.returncode == ExitCode.OK, restored.stderr
    verified = truename_here(tmp_path / "data", "audit", "verify", **after)
    assert verified.returncode == ExitCode.OK, verified.stdout + verified.stderr
