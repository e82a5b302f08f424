"""The folder in which the processes of one service count together: made with it, and gone after it, however it ended.

Each process has a place there, whose number its files bear. It holds the lock of its place while it lives, and who
made the folder that of the folder: the system opens both when they die. So whoever comes later can tell what is left of
the dead, and takes it away; in a container whose memory is its disk that would fill up with each death.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
PREFIX: Final = "truename-counters-"
"""Not `truename-metrics-`: those are of version 0.2, which locks nothing, and whose processes may live."""
ROOM: Final = {"counter": 1 << 20, "histogram": 1 << 20, "gauge_livesum": 1 << 12}
"""Bytes for each file of a place, by what is counted there: enough for every path of ours under many statuses."""


def make_folder() -> None:
    """Name a folder of this service's own, unless one is named; take away those of services that died.

    Raises OSError where there is no room for it.
    """
    if FOLDER in os.environ:
        return
    take_away_the_dead()
    folder = _new_folder()
    while folder is None:
        folder = _new_folder()
    os.environ[FOLDER] = str(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _new_folder() -> Path | None:
    """A folder, locked until we die; None where another process took it for one of the dead in the same moment."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    with suppress(FileNotFoundError):
        if lock(folder) is not None and folder.is_dir():
            return folder
    return None


def lock(path: Path, flags: int = os.O_RDONLY) -> int | None:
    """This file or folder, open, and locked until that is closed or we die; None while another process has it."""
    opened = os.open(path, flags | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        return None
    return opened


def take_away_the_dead() -> None:
    """Delete every folder of ours in which nobody lives any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # another process is quicker
            if folder.lstat().st_uid == os.geteuid():
                _take_away(folder)


def _take_away(folder: Path) -> None:
    with ExitStack() as held:
        for path in (folder, *folder.glob("place-*.lock")):
            opened = lock(path)
            if opened is None:
                return
            held.callback(os.close, opened)
        shutil.rmtree(folder)


def reserve(place: int) -> None:
    """Have room kept for all that is counted at this place. Raises OSError where there is none.

    Who writes to a file that grows as it is written to is killed when its disk is full. And the files are there whole
    or not at all: in the moment between its making and its first byte nobody could read one.
    """
    for kind, size in ROOM.items():
        file = Path(os.environ[FOLDER], f"{kind}_{place}.db")
        if not file.exists():
            draft = file.with_suffix(".new")
            try:
                with draft.open("wb") as made:
                    os.posix_fallocate(made.fileno(), 0, size)
                draft.rename(file)
            except OSError:
                draft.unlink(missing_ok=True)
                raise
