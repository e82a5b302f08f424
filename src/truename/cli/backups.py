"""`truename backup` and `truename restore`: everything but the master key, of one moment, in one file."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from truename.backup.archive import BrokenArchive, Contents, LaterArchive, check
from truename.backup.restore import restore_backup
from truename.backup.write import write_backup
from truename.cli.console import Console
from truename.cli.exit_codes import ExitCode, complain, not_written
from truename.cli.running import run, say_what_is_made, settings_of_command, until_asked_to_stop
from truename.plumbing.database.keys_database import KeysDatabase
from truename.plumbing.database.migrate import NotEmpty
from truename.plumbing.database.programs import ProgramFailed, check_dump, dump_into_new_file, restore_database
from truename.plumbing.settings import Settings
from truename.plumbing.storage.objects import Objects
from truename.wiring import database_url, wired

ToWrite = Annotated[Path, typer.Argument(dir_okay=False, help="A file that does not exist yet.")]
ToRead = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `truename backup` wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class KeysThere(Exception):
    """The database of keys, into which others are to be put, holds some already."""


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    file: ToWrite,
    keys: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Where TRUENAME_KEYS_DATABASE_URL is set: a second file, for the keys."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write database and pictures of one moment into one new file, while the service runs. No master key is in it.

    Erased pictures are deleted only after a running backup has ended. Ends with 1 when the store lacked a picture.
    """
    settings = settings_of_command()
    for path in (file, *([keys] if keys else [])):
        if path.exists():
            raise complain(f"{path} exists already: a backup never overwrites one.")
        if not path.absolute().parent.is_dir():
            raise complain(f"There is no folder {path.absolute().parent}.")
    if (keys is None) is not (settings.keys_database_url is None):
        known = "is not set: leave out --keys." if keys else "is set: name a file for the keys, too, with --keys."
        raise complain(f"TRUENAME_KEYS_DATABASE_URL {known}")
    try:
        written = run(until_asked_to_stop(_backup(settings, file.absolute(), keys)))
    except OSError as fault:
        raise not_written(fault.filename or file, fault) from None
    except ProgramFailed as failed:
        raise complain(str(failed), code=ExitCode.NOT_REACHABLE) from None
    if as_json:
        print(json.dumps({"file": str(file), "bytes": file.stat().st_size, **written.model_dump(mode="json")}))
    else:
        print(f"Written: {file}, {file.stat().st_size / 1e6:.1f} MB, {written.pictures} pictures.")
        print("The master key is not in it: keep a copy of it elsewhere.")
    if written.missing:
        raise complain(
            f"{written.missing} pictures that the database names were not in the store: the backup lacks them, too.",
            code=ExitCode.NEGATIVE,
        )


def restore(
    file: ToRead,
    keys: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The file of the keys, where there is one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a backup, then put it into an empty database and its store. Put the master key back before you start."""
    settings = settings_of_command()
    if keys is not None and settings.keys_database_url is None:
        raise complain("Set TRUENAME_KEYS_DATABASE_URL: the keys go into that database.", code=ExitCode.CONFIGURATION)
    try:
        contents = check(file)
    except BrokenArchive as fault:
        raise complain(f"{file} is no whole backup. {fault} Nothing was changed.") from None
    except LaterArchive as later:
        raise complain(f"{file} cannot be restored here. {later} Nothing was changed.") from None
    if keys is not None:
        try:
            run(check_dump(keys))
        except ProgramFailed as fault:
            raise complain(f"{keys} is no whole file of keys: {fault}. Nothing was changed.") from None
    say_what_is_made(settings)
    try:
        run(until_asked_to_stop(_restore(settings, file, keys, contents)))
    except NotEmpty:
        raise complain("The database here is not empty: a backup is restored into an empty one only.") from None
    except KeysThere:
        raise complain(
            "The database of keys here is not empty. Leave out --keys to go on with its keys. Nothing was changed."
        ) from None
    except ProgramFailed as failed:
        raise complain(str(failed), code=ExitCode.NOT_REACHABLE) from None
    if as_json:
        print(contents.model_dump_json())
    else:
        print(
            f"Restored: {contents.pictures} pictures and the database as of {contents.taken_at:%Y-%m-%d %H:%M:%S} UTC."
        )
        print("Put the master key back, then: truename doctor")


async def _backup(settings: Settings, file: Path, keys: Path | None) -> Contents:
    async with wired(settings) as plumbing:
        with _shown("pictures") as progress:
            written = await write_backup(plumbing, file, progress)
    if keys is not None and settings.keys_database_url is not None:
        # After the data: every customer of the backup has its key by now, unless it was erased meanwhile.
        with _gone_unless_done(file):  # one without the other opens nothing, and would be in the next one's way
            await dump_into_new_file(settings.keys_database_url.get_secret_value(), keys)
    return written


async def _restore(settings: Settings, file: Path, keys: Path | None, contents: Contents) -> None:
    address = settings.keys_database_url.get_secret_value() if keys and settings.keys_database_url else None
    if address is not None:  # before anything is put anywhere
        database = KeysDatabase(address)
        await database.open()
        try:
            if not await database.is_empty():
                raise KeysThere
        finally:
            await database.close()
    async with database_url(settings, may_create=True) as url:
        with _shown("pictures") as progress:
            await restore_backup(url, Objects(settings.media_url), file, contents, progress)
    if keys is not None and address is not None:
        await restore_database(address, keys, data_only=True)


@contextmanager
def _gone_unless_done(file: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        file.unlink()
        raise


@contextmanager
def _shown(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal; nothing elsewhere."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
