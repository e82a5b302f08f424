"""`truename database …`: a dump of the database into one file, and back."""

from pathlib import Path
from typing import Annotated

import psycopg
import typer

from truename.cli.exit_codes import ExitCode, complain, not_written
from truename.cli.running import run, say_what_is_made, settings_of_command, until_asked_to_stop
from truename.plumbing.database.migrate import NotEmpty, migrate, prepare_for_restore, require_some
from truename.plumbing.database.programs import (
    ProgramFailed,
    check_dump,
    dump_into_new_file,
    holds_vectors,
    restore_database,
)
from truename.plumbing.settings import Settings
from truename.wiring import database_url

File = Annotated[Path, typer.Argument(dir_okay=False)]


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    database = typer.Typer(no_args_is_help=True)
    database.command("dump")(dump)
    database.command("restore")(restore)
    database.command("face-search")(face_search)
    words = "The database: dump it into a file, restore it from one, make it ready for face search."
    app.add_typer(database, name="database", help=words)


def dump(file: File) -> None:
    """Write the whole database into one new file, also while the service runs. The master key is not in it."""
    if file.exists():
        raise complain(f"{file} exists already: a dump never overwrites one.")
    if not file.absolute().parent.is_dir():
        raise complain(f"There is no folder {file.absolute().parent}.")
    try:
        run(until_asked_to_stop(_dump(settings_of_command(), file)))
    except OSError as fault:
        raise not_written(file, fault) from None
    except ProgramFailed as failed:
        raise complain(str(failed), code=ExitCode.NOT_REACHABLE) from None
    print(f"Written: {file}, {file.stat().st_size / 1e6:.1f} MB. Keep the master key and the media beside it, apart.")


def restore(file: Annotated[Path, typer.Argument(exists=True, dir_okay=False)]) -> None:
    """Put a dump into an empty database, or a new data folder. Put the master key back as well before you start."""
    settings = settings_of_command()
    try:
        run(check_dump(file))
    except ProgramFailed as fault:
        raise complain(f"{file} is no whole dump: {fault}. Nothing was changed.") from None
    say_what_is_made(settings)
    try:
        run(until_asked_to_stop(_restore(settings, file)))
    except NotEmpty:
        raise complain("The database here is not empty: a dump is restored into an empty one only.") from None
    except ProgramFailed as failed:
        raise complain(str(failed), code=ExitCode.NOT_REACHABLE) from None
    print("Restored. Put the master key and the media back, then: truename doctor")


def face_search(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Make the table that face search needs, once pgvector is installed on the server. Safe to repeat."""
    if not run(_prepare_face_search(settings_of_command())):
        raise complain(
            "This database has no pgvector 0.7 or newer in its schema public, and its user could not add it. Install "
            "it on the server (Debian: postgresql-NN-pgvector) and let an administrator run, in this database: "
            "CREATE EXTENSION vector SCHEMA public;",
            code=ExitCode.CONFIGURATION,
        )
    print('{"ready": true}' if as_json else "Ready: `truename account set NAME face_search=report` switches it on.")


async def _prepare_face_search(settings: Settings) -> bool:
    async with database_url(settings) as url, await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        cursor = await connection.execute("SELECT public.prepare_face_search()")
        row = await cursor.fetchone()
        return row is not None and bool(row[0])


async def _dump(settings: Settings, file: Path) -> None:
    async with database_url(settings) as url:
        await require_some(url)  # a dump of nothing would pass for a backup
        await dump_into_new_file(url, file)


async def _restore(settings: Settings, file: Path) -> None:
    async with database_url(settings, may_create=True) as url:
        await prepare_for_restore(url, vectors=await holds_vectors(file))
        await restore_database(url, file)
        await migrate(url)  # a dump of an older Truename is brought up to date
