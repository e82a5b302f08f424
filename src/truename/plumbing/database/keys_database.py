"""A database of its own for the wrapped keys of customers, so that its backups may be kept shorter than other backups.

One small table in sixteen parts. A key is inserted before its customer commits, and marked as settled once a sweep has
seen the customer: only what was never settled can be an orphan, so that a main database restored from an old backup
cannot cost the keys of customers that it does not know. When keys were deleted, their part of the table is rewritten
soon after: PostgreSQL would leave the bytes of a deleted row in the file.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from psycopg import sql
from psycopg.rows import dict_row

from truename.plumbing.database.absence import RECONNECT_SECONDS, Absence, WatchedPool
from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.pool import network_patience
from truename.plumbing.database.silence import Silence
from truename.plumbing.database.watched_connection import WatchedConnection

PARTS: Final = 16
LOCK: Final = 0x6B65_7973
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS customer_keys (
    customer_id  uuid PRIMARY KEY,
    account_id   uuid NOT NULL,
    wrapped      bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    settled_at   timestamptz
) PARTITION BY HASH (customer_id);
CREATE INDEX IF NOT EXISTS customer_keys_unsettled ON customer_keys (created_at) WHERE settled_at IS NULL;
CREATE TABLE IF NOT EXISTS parts_to_rewrite (part text PRIMARY KEY, since timestamptz NOT NULL DEFAULT now());
"""
INSERT: Final = """
INSERT INTO customer_keys (customer_id, account_id, wrapped, settled_at)
SELECT * FROM unnest(%(customers)s::uuid[], %(accounts)s::uuid[], %(wrapped)s::bytea[]),
              (SELECT CASE WHEN %(settled)s THEN now() END) AS moment
ON CONFLICT (customer_id) DO NOTHING
"""
DELETE: Final = """
WITH gone AS (DELETE FROM customer_keys WHERE customer_id = ANY(%s) RETURNING tableoid::regclass::text AS part)
INSERT INTO parts_to_rewrite (part, since) SELECT DISTINCT part, clock_timestamp() FROM gone
ON CONFLICT (part) DO UPDATE SET since = excluded.since
"""

Connection = WatchedConnection


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """One row: whose key, and the key as the master key wraps it."""

    customer_id: UUID
    account_id: UUID
    wrapped: bytes


