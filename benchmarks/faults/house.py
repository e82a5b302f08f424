"""Every part as a process of its own, which may be killed at any moment and is started again at once.

As an init system does it: what has ended is started again, without a limit and without being asked.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

from tests.support.forks import Order, forks
from tests.support.integrator import ready
from tests.support.migrated import migrate_by_copy
from tests.support.s3 import KEYS, S3Server
from tests.support.served import environment_of
from tests.support.waiting import free_port, within

from benchmarks.faults.receiver import make_certificate
from truename.cli.exit_codes import ExitCode
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_programs import options_here, programs
from truename.plumbing.database.embedded_supervisor import Cluster

APIS: Final = ("api-1", "api-2")
WORKERS: Final = ("worker-1", "worker-2")
OURS: Final = (*APIS, *WORKERS, "sender")
PARTS: Final = (*OURS, "receiver", "postgres", "s3")
WEBHOOK_BEFORE_COMMIT: Final = "webhook-before-commit"
ASYNCHRONOUS_COMMIT: Final = "asynchronous-commit"
PLANTS: Final = (WEBHOOK_BEFORE_COMMIT, ASYNCHRONOUS_COMMIT)
"""Faults that are built in on purpose: the check must find them."""
START_WITHIN_SECONDS: Final = 600
"""On a machine that has much else to do the first start, with all its migrations, takes minutes."""
EXCUSED: Final = (ExitCode.NOT_REACHABLE,)
"""How a process may end by itself: it was started while its database was away, said so, and is started again."""


class Process(Protocol):
    """A process that may be killed: Popen's, as far as the house needs it."""

    pid: int

    def poll(self) -> int | None: ...
    def kill(self) -> None: ...
    def send_signal(self, number: int) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


