"""Find objects that no row knows: their process died between storing the picture and committing its row."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from truename.media.delete import NotDeleted, deletions
from truename.plumbing.database.pool import Connection
from truename.plumbing.database.rows import only_row
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import PROBES, StoredObject

log = structlog.get_logger(__name__)

SAFE_AGE: Final = timedelta(hours=24)
"""No upload takes as long as this between its object and its row."""


@periodic(seconds=6 * 3600)
async def delete_orphans(plumbing: Plumbing) -> None:
    """Go once through the whole store."""
    await sweep_orphans(plumbing, SAFE_AGE)


async def sweep_orphans(plumbing: Plumbing, older_than: timedelta) -> int:
    """Delete every picture of that age whose row is missing or redacted; says how many there were.

    Besides, uncounted, what a check of the store left behind a day ago because its process died. In chunks, each asked
    for with one query. What does not look like a picture of ours is left alone, and so is what belongs to an account
    that this database does not know: accounts are never deleted, so that it is the store of another installation, and
    its pictures are not ours to delete. One that cannot be deleted does not keep the others: NotDeleted is raised once
    all were tried.
    """
    deleted = failures = strange = 0
    time = await _database_time(plumbing)
    before = time - older_than
    async for chunk in plumbing.objects.list():
        await plumbing.objects.discard(_left_probes(chunk, time - SAFE_AGE))
        candidates = _pictures(chunk, before)
        if not candidates:
            continue
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(
                "SELECT storage_key FROM media WHERE media_id = ANY(%s) AND redacted_at IS NULL",
                (list(candidates.values()),),
            )
            known = {row["storage_key"] for row in await cursor.fetchall()}
            ours = await _known_accounts(connection, {_account_of(key) for key in candidates})
        async with deletions(plumbing.database) as granted:
            if not granted:
                break  # a backup is being taken: the next sweep goes on
            for key in candidates.keys() - known:
                if _account_of(key) not in ours:
                    strange += 1
                    continue
                try:
                    await plumbing.objects.delete(key)
                    deleted += 1
                except Exception:
                    failures += 1
    if deleted:
        log.info("orphans deleted", objects=deleted)
    if strange:
        log.warning("the store holds pictures of accounts that this database does not know", objects=strange)
    if failures:
        raise NotDeleted(f"{failures} orphans could not be deleted.")
    return deleted


def _account_of(key: str) -> UUID:
    return UUID(key.partition("/")[0])


async def _known_accounts(connection: Connection, accounts: set[UUID]) -> set[UUID]:
    cursor = await connection.execute("SELECT account_id FROM accounts WHERE account_id = ANY(%s)", (list(accounts),))
    return {row["account_id"] for row in await cursor.fetchall()}


async def _database_time(plumbing: Plumbing) -> datetime:
    """The time that uploads go by. A worker whose clock is days ahead would take what is just being stored for old."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT clock_timestamp() AS at")
        found: datetime = (await only_row(cursor))["at"]
    return found


def _left_probes(chunk: Sequence[StoredObject], before: datetime) -> list[str]:
    """Keys of what only told whether the store works and was written before then."""
    return [one.key for one in chunk if one.key.startswith(f"{PROBES}/") and one.written_at <= before]


def _pictures(chunk: Sequence[StoredObject], before: datetime) -> dict[str, UUID]:
    """Keys of pictures that were written before then, with their media_id."""
    found = {}
    for stored in chunk:
        parts = stored.key.split("/")
        if len(parts) != 3 or stored.written_at > before:
            continue
        try:
            _, _, media_id = (UUID(part) for part in parts)
        except ValueError:
            continue
        found[stored.key] = media_id
    return found
