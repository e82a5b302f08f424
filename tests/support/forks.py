"""Processes of the service out of one that has loaded it once, and forks: where its start is not on trial.

To start `truename` takes seconds of a core, most of it for imports; a fork of what is loaded runs the same command in
a process of its own, which can be killed like any other. `python -m tests.support.forks SOCKET` is the process that
forks. Whoever connects hands over an order and three open files, and is told over that connection which process was
made and, once it has ended, how; who hangs up has it killed. With the last connection it ends itself.
"""

import atexit
import contextlib
import faulthandler
import functools
import gc
import json
import os
import random
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Final, NoReturn

from tests.support.once import KEPT_IN, alone
from tests.support.waiting import within

ROOT: Final = Path(__file__).parents[2]
SIZE: Final = 4
"""Bytes that say how long an order is; the open files travel with them."""


@dataclass(frozen=True)
class Order:
    """`python -m MODULE ARGUMENTS…`, in this folder, with nothing but this environment."""

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str = "/"


class Fork:
    """One process that was forked: Popen's, as far as it is needed."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._told = connection.makefile("rb")
        self.pid = int(self._told.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._status(0)

    def wait(self, timeout: float | None = None) -> int:
        status = self._status(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return status

    def _status(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], seconds)[0]:
            told = self._told.readline()
            self.returncode = int(told) if told else -signal.SIGKILL  # so it ends where the one that forks has died
            self._told.close()
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forks:
    """The process that forks at this address, which is started where none is there."""

    def __init__(self, address: Path) -> None:
        self.address = address
        with alone(address.with_suffix(".lock")):
            try:
                self._hold = self._connected()
            except (FileNotFoundError, ConnectionRefusedError):
                self._begin()
                self._hold = self._connected()

    def _connected(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        try:
            made.connect(str(self.address))
        except OSError:
            made.close()
            raise
        return made

    def _begin(self) -> None:
        self.address.unlink(missing_ok=True)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("TRUENAME_")}
        with self.address.with_suffix(".log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forks", str(self.address)],
                env=plain,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        within(120, lambda: self.address.exists() or process.poll() is not None)
        assert process.poll() is None, self.address.with_suffix(".log").read_text()
        process.returncode = 0  # it outlives us where another xdist worker uses it: nobody waits for it

    def start(self, order: Order, *, stdout: int | IO[bytes], stderr: int | IO[bytes]) -> Fork:
        """A fork that does this; nothing is there for it to read."""
        connection = self._connected()
        out, errors = (one if isinstance(one, int) else one.fileno() for one in (stdout, stderr))
        with Path(os.devnull).open("rb") as nothing:
            sent = json.dumps(asdict(order)).encode()
            socket.send_fds(connection, [len(sent).to_bytes(SIZE, "big")], [nothing.fileno(), out, errors])
        connection.sendall(sent)
        return Fork(connection)


@functools.cache
def forks() -> Forks:
    """Those of this run of tests, which all its xdist workers share; in a benchmark, its own."""
    if KEPT_IN in os.environ:
        return Forks(Path(os.environ[KEPT_IN]) / "forks")
    folder = tempfile.mkdtemp(prefix="truename-forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Forks(Path(folder) / "forks")


# ── inside the process that forks ──────────────────────────────────────────────────────────────────────────────


def load() -> None:
    """Have there what any command, process or receiver of ours imports. No thread may be started by it."""
    from importlib import import_module

    from truename.cli import COMMANDS
    from truename.wiring import load_jobs

    beside = ("aiohttp.web", "standardwebhooks", "trustme", "truename.vision.face.compare")
    commands = {module for module, _ in COMMANDS.values()} - {"mcp"}  # which takes as long as all others
    for module in (*beside, *(f"truename.cli.{one}" for one in (*sorted(commands), "serving", "working"))):
        import_module(module)
    load_jobs()
    gc.collect()
    gc.freeze()  # so that forks share what is there


class Forking:
    """Whoever is connected, and what was forked for each."""

    def __init__(self, door: socket.socket) -> None:
        self.door = door
        self.forked: dict[socket.socket, int] = {}
        # A selector with a state in the kernel would be shared with the forks.
        self.waiting = selectors.PollSelector()
        self.waiting.register(door, selectors.EVENT_READ)

    def next(self) -> tuple[Order, list[int]] | None:
        """Do as ordered until the last one has hung up. In a fork: what it has to do, and its three files."""
        until = time.monotonic() + 60  # for the first one to come
        while len(self.waiting.get_map()) > 1 or time.monotonic() < until:
            for key, _ in self.waiting.select(1.0):
                if key.fileobj is self.door:
                    self.waiting.register(self.door.accept()[0], selectors.EVENT_READ)
                    until = 0
                elif isinstance(key.fileobj, socket.socket):
                    if (order := self._heard(key.fileobj)) is not None:
                        return order
                else:
                    self._ended(key.fd, key.data)
        return None

    def _heard(self, connection: socket.socket) -> tuple[Order, list[int]] | None:
        size, files, _, _ = socket.recv_fds(connection, SIZE, 3)
        if not size:
            self._leave(connection)
            return None
        with connection.makefile("rb") as sent:
            order = Order(**json.loads(sent.read(int.from_bytes(size, "big"))))
        made = os.fork()
        if made == 0:
            self._forget()
            return order, files
        for file in files:
            os.close(file)
        self.forked[connection] = made
        self.waiting.register(os.pidfd_open(made), selectors.EVENT_READ, connection)
        connection.sendall(b"%d\n" % made)
        return None

    def _leave(self, connection: socket.socket) -> None:
        """Nobody wants it any more."""
        if connection in self.forked:
            os.kill(self.forked.pop(connection), signal.SIGKILL)
        self.waiting.unregister(connection)
        connection.close()

    def _ended(self, process: int, connection: socket.socket) -> None:
        """Tell how, if somebody is still there to hear it."""
        self.waiting.unregister(process)
        found = os.waitid(os.P_PIDFD, process, os.WEXITED)
        os.close(process)
        if self.forked.pop(connection, None) is not None and found is not None:
            status = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
            with contextlib.suppress(OSError):
                connection.sendall(b"%d\n" % status)
            self._leave(connection)

    def _forget(self) -> None:
        """In a fork: the others are none of its business."""
        for key in self.waiting.get_map().values():
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
            else:
                os.close(key.fd)


def live(order: Order, files: list[int]) -> NoReturn:
    """In a fork: become what is ordered, and end with it."""
    status = 70
    try:
        _become(order, files)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            atexit._run_exitfuncs()  # what the command has left to do at its end
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)  # libraries would wait for threads that they had before the fork, and abort


def _become(order: Order, files: list[int]) -> None:
    import runpy

    import numpy as np

    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    faulthandler.enable()  # a fork that aborts says where
    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()
    random.seed()  # else all forks would choose alike
    np.random.seed()
    sys.argv = [order.module, *order.arguments]
    runpy.run_module(order.module, run_name="__main__")


def main(address: Path) -> None:
    """Fork as ordered, until nobody is left who could order."""
    load()
    door = socket.socket(socket.AF_UNIX)
    draft = address.with_suffix(".new")
    door.bind(str(draft))
    door.listen(64)
    draft.rename(address)
    if (wanted := Forking(door).next()) is not None:
        live(*wanted)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
