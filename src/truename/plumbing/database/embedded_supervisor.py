"""Keep one embedded PostgreSQL running for as long as anyone is attached to it.

Started by `embedded.py` as a process of its own, with nothing but the standard library, so that it starts at once.
Whoever uses the server holds a connection to our control socket; the kernel closes it even after kill -9. When the
last one is gone the server is stopped. Should we be killed ourselves, the kernel stops the server (PR_SET_PDEATHSIG).
"""

import argparse
import contextlib
import ctypes
import fcntl
import os
import pwd
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

LOCK_HELD = 3
"""Exit status: another supervisor runs already."""
FIRST_CLIENT_WITHIN = 15.0
KEEP_SOCKETS_FRESH_EVERY = 3600.0
RESTARTS_PER_MINUTE = 5
PR_SET_PDEATHSIG = 1

CONFIGURATION = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "jit": "off",
}
"""Durability stays as PostgreSQL ships it. Statements and details would bring names of people into the log."""

HOW_MADE = (
    "--auth=reject",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
)
"""PostgreSQL's own locale: what the machine calls its locales, and whether it has them, does not matter."""


class CannotStart(Exception):
    """One sentence for the person who started us."""


class Cluster:
    """The folder of one PostgreSQL and its processes; `options` are PostgreSQL's own, on top of ours."""

    def __init__(self, data: Path, sockets: Path, binaries: Path, owner: pwd.struct_passwd, options: dict[str, str]):
        self.data, self.sockets, self.binaries, self.owner = data, sockets, binaries, owner
        self.options = {**CONFIGURATION, "unix_socket_directories": str(sockets), **options}
        self.steps_down = os.geteuid() == 0
        self.process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Make the cluster if there is none. It is made beside its place and renamed, so that it is whole or absent."""
        if not (self.data / "PG_VERSION").exists():
            draft = self.data.with_name(self.data.name + ".new")
            subprocess.run(["rm", "-rf", "--", str(draft)], check=True)
            draft.mkdir(mode=0o700)
            self._give(draft)
            made = self._spawn(
                ["initdb", "-D", self._seen(draft), "-U", "truename", *HOW_MADE],
                cwd=draft,
            )
            if made.wait() != 0:
                raise CannotStart("PostgreSQL could not make its data folder; its log tells why.")
            if self.data.exists():
                self.data.rmdir()
            draft.rename(self.data)
        self._write("pg_hba.conf", "local all all peer map=truename\n")
        names = {"root", self.owner.pw_name}
        self._write("pg_ident.conf", "".join(f'truename "{name}" truename\n' for name in sorted(names)))

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        self._end_orphans()
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        arguments = [part for name, value in self.options.items() for part in ("-c", f"{name}={value}")]
        self.process = self._spawn(["postgres", "-D", self._seen(self.data), *arguments], cwd=self.data)
        while not self._ready():
            if self.process.poll() is not None:
                raise CannotStart("PostgreSQL did not start; its log tells why.")
            time.sleep(0.01)

    def stop(self) -> None:
        """Fast shutdown: sessions are ended, everything committed is on disk."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()

    def _ready(self) -> bool:
        with contextlib.suppress(OSError):
            lines = (self.data / "postmaster.pid").read_text().splitlines()
            return len(lines) >= 8 and lines[7].strip() == "ready"
        return False

    def _end_orphans(self) -> None:
        """A stale pid file may name any process; only one that works in our folder is a server of ours."""
        for attempt in range(600):
            processes = processes_in(self.data)
            if not processes:
                return
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGINT if attempt < 100 else signal.SIGKILL)
            time.sleep(0.05)
        raise CannotStart("Processes of an earlier PostgreSQL do not end; end them or restart the machine.")

    def _seen(self, folder: Path) -> str:
        """As root the server runs as another user, whom a parent folder may shut out; its own folder it has as cwd."""
        return "/proc/self/cwd" if self.steps_down and sys.platform == "linux" else str(folder)

    def _spawn(self, command: list[str], cwd: Path) -> subprocess.Popen[bytes]:
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "PGSYSCONFDIR": str(self.sockets)}
        return subprocess.Popen(
            [str(self.binaries / command[0]), *command[1:]],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            user=self.owner.pw_uid if self.steps_down else None,
            group=self.owner.pw_gid if self.steps_down else None,
            extra_groups=[] if self.steps_down else None,
            preexec_fn=_die_with(os.getpid()),
        )

    def _give(self, path: Path) -> None:
        if self.steps_down:
            os.chown(path, self.owner.pw_uid, self.owner.pw_gid)

    def _write(self, name: str, text: str) -> None:
        path = self.data / name
        path.write_text(text)
        path.chmod(0o600)
        self._give(path)


