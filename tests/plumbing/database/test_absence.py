"""A server that answers nobody: who is refused at once, who goes on waiting, and when is it asked again?"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import structlog
from psycopg_pool import PoolTimeout

from tests.support.way import Way, a_way
from truename.plumbing.database.absence import Absent
from truename.plumbing.database.keys_database import KeysDatabase
from truename.plumbing.database.pool import Database, is_away
from truename.plumbing.database.watched_connection import NoAnswer
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.resources import Plumbing


@pytest.fixture
async def way(plumbing: Plumbing) -> AsyncIterator[Way]:
    async with a_way(plumbing.database.url) as made:
        yield made


@pytest.fixture
async def database(plumbing: Plumbing, way: Way) -> AsyncIterator[Database]:
    """Of a process that answers callers, with two connections."""
    made = Database(way.url, connections=2)
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
async def test_a_server_that_says_nothing_to_anybody_is_hung_up_on_sooner(database: Database, way: Way) -> None:
    database.wait_at_most(600)
    way.passes.clear()
    async with asyncio.timeout(60):
        with pytest.raises(NoAnswer):
            await ask(database)
        assert isinstance(await fault_of(database), Absent)
        way.passes.set()
        await until_it_answers(database)


@pytest.mark.slow
async def test_a_statement_that_takes_long_is_no_absence(database: Database) -> None:
    async with database.system() as connection:
        await connection.execute("SELECT pg_sleep(6)")
        assert not database.absence.is_known
        await ask(database)


@pytest.mark.slow
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


@pytest.mark.slow
async def test_who_does_not_answer_callers_goes_on_waiting(database: Database, way: Way) -> None:
    """A worker has time, and a job that it holds need not be given back for some seconds."""
    database.absence.may_refuse = False
    await way.shut()
    database.pool.timeout = 5
    faults = [await fault_of(database) for _ in range(4)]
    assert database.absence.is_known
    assert isinstance(faults[-1], PoolTimeout)


@pytest.mark.slow
async def test_a_pooler_that_lets_everybody_in_and_answers_nobody_is_an_absence_too(
    database: Database, way: Way
) -> None:
    """As pgbouncer does while its server is gone: it signs clients in by itself."""
    way.silent_from = b"SELECT 1"
    async with asyncio.timeout(60):
        with pytest.raises(NoAnswer):
            await ask(database)
        assert database.absence.is_known
        way.silent_from = None
        await until_it_answers(database)


@pytest.mark.slow
async def test_the_database_of_keys_is_not_asked_either_while_it_is_gone(plumbing: Plumbing, way: Way) -> None:
    keys = KeysDatabase(way.url)
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


async def test_who_is_asked_to_end_in_the_moment_a_connection_comes_ends(database: Database) -> None:
    """Seen: a worker that was asked to end while it began went on taking jobs until it was killed (Python 3.11)."""
    for moments in range(40):
        held = [await database.pool.getconn() for _ in range(2)]
        waiting = asyncio.create_task(_hold_for_ever(database))
        while not database.pool.get_stats()["requests_waiting"]:
            await asyncio.sleep(0)
        giving_back = [asyncio.create_task(database.pool.putconn(one)) for one in held]
        for _ in range(moments):
            await asyncio.sleep(0)
        waiting.cancel()
        done, _ = await asyncio.wait([waiting], timeout=5)
        assert done, f"lost after {moments} turns of the loop"
        assert waiting.cancelled()
        await asyncio.gather(*giving_back)


async def _hold_for_ever(database: Database) -> None:
    async with database.pool.connection():
        await asyncio.Event().wait()
