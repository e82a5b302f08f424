"""Readings of personal data are written down before the data is handed out.

A reading changes nothing, so its line is a transaction of its own; those of one account that wait at the same moment
share one. It does not wait for the disk: after a loss of power the last half second of readings may be missing, lines
and head alike, so that the chain stays whole.
"""

import weakref
from collections.abc import Sequence
from uuid import UUID

from truename.audit.model import Entry
from truename.audit.record import append
from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.pool import Database

_LOGS: "weakref.WeakKeyDictionary[Database, ReadingLog]" = weakref.WeakKeyDictionary()


async def record_reading(database: Database, entry: Entry) -> None:
    """Return once the line is committed."""
    log = _LOGS.get(database)
    if log is None:
        log = _LOGS[database] = ReadingLog(weakref.proxy(database))
    await log.add(entry)


class ReadingLog:
    """Writes down readings, those of simultaneous requests together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batches: Batcher[UUID, Entry, None] = Batcher(self._write)

    async def add(self, entry: Entry) -> None:
        """Return once the line is committed."""
        await self._batches.do(entry.account_id, entry)

    async def _write(self, account_id: UUID, entries: Sequence[Entry]) -> list[None]:
        async with self._database.account(account_id) as connection:
            await connection.execute("SET LOCAL synchronous_commit TO off")
            await append(connection, list(entries))
        return [None] * len(entries)
