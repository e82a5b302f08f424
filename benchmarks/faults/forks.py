"""Processes of the house out of one that has loaded the service once, and forks: for runs that must be short.

To start `truename` takes seconds of a core, most of it for imports; a fork of what is loaded runs the same command in
a process of its own that can be killed like any other. `python -m benchmarks.faults.forks FD` takes orders over that
socket, a line of JSON each, and ends with it and with all its children.
"""

import faulthandler
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol


class Process(Protocol):
    """A process that may be killed: Popen's, as far as the house needs it."""

    pid: int

    def poll(self) -> int | None: ...
    def kill(self) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


class Forks:
    """The house's side."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._orders, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.faults.forks", str(theirs.fileno())],
                env=dict(environment),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._answers = self._orders.makefile()

    def start(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> "Fork":
        """Run `-m MODULE ARGUMENTS…` in a fork, with nothing but this environment."""
        made = self.ask({"command": list(command), "environment": dict(environment), "log": str(log)})
        assert made is not None
        return Fork(self, made)

    def ask(self, order: dict[str, Any]) -> int | None:
        self._orders.sendall(json.dumps(order).encode() + b"\n")
        answer: int | None = json.loads(self._answers.readline())
        return answer

    def close(self) -> None:
        """End it, and whatever it has forked."""
        self._answers.close()
        self._orders.close()
        self.process.wait(30)


class Fork:
    """One process that was forked; its parent is asked how it is."""

    def __init__(self, forks: Forks, pid: int) -> None:
        self.forks, self.pid = forks, pid
        self.status: int | None = None

    def poll(self) -> int | None:
        if self.status is None:
            self.status = self.forks.ask({"poll": self.pid})
        return self.status

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        until = time.monotonic() + (timeout or 600)
        while (status := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 600)
            time.sleep(0.02)
        return status


# ── inside the process that forks ──────────────────────────────────────────────────────────────────────────────


def main(orders: socket.socket) -> None:
    """Fork as ordered, until the house hangs up."""
    import aiohttp.web
    import standardwebhooks
    import trustme

    import truename.cli.service
    import truename.cli.serving
    import truename.cli.working
    from truename.vision.face import compare
    from truename.wiring import load_jobs

    del aiohttp, standardwebhooks, trustme, truename, compare  # loaded, to be there in every fork
    load_jobs()
    children: dict[int, int | None] = {}
    with orders.makefile() as lines:
        for line in lines:
            order = json.loads(line)
            if "poll" in order:
                answer = _status(order["poll"], children)
            else:
                answer = os.fork()
                if answer == 0:
                    _live(orders, **order)
                children[answer] = None
            orders.sendall(json.dumps(answer).encode() + b"\n")
    for pid in children:
        if _status(pid, children) is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _status(pid: int, children: dict[int, int | None]) -> int | None:
    if children[pid] is None:
        found, status = os.waitpid(pid, os.WNOHANG)
        children[pid] = os.waitstatus_to_exitcode(status) if found else None
    return children[pid]


def _live(orders: socket.socket, command: list[str], environment: dict[str, str], log: str) -> None:
    """In the child: become what the command says, and end with it."""
    import runpy

    import numpy as np

    status = 70
    try:
        os.setsid()
        orders.close()
        for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, log, os.O_APPEND), (2, log, os.O_APPEND)):
            os.dup2(os.open(path, flags | (os.O_WRONLY | os.O_CREAT if number else 0), 0o600), number)
        faulthandler.enable()  # a fork that aborts says where, in its log
        os.environ.clear()
        os.environ.update(environment)
        random.seed()  # else all forks would choose alike
        np.random.seed()
        _, module, *arguments = command
        sys.argv = [module, *arguments]
        runpy.run_module(module if module != "truename.cli" else "truename.cli.__main__", run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
