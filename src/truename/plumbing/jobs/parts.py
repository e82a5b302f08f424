"""Tables that grow without end lie in parts, one for each month or day: made ahead here, dropped when they are over.

What is done to a table is in the database's own functions, which the owner of the tables has made (`make_parts` and
`drop_parts`, migration 0032): the application's roles may call them and no more. Each table has a short transaction of
its own, which gives way to whoever works on the table; the next round tries again. A row whose part is missing is
kept in the part for all the rest, so that nothing is ever refused.
"""

from datetime import datetime, timedelta
from typing import Final

import structlog
from psycopg.errors import LockNotAvailable

from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.registry import HasDatabase, periodic

log = structlog.get_logger(__name__)

PATIENCE: Final = "SET LOCAL lock_timeout = '2s'"
MOST_IDLE: Final = timedelta(days=31)
"""A month that is over for so long gets no more rows of people who were slow: an empty part of it may go."""


@periodic(seconds=3600)
async def keep_parts(plumbing: HasDatabase) -> None:
    """Have the parts for this and the coming periods, and drop old ones that retention has emptied."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT name, goes FROM partitioned_tables()")
        tables = await cursor.fetchall()
    for table in tables:
        await make_parts(plumbing.database, table["name"])
        if table["goes"] == "empty":
            await drop_parts(plumbing.database, table["name"], older_than=MOST_IDLE)


async def make_parts(database: Database, table: str, moment: datetime | None = None) -> list[str]:
    """Make the parts of a table that are missing for this moment (now) and the periods after it; their names."""
    try:
        async with database.system() as connection:
            await connection.execute(PATIENCE)
            cursor = await connection.execute(
                "SELECT part, made FROM make_parts(%s, coalesce(%s, now()))", (table, moment)
            )
            found = await cursor.fetchall()
    except LockNotAvailable:
        log.info("parts wait for their table", table=table)
        return []
    for row in found:
        if not row["made"]:
            log.warning("rows came before their part and stay in the rest", part=row["part"])
    return [row["part"] for row in found if row["made"]]


async def drop_parts(database: Database, table: str, *, older_than: timedelta) -> list[str]:
    """Drop the parts of a table whose period ended so long ago: by age all, or those without a row; their names."""
    try:
        async with database.system() as connection:
            await connection.execute(PATIENCE)
            cursor = await connection.execute("SELECT drop_parts(%s, now() - %s) AS part", (table, older_than))
            dropped = [row["part"] for row in await cursor.fetchall()]
    except LockNotAvailable:
        log.info("parts wait for their table", table=table)
        return []
    if dropped:
        log.info("parts dropped", table=table, parts=dropped)
    return dropped


async def rows_without_part(database: Database) -> list[str]:
    """The tables of which a row lies in the part for all the rest, because none was there for its period."""
    async with database.system() as connection:
        cursor = await connection.execute("SELECT rows_without_part() AS name")
        return [row["name"] for row in await cursor.fetchall()]
