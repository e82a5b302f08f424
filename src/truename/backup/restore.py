"""Put a backup back: into an empty database and its store."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from truename.backup.archive import Contents, pictures, take_database
from truename.plumbing.database.migrate import migrate, prepare_for_restore, refuse_newer
from truename.plumbing.database.programs import check_dump, holds_vectors, restore_database
from truename.plumbing.storage.objects import Objects

AT_ONCE = 32


async def restore_backup(
    url: str, objects: Objects, file: Path, contents: Contents, progress: Callable[[int, int], None]
) -> None:
    """Put back what was checked: pictures first, then the database, all of it or nothing, brought up to date.

    Broken off, it may be run again: the database is still empty. Raises, before anything is put anywhere, NotEmpty,
    DatabaseError where the database is unfit or older than the backup, and ProgramFailed where the dump cannot be read.
    """
    refuse_newer(contents.step, "The backup")
    with tempfile.NamedTemporaryFile(suffix=".dump") as dump:  # of mode 0600
        take_database(file, dump.file)
        await check_dump(Path(dump.name))
        await prepare_for_restore(url, vectors=await holds_vectors(Path(dump.name)))
        await _put_back(objects, file, contents, progress)
        await restore_database(url, Path(dump.name))
    await migrate(url)  # a backup of an older Truename


async def _put_back(objects: Objects, file: Path, contents: Contents, progress: Callable[[int, int], None]) -> None:
    some: dict[str, bytes] = {}
    done = 0
    for key, data in pictures(file):
        some[key] = data
        if len(some) == AT_ONCE:
            await objects.put_all(some)
            done += len(some)
            progress(done, contents.pictures)
            some = {}
    await objects.put_all(some)
    progress(done + len(some), contents.pictures)
