"""A real `truename serve` in a process of its own, for tests of starting, stopping and dying."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from typer.testing import CliRunner

from tests.support.log import log_restored
from truename.cli import app
from truename.vision.configuration import configuration, configured


class Served:
    """One running service; `lines` is what it has printed so far."""

    program: tuple[str, ...] = (sys.executable, "-m", "truename.cli")
    folder: Path | None = None

    def __init__(self, data: Path, *arguments: str, **environment: str) -> None:
        self.data = data
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.process = subprocess.Popen(
            [*self.program, "serve", "--port", "0", *arguments],
            env=self.environment(environment_of(data, **environment)),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))
        ]
        for reader in self._readers:
            reader.start()

    def environment(self, usual: dict[str, str]) -> dict[str, str]:
        return usual

    def _read(self, stream, kept: list[str]) -> None:
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
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(seconds)
        for reader in self._readers:
            reader.join(10)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return status


def environment_of(data: Path, **more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TRUENAME_")}
    return {**plain, "TRUENAME_DATA_DIR": str(data), **more}


@contextlib.contextmanager
def served(data: Path, *arguments: str, **environment: str) -> Iterator[Served]:
    """A service that is ready, and stopped at the end whatever happened."""
    service = Served(data, *arguments, **environment)
    try:
        yield service.wait_until_ready()
    finally:
        service.stop()
        if service.errors:
            print("\n".join(service.errors[-30:]))


def truename(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "truename.cli", *arguments],
        env=environment_of(data, **environment),
        capture_output=True,
        text=True,
        timeout=120,
    )


def truename_here(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end within this process, for those who do not try how it starts: that takes a second.

    It has a thread of its own, and so its own loop; a server in the loop of the test could not answer it meanwhile.
    Vision and the log are left as they were.
    """
    plain = {name: None for name in os.environ if name.startswith("TRUENAME_")}
    runner = CliRunner(env={**plain, "TRUENAME_DATA_DIR": str(data), **environment})
    with configured(configuration()), log_restored(), ThreadPoolExecutor(1) as thread:
        told = thread.submit(runner.invoke, app, list(arguments)).result()
    return subprocess.CompletedProcess(list(arguments), told.exit_code, told.stdout, told.stderr)
