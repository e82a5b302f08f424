"""Ask the database what time it is, at the start and every few seconds: all processes go by its clock."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import psycopg
import psycopg_pool

from truename.plumbing.clock import note_database_time, ticks
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.database.rows import only_row

AGAIN_SECONDS: Final = 5.0


async def hear_time(connection: Connection) -> None:
    """Ask once, and go by the answer from now on."""
    asked = ticks()
    row = await only_row(await connection.execute("SELECT clock_timestamp() AS at"))
    note_database_time(row["at"], asked, ticks())


@asynccontextmanager
async def hearing_time(database: Database) -> AsyncGenerator[None]:
    """Ask at once, and again and again while the body runs; while the database is away the last answer is good."""
    async with database.system() as connection:
        await hear_time(connection)
    keeping = asyncio.create_task(_keep_hearing(database))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def _keep_hearing(database: Database) -> None:
    while True:
        await asyncio.sleep(AGAIN_SECONDS)
        try:
            async with database.system() as connection:
                await hear_time(connection)
        except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed):
            continue
