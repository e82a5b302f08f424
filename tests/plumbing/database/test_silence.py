"""A server that keeps its connections and says nothing: how long is it waited for, and who is not waited for."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from typing import LiteralString

import pytest
from psycopg_pool import PoolTimeout

from truename.plumbing.database.pool import CONNECTION_SECONDS, Connection, Database, is_away
from truename.plumbing.database.watched_connection import NoAnswer
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.resources import Plumbing


@pytest.fixture
async def database(plumbing: Plumbing) -> AsyncIterator[Database]:
    """One that is waited for for two seconds."""
    made = Database(plumbing.database.url, connections=2)
    await made.open()
    made.silence.seconds = 2
    yield made
    await made.close()


async def backend_of(connection: Connection) -> int:
    row = await (await connection.execute("SELECT pg_backend_pid() AS process")).fetchone()
    assert row is not None
    return int(row["process"])


@contextlib.contextmanager
def frozen(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


async def ask_while_frozen(database: Database) -> None:
    async with database.system() as connection:
        with frozen(await backend_of(connection)):
            await connection.execute("SELECT 1")


async def commit_while_frozen(database: Database) -> None:
    with contextlib.ExitStack() as held:
        async with database.system() as connection:
            held.enter_context(frozen(await backend_of(connection)))


async def test_a_server_that_says_nothing_is_hung_up_on(database: Database) -> None:
    """Seen before: who had asked it waited for as long as it was frozen, and there is no limit to that."""
    async with asyncio.timeout(60):
        with pytest.raises(NoAnswer) as caught:
            await ask_while_frozen(database)
        assert is_outage(caught.value)
        assert is_away(caught.value)
        async with database.system() as connection:  # of a connection that was made anew
            await connection.execute("SELECT 1")


async def test_a_server_that_is_frozen_before_it_commits_is_hung_up_on_too(database: Database) -> None:
    async with asyncio.timeout(60):
        with pytest.raises(NoAnswer):
            await commit_while_frozen(database)


async def test_to_hang_up_on_what_has_just_ended_by_itself_ends_nothing_else(database: Database) -> None:
    """Raised where all connections are looked at, it would have ended that for good."""
    async with database.pool.connection() as connection:
        await connection.close()
        connection.hang_up()
        assert connection.was_hung_up
    async with asyncio.timeout(60):
        with pytest.raises(NoAnswer):
            await ask_while_frozen(database)


async def test_who_is_cancelled_meanwhile_hears_of_that_and_not_of_the_connection(database: Database) -> None:
    """Seen before: a worker that was asked to end took it for one more outage."""
    asking = asyncio.create_task(ask_while_frozen(database))
    await asyncio.sleep(0.5)
    asking.cancel()
    async with asyncio.timeout(60):
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_who_leaves_waits_no_longer_for_a_connection_than_for_an_answer(database: Database) -> None:
    database.wait_at_most(0.2)
    async with database.system(), database.system():  # all that there are
        with pytest.raises(PoolTimeout):
            async with asyncio.timeout(10), database.system():
                pass
    database.wait_at_most(600)
    assert database.pool.timeout == CONNECTION_SECONDS


@pytest.mark.slow
async def test_who_listens_has_asked_nothing_and_is_waited_for(database: Database) -> None:
    async with database.pool.connection() as connection:
        await connection.execute("LISTEN nobody_says_anything")
        heard = [told async for told in connection.notifies(timeout=4)]
        assert heard == []
        await connection.execute("SELECT 1")
        assert not connection.was_hung_up


@pytest.mark.slow
async def test_an_answer_that_came_while_we_were_frozen_ourselves_is_taken(database: Database) -> None:
    async with database.system() as connection:
        asked = asyncio.create_task(connection.execute("SELECT pg_sleep(0.2)"))
        await asyncio.sleep(0.05)
        time.sleep(4)
        await asked


@pytest.mark.slow
async def test_a_copy_of_which_we_are_slow_to_take_the_next_piece_is_no_silence(database: Database) -> None:
    taken: LiteralString = "COPY (SELECT generate_series(1, 3)) TO STDOUT"
    async with database.system() as connection, connection.cursor() as cursor, cursor.copy(taken) as copy:
        rows = [await copy.read_row()]
        await asyncio.sleep(3.5)
        while (row := await copy.read_row()) is not None:
            rows.append(row)
    assert len(rows) == 3