class House:
    """All parts on one folder, at addresses that stay."""

    def __init__(self, folder: Path, seed: int, plant: str | None = None, *, are_forks: bool = False) -> None:
        self.folder, self.seed, self.plant = folder, seed, plant
        (folder / "tmp").mkdir()
        self.are_forks = are_forks
        self.data, self.receiver_folder = folder / "data", folder / "receiver"
        self.receiver_folder.mkdir(parents=True)
        make_certificate(self.receiver_folder)
        self.s3 = S3Server(folder / "s3", free_port())
        self.s3.folder.mkdir()
        if are_forks:
            migrate_by_copy(self.data)
        embedded = Embedded(self.data)
        embedded.attach()  # makes the cluster and its database
        embedded.close()
        self.database_url = embedded.url
        self.postgres = Cluster(
            embedded.folder, embedded.sockets, programs(), embedded.owner, options_here(embedded.owner)
        )
        self.ports = {part: free_port() for part in (*APIS, "receiver")}
        self.starts = dict.fromkeys(PARTS, 0)
        self.kills = dict.fromkeys(PARTS, 0)
        self.freezes = dict.fromkeys(OURS, 0)
        self.stops = dict.fromkeys(OURS, 0)
        self.frozen: dict[str, float] = {}
        """Parts that stand still, and until when by the monotonic clock."""
        self._asked_to_end: set[int] = set()
        self._asked_too_early: set[int] = set()
        """Of those, who were still starting: whoever has begun nothing may die of a signal."""
        self.ended: list[str] = []
        """What ended although nobody killed it, and with which status."""
        self._running: dict[str, Process] = {}
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
            "TMPDIR": str(self.folder / "tmp"),  # who is killed leaves its folders behind
            "PLANTED_SECRET": self.credentials.get("webhook_secret", ""),
        }

    def first_start(self) -> None:
        """PostgreSQL, S3 and one API process until it has made tables and account; then everything."""
        self._start_postgres()
        self.s3.start()
        self.starts["s3"] += 1
        self._start(APIS[0])
        within(START_WITHIN_SECONDS, self._account_is_made)
        self.credentials = json.loads((self.data / "first-account.json").read_text())
        self.tend()
        within(START_WITHIN_SECONDS, self._all_answer)

    def _all_answer(self) -> bool:
        if self.s3.process is not None and (status := self.s3.process.poll()) is not None:
            raise RuntimeError(f"s3 ended with status {status}: {self._last_words('s3')}")
        return self.s3.answers() and all(map(ready, self.apis))

    def _account_is_made(self) -> bool:
        if (status := self._running[APIS[0]].poll()) is not None:
            raise RuntimeError(f"{APIS[0]} ended with status {status}: {self._last_words(APIS[0])}")
        return (self.data / "first-account.json").exists()

    def tend(self) -> None:
        """Start again what has ended, and wake what has slept for long enough; what ended by itself is remembered."""
        for part in [part for part, until in self.frozen.items() if time.monotonic() >= until]:
            self.wake(part)
        if self._has_ended("postgres", self.postgres.process):
            self._start_postgres()
        if self._has_ended("s3", self.s3.process):
            self.s3.start()
            self.starts["s3"] += 1
        for part in (*OURS, "receiver"):
            if self._has_ended(part, self._running.get(part)):
                self._start(part)

    def _has_ended(self, part: str, process: Process | None) -> bool:
        status = None if process is None else process.poll()
        asked = process is not None and (
            (process.pid in self._asked_to_end and status == 0)
            or (process.pid in self._asked_too_early and status == -signal.SIGTERM)
        )
        if status not in (None, -signal.SIGKILL, *EXCUSED) and not asked:
            # A library may not bear to be forked, and abort: of the service, whose commands do not fork, that says
            # nothing, and a death that nobody ordered is one more to be survived. Any other death is a fault.
            if not self.are_forks or status != -signal.SIGABRT:
                self.ended.append(f"{part} with status {status}: {self._last_words(part)}")
            print(f"{part} ended with status {status}: {self._last_words(part)}", file=sys.stderr)
        return process is None or status is not None

    def _last_words(self, part: str) -> str:
        log = self.s3.folder / "log" if part == "s3" else self.folder / f"{part}.log"
        return log.read_text(errors="replace")[-600:] if log.exists() else "it said nothing"

    def _start(self, part: str) -> None:
        self._running[part] = self._run(part, self._command(part))
        self.starts[part] += 1

    def _start_postgres(self) -> None:
        # Every kill fills the log, and makes each file be synced at the next start: one call for all of them does, too.
        self.postgres.options |= {"log_min_messages": "panic", "recovery_init_sync_method": "syncfs"}
        if self.plant == ASYNCHRONOUS_COMMIT:
            # A few callers do not commit enough in the fifth of a second after which it would be written anyway.
            self.postgres.options |= {"synchronous_commit": "off", "wal_writer_delay": "10s"}
        self.postgres.start()
        self.starts["postgres"] += 1

    def _command(self, part: str) -> list[str]:
        if part == "receiver":
            where = [str(self.receiver_folder), str(self.ports[part]), str(self.seed + self.starts[part])]
            return ["-m", "benchmarks.faults.receiver", *where, self.credentials["webhook_secret"]]
        program = ["-m", "truename.cli"]
        if self.plant == WEBHOOK_BEFORE_COMMIT:
            program = ["-m", "benchmarks.faults.planted"]
        if part in APIS:
            quiet = ["--quiet"] if self.credentials else []
            return [*program, "serve", "--no-worker", *quiet, "--port", str(self.ports[part])]
        queues = "delivery" if part == "sender" else "analysis,upkeep"
        return [*program, "worker", "--queues", queues, "--concurrency", "8"]

    def run_to_its_end(self, name: str, command: list[str]) -> None:
        """One more process, which ends by itself and must end well."""
        if status := self._run(name, command).wait(600):
            raise RuntimeError(f"{name} ended with {status}: {(self.folder / f'{name}.log').read_text()[-2000:]}")

    def _run(self, name: str, command: list[str]) -> Process:
        log = self.folder / f"{name}.log"
        environment = environment_of(self.data, **self.environment)
        with log.open("ab") as file:
            if self.are_forks:
                _, module, *arguments = command
                return forks().start(Order(module, arguments, environment), stdout=file, stderr=file)
            return subprocess.Popen(
                [sys.executable, *command],
                env=environment,
                stdout=file,
                stderr=file,
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
        """kill -9, at whatever the process is doing; of PostgreSQL the postmaster, whose sessions then end.

        One that has just ended by itself is started first: a kill that kills nothing is none.
        """
        self.tend()
        others: dict[str, Process | None] = {"postgres": self.postgres.process, "s3": self.s3.process}
        process = others.get(part) or self._running[part]
        self.wake(part)
        process.kill()
        process.wait(30)
        self.kills[part] += 1

    def freeze(self, part: str, seconds: float) -> None:
        """Let it stand still for so long, with all its children, at whatever it is doing: its machine hangs."""
        self.tend()
        os.killpg(self._running[part].pid, signal.SIGSTOP)
        self.frozen[part] = time.monotonic() + seconds
        self.freezes[part] += 1

    def wake(self, part: str) -> None:
        """Let it go on, as if no time had passed."""
        if self.frozen.pop(part, None) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._running[part].pid, signal.SIGCONT)

    def stop(self, part: str) -> None:
        """Ask it to end, as a new version is rolled out: it must end well, and whoever called it hear no fault."""
        self.tend()
        self.wake(part)
        process = self._running[part]
        if process.pid not in self._asked_to_end:
            self._asked_to_end.add(process.pid)
            if not heeds(process.pid, signal.SIGTERM):
                self._asked_too_early.add(process.pid)
            process.send_signal(signal.SIGTERM)
            self.stops[part] += 1

    def close(self) -> None:
        """End everything, what asks before what is asked; nobody waits for what they were doing."""
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
        self.postgres.stop()
        if self.s3.process is not None and self.s3.process.poll() is None:
            self.s3.kill()


@contextlib.contextmanager
def a_house(folder: Path, seed: int, plant: str | None = None, *, are_forks: bool = False) -> Iterator[House]:
    """Everything made and nothing started; ended at the end, whatever happened.

    With `are_forks` processes are forked from one that has loaded the service, instead of started by their command.
    """
    house = House(folder, seed, plant, are_forks=are_forks)
    try:
        yield house
    finally:
        house.close()


def heeds(process_id: int, number: signal.Signals) -> bool:
    """Does the process do something of its own upon this signal? Not before it has started."""
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", Path(f"/proc/{process_id}/status").read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)