class KeysDatabase:
    """The keys, and nothing else."""

    def __init__(self, url: str, *, connections: int = 5) -> None:
        self.absence = Absence(url, "database of keys")
        self.silence = Silence(self.absence)
        self._pool: WatchedPool[Connection] = WatchedPool(
            url,
            connection_class=Connection,
            configure=self._configure,
            kwargs={"row_factory": dict_row, "autocommit": True, **network_patience(url)},
            min_size=1,
            max_size=connections,
            open=False,
            timeout=15,
            reconnect_timeout=RECONNECT_SECONDS,
            name="truename keys",
        )
        self._pool.heed(self.absence)
        self._inserts: Batcher[None, WrappedKey, None] = Batcher(self._insert_together)

    async def open(self, *, may_create: bool = True) -> None:
        """Connect, and make the table where there is none."""
        await self._pool.open(wait=True, timeout=30)
        self.silence.begin()
        if not may_create:
            return
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            await connection.execute(SCHEMA)
            for number in range(PARTS):
                await connection.execute(
                    sql.SQL(
                        "CREATE TABLE IF NOT EXISTS {} PARTITION OF customer_keys "
                        "FOR VALUES WITH (MODULUS {}, REMAINDER {})"
                    ).format(sql.Identifier(f"customer_keys_{number:02}"), PARTS, number)
                )

    async def close(self) -> None:
        """Give the connections back."""
        await self._pool.close(timeout=10)
        await self.silence.end()

    def wait_at_most(self, seconds: float) -> None:
        """From now on wait so long for the answer to one statement; a server that answers nobody is not asked."""
        self.silence.seconds, self.absence.may_refuse = seconds, True

    async def _configure(self, connection: Connection) -> None:
        self.silence.add(connection)
        await connection.execute("SET idle_session_timeout TO 0")

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """One transaction, for work on many keys."""
        async with self._pool.connection() as connection, connection.transaction():
            yield connection

    async def check(self) -> None:
        """Raises what is wrong when the table cannot be read."""
        async with self._pool.connection() as connection:
            await connection.execute("SELECT 1 FROM customer_keys LIMIT 1")

    async def is_empty(self) -> bool:
        """Whether it holds no key at all."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute("SELECT 1 FROM customer_keys LIMIT 1")
            return await cursor.fetchone() is None

    async def find(self, customer_id: UUID) -> bytes | None:
        """The wrapped key of a customer; None when it was destroyed."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT wrapped FROM customer_keys WHERE customer_id = %s", (customer_id,)
            )
            row = await cursor.fetchone()
        return bytes(row["wrapped"]) if row else None

    async def find_many(self, customer_ids: Sequence[UUID]) -> dict[UUID, bytes]:
        """The wrapped keys of these customers, less those that were destroyed."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT customer_id, wrapped FROM customer_keys WHERE customer_id = ANY(%s)", (list(customer_ids),)
            )
            return {row["customer_id"]: bytes(row["wrapped"]) for row in await cursor.fetchall()}

    async def insert(self, key: WrappedKey) -> None:
        """Keep a new key, durably; those that come at the same moment share a commit."""
        await self._inserts.do(None, key)

    async def insert_settled(self, keys: Sequence[WrappedKey]) -> None:
        """Keep keys of customers that exist already. Safe to repeat."""
        await self._insert(keys, settled=True)

    async def delete(self, customer_ids: Sequence[UUID]) -> None:
        """Destroy keys, and note that their parts of the table must be rewritten. Safe to repeat."""
        async with self._pool.connection() as connection:
            await connection.execute(DELETE, (list(customer_ids),))

    async def unsettled(self, older_than_seconds: float, limit: int) -> list[WrappedKey]:
        """Keys whose customer nobody has looked for yet."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT customer_id, account_id, wrapped FROM customer_keys WHERE settled_at IS NULL "
                "AND created_at < now() - make_interval(secs => %s) ORDER BY created_at LIMIT %s",
                (older_than_seconds, limit),
            )
            return [
                WrappedKey(row["customer_id"], row["account_id"], bytes(row["wrapped"]))
                for row in await cursor.fetchall()
            ]

    async def settle(self, customer_ids: Sequence[UUID]) -> None:
        """Note that these customers were committed: their keys are no orphans."""
        async with self._pool.connection() as connection:
            await connection.execute(
                "UPDATE customer_keys SET settled_at = now() WHERE customer_id = ANY(%s)", (list(customer_ids),)
            )

    async def rewrite_parts(self) -> int:
        """Rewrite the parts from which keys were deleted; says how many. A part is locked for some milliseconds."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute("SELECT part, since FROM parts_to_rewrite ORDER BY part")
            parts = await cursor.fetchall()
            for row in parts:
                await connection.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(row["part"])))
                # Only now: whoever dies in between leaves it to the next round. Deleted meanwhile: another round too.
                await connection.execute(
                    "DELETE FROM parts_to_rewrite WHERE part = %s AND since = %s", (row["part"], row["since"])
                )
        return len(parts)

    async def _insert_together(self, _: None, keys: Sequence[WrappedKey]) -> list[None]:
        await self._insert(keys, settled=False)
        return [None] * len(keys)

    async def _insert(self, keys: Sequence[WrappedKey], *, settled: bool) -> None:
        rows: dict[str, object] = {
            "customers": [key.customer_id for key in keys],
            "accounts": [key.account_id for key in keys],
            "wrapped": [key.wrapped for key in keys],
            "settled": settled,
        }
        async with self._pool.connection() as connection:
            await connection.execute(INSERT, rows)
