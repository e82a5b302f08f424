"""The HNSW index of an account's faces by one recipe: made where comparing all of them would be slow.

Each account has its own, so that a search never wades through the faces of others. They are made while the service goes
on (`CREATE INDEX CONCURRENTLY`), by the login that owns the tables.
"""

import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

import psycopg
import structlog
from psycopg import AsyncConnection, sql
from psycopg.rows import TupleRow

from truename.plumbing.database.pool import Database
from truename.plumbing.database.sessions import AS_LONG_AS_IT_TAKES, KNOWN_SESSION

log = structlog.get_logger(__name__)

GRAPH_FROM: Final = 10_000
"""Up to so many faces all are compared, which takes about as long as an index would and misses nothing."""
NEIGHBOURS: Final = 24
CONSTRUCTION: Final = 128
"""`m` and `ef_construction` of pgvector: see docs/decisions/face-search.md."""
CANDIDATES: Final = 200
MOST_CANDIDATES: Final = 1000
"""How many a search keeps in hand (`hnsw.ef_search`): among `GRAPH_FROM` faces, and among 1,000,000 and more, which is
the most that pgvector takes."""
GROWTH: Final = math.log10(MOST_CANDIDATES / CANDIDATES) / math.log10(1_000_000 / GRAPH_FROM)
LOCK: Final = 0x6661_6365
"""The advisory lock under which these indexes are made and dropped."""

MAKE: Final = sql.SQL("""
CREATE INDEX CONCURRENTLY {name} ON face_vectors USING hnsw ((vector::halfvec({numbers})) halfvec_ip_ops)
WITH (m = {neighbours}, ef_construction = {construction})
WHERE account_id = {account_id} AND model_sha256 = {made_by} AND face_id IS NOT NULL
""")


def index_name(account_id: UUID, made_by: str) -> str:
    """Within the 63 letters that PostgreSQL gives to a name; another one whenever it is made in another way."""
    return f"{_earlier_name(account_id, made_by)}_m{NEIGHBOURS}"


def _earlier_name(account_id: UUID, made_by: str) -> str:
    """Of the index with 16 neighbours, as it was made at first."""
    return f"face_graph_{account_id.hex}_{made_by[:12]}"


def candidates(many: int) -> int:
    """How many of so many faces a search keeps in hand: the more there are, the easier the right one is passed by."""
    return min(MOST_CANDIDATES, round(CANDIDATES * math.pow(max(1.0, many / GRAPH_FROM), GROWTH)))


async def make_graph(database: Database, account_id: UUID, made_by: str, many: int) -> bool:
    """Make the index unless it is there; False where another process is at it, or the login may not."""
    async with _owner(database) as connection:
        if connection is None:
            return False
        name = index_name(account_id, made_by)
        cursor = await connection.execute(
            "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(%s)", (f"public.{name}",)
        )
        row = await cursor.fetchone()
        if row is not None and row[0]:
            await _drop(connection, _earlier_name(account_id, made_by))
            return True
        await _drop(connection, name)  # what a process left that died over it
        cursor = await connection.execute(
            "SELECT vector_dims(vector) FROM face_vectors WHERE account_id = %s AND model_sha256 = %s "
            "AND face_id IS NOT NULL LIMIT 1",
            (account_id, made_by),
        )
        row = await cursor.fetchone()
        if row is None:
            return False
        # Where the graph does not fit into this memory its making takes many times as long: for each face its numbers,
        # twice NEIGHBOURS links of 16 bytes, and what belongs to it.
        megabytes = min(4096, 64 + many * (int(row[0]) * 2 + 32 * NEIGHBOURS + 300) // 1_000_000)
        await connection.execute(f"SET maintenance_work_mem = '{megabytes}MB'")
        make = MAKE.format(
            name=sql.Identifier(name),
            numbers=sql.Literal(row[0]),
            neighbours=sql.Literal(NEIGHBOURS),
            construction=sql.Literal(CONSTRUCTION),
            account_id=sql.Literal(str(account_id)),
            made_by=sql.Literal(made_by),
        )
        try:
            await connection.execute(make)
        except psycopg.errors.DiskFull:
            # What several processes make together lies in /dev/shm, of which a container may have but little.
            log.info("face graph is made by one process: too little shared memory", megabytes=megabytes)
            await _drop(connection, name)
            await connection.execute("SET max_parallel_maintenance_workers = 0")
            await connection.execute(make)
        await _drop(connection, _earlier_name(account_id, made_by))
        log.info("face graph made", account_id=str(account_id), faces=many)
        return True


async def drop_graph(database: Database, account_id: UUID, made_by: str) -> None:
    """Drop the index if there is one."""
    async with _owner(database) as connection:
        if connection is not None:
            await _drop(connection, index_name(account_id, made_by))
            await _drop(connection, _earlier_name(account_id, made_by))


async def _drop(connection: AsyncConnection[TupleRow], name: str) -> None:
    await connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))


@asynccontextmanager
async def _owner(database: Database) -> AsyncGenerator[AsyncConnection[TupleRow] | None]:
    """A connection with the rights of the login, which made the tables; None while another process has its turn."""
    async with await AsyncConnection.connect(database.url, autocommit=True) as connection:
        await connection.execute(f"{KNOWN_SESSION}; {AS_LONG_AS_IT_TAKES}")
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,))
        row = await cursor.fetchone()
        if row is None or not row[0]:
            yield None
            return
        try:
            yield connection
        except psycopg.errors.InsufficientPrivilege:
            log.warning("face graph not made: the login does not own the table; all faces are compared instead")
            raise
        finally:
            await connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
