"""A server that answers nobody: who is refused at once, who goes on waiting, and when is it asked again?"""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import PoolTimeout

from truename.plumbing.database.absence import Absent
from truename.plumbing.database.keys_database import KeysDatabase
from truename.plumbing.database.pool import Database, is_away
from truename.plumbing.database.watched_connection import NoAnswer
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.resources import Plumbing


class Way:
    """A way to the server that can be shut: for those who are on it, for those who come, or by silence."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder, self.server = folder, server
        self.passes = asyncio.Event()
        self.passes.set()
        self._door: asyncio.Server | None = None
        self._walkers: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        self._door = await asyncio.start_unix_server(self._walk, self.folder / ".s.PGSQL.5432")

    async def let_nobody_in(self) -> None:
        """Who is on it goes on; nobody else comes."""
        assert self._door is not None
        self._door.close()
        (self.folder / ".s.PGSQL.5432").unlink(missing_ok=True)

    async def shut(self) -> None:
        """As if the server had died."""
        await self.let_nobody_in()
        for writer in list(self._walkers):
            writer.close()

    async def _walk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(self.server)
        self._walkers |= {writer, back}
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(65536):
                await self.passes.wait()
                writer.write(piece)
                await writer.drain()
        writer.close()


@pytest.fixture
async def way(plumbing: Plumbing) -> AsyncIterator[Way]:
    with tempfile.TemporaryDirectory() as folder:
        made = Way(Path(folder), f"{conninfo_to_dict(plumbing.database.url)['host']}/.s.PGSQL.5432")
        await made.open()
        yield made
        made.passes.set()
        await made.shut()


@pytest.fixture
async def database(plumbing: Plumbing, way: Way) -> AsyncIterator[Database]:
    """Of a process that answers callers, with two connections."""
    made = Database(make_conninfo(plumbing.database.url, host=str(way.folder)), connections=2)
    await made.open()
    made.wait_at_most(30)
    yield made
    way.passes.set()
    await made.close()


async def ask(database: Database) -> None:
    async with database.system() as connection:
        await connection.execute("SELECT 1")


async def fault_of(database: Database) -> Exception:
    with pytest.raises(Exception) as caught:
        await ask(database)
    assert is_away(caught.value)
    assert is_outage(caught.value)
    return caught.value


async def until_it_answers(database: Database) -> None:
    while True:
        with contextlib.suppress(Absent):
            return await ask(database)
        await asyncio.sleep(0.1)


async def test_who_asks_a_server_that_is_gone_waits_for_nobody_before_it(
    database: Database, way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    """Seen before: 60 calls of two accounts, 17 of them answered after 150 seconds: each waited its own 15."""
    await way.shut()
    with structlog.testing.capture_logs() as written:
        async with asyncio.timeout(60):
            faults = [await fault_of(database) for _ in range(30)]
        assert isinstance(faults[-1], Absent)
        await way.open()
        async with asyncio.timeout(60):
            await until_it_answers(database)
    assert [line["event"] for line in written] == ["database answers nobody", "database answers again"]
    assert str(way.folder) in written[0]["reason"]
    assert not caplog.records, "a line for each connection that the pool tries hides the rest"


async def test_who_waits_already_for_a_connection_is_told(database: Database, way: Way) -> None:
    database.pool.timeout = 600
    await way.shut()
    async with asyncio.timeout(60):
        faults = await asyncio.gather(*(fault_of(database) for _ in range(8)))
    assert {type(fault) for fault in faults if isinstance(fault, (Absent, PoolTimeout))} == {Absent}
    await way.open()
    async with asyncio.timeout(60):
        await until_it_answers(database)
        await asyncio.gather(*(ask(database) for _ in range(8)))


async def test_a_server_that_says_nothing_to_anybody_is_hung_up_on_sooner(database: Database, way: Way) -> None:
    database.wait_at_most(600)
    way.passes.clear()
    async with asyncio.timeout(60):
        with pytest.raises(NoAnswer):
            await ask(database)
        assert isinstance(await fault_of(database), Absent)
        way.passes.set()
        await until_it_answers(database)


async def test_a_statement_that_takes_long_is_no_absence(database: Database) -> None:
    async with database.system() as connection:
        await connection.execute("SELECT pg_sleep(6)")
        assert not database.absence.is_known
        await ask(database)


async def test_a_server_that_takes_nobody_new_but_answers_is_there(database: Database, way: Way) -> None:
    await asyncio.gather(ask(database), ask(database))
    async with database.system() as first, database.system() as second:
        await way.let_nobody_in()
        waiting = asyncio.create_task(ask(database))
        for _ in range(14):
            await first.execute("SELECT pg_sleep(0.4)")
            await second.execute("SELECT 1")
            assert not database.absence.is_known
    async with asyncio.timeout(60):
        await waiting


async def test_who_does_not_answer_callers_goes_on_waiting(database: Database, way: Way) -> None:
    """A worker has time, and a job that it holds need not be given back for some seconds."""
    database.absence.may_refuse = False
    await way.shut()
    database.pool.timeout = 5
    faults = [await fault_of(database) for _ in range(4)]
    assert database.absence.is_known
    assert isinstance(faults[-1], PoolTimeout)


async def test_the_database_of_keys_is_not_asked_either_while_it_is_gone(plumbing: Plumbing, way: Way) -> None:
    keys = KeysDatabase(make_conninfo(plumbing.database.url, host=str(way.folder)))
    await keys.open(may_create=False)
    keys.wait_at_most(30)
    await way.shut()
    async with asyncio.timeout(60):
        while not keys.absence.is_known:
            with pytest.raises(Exception) as caught:
                await keys.check()
            assert is_away(caught.value)
        for _ in range(20):
            with pytest.raises(Absent):
                await keys.check()
    await keys.close()
