"""`truename doctor`: is everything in order, and if not, what should be done?"""

import json
import os
import shutil
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Annotated, Final

import psycopg
import psycopg_pool
import typer

from truename.bundled.npm import npm_files
from truename.cli.console import Console
from truename.cli.exit_codes import ExitCode
from truename.cli.running import run, set_up_vision, settings_of_command
from truename.media.store_answers import store_answers
from truename.plumbing.clock import machine_now
from truename.plumbing.crypto.master_key import MasterKeyError
from truename.plumbing.database.embedded import NoDataHere, OutOfReach
from truename.plumbing.database.embedded_programs import EmbeddedError
from truename.plumbing.database.migrate import DatabaseError, DatabaseOutdated, DatabaseUnfit, newest
from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.backlog import backlogs
from truename.plumbing.jobs.parts import rows_without_part
from truename.plumbing.jobs.unknown import unknown_jobs
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.vision.configuration import configuration
from truename.vision.models import ModelUnavailable, shipped_or_given
from truename.wiring import damaged_files, wired

LEAST_DISK: Final = 2 * 1024**3
MOST_SKEW: Final = timedelta(seconds=2)
LATE: Final = timedelta(minutes=15)
UNATTENDED: Final = timedelta(seconds=30)
ANSWER_SECONDS: Final = 10.0
"""For so long one statement is waited for: who asks what is wrong is told so."""


@dataclass(frozen=True)
class Found:
    """The result of one check; `advice` says what to do if it is bad."""

    check: str
    good: bool
    words: str
    advice: str = ""


