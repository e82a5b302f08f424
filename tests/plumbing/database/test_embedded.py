"""Does the embedded PostgreSQL start wherever it must, and stop whoever dies?"""

import contextlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests.support.waiting import within
from truename.bundled.postgresql import libraries_in_place_of_the_packages
from truename.plumbing.database import embedded_programs
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_programs import EmbeddedError, buffer_megabytes, memory_of_machine
from truename.plumbing.database.embedded_supervisor import processes_in

HOLDER = """
import sys, time
from pathlib import Path
from truename.plumbing.database.embedded import Embedded
embedded = Embedded(Path(sys.argv[1]))
embedded.attach()
print("attached", flush=True)
time.sleep(float(sys.argv[2]))
embedded.close()
"""


@pytest.fixture
def data(tmp_path):
    """A data folder below one that only we may enter, as /root is."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    yield closed / "data"
    assert not servers(closed / "data"), "a server was left behind"


def servers(data: Path) -> list[int]:
    return processes_in(data / "postgres") if (data / "postgres").exists() else []


def postmaster(data: Path) -> int:
    return int((data / "postgres" / "postmaster.pid").read_text().split()[0])


def supervisor(data: Path) -> int:
    found = int(Path(f"/proc/{postmaster(data)}/stat").read_text().split()[3])
    assert b"embedded_supervisor" in Path(f"/proc/{found}/cmdline").read_bytes()
    return found


def gone(data: Path, seconds: float = 15) -> bool:
    until = time.monotonic() + seconds
    while servers(data) and time.monotonic() < until:
        time.sleep(0.05)
    return not servers(data)


@contextlib.contextmanager
def attached(data: Path):
    embedded = Embedded(data)
    embedded.attach()
    try:
        yield embedded
    finally:
        embedded.close()
        if not servers(data):
            shutil.rmtree(embedded.sockets, ignore_errors=True)


@contextlib.contextmanager
def holder(data: Path, seconds: float = 60, **options):
    """Another process that holds on to the server."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(data), str(seconds)], stdout=subprocess.PIPE, text=True, **options
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "attached\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ask(embedded: Embedded, query: str) -> str:
    with psycopg.connect(embedded.url) as connection:
        row = connection.execute(query).fetchone()
        assert row is not None
        return str(row[0])


def answers(embedded: Embedded, query: str) -> str | None:
    """The answer, or None while there is no server."""
    try:
        return ask(embedded, query)
    except psycopg.OperationalError:
        return None


