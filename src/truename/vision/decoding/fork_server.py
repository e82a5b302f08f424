"""Where decoder processes come from: a process that has loaded the decoders once, and forks.

To load them takes a second, to fork a few milliseconds: so a decoder that was killed is replaced before anybody
notices. Run as `python -m truename.vision.decoding.fork_server FD`, it takes orders over that socket and ends with it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from typing import Final

ORDER: Final = struct.Struct(">BBxxIQ")
"""What to do, how nice to be, which process, how many bytes it may have."""
MAKE: Final = 1
KILL: Final = 2
MADE: Final = struct.Struct(">I")
KEPT_VARIABLES: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "PYTHONPATH", "PYTHONHOME")
"""Nothing else of the environment, least of all keys and passwords, reaches a decoder."""
FORK_SECONDS = 10.0
"""How long a fork server is waited for, which needs milliseconds: one that is frozen would be waited for without end,
and every picture with it."""
LOAD_SECONDS = 60.0
"""The same for one that has to load the decoders first: a second, or many where the machine is busy."""


class ForkServer:
    """The service's side: makes decoder processes and kills them. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None
        self._has_loaded = False

    def make(self, *, memory: int, niceness: int = 0) -> tuple[int, socket.socket]:
        """A fresh decoder: its process id, and the socket to talk to it. Raises OSError when none can be made.

        A fork server that is dead or says nothing for `FORK_SECONDS` is replaced, once.
        """
        ours, theirs = socket.socketpair()
        with self._lock, theirs:
            try:
                return self._make(theirs, memory, niceness), ours
            except OSError as failed:
                # It died, or is frozen: the next one is asked, once.
                self._end(at_once=isinstance(failed, (TimeoutError, BlockingIOError)))
            try:
                return self._make(theirs, memory, niceness), ours
            except OSError:
                self._end(at_once=True)  # what it may still answer would be taken for the answer to another order
                ours.close()
                raise

    def _make(self, theirs: socket.socket, memory: int, niceness: int) -> int:
        orders = self._orders or self._begin()
        socket.send_fds(orders, [ORDER.pack(MAKE, niceness, 0, memory)], [theirs.fileno()], socket.MSG_DONTWAIT)
        answer = select.poll()
        answer.register(orders, select.POLLIN)
        if not answer.poll(1000 * (FORK_SECONDS if self._has_loaded else LOAD_SECONDS)):
            raise TimeoutError("The fork server of decoders says nothing.")
        told = orders.recv(MADE.size, socket.MSG_WAITALL)
        if len(told) < MADE.size:
            raise ConnectionResetError("The fork server of decoders is gone.")
        self._has_loaded = True
        return int(MADE.unpack(told)[0])

    def kill(self, process: int) -> None:
        """End it at once. Its parent does it, so that the number cannot mean another process by now.

        Takes no lock and does not wait, since the event loop calls it: sixteen bytes go into a socket whole or not at
        all, and not into that of a fork server that has stopped reading.
        """
        orders = self._orders
        if orders is not None:
            with contextlib.suppress(OSError):
                orders.send(ORDER.pack(KILL, 0, process, 0), socket.MSG_DONTWAIT)

    def close(self) -> None:
        with self._lock:
            self._end()

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process else None

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        # One thread each; and what was freed goes back to the system instead of into reserves.
        settings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
        settings |= {"MALLOC_MMAP_THRESHOLD_": "1048576", "MALLOC_TRIM_THRESHOLD_": "1048576"}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "truename.vision.decoding.fork_server", str(theirs.fileno())],
                env={**kept, **settings},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C is for the service, which then ends us
            )
        self._orders, self._has_loaded = ours, False
        return ours

    def _end(self, *, at_once: bool = False) -> None:
        if self._orders is not None:
            self._orders.close()
            self._orders = None
        if self._process is not None:
            try:
                self._process.wait(0 if at_once else 2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


# ── inside the fork server ─────────────────────────────────────────────────────────────────────────────────────


def main(orders: socket.socket) -> None:
    """Fork and kill as ordered, until the service hangs up; then no child is left."""
    import cv2

    from truename.vision.decoding import child

    cv2.setNumThreads(1)
    child.rehearse()
    children: set[int] = set()
    while True:
        ready, _, _ = select.select([orders], [], [], 1.0)
        _bury(children)
        if not ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(orders, ORDER.size, 1)
        if len(message) < ORDER.size:
            break
        what, niceness, process, memory = ORDER.unpack(message)
        if what == KILL and process in children:
            os.kill(process, signal.SIGKILL)
        elif what == MAKE and descriptors:
            with socket.socket(fileno=descriptors[0]) as connection:
                made = os.fork()
                if made == 0:
                    try:
                        orders.close()
                        child.live(connection, memory=memory, niceness=niceness)
                    finally:
                        os._exit(0)
            children.add(made)
            orders.sendall(MADE.pack(made))
    for process in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _bury(children: set[int]) -> None:
    """Collect those that ended; until then, nobody else can have their number."""
    while children:
        process, _ = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            return
        children.discard(process)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
