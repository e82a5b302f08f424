"""The doctor, as a process, asks a PostgreSQL that is frozen: it ends, and says what is wrong."""

import base64
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.frozen import frozen
from tests.support.integrator import postgres_of
from tests.support.migrated import migrate_by_copy
from tests.support.served import environment_of
from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    migrate_by_copy(tmp_path)
    embedded = Embedded(tmp_path)
    embedded.attach()
    try:
        yield embedded.url
    finally:
        embedded.close()


def told_by(command: subprocess.Popen[str]) -> str:
    """What it said until it ended by itself."""
    try:
        said, _ = command.communicate(timeout=120)
    finally:
        command.kill()
    assert command.returncode == 1, said
    return said


def doctor(data: Path, *program: str, **environment: str) -> "subprocess.Popen[str]":
    command = [sys.executable, *(program or ("-m", "truename.cli")), "doctor"]
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    given = environment_of(data, TRUENAME_MASTER_KEY=key, **environment)
    return subprocess.Popen(command, env=given, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.parametrize("by", ["folder", "address"])
def test_a_server_that_was_frozen_before_is_said_not_to_answer(tmp_path: Path, database: str, by: str):
    """By its folder the doctor waited for as long as it was frozen."""
    with frozen(postgres_of(tmp_path)):
        said = told_by(doctor(tmp_path, **({"TRUENAME_DATABASE_URL": database} if by == "address" else {})))
    assert "✘ database" in said
    assert "Traceback" not in said
    assert "✔ disk" in said, "the rest is told all the same"


BEGINS = """
import sys, time
from pathlib import Path
from truename.cli import app, doctor
from truename.plumbing.database import migrate

place, mark = sys.argv.pop(1), Path(sys.argv.pop(1))
room = doctor if place == "_database" else migrate
real = getattr(room, place)

def told(*given):
    mark.touch()
    while mark.exists():
        time.sleep(0.05)
    return real(*given)

setattr(room, place, told)
app()
"""
"""The doctor, which waits before it asks for something until a file that it makes has been taken away."""


@pytest.mark.parametrize("place", ["current", "_database"])
def test_a_server_that_is_frozen_while_the_doctor_asks_is_said_not_to_answer(tmp_path: Path, database: str, place: str):
    """The step of the schema was waited for without end, every check for ten minutes."""
    mark = tmp_path / "asks"
    command = doctor(tmp_path, "-c", BEGINS, place, str(mark), TRUENAME_DATABASE_URL=database)
    try:
        within(120, mark.exists)
        with psycopg.connect(database) as own:
            found = own.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").fetchall()
            assert any(pid != own.info.backend_pid for (pid,) in found)
        with frozen(postgres_of(tmp_path)):
            mark.unlink()
            said = told_by(command)
    finally:
        command.kill()
    assert "✘ database" in said
    assert "Traceback" not in said
