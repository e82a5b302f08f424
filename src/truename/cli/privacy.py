"""`truename scrub` and `truename keys move`: what an operator does so that what was erased is gone from files, too."""

import typer

from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import run, settings_of_command
from truename.plumbing.settings import Settings
from truename.privacy.keys import move_keys
from truename.privacy.scrub import scrub
from truename.wiring import database_url, wired


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    app.command("scrub")(scrub_tables)


def scrub_tables() -> None:
    """Rewrite the tables that held erased people, so that no dead row stays in a file.

    Each table is locked while it is rewritten: choose a quiet hour. Backups and the write-ahead log are not touched.
    """
    settings = settings_of_command()

    async def work() -> None:
        async with database_url(settings) as url:
            done = await scrub(url)
        print(f"{len(done.tables)} tables were rewritten.")
        if not done.checkpoint:
            print("A superuser should run CHECKPOINT now, so that PostgreSQL may drop the older write-ahead log.")

    run(work())


def move_keys_over() -> None:
    """Move the keys of customers into the database that TRUENAME_KEYS_DATABASE_URL names.

    The service may run meanwhile, and a stop loses nothing: run it again. Afterwards run `truename scrub`, and discard
    the older backups of the main database: they still hold the keys.
    """
    settings = settings_of_command()
    if settings.keys_database_url is None:
        raise complain("Set TRUENAME_KEYS_DATABASE_URL first.", code=ExitCode.CONFIGURATION)
    run(_move(settings))


async def _move(settings: Settings) -> None:
    moved = 0
    async with wired(settings) as plumbing:
        if plumbing.keys_database is None:
            return
        async for some in move_keys(plumbing, plumbing.keys_database):
            moved += some
            print(f"{moved} keys moved.", flush=True)
    print(f"Done: {moved} keys moved. Run `truename scrub` now, and discard older backups of the main database.")
