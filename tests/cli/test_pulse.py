"""A process whose event loop is stuck says so, and ends; one that is frozen or waits for its database does not."""

import base64
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest

from tests.support.frozen import frozen
from tests.support.served import environment_of
from tests.support.waiting import free_port, listens, within

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WORKER = """
import sys, time
from pathlib import Path
from truename.cli import app, pulse
from truename.plumbing.jobs.registry import periodic

pulse.STUCK_LOOKS, pulse.END_LOOKS = int(sys.argv.pop(1)), int(sys.argv.pop(1))
stuck = Path(sys.argv.pop(1))

@periodic(seconds=0.2, name="upkeep.test_of_the_pulse")
async def hold_the_loop(plumbing):
    while stuck.exists():
        time.sleep(0.1)

app()
"""
"""A worker with one regular task more, which holds the loop for as long as a file is there."""


class Worker:
    """One worker of upkeep, as a process."""

    def __init__(self, url: str, folder: Path, stuck_looks: int, end_looks: int) -> None:
        self.port, self.stuck, self.log = free_port(), folder / "stuck", folder / "log"
        given = {
            "TRUENAME_DATABASE_URL": url,
            "TRUENAME_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
        }
        command = [sys.executable, "-c", WORKER, str(stuck_looks), str(end_looks), str(self.stuck)]
        command += ["worker", "--queues", "upkeep", "--metrics-port", str(self.port)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, env=environment_of(folder / "data", **given), stderr=log)

    def health(self) -> tuple[int, str] | None:
        """Status and words; None while nobody listens."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()
        except OSError:
            return None

    def is_well(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return self.health() == (200, "ok\n")


@contextmanager
def a_worker(url: str, folder: Path, *, stuck_looks: int, end_looks: int) -> Iterator[Worker]:
    """A worker that is at work: it has taken its turn at the regular tasks."""
    worker = Worker(url, folder, stuck_looks, end_looks)
    try:
        within(120, worker.is_well)
        within(120, lambda: is_at_work(url))
        yield worker
    finally:
        worker.stuck.unlink(missing_ok=True)
        worker.process.kill()
        worker.process.wait(60)


def is_at_work(url: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT count(*) > 0 FROM jobs.ticks WHERE name = 'upkeep.test_of_the_pulse'")
        return found.fetchone() == (True,)


def test_a_worker_whose_loop_is_stuck_says_so_and_one_that_was_frozen_does_not(
    new_database: Callable[[], str], tmp_path: Path
):
    with a_worker(new_database(), tmp_path, stuck_looks=3, end_looks=10_000) as worker:
        worker.process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        worker.process.send_signal(signal.SIGCONT)
        assert worker.is_well(), "nothing was stuck: it was not run"
        worker.stuck.touch()
        within(60, lambda: (worker.health() or (0, ""))[0] == 503)
        assert (worker.health() or (0, ""))[1].startswith("The event loop has been stuck for ")
        within(10, lambda: "hold_the_loop" in worker.log.read_text())
        worker.stuck.unlink()
        within(60, worker.is_well)


def test_a_worker_whose_loop_stays_stuck_ends_itself(new_database: Callable[[], str], tmp_path: Path):
    """Nobody asks a worker for its health that `truename serve`, systemd or a job that must run alone has started."""
    with a_worker(new_database(), tmp_path, stuck_looks=2, end_looks=4) as worker:
        worker.stuck.touch()
        assert worker.process.wait(60) == -signal.SIGKILL
        assert "ends itself" in worker.log.read_text()


def test_a_frozen_database_makes_no_worker_unwell(new_database: Callable[[], str], tmp_path: Path):
    url = new_database()
    with a_worker(url, tmp_path, stuck_looks=3, end_looks=10_000) as worker:
        with psycopg.connect(url) as connection:
            found = connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
            backends = [pid for (pid,) in found if pid != connection.info.backend_pid]
        assert backends
        with frozen(backends):
            until = time.monotonic() + 8
            while time.monotonic() < until:
                assert worker.is_well()
                time.sleep(0.3)


API = """
import asyncio, sys, time
from pathlib import Path
from truename.cli import app, pulse, serving

pulse.STUCK_LOOKS, pulse.END_LOOKS = 2, 4
stuck, real = Path(sys.argv.pop(1)), serving.give_memory_back

async def hold_the_loop():
    while True:
        await asyncio.sleep(0.1)
        while stuck.exists():
            time.sleep(0.1)

def begin():
    real()
    serving.tasks_of_the_test = asyncio.create_task(hold_the_loop())

serving.give_memory_back = begin
app()
"""


def test_an_api_process_whose_loop_stays_stuck_ends_itself(new_database: Callable[[], str], tmp_path: Path):
    """Of several on one socket the others answered for it, and whom it had taken waited for ever."""
    port, stuck, log = free_port(), tmp_path / "stuck", tmp_path / "log"
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    given = environment_of(tmp_path / "data", TRUENAME_DATABASE_URL=new_database(), TRUENAME_MASTER_KEY=key)
    command = [sys.executable, "-c", API, str(stuck), "serve", "--no-worker", "--quiet", "--port", str(port)]
    with log.open("w") as errors, subprocess.Popen(command, env=given, stderr=errors) as process:
        try:
            within(120, lambda: process.poll() is not None or listens(port))
            assert process.poll() is None, log.read_text()
            stuck.touch()
            assert process.wait(60) == -signal.SIGKILL
        finally:
            process.kill()
    assert "ends itself" in log.read_text()
