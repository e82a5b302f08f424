"""PostgreSQL without a server to install: the binaries of a package, under a supervisor of ours.

Any number of processes may attach to the same data folder. The first starts the server, the last to leave stops it,
however it leaves; where the supervisor itself dies, or gives up, whoever is attached starts another. Nothing listens on
the network: only a Unix socket in a folder that nobody else can enter.
"""

import contextlib
import hashlib
import os
import pwd
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import structlog

from truename.plumbing.database.embedded_programs import (
    EmbeddedError,
    binaries,
    buffer_megabytes,
    memory_of_machine,
    options_here,
)
from truename.plumbing.database.embedded_supervisor import LOCK_HELD
from truename.plumbing.database.watched_connection import answering_within
from truename.plumbing.private_files import FolderUnavailable, private_folder

UNPRIVILEGED_USERS = ("truename", "postgres", "nobody", "daemon")
"""Existing users, in order of preference, whom root lets run the server: PostgreSQL refuses to run as root."""
PATIENCE = 300.0
ANSWER_SECONDS = 15
"""For so long a server that runs is waited for, where it says nothing."""
LEAVE_SECONDS = 90.0
"""For so long the last to leave waits until the server has stopped."""
START_AGAIN_SECONDS = 2.0
"""Between two attempts to have a server again, while those who need it are told that it is away."""
log = structlog.get_logger(__name__)


class NoDataHere(Exception):
    """A command that only looks found no data folder, and makes none."""


class OutOfReach(Exception):
    """There is a data folder, and this user may not use it as it must be."""


@contextlib.contextmanager
def within_reach(data_dir: Path) -> Iterator[None]:
    """Say what this user may not do in the data folder; raises OutOfReach for what the system says of its files."""
    try:
        yield
    except FolderUnavailable:
        raise
    except OSError as fault:
        advice = " Run this as the user that runs the service." if isinstance(fault, PermissionError) else ""
        raise OutOfReach(
            f"The data folder {data_dir} cannot be used: {fault.strerror} ({fault.filename or data_dir}).{advice}"
        ) from None


def holds_data(data_dir: Path) -> bool:
    """Is there an embedded database in the data folder? Raises OutOfReach where this user may not look."""
    with within_reach(data_dir):
        return (data_dir / "postgres").exists()


