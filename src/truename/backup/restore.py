"""Put a backup back: into an empty database and its store."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from truename.backup.archive import Contents, pictures, take_database
from truename.plumbing.database.migrate import migrate, prepare_for_restore, refuse_newer
from truename.plumbing.database.programs import restore_database
from truename.plumbing.storage.objects import Objects

AT_ONCE = 32


async def restore_backup(
    url: str, objects: Objects, file: Path, contents: Contents, progress: Callable[[int, int], None]
) -> None:
    """Put back what was checked: pictures first, then the database, all of it or nothing, brought up to date.

    Broken off, it may be run again: the database is still empty. Raises NotEmpty and ProgramFailed, and DatabaseError
    for a backup of a later Truename, before anything is put anywhere.
    """
    refuse_newer(contents.step, "The backup")
    await prepare_for_restore(url)
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
    with tempfile.NamedTemporaryFile(suffix=".dump") as dump:  # of mode 0600
        take_database(file, dump.file)
        await restore_database(url, Path(dump.name))
    await migrate(url)  # a backup of an older Truename
