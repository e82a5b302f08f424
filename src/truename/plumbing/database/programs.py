"""Run PostgreSQL's own programs that dump and restore a database."""

import asyncio
import os
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from truename.plumbing.database.embedded import programs
from truename.plumbing.private_files import private_draft


class ProgramFailed(Exception):
    """pg_dump or pg_restore did not do it; the message holds its first words."""


async def dump_database(url: str, file: Path, *, snapshot: str | None = None) -> None:
    """Write the whole database into a file that exists already, as one moment or an exported snapshot shows it.

    Raises ProgramFailed, also where the user may not read every row.
    """
    exported = [] if snapshot is None else [f"--snapshot={snapshot}"]
    await _run("pg_dump", url, "--format=custom", *exported, f"--file={file}")


async def dump_into_new_file(url: str, file: Path) -> None:
    """Write the whole database into a file that is there, whole, or not at all.

    Raises ProgramFailed, OSError where it cannot be written, and FileExistsError.
    """
    with private_draft(file) as draft:
        await dump_database(url, draft)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        os.link(draft, file)


async def check_dump(file: Path) -> None:
    """Read a dump from one end to the other; raises ProgramFailed where it is none or not all of one."""
    await _call("pg_restore", [f"--file={os.devnull}", str(file)])


async def restore_database(url: str, file: Path, *, data_only: bool = False) -> None:
    """Put a dump into a database, all of it or nothing; `data_only` where the tables are there already."""
    rest = ["--data-only"] if data_only else []
    await _run("pg_restore", url, "--single-transaction", "--exit-on-error", "--no-owner", *rest, str(file))


async def _run(name: str, url: str, *arguments: str) -> None:
    # Everybody on the machine may read the words of a command; the password goes by the environment.
    where = conninfo_to_dict(url)
    password = where.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    await _call(name, ["--dbname=" + make_conninfo("", **where), *arguments], environment)


async def _call(name: str, arguments: list[str], environment: dict[str, str] | None = None) -> None:
    """Run to the end; whoever is cancelled meanwhile leaves no process behind."""
    process = await asyncio.create_subprocess_exec(
        str(programs() / name),
        *arguments,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _, told = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        words = told.decode(errors="replace")
        lines = words.strip().splitlines() or [f"exit status {process.returncode}"]
        hint = ""
        if "row-level security" in words:
            hint = " Name a user with BYPASSRLS, or a superuser, in the address of the database for this command."
        raise ProgramFailed(f"{name} failed: {lines[0]}{hint}")