class Embedded:
    """One process's hold on the embedded server of a data folder."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        with within_reach(data_dir):
            private_folder(data_dir)
            self.folder = data_dir.resolve() / "postgres"
            self.log = self.folder.with_name("postgres.log")
            self.owner = _owner(self.folder)
        self.sockets = _socket_folder(self.folder, self.owner)
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._hold: socket.socket | None = None
        self._keeper: threading.Thread | None = None
        self._leaving = threading.Event()

    @property
    def url(self) -> str:
        return f"postgresql://truename@/truename?host={quote(str(self.sockets), safe='')}"

    def attach(self) -> None:
        """Return once the server accepts connections; from then on there is one, whoever dies, until `close`."""
        self._leaving.clear()
        self._join()
        self._make_database()
        self._keeper = threading.Thread(target=self._keep, name="embedded database", daemon=True)
        self._keeper.start()

    def _join(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not self._leaving.is_set():
            if self._joined(until):
                return
            if self._supervisor is None or self._supervisor.poll() is not None:
                if self._supervisor is not None and self._supervisor.returncode not in (0, LOCK_HELD):
                    raise EmbeddedError(f"The embedded database did not start: {self._last_words()}")
                with within_reach(self.data_dir):
                    self._supervisor = self._start_supervisor()
            time.sleep(0.02)
        raise EmbeddedError(f"The embedded database in {self.folder} does not answer; see {self.log}.")

    def close(self) -> None:
        """Let go; if nobody else holds on, wait until the server has stopped."""
        self._leaving.set()
        if self._keeper is not None:
            self._say_goodbye()
            self._keeper.join(LEAVE_SECONDS)
            self._keeper = None
        if self._hold is not None:
            self._say_goodbye()  # once more where the keeper had just come back
            with contextlib.suppress(OSError):
                self._hold.settimeout(LEAVE_SECONDS)
                while self._hold.recv(64):
                    pass
            self._hold.close()
            self._hold = None
        if self._supervisor is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(timeout=0.5)
            self._supervisor.returncode = self._supervisor.returncode or 0
            self._supervisor = None

    def _say_goodbye(self) -> None:
        if (hold := self._hold) is not None:
            with contextlib.suppress(OSError):
                hold.sendall(b"bye\n")

    def _keep(self) -> None:
        """Have a server again where the supervisor ended: the processes that it served outlive it, and need one.

        It may be killed as anything may; it gives up where PostgreSQL dies again and again, or cannot be started once.
        """
        while self._hold is not None:
            with contextlib.suppress(OSError):
                while self._hold.recv(64):
                    pass
            if self._leaving.is_set():
                return
            log.warning("the embedded database is gone, starting it again")
            self._hold.close()
            self._hold = None
            while self._hold is None and not self._leaving.is_set():
                if self._supervisor is not None:
                    self._supervisor.poll()
                    self._supervisor = None
                try:
                    self._join()
                except (EmbeddedError, OutOfReach, OSError) as fault:
                    if not self._leaving.wait(START_AGAIN_SECONDS):
                        log.error("the embedded database does not start", reason=str(fault))

    def _make_database(self) -> None:
        first = self.url.replace("@/truename?", "@/postgres?")
        try:
            with psycopg.connect(first, autocommit=True, connect_timeout=ANSWER_SECONDS) as connection:
                with answering_within(connection, ANSWER_SECONDS):
                    found = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'truename'").fetchone()
                if found is None:
                    with contextlib.suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                        connection.execute("CREATE DATABASE truename")
        except psycopg.OperationalError as error:
            self.close()
            words = f"The embedded database in {self.folder} runs and does not answer ({str(error).strip()})"
            raise EmbeddedError(f"{words}; see {self.log}.") from None

    def _joined(self, until: float) -> bool:
        hold = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            hold.connect(str(self.sockets / "control"))
            hold.settimeout(max(0.1, until - time.monotonic()))
            line = hold.makefile("rb", buffering=0).readline().decode()
        except (FileNotFoundError, ConnectionError, TimeoutError):
            line = ""
        except PermissionError:
            raise EmbeddedError(f"The embedded database in {self.folder} belongs to another user.") from None
        if line == "ready\n":
            hold.settimeout(None)
            self._hold = hold
            return True
        hold.close()
        if line.startswith("error "):
            raise EmbeddedError(f"{line.removeprefix('error ').strip()} ({self._last_words()})")
        return False

    def _start_supervisor(self) -> subprocess.Popen[bytes]:
        if self.log.exists() and self.log.stat().st_size > 10_000_000:
            self.log.replace(self.log.with_suffix(".log.1"))
        program = Path(__file__).with_name("embedded_supervisor.py")
        with open(self.log, "ab", opener=_for_us_alone) as log:
            os.fchmod(log.fileno(), 0o600)  # also one that an earlier version left open to all
            return subprocess.Popen(
                [sys.executable, "-I", "-S", str(program), *self._given()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd="/",
            )

    def _given(self) -> Iterator[str]:
        """What the supervisor is told."""
        for name, value in (
            ("data", self.folder),
            ("sockets", self.sockets),
            ("binaries", binaries(self.owner)),
            ("lock", self.folder.with_name("postgres.lock")),
            ("owner", self.owner.pw_uid),
        ):
            yield from (f"--{name}", str(value))
        buffers = f"{buffer_megabytes(memory_of_machine())}MB"
        for option in {"shared_buffers": buffers, **options_here(self.owner)}.items():
            yield from ("--option", *option)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = self.log.read_text(errors="replace").strip().splitlines()
            if lines:
                return f"{self.log} ends with: {lines[-1]}"
        return f"see {self.log}"


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _owner(folder: Path) -> pwd.struct_passwd:
    """Who runs the server: we ourselves; or, as PostgreSQL refuses root, whoever owns the folder or some plain user."""
    try:
        if os.geteuid() != 0:
            if folder.exists() and folder.stat().st_uid != os.geteuid():
                raise EmbeddedError(f"The database in {folder} belongs to another user; start Truename as that user.")
            return pwd.getpwuid(os.geteuid())
        if folder.exists() and folder.stat().st_uid != 0:
            return pwd.getpwuid(folder.stat().st_uid)
    except KeyError:
        raise EmbeddedError(
            f"The user {os.geteuid()} has no name on this machine, which PostgreSQL needs; add it to /etc/passwd, "
            "or set TRUENAME_DATABASE_URL."
        ) from None
    for name in UNPRIVILEGED_USERS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise EmbeddedError(
        f"PostgreSQL does not run as root, and none of the users {', '.join(UNPRIVILEGED_USERS)} exists here; "
        "add one, start Truename as a plain user, or set TRUENAME_DATABASE_URL."
    )


def _socket_folder(folder: Path, owner: pwd.struct_passwd) -> Path:
    """A short path, for the system allows about 100 characters; private, and never someone else's."""
    name = hashlib.sha256(f"{owner.pw_uid}:{folder}".encode()).hexdigest()[:16]
    sockets = Path("/tmp") / f".truename-{name}"  # noqa: S108  # nosec B108
    with contextlib.suppress(FileExistsError):
        sockets.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(sockets, owner.pw_uid, owner.pw_gid)
    for _ in range(20):
        found = sockets.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == owner.pw_uid and not found.st_mode & 0o077:
            return sockets
        time.sleep(0.02)  # another process of ours may stand between its mkdir and its chown
    raise EmbeddedError(f"{sockets} is not ours; remove it and start again.")
