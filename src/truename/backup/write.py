"""Write a backup: the database at one moment, and every picture that it names at that moment."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from truename import __version__
from truename.backup.archive import DATABASE, MEDIA, ArchiveWriter, Contents
from truename.media.delete import without_deletions
from truename.plumbing.database.migrate import newest
from truename.plumbing.database.pool import Connection, stay_idle
from truename.plumbing.database.programs import dump_database
from truename.plumbing.database.rows import only_row
from truename.plumbing.private_files import private_draft
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject

Progress = Callable[[int, int], None]
"""Told how many pictures are written, of how many."""

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The database at one moment; what it names stays in the store as long as this lives."""

    connection: Connection
    exported: str
    taken_at: datetime
    pictures: int

    async def storage_keys(self) -> AsyncIterator[list[str]]:
        """The keys of all pictures, some at a time."""
        async with self.connection.cursor("backup") as cursor:
            await cursor.execute("SELECT storage_key FROM media WHERE redacted_at IS NULL ORDER BY media_id")
            while rows := await cursor.fetchmany(AT_ONCE):
                yield [row["storage_key"] for row in rows]


@asynccontextmanager
async def snapshot(plumbing: Plumbing) -> AsyncGenerator[Snapshot]:
    """Hold one moment. The service goes on; only the deletion of pictures waits until the block ends."""
    # Deletions stop first: a picture that went between the snapshot and the lock would be named and missing.
    async with without_deletions(plumbing.database), plumbing.database.snapshot() as connection:
        await stay_idle(connection)  # while it is dumped and its pictures are copied
        cursor = await connection.execute(
            "SELECT pg_export_snapshot() AS exported, now() AS taken_at,"
            " (SELECT count(*) FROM media WHERE redacted_at IS NULL) AS pictures"
        )
        row = await only_row(cursor)
        yield Snapshot(connection, row["exported"], row["taken_at"], row["pictures"])


async def write_backup(plumbing: Plumbing, file: Path, progress: Progress) -> Contents:
    """Write a new file, of mode 0600; what it holds. The master key is not in it.

    Raises FileExistsError, OSError where it cannot be written, and ProgramFailed where the database cannot be dumped.
    Broken off, it leaves nothing behind; killed, what the next one of this name takes away.
    """
    with private_draft(file.with_name(f"{file.name}.dump")) as dump:
        async with snapshot(plumbing) as moment:
            with ArchiveWriter(file) as archive:
                await dump_database(plumbing.database.url, dump, snapshot=moment.exported)
                await asyncio.to_thread(archive.add_file, DATABASE, dump)
                written, missing = 0, 0
                async for keys in moment.storage_keys():
                    for key in keys:
                        try:
                            data = await plumbing.objects.get(key)
                        except NoSuchObject:
                            missing += 1
                            continue
                        await asyncio.to_thread(archive.add, MEDIA + key, data)
                        written += 1
                    progress(written + missing, moment.pictures)
                contents = Contents(
                    truename=__version__,
                    step=newest(),
                    taken_at=moment.taken_at,
                    pictures=written,
                    missing=missing,
                )
                await asyncio.to_thread(archive.finish, contents)
                return contents