def register(app: typer.Typer) -> None:
    """Hang the command of this module on the command line."""
    app.command("doctor")(doctor)


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check database, storage, files, clock and disk, and say what to do. Exit status 1 if anything is wrong."""
    settings = settings_of_command(log_level="error")
    set_up_vision(settings)
    findings = [*run(_examined(settings)), _disk(settings), *_files()]
    if as_json:
        print(json.dumps([asdict(found) for found in findings]))
    else:
        _show(findings)
    if not all(found.good for found in findings):
        raise typer.Exit(ExitCode.NEGATIVE)


def _show(findings: list[Found]) -> None:
    console = Console(soft_wrap=True)
    for found in findings:
        mark = "[green]✔[/]" if found.good else "[red]✘[/]"
        console.print(f"{mark} {found.check:10} {found.words}")
        if not found.good and found.advice:
            console.print(f"             → {found.advice}")


async def _examined(settings: Settings) -> list[Found]:
    """What can only be told with the plumbing in place."""
    try:
        async with wired(settings, answer_within=ANSWER_SECONDS) as plumbing:
            findings = []
            for check, work in (
                ("database", lambda: _database(plumbing.database, settings)),
                ("isolation", lambda: _isolation(plumbing.database)),
                ("sessions", lambda: _sessions(plumbing.database)),
                ("parts", lambda: _parts(plumbing.database)),
                ("clock", lambda: _clock(plumbing.database)),
                ("jobs", lambda: _jobs(plumbing.database)),
                ("storage", lambda: _storage(plumbing)),
            ):
                findings.append(await _tried(check, work))
            findings.append(
                Found("master key", True, f"{'given by settings' if settings.master_key else settings.key_file}")
            )
            return findings
    except (NoDataHere, OutOfReach, DatabaseOutdated, DatabaseUnfit) as error:
        return [Found("database", False, str(error))]
    except (EmbeddedError, DatabaseError) as error:
        advice = "Check TRUENAME_DATABASE_URL." if settings.database_url else "Check the folder and its owner."
        return [Found("database", False, str(error), advice)]
    except (psycopg.OperationalError, psycopg_pool.PoolTimeout) as error:
        return [Found("database", False, str(error).strip(), "It has let us in, and says nothing: look at PostgreSQL.")]
    except MasterKeyError as error:
        return [Found("master key", False, str(error))]


async def _tried(check: str, work: Callable[[], Coroutine[object, None, Found]]) -> Found:
    try:
        return await work()
    except Exception as error:
        return Found(check, False, f"{type(error).__name__}: {error}")


async def _database(database: Database, settings: Settings) -> Found:
    async with database.system() as connection:
        cursor = await connection.execute("SHOW server_version")
        row = await cursor.fetchone()
    await database.check_room()
    kind = "existing" if settings.database_url else f"embedded in {settings.data_dir / 'postgres'}"
    version = row["server_version"] if row else "?"
    return Found("database", True, f"PostgreSQL {version}, {kind}, schema {newest()}")


async def _isolation(database: Database) -> Found:
    async with database.pool.connection() as connection:
        cursor = await connection.execute(
            """SELECT rolsuper OR rolbypassrls AS above, current_user AS role,
                      (SELECT count(*) FROM pg_class WHERE relforcerowsecurity) AS forced
               FROM pg_roles WHERE rolname = current_user"""
        )
        row = await cursor.fetchone()
    if row is None or row["above"]:
        return Found(
            "isolation", False, "The application's role stands above row-level security.", "Run migrate again."
        )
    return Found("isolation", True, f"row-level security forced on {row['forced']} tables for {row['role']}")


async def _sessions(database: Database) -> Found:
    """Does a session keep what was set in it while another works? Behind a pooler in transaction mode it does not."""
    async with database.pool.connection() as one:
        await one.execute("SET truename.asked_by TO 'doctor'")
        async with database.system() as other:  # takes the connection that the first one has just let go of
            await other.execute("SELECT 1")
            cursor = await one.execute("SELECT current_setting('truename.asked_by', true) AS kept")
            row = await cursor.fetchone()
        await one.execute("RESET truename.asked_by")
    if row is None or row["kept"] != "doctor":
        words = "What is set in a session is lost: a pooler in transaction mode stands before the database."
        return Found("sessions", False, words, "Set it to session mode; docs/explanation/pooling.md says why.")
    return Found("sessions", True, "kept from one statement to the next")


async def _parts(database: Database) -> Found:
    late = await rows_without_part(database)
    if late:
        words = f"rows came before the part of their month was made, and lie in the rest: {', '.join(late)}"
        return Found("parts", False, words, "They are found as always. See that a worker runs: it makes the parts.")
    return Found("parts", True, "every row of the tables by month lies in the part of its month")


async def _clock(database: Database) -> Found:
    async with database.system() as connection:
        before = machine_now()
        cursor = await connection.execute("SELECT clock_timestamp() AS at")
        row = await cursor.fetchone()
        after = machine_now()
    skew = abs((row["at"] if row else before) - (before + (after - before) / 2))
    return Found(
        "clock",
        skew <= MOST_SKEW,
        f"{skew.total_seconds() * 1000:.0f} ms from the database's",
        "Set both clocks by NTP: all goes by the database's, but certificates and S3 stores by this machine's.",
    )


async def _jobs(database: Database) -> Found:
    async with database.system() as connection:
        cursor = await connection.execute(
            """SELECT count(*) FILTER (WHERE status = 'todo') AS waiting,
                      count(*) FILTER (WHERE status = 'failed') AS failed
               FROM procrastinate_jobs"""
        )
        row = await cursor.fetchone() or {}
        found = await backlogs(connection)
        unknown = await unknown_jobs(connection)
    late = [one for one in found if one.oldest_seconds > LATE.total_seconds()]
    left = [one for one in found if one.unattended_seconds > UNATTENDED.total_seconds()]
    stuck = [one for one in left if one.jobs]
    words = f"{row.get('waiting')} waiting, {row.get('failed')} given up, "
    words += f"{len(found) - len(left)} of {len(found)} queues attended to"
    words += "".join(f"; nobody works off {one.queue}, where {one.jobs} are due" for one in stuck)
    words += "".join(f"; {one.queue} is {one.oldest_seconds / 60:.0f} minutes behind" for one in late)
    words += "".join(f"; {one.jobs} of {one.name} wait, which a worker did not know" for one in unknown)
    if stuck:
        advice = f"Start a worker: truename worker --queues {','.join(one.queue for one in stuck)}"
        return Found("jobs", False, words, f"{advice} (truename serve brings one).")
    if unknown:
        advice = "Start workers of the version that asked for them: the newest that ran here."
        return Found("jobs", False, words, advice)
    if late:
        return Found("jobs", False, words, f"Start more workers: truename worker --queues {late[0].queue}")
    stuck_later = bool(row.get("waiting")) and len(left) == len(found)
    return Found("jobs", not stuck_later, words, "Start a worker: truename worker (truename serve brings one).")


async def _storage(plumbing: Plumbing) -> Found:
    await store_answers(plumbing)
    await plumbing.objects.check()
    return Found("storage", True, f"written, read and deleted in {plumbing.settings.media_url}")


def _disk(settings: Settings) -> Found:
    there = next(
        folder
        for folder in (settings.data_dir.absolute(), *settings.data_dir.absolute().parents)
        if os.access(folder, os.F_OK)
    )
    free = shutil.disk_usage(there).free
    words = f"{free / 1024**3:.1f} GiB free for {settings.data_dir}"
    return Found("disk", free >= LEAST_DISK, words, "Make room: below 2 GiB the database may stop.")


def _files() -> list[Found]:
    """Weights and what browsers load."""
    try:
        faults = damaged_files()
        count = len(shipped_or_given()) + len(npm_files())
    except ModelUnavailable as fault:
        return [Found("files", False, str(fault), "Correct the file that TRUENAME_MODELS names.")]
    recipe = configuration().face_recipe.value
    return [Found("files", False, fault) for fault in faults] or [
        Found("files", True, f"{count} weights and page assets, every sha256 right; face templates by {recipe}")
    ]