def processes_in(folder: Path) -> list[int]:
    """Which processes work in this folder? Where the system cannot tell, the pid file is asked."""
    here = folder.stat()
    if not Path("/proc/self/cwd").exists():
        return _named_by_pid_file(folder)
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                there = (entry / "cwd").stat()
                if (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino):
                    found.append(int(entry.name))
    return found


def _named_by_pid_file(folder: Path) -> list[int]:
    try:
        process = int((folder / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return []
    told = subprocess.run(["ps", "-o", "comm=", "-p", str(process)], capture_output=True, check=False)
    return [process] if b"postgres" in told.stdout else []


def _die_with(parent: int) -> Callable[[], None]:
    """The kernel forgets the wish when the user changes, so it must be made after stepping down: last before exec."""
    library = ctypes.CDLL(None, use_errno=True)

    def wish() -> None:
        if sys.platform == "linux":
            library.prctl(PR_SET_PDEATHSIG, signal.SIGINT)
            if os.getppid() != parent:
                os._exit(1)

    return wish


class Control:
    """The socket by which users of the server attach."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self.path = path
        self.selector = selectors.DefaultSelector()
        self.clients: set[socket.socket] = set()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        path.chmod(0o600)
        self.listener.listen(64)
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ)

    def wait(self, seconds: float) -> None:
        """Let people in and out; the last to say goodbye is kept until the server has stopped."""
        for key, _ in self.selector.select(seconds):
            one = key.fileobj
            if one is self.listener:
                with contextlib.suppress(BlockingIOError):
                    client, _address = self.listener.accept()
                    client.setblocking(True)
                    self.clients.add(client)
                    self.selector.register(client, selectors.EVENT_READ)
                    self.tell(client, "ready\n")
            elif isinstance(one, socket.socket) and one in self.clients:
                self._leave(one)

    def _leave(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            client.recv(64)
        self.selector.unregister(client)
        self.clients.discard(client)
        if self.clients:
            client.close()
        else:
            self.last = client

    def refuse(self, sentence: str) -> None:
        """Tell everyone who waits why there will be no server."""
        with contextlib.suppress(BlockingIOError):
            while True:
                client, _address = self.listener.accept()
                self.tell(client, f"error {sentence}\n")

    def tell(self, client: socket.socket, line: str) -> None:
        with contextlib.suppress(OSError):
            client.sendall(line.encode())

    def close(self) -> None:
        self.selector.unregister(self.listener)
        self.path.unlink(missing_ok=True)
        self.listener.close()


def supervise(cluster: Cluster, control: Control) -> None:
    """Serve until nobody is left."""
    began = refreshed = time.monotonic()
    restarts: list[float] = []
    anyone_yet = False
    while True:
        control.wait(1.0)
        moment = time.monotonic()
        anyone_yet = anyone_yet or bool(control.clients)
        if not control.clients and (anyone_yet or moment - began > FIRST_CLIENT_WITHIN):
            return
        if cluster.process is not None and cluster.process.poll() is not None:
            restarts = [at for at in restarts if moment - at < 60] + [moment]
            if len(restarts) > RESTARTS_PER_MINUTE:
                raise CannotStart("PostgreSQL stopped again and again; its log tells why.")
            cluster.start()
        if moment - refreshed > KEEP_SOCKETS_FRESH_EVERY:
            refreshed = moment
            with contextlib.suppress(OSError):
                os.utime(control.path)


def _main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("data", "sockets", "binaries", "lock"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--owner", type=int, required=True)
    parser.add_argument("--option", action="append", nargs=2, required=True)
    given = parser.parse_args()
    # A terminal's Ctrl-C or a shutdown's SIGTERM is for those who are attached: we leave when they have left.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    lock = os.open(given.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return LOCK_HELD
    cluster = Cluster(given.data, given.sockets, given.binaries, pwd.getpwuid(given.owner), dict(given.option))
    control = Control(given.sockets / "control")
    try:
        cluster.prepare()
        cluster.start()
        supervise(cluster, control)
    except CannotStart as error:
        control.refuse(str(error))
        return 1
    finally:
        control.close()
        cluster.stop()
    return 0


if __name__ == "__main__":
    sys.exit(_main())
