"""Every part as a process of its own, which may be killed at any moment and is started again at once.

As an init system does it: what has ended is started again, without a limit and without being asked.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.support.s3 import KEYS, S3Server
from tests.support.served import Served, environment_of
from tests.support.waiting import free_port, within

from benchmarks.faults.receiver import make_certificate
from truename.plumbing.database.embedded import Embedded, programs
from truename.plumbing.database.embedded_supervisor import CONFIGURATION, Cluster

APIS: Final = ("api-1", "api-2")
WORKERS: Final = ("worker-1", "worker-2")
PARTS: Final = (*APIS, *WORKERS, "sender", "receiver", "postgres", "s3")
WEBHOOK_BEFORE_COMMIT: Final = "webhook-before-commit"
ASYNCHRONOUS_COMMIT: Final = "asynchronous-commit"
PLANTS: Final = (WEBHOOK_BEFORE_COMMIT, ASYNCHRONOUS_COMMIT)
"""Faults that are built in on purpose: the check must find them."""


class House:
    """All parts on one folder, at addresses that stay."""

    def __init__(self, folder: Path, seed: int, plant: str | None = None) -> None:
        self.folder, self.seed, self.plant = folder, seed, plant
        self.data, self.receiver_folder = folder / "data", folder / "receiver"
        self.receiver_folder.mkdir(parents=True)
        make_certificate(self.receiver_folder)
        self.s3 = S3Server(folder / "s3", free_port())
        self.s3.folder.mkdir()
        embedded = Embedded(self.data)
        embedded.attach()  # makes the cluster and its database
        embedded.close()
        self.database_url = embedded.url
        self.postgres = Cluster(embedded.folder, embedded.sockets, programs(), embedded.owner)
        self.ports = {part: free_port() for part in (*APIS, "receiver")}
        self.starts = dict.fromkeys(PARTS, 0)
        self.kills = dict.fromkeys(PARTS, 0)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.credentials: Mapping[str, str] = {}

    @property
    def apis(self) -> list[str]:
        return [f"http://127.0.0.1:{self.ports[part]}" for part in APIS]

    @property
    def webhook(self) -> str:
        return f"https://127.0.0.1:{self.ports['receiver']}/hook"

    @property
    def environment(self) -> dict[str, str]:
        """What every process of ours is told."""
        return {
            **KEYS,
            "TRUENAME_DATABASE_URL": self.database_url,
            "TRUENAME_STORAGE_URL": self.s3.url(),
            "TRUENAME_WEBHOOK_CA_FILE": str(self.receiver_folder / "ca.pem"),
            "TRUENAME_LOG_FORMAT": "json",
            "TRUENAME_PUBLIC_URL": "http://127.0.0.1",
            "PLANTED_SECRET": self.credentials.get("webhook_secret", ""),
        }

    def first_start(self) -> None:
        """PostgreSQL, S3 and one service until it has made its account; then everything."""
        self._start_postgres()
        self.s3.start()
        within(60, self.s3.answers)
        served = Served(self.data, "--no-worker", **self.environment).wait_until_ready()
        served.stop()
        self.credentials = json.loads((self.data / "first-account.json").read_text())
        self.tend()

    def tend(self) -> None:
        """Start again what has ended."""
        if self.postgres.process is None or self.postgres.process.poll() is not None:
            self._start_postgres()
        if self.s3.process is None or self.s3.process.poll() is not None:
            self.s3.start()
            self.starts["s3"] += 1
        for part in (*APIS, *WORKERS, "sender", "receiver"):
            if part not in self._running or self._running[part].poll() is not None:
                self._running[part] = self._started(part)
                self.starts[part] += 1

    def _start_postgres(self) -> None:
        usual = dict(CONFIGURATION)
        # Every kill fills the log, and makes each file be synced at the next start: one call for all of them does, too.
        CONFIGURATION.update({"log_min_messages": "panic", "recovery_init_sync_method": "syncfs"})
        CONFIGURATION.update({"synchronous_commit": "off"} if self.plant == ASYNCHRONOUS_COMMIT else {})
        try:
            self.postgres.start()
        finally:
            CONFIGURATION.clear()
            CONFIGURATION.update(usual)
        self.starts["postgres"] += 1

    def _command(self, part: str) -> list[str]:
        if part == "receiver":
            where = [str(self.receiver_folder), str(self.ports[part]), str(self.seed + self.starts[part])]
            return ["-m", "benchmarks.faults.receiver", *where, self.credentials["webhook_secret"]]
        program = ["-m", "truename.cli"]
        if self.plant == WEBHOOK_BEFORE_COMMIT:
            program = ["-m", "benchmarks.faults.planted"]
        if part in APIS:
            return [*program, "serve", "--no-worker", "--quiet", "--port", str(self.ports[part])]
        queues = "delivery" if part == "sender" else "analysis,upkeep"
        return [*program, "worker", "--queues", queues, "--concurrency", "8"]

    def _started(self, part: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{part}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *self._command(part)],
                env=environment_of(self.data, **self.environment),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def plant_now(self, plant: str) -> None:
        """Build a fault into a house that runs: what must know of it is started again."""
        self.plant = plant
        for part in ("postgres",) if plant == ASYNCHRONOUS_COMMIT else APIS:
            self.kill(part)
        self.tend()

    def kill(self, part: str) -> None:
        """kill -9, at whatever the process is doing; of PostgreSQL the postmaster, whose sessions then end."""
        self.kills[part] += 1
        if part == "s3":
            self.s3.kill()
            return
        process = self.postgres.process if part == "postgres" else self._running[part]
        assert process is not None
        process.kill()
        process.wait(30)

    def stop(self) -> None:
        """End everything in order: what asks before what is asked."""
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        self._running.clear()

    def close(self) -> None:
        """The rest, which the check needed."""
        self.stop()
        self.postgres.stop()
        if self.s3.process is not None and self.s3.process.poll() is None:
            self.s3.kill()


@contextlib.contextmanager
def a_house(folder: Path, seed: int, plant: str | None = None) -> Iterator[House]:
    """Everything made and nothing started; ended at the end, whatever happened."""
    house = House(folder, seed, plant)
    try:
        yield house
    finally:
        house.close()
