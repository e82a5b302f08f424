"""Run PostgreSQL's own programs that dump and restore a database."""

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from truename.plumbing.database.embedded_programs import programs
from truename.plumbing.private_files import private_draft

CHUNK: Final = 1 << 20
HEAD: Final = 20
"""So many lines of a script of pg_restore are looked at; with the parameters that it sets ends its head."""
UNKNOWN_BEFORE_17: Final = b"SET transaction_timeout = 0;\n"
"""One of them; our own sessions have no such limit that had to be lifted."""
HINTS: Final = {
    "row-level security": "Name a user with BYPASSRLS, or a superuser, in the address of the database "
    "for this command.",
    'permission denied to create extension "vector"': "Let an administrator run, in this database: "
    "CREATE EXTENSION vector SCHEMA public;",
}
"""What to do about it, by what PostgreSQL says."""


class ProgramFailed(Exception):
    """pg_dump, pg_restore or psql did not do it; the message holds its first words."""


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


async def holds_vectors(file: Path) -> bool:
    """Does a dump need pgvector to be put back? Raises ProgramFailed where it is none."""
    return " EXTENSION - vector " in await _call("pg_restore", ["--list", str(file)])


async def restore_database(url: str, file: Path, *, data_only: bool = False) -> None:
    """Put a dump into a database, all of it or nothing; `data_only` where the tables are there already.

    pg_restore writes the script and psql runs it: straight to the server it would begin with a parameter that servers
    before 17 do not know, and end there. Raises ProgramFailed.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".list") as chosen:
        chosen.write(_without_foreign_comments(await _call("pg_restore", ["--list", str(file)])))
        chosen.flush()
        rest = ["--data-only"] if data_only else []
        script = [f"--use-list={chosen.name}", "--file=-", "--no-owner", *rest, str(file)]
        where, environment = _address(url)
        # Not --single-transaction: that commits at the end of its input, also where the script broke off.
        running = [where, "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-"]
        async with _started("pg_restore", script) as source, _started("psql", running, environment) as server:
            told, _ = await asyncio.gather(server.told(), _hand_over(source, server))
        server.raise_unless_done(told)


def _without_foreign_comments(listed: str) -> str:
    """The list of what a dump holds, less the comments on extensions: these are an administrator's, and stay his."""
    return "".join(line for line in listed.splitlines(keepends=True) if " COMMENT - EXTENSION " not in line)


@dataclass(frozen=True)
class _Program:
    """A program that runs."""

    name: str
    process: asyncio.subprocess.Process

    async def told(self) -> str:
        """What it says of errors, until its end."""
        words = b"" if self.process.stderr is None else await self.process.stderr.read()
        await self.process.wait()
        return words.decode(errors="replace")

    def raise_unless_done(self, words: str) -> None:
        """Raise ProgramFailed with its first words, unless it ended well."""
        if not self.process.returncode:
            return
        lines = words.strip().splitlines() or [f"exit status {self.process.returncode}"]
        hints = [hint for sign, hint in HINTS.items() if sign in words]
        raise ProgramFailed(" ".join([f"{self.name} failed: {lines[0]}", *hints]))


async def _hand_over(source: _Program, server: _Program) -> None:
    """The script from one to the other, as one transaction: committed only where the script came to its end."""
    taken, given = source.process.stdout, server.process.stdin
    if taken is None or given is None:
        raise ProgramFailed("psql has no way in.")
    words = asyncio.create_task(source.told())  # read meanwhile: who waits to be heard writes no script
    try:
        given.write(b"BEGIN;\n")
        for _ in range(HEAD):
            line = await taken.readline()
            if line == UNKNOWN_BEFORE_17:
                break
            given.write(line)
        while chunk := await taken.read(CHUNK):
            given.write(chunk)
            await given.drain()
        source.raise_unless_done(await words)
        given.write(b"COMMIT;\n")
        await given.drain()
    except ConnectionError:
        pass  # psql has ended, and says why
    finally:
        words.cancel()
        given.close()


async def _run(name: str, url: str, *arguments: str) -> None:
    where, environment = _address(url)
    await _call(name, [where, *arguments], environment)


def _address(url: str) -> tuple[str, dict[str, str]]:
    """Where to, as an option and an environment: everybody on the machine may read the words of a command."""
    where = conninfo_to_dict(url)
    password = where.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    return "--dbname=" + make_conninfo("", **where), environment


async def _call(name: str, arguments: list[str], environment: dict[str, str] | None = None) -> str:
    """Run to the end; what it printed."""
    async with _started(name, arguments, environment) as program:
        printed, told = await program.process.communicate()
        program.raise_unless_done(told.decode(errors="replace"))
    return printed.decode(errors="replace")


@asynccontextmanager
async def _started(
    name: str, arguments: list[str], environment: dict[str, str] | None = None
) -> AsyncGenerator[_Program]:
    """A program; whoever leaves before its end leaves no process behind."""
    process = await asyncio.create_subprocess_exec(
        str(programs() / name),
        *arguments,
        env=environment,
        stdin=subprocess.PIPE if name == "psql" else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if name == "psql" else subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield _Program(name, process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