def distance_of_faces(embedded: Embedded) -> str:
    """By pgvector, as a search for faces asks it: a library for other processors ends the whole server here."""
    with psycopg.connect(embedded.url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    half = "(array_fill(1::real, ARRAY[128]) || array_fill(0::real, ARRAY[384]))::halfvec(512)"
    return ask(embedded, f"SELECT array_fill(1::real, ARRAY[512])::halfvec(512) <=> {half}")  # at 60 degrees


def test_it_keeps_pages_in_an_eighth_of_the_memory_and_in_no_less_than_postgresql_would():
    gigabyte = 2**30
    assert [buffer_megabytes(one) for one in (0, gigabyte // 2, 8 * gigabyte, 512 * gigabyte)] == [128, 128, 1024, 2048]
    assert memory_of_machine() > gigabyte // 4


def test_it_keeps_data_on_disk_and_listens_on_no_port(data):
    modes = {parent: parent.stat().st_mode for parent in data.parents}
    with attached(data) as embedded:
        with psycopg.connect(embedded.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
        assert ask(embedded, "SHOW fsync") == ask(embedded, "SHOW synchronous_commit") == "on"
        assert ask(embedded, "SHOW listen_addresses") == ""
        assert int(ask(embedded, "SHOW server_version_num")) >= 180000
        assert ask(embedded, "SELECT datlocale FROM pg_database WHERE datname = 'truename'") == "C.UTF-8"
        assert distance_of_faces(embedded) == "0.5"
    assert gone(data, 0)
    began = time.monotonic()
    with attached(data) as embedded:
        print(f"warm start {time.monotonic() - began:.2f} s")
        assert ask(embedded, "SELECT one FROM kept") == "1"
    assert {parent: parent.stat().st_mode for parent in data.parents} == modes
    assert stat.S_IMODE(data.stat().st_mode) == 0o700, "nobody else on the machine can look into it"
    assert stat.S_IMODE((data / "postgres.log").stat().st_mode) == 0o600


@pytest.mark.slow
def test_a_strange_locale_and_a_long_path_do_no_harm(data, monkeypatch):
    monkeypatch.setenv("LC_ALL", "xx_XX.nowhere")
    monkeypatch.setenv("LANG", "yy_YY")
    deep = data.parent / ("long" * 30) / "data"
    with attached(deep) as embedded:
        assert ask(embedded, "SELECT upper('é')") == "É"
    assert gone(deep, 0)


def test_the_last_to_leave_stops_it(data):
    first = Embedded(data)
    first.attach()
    with holder(data) as other:
        first.close()
        assert servers(data)
        with attached(data) as third:
            assert ask(third, "SELECT 1") == "1"
        assert servers(data)
        other.kill()
        other.wait()
        assert gone(data)


@pytest.mark.slow
def test_many_may_start_at_once(data):
    many = [subprocess.Popen([sys.executable, "-c", HOLDER, str(data), "0.5"]) for _ in range(4)]
    assert [one.wait(60) for one in many] == [0, 0, 0, 0]
    assert gone(data)


@pytest.mark.slow
def test_it_stops_when_its_only_user_is_killed_and_comes_back(data):
    with holder(data) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert gone(data)
    with attached(data) as embedded:
        assert ask(embedded, "SELECT 1") == "1"


@pytest.mark.slow
def test_it_stops_when_its_supervisor_is_killed_and_comes_back(data):
    with holder(data):
        first = postmaster(data)
        os.kill(supervisor(data), signal.SIGKILL)
        within(15, lambda: first not in servers(data))
        with attached(data) as embedded:
            assert ask(embedded, "SELECT 1") == "1"
    assert gone(data)


@pytest.mark.slow
def test_who_is_attached_has_a_server_again_after_its_supervisor_was_killed_and_then_its_successor(data):
    """The processes of a service outlive it, and would go on for ever without a database."""
    with attached(data) as embedded:
        with psycopg.connect(embedded.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS seven")
        for _ in range(2):
            os.kill(supervisor(data), signal.SIGKILL)
            within(30, lambda: answers(embedded, "SELECT seven FROM kept") == "7")
    assert gone(data), "whoever leaves then is still waited for, and stops it"


@pytest.mark.slow
def test_who_is_attached_has_a_server_again_after_one_could_not_be_started(data):
    """A full disk, for one: the supervisor gives up, and says so in the log; nobody else would ever try again."""
    with attached(data) as embedded:
        settings = data / "postgres" / "postgresql.conf"
        settings.write_text((kept := settings.read_text()) + "no_such_setting = 1\n")
        first = supervisor(data)
        os.kill(postmaster(data), signal.SIGKILL)
        within(30, lambda: not Path(f"/proc/{first}").exists())
        assert answers(embedded, "SELECT 1") is None
        settings.write_text(kept)
        within(30, lambda: answers(embedded, "SELECT 1") == "1")


@pytest.mark.slow
def test_who_is_attached_has_a_server_again_after_its_log_could_not_be_opened(data):
    """A disk that may only be read for a while, for one. Seen before: nobody ever started another."""
    with attached(data) as embedded:
        log = data / "postgres.log"
        first, kept = supervisor(data), log.rename(data / "kept.log")
        log.mkdir()
        os.kill(first, signal.SIGKILL)
        within(30, lambda: not Path(f"/proc/{first}").exists())
        time.sleep(1)  # in which the first attempt fails
        assert answers(embedded, "SELECT 1") is None
        log.rmdir()
        kept.rename(log)
        within(30, lambda: answers(embedded, "SELECT 1") == "1")


@pytest.mark.slow
def test_a_killed_server_is_started_again_with_everything_committed(data):
    with attached(data) as embedded:
        with psycopg.connect(embedded.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS seven")
        os.kill(postmaster(data), signal.SIGKILL)
        until = time.monotonic() + 30
        while True:
            try:
                assert ask(embedded, "SELECT seven FROM kept") == "7"
                break
            except psycopg.OperationalError:
                assert time.monotonic() < until
                time.sleep(0.1)


@pytest.mark.slow
def test_a_stale_pid_file_that_names_a_living_stranger_is_no_hindrance(data):
    with attached(data):
        pass
    pid_file = data / "postgres" / "postmaster.pid"
    pid_file.write_text(f"{os.getpid()}\n{data / 'postgres'}\n1\n5432\n/tmp\n\n  1 1\nready   \n")
    with attached(data) as embedded:
        assert ask(embedded, "SELECT 1") == "1"
    os.kill(os.getpid(), 0)


@pytest.mark.slow
def test_a_half_made_cluster_is_made_anew(data):
    (data / "postgres.new").mkdir(parents=True)
    (data / "postgres.new" / "junk").write_text("left by a power cut")
    with attached(data) as embedded:
        assert ask(embedded, "SELECT 1") == "1"


PLAIN_PYTHON = Path("/usr/bin") / f"python{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="all other tests run as a plain user already")
@pytest.mark.skipif(not PLAIN_PYTHON.exists(), reason="no Python that another user could run")
def test_a_plain_user_runs_it_too():
    nobody = pwd.getpwnam("nobody")
    data = Path("/tmp") / f"truename-test-{os.getpid()}"
    data.mkdir(mode=0o700)
    os.chown(data, nobody.pw_uid, nobody.pw_gid)
    try:
        done = subprocess.run(
            [PLAIN_PYTHON, "-c", HOLDER, str(data), "0"],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
            user=nobody.pw_uid,
            group=nobody.pw_gid,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.stdout == "attached\n", done.stderr
        assert (data / "postgres").stat().st_uid == nobody.pw_uid
        assert gone(data)
    finally:
        subprocess.run(["rm", "-rf", str(data)], check=True)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="a plain user runs the binaries where they are")
def test_binaries_that_the_servers_user_cannot_reach_are_copied(data, monkeypatch):
    shared = Path("/tmp") / f"truename-shared-{os.getpid()}"
    monkeypatch.setattr(embedded_programs, "SHARED_FOLDER", shared)
    monkeypatch.setattr(embedded_programs, "_reachable", lambda *_: False)
    try:
        with attached(data) as embedded:
            assert distance_of_faces(embedded) == "0.5"
            program = Path(f"/proc/{postmaster(data)}/exe").readlink()
            assert program.is_relative_to(shared)
            for file in libraries_in_place_of_the_packages():  # some machines need none
                (copy,) = shared.glob("extensions-*")
                assert ask(embedded, "SHOW dynamic_library_path") == f"{copy}:$libdir"
                assert (copy / file.path.name).read_bytes() == file.read()
    finally:
        subprocess.run(["rm", "-rf", str(shared)], check=True)


def test_a_socket_folder_that_is_not_ours_is_refused(data, monkeypatch):
    embedded = Embedded(data)
    embedded.sockets.chmod(0o777)
    try:
        with pytest.raises(EmbeddedError, match="is not ours"):
            Embedded(data)
    finally:
        embedded.sockets.rmdir()
