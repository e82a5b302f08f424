"""Read stored transactions with their evidence: in pages, unsealed and parsed, oldest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.backtest.tally import JudgedThen
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.rules.config import TransactionType
from truename.rules.dossier import Dossier
from truename.rules.verdict import Decision

PAGE: Final = 1000
PAGE_BYTES: Final = 16 * 1024 * 1024
"""Of sealed dossiers that are opened at once. Nearly all have a few thousand bytes, but a config may bring 256 kB."""
_JUDGED: Final[LiteralString] = """
FROM transactions t
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
LEFT JOIN examinations e ON e.transaction_id = t.transaction_id AND e.account_id = t.account_id
WHERE t.account_id = %(account_id)s AND t.status IN ('APPROVED', 'REJECTED', 'IN_REVIEW')
  AND t.created_at >= %(since)s AND t.created_at < %(until)s
  AND (%(transaction_type)s::text IS NULL OR t.transaction_type = %(transaction_type)s)
"""
COUNT: Final[LiteralString] = """
SELECT count(*) AS n FROM transactions t
WHERE t.account_id = %(account_id)s AND t.status IN ('APPROVED', 'REJECTED', 'IN_REVIEW')
  AND t.created_at >= %(since)s AND t.created_at < %(until)s
  AND (%(transaction_type)s::text IS NULL OR t.transaction_type = %(transaction_type)s)
"""
_COLUMNS: Final[LiteralString] = """
SELECT t.transaction_id, t.customer_id, t.created_at, t.decided_by, c.data_key, e.sealed_dossier,
       ARRAY(SELECT jsonb_path_query(t.issues, '$[*] ? (@.severity == "REJECTION").code') #>> '{}') AS rejected_by
"""
_SIZE: Final[LiteralString] = "coalesce(octet_length(sealed_dossier), 0)"
_OLDEST_FIRST: Final[LiteralString] = "created_at, transaction_id"
_NEWEST_FIRST: Final[LiteralString] = "created_at DESC, transaction_id DESC"
_AFTER: Final[LiteralString] = "AND (t.created_at, t.transaction_id) > (%(after_time)s, %(after_id)s)"
NEXT: Final[LiteralString] = f"""
SELECT * FROM (
    SELECT *, count(*) OVER () AS found, sum({_SIZE}) OVER (ORDER BY {_OLDEST_FIRST}) - {_SIZE} AS weight_before
    FROM ({_COLUMNS} {_JUDGED} {_AFTER} ORDER BY {_OLDEST_FIRST} LIMIT %(limit)s) AS wanted
) AS weighed WHERE weight_before < %(most_bytes)s ORDER BY {_OLDEST_FIRST}
"""  # noqa: S608 - every part that is put together here is a constant of this house
"""The first rows, as many as are wanted, up to the one with which they weigh too much."""
NEWEST: Final[LiteralString] = f"""
SELECT * FROM (
    SELECT *, sum({_SIZE}) OVER (ORDER BY {_NEWEST_FIRST}) - {_SIZE} AS weight_before
    FROM ({_COLUMNS} {_JUDGED} ORDER BY {_NEWEST_FIRST} LIMIT %(limit)s) AS wanted
) AS weighed WHERE weight_before < %(most_bytes)s ORDER BY {_NEWEST_FIRST}
"""  # noqa: S608 - every part that is put together here is a constant of this house


@dataclass(frozen=True, slots=True)
class Range:
    """Which transactions: those of one account, created in a span of time, of one type or all."""

    account_id: UUID
    since: datetime
    until: datetime
    transaction_type: TransactionType | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """Behind which transaction the next page begins."""

    created_at: datetime
    transaction_id: UUID


@dataclass(frozen=True, slots=True)
class StoredThen:
    """A stored transaction, unsealed and not yet parsed."""

    transaction_id: UUID
    rejected_by: tuple[str, ...]
    by_engine: bool
    dossier: bytes

    def parsed(self) -> JudgedThen:
        """The transaction with its dossier."""
        judgement = Decision.REJECTED if self.rejected_by else Decision.APPROVED
        dossier = Dossier.model_validate_json(self.dossier)
        return JudgedThen(self.transaction_id, judgement, self.rejected_by, self.by_engine, dossier)


@dataclass(frozen=True, slots=True)
class Page:
    """Some transactions, and where the next page begins; None behind the last."""

    stored: tuple[StoredThen, ...]
    cannot_be_judged: int
    after: Position | None

    @property
    def size(self) -> int:
        """How many transactions were looked at."""
        return len(self.stored) + self.cannot_be_judged

    def parsed(self) -> Iterator[JudgedThen]:
        """One after the other: kept all at once, they would keep the garbage collector busy."""
        return (one.parsed() for one in self.stored)


async def count_stored(connection: Connection, range_: Range) -> int:
    """How many transactions of the range were judged."""
    cursor = await connection.execute(COUNT, _parameters(range_))
    row = await cursor.fetchone()
    return int(row["n"]) if row else 0


class Reader:
    """Reads one range; keys of customers that come several times on a page are opened once."""

    def __init__(self, plumbing: Plumbing, range_: Range) -> None:
        self._plumbing = plumbing
        self._range = range_

    async def next_page(
        self, connection: Connection, after: Position | None, limit: int = PAGE, most_bytes: int = PAGE_BYTES
    ) -> Page:
        """The page behind this position; the first for None."""
        begin = after or Position(self._range.since, UUID(int=0))
        given = {
            "after_time": begin.created_at,
            "after_id": begin.transaction_id,
            "limit": limit,
            "most_bytes": most_bytes,
        }
        cursor = await connection.execute(NEXT, {**_parameters(self._range), **given}, binary=True)
        rows = await cursor.fetchall()
        last = rows[-1] if rows and (len(rows) == limit or len(rows) < rows[-1]["found"]) else None
        behind = Position(last["created_at"], last["transaction_id"]) if last else None
        return await self._opened(rows, behind)

    async def newest(self, connection: Connection, limit: int, most_bytes: int) -> Page:
        """The newest transactions of the range."""
        given = {"limit": limit, "most_bytes": most_bytes}
        cursor = await connection.execute(NEWEST, {**_parameters(self._range), **given}, binary=True)
        return await self._opened(await cursor.fetchall(), None)

    async def _opened(self, rows: list[DictRow], after: Position | None) -> Page:
        keys = await self._keys(rows)
        stored = []
        for row in rows:
            key = keys.get(row["customer_id"])
            if key is None or row["sealed_dossier"] is None:
                continue
            opened = key.open(bytes(row["sealed_dossier"]), seals.dossier(row["transaction_id"]))
            by_engine = row["decided_by"] == "ENGINE"
            stored.append(StoredThen(row["transaction_id"], tuple(row["rejected_by"]), by_engine, opened))
        return Page(tuple(stored), len(rows) - len(stored), after)

    async def _keys(self, rows: list[DictRow]) -> dict[UUID, DataKey]:
        wrapped = {
            row["customer_id"]: bytes(row["data_key"])
            for row in rows
            if row["data_key"] is not None and row["sealed_dossier"] is not None
        }
        return await self._plumbing.keys.open_many(wrapped, self._range.account_id)


def _parameters(range_: Range) -> dict[str, object]:
    return {
        "account_id": range_.account_id,
        "since": range_.since,
        "until": range_.until,
        "transaction_type": range_.transaction_type.value if range_.transaction_type else None,
    }
