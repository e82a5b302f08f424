"""Run PostgreSQL's own programs that dump and restore a database."""

import asyncio
import os
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from truename.plumbing.database.embedded import programs


class ProgramFailed(Exception):
    """pg_dump or pg_restore did not do it; the message holds its first words."""


async def dump_database(url: str, file: Path, *, snapshot: str | None = None) -> None:
    """Write the whole database into a file that exists already, as one moment or an exported snapshot shows it.

    Raises ProgramFailed, also where the user may not read every row.
    """
    exported = [] if snapshot is None else [f"--snapshot={snapshot}"]
    await _run("pg_dump", url, "--format=custom", *exported, f"--file={file}")


async def restore_database(url: str, file: Path, *, data_only: bool = False) -> None:
    """Put a dump into a database, all of it or nothing; `data_only` where the tables are there already."""
    rest = ["--data-only"] if data_only else []
    await _run("pg_restore", url, "--single-transaction", "--exit-on-error", "--no-owner", *rest, str(file))


async def _run(name: str, url: str, *arguments: str) -> None:
    # Everybody on the machine may read the words of a command; the password goes by the environment.
    where = conninfo_to_dict(url)
    password = where.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    call = [str(programs() / name), "--dbname=" + make_conninfo("", **where), *arguments]
    done = await asyncio.to_thread(
        lambda: subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        hint = ""
        if "row-level security" in done.stderr:
            hint = " Name a user with BYPASSRLS, or a superuser, in the address of the database for this command."
        raise ProgramFailed(f"{name} failed: {lines[0]}{hint}")
