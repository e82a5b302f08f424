"""API, worker and PostgreSQL as three processes that may be killed at any moment and are started again at once.

As an init system does it in production: what has ended is started again, without a limit and without being asked. The
service's own supervision (tests/faults/test_kills.py) waits longer each time, so that forty kills would take minutes.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tests.support.served import Served, environment_of
from tests.support.waiting import free_port
from truename.plumbing.database.embedded import Embedded, programs
from truename.plumbing.database.embedded_supervisor import Cluster

PARTS = ("service", "worker", "postgres")


class Killable:
    """The three processes on one data folder, with a port that stays."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.data, self.log = folder / "data", folder / "processes.log"
        embedded = Embedded(self.data)
        embedded.attach()  # makes the cluster and its database
        embedded.close()
        self.postgres = Cluster(embedded.folder, embedded.sockets, programs(), embedded.owner)
        self.postgres.start()
        self.url = ""
        self._environment = {"TRUENAME_DATABASE_URL": embedded.url, **environment}
        self._port = str(free_port())
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def first_start(self) -> Served:
        """The service until it is ready; its first account's credentials are in what is returned."""
        served = Served(self.data, "--no-worker", "--port", self._port, **self._environment).wait_until_ready()
        self.url = served.url
        return served

    def tend(self) -> None:
        """Start again what has ended."""
        if self.postgres.process is None or self.postgres.process.poll() is not None:
            self.postgres.start()
        commands = {"service": ("serve", "--no-worker", "--quiet", "--port", self._port), "worker": ("worker",)}
        with self.log.open("ab") as log:
            for part, command in commands.items():
                if part not in self._running or self._running[part].poll() is not None:
                    self._running[part] = self._started(command, log)

    def _started(self, command: tuple[str, ...], log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "truename.cli", *command],
            env=environment_of(self.data, **self._environment),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def kill(self, part: str) -> None:
        """kill -9, at whatever the process is doing; of PostgreSQL the postmaster, whose sessions then end."""
        process = self.postgres.process if part == "postgres" else self._running[part]
        assert process is not None
        process.kill()
        process.wait(30)

    def stop(self) -> None:
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._running.values():
            process.wait(60)
        self.postgres.stop()


@contextlib.contextmanager
def killable(folder: Path, **environment: str) -> Iterator[Killable]:
    """Everything made and nothing but PostgreSQL started; stopped at the end whatever happened."""
    house = Killable(folder, **environment)
    try:
        yield house
    finally:
        house.stop()
