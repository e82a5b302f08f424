"""A real `truename serve` in a process of its own, for tests of starting, stopping and dying."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from typer.testing import CliRunner

from tests.support.forks import Fork, Order, forks
from tests.support.log import as_found
from tests.support.migrated import migrate_by_copy
from truename.cli import app


class Served:
    """One running service; `lines` is what it has printed so far."""

    program: tuple[str, ...] = (sys.executable, "-m", "truename.cli")
    folder: Path | None = None

    def __init__(self, data: Path, *arguments: str, **environment: str) -> None:
        self.data = data
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._readers: list[threading.Thread] = []
        self._processes: list[subprocess.Popen[bytes] | Fork] = []
        self.told = self.environment(environment_of(data, **environment))
        self._start(["serve", "--port", "0", *arguments], self.told)
        self.process = self._processes[0]

    def environment(self, usual: dict[str, str]) -> dict[str, str]:
        return usual

    def _start(self, arguments: list[str], environment: dict[str, str]) -> None:
        """A process of ours, whose lines are read."""
        (lines, out), (errors, err) = os.pipe(), os.pipe()
        try:
            self._processes.append(self._process(arguments, environment, out, err))
        finally:
            os.close(out)
            os.close(err)
            for pair in ((lines, self.lines), (errors, self.errors)):
                self._readers += [threading.Thread(target=self._read, args=pair, daemon=True)]
                self._readers[-1].start()

    def _process(
        self, arguments: list[str], environment: dict[str, str], out: int, errors: int
    ) -> subprocess.Popen[bytes] | Fork:
        command = [*self.program, *arguments]
        return subprocess.Popen(
            command, env=environment, cwd=self.folder, stdout=out, stderr=errors, start_new_session=True
        )

    def _read(self, end: int, kept: list[str]) -> None:
        with open(end, encoding="utf-8") as stream:
            for line in stream:
                kept += [line.rstrip("\n")]

    def wait_until_ready(self, seconds: float = 120) -> "Served":
        until = time.monotonic() + seconds
        while not any(line.startswith("API docs") for line in self.lines):
            assert self.process.poll() is None, "\n".join(self.errors)
            assert time.monotonic() < until, "\n".join(self.lines + self.errors)
            time.sleep(0.05)
        return self

    @property
    def url(self) -> str:
        return next(line.split()[1] for line in self.lines if line.startswith("API  "))

    def credential(self, name: str) -> str:
        """Of the first account, whose secrets are not printed where there is no terminal."""
        told = json.loads((self.data / "first-account.json").read_text())
        return str(told[name])

    def child(self, command: str) -> int | None:
        """The process id of the child that runs this command, if there is one now."""
        told = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-f", f"truename.cli {command}"], capture_output=True, text=True
        )
        return int(told.stdout.split()[0]) if told.stdout else None

    def stop(self, number: int = signal.SIGTERM, seconds: float = 60) -> int:
        """Ask it to end, and wait until it has; its status. One that was stopped stays so."""
        statuses = []
        for process in self._processes:
            process.send_signal(number)
            statuses.append(process.wait(seconds))
        for reader in self._readers:
            reader.join(10)
        return next(filter(None, statuses), 0)


class Forked(Served):
    """The same where its start is not on trial: forked from a process that has loaded it, its worker beside it."""

    def __init__(self, data: Path, *arguments: str, **environment: str) -> None:
        self.with_worker = "--no-worker" not in arguments
        if "TRUENAME_DATABASE_URL" not in environment:
            migrate_by_copy(data)
        super().__init__(data, "--no-worker", *arguments, **environment)

    def _process(self, arguments: list[str], environment: dict[str, str], out: int, errors: int) -> Fork:
        order = Order("truename.cli", arguments, environment, str(Path.cwd()))
        return forks().start(order, stdout=out, stderr=errors)

    def wait_until_ready(self, seconds: float = 120) -> "Forked":
        super().wait_until_ready(seconds)
        if self.with_worker:
            self._start(["worker"], {**self.told, "TRUENAME_PORT": self.url.rpartition(":")[2]})
        return self


def environment_of(data: Path, **more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TRUENAME_")}
    return {**plain, "TRUENAME_DATA_DIR": str(data), **more}


def served(data: Path, *arguments: str, **environment: str) -> contextlib.AbstractContextManager[Served]:
    """A service that is ready, and stopped at the end whatever happened."""
    return _until_the_end(Served(data, *arguments, **environment))


def forked(data: Path, *arguments: str, **environment: str) -> contextlib.AbstractContextManager[Served]:
    """The same, forked."""
    return _until_the_end(Forked(data, *arguments, **environment))


@contextlib.contextmanager
def _until_the_end(service: Served) -> Iterator[Served]:
    try:
        yield service.wait_until_ready()
    finally:
        service.stop()
        if service.errors:
            print("\n".join(service.errors[-30:]))


def truename(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, in a process of its own, which is forked."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        order = Order("truename.cli", arguments, environment_of(data, **environment), str(Path.cwd()))
        status = forks().start(order, stdout=out, stderr=errors).wait(120)
        told = [(file.seek(0), file.read().decode())[1] for file in (out, errors)]
    return subprocess.CompletedProcess(list(arguments), status, *told)


def truename_here(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end within this process, for those who do not try how it starts: that takes a second.

    It has a thread of its own, and so its own loop; a server in the loop of the test could not answer it meanwhile.
    Vision and the log are left as they were.
    """
    plain = {name: None for name in os.environ if name.startswith("TRUENAME_")}
    runner = CliRunner(env={**plain, "TRUENAME_DATA_DIR": str(data), **environment})
    with as_found(), ThreadPoolExecutor(1) as thread:
        told = thread.submit(runner.invoke, app, list(arguments)).result()
    return subprocess.CompletedProcess(list(arguments), told.exit_code, told.stdout, told.stderr)
