"""What is slow to make is made once in a run of tests, by whichever xdist worker needs it first."""

import contextlib
import fcntl
import hashlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

Made = TypeVar("Made")

KEPT_IN: Final = "MADE_ONCE_FOR_TESTS"
"""The variable that names the folder of this run; where it is not set (in benchmarks), everything is made anew."""


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of this file, for which the other workers wait."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def begin() -> Path | None:
    """Name the folder of this run, unless somebody has; the folder, if it is ours to remove."""
    if KEPT_IN in os.environ:
        return None
    folder = Path(tempfile.mkdtemp(prefix="truename-made-once-"))
    os.environ[KEPT_IN] = str(folder)
    return folder


def end(folder: Path) -> None:
    """Remove it with all that was made."""
    del os.environ[KEPT_IN]
    shutil.rmtree(folder, ignore_errors=True)


def once(name: str, make: Callable[[], Made]) -> Made:
    """What `make` makes, which must depend on the name alone: made by the first who asks, read by the others."""
    if KEPT_IN not in os.environ:
        return make()
    kept = Path(os.environ[KEPT_IN]) / hashlib.sha256(name.encode()).hexdigest()[:24]
    with alone(kept.with_suffix(".lock")):
        if not kept.exists():
            kept.write_bytes(pickle.dumps(make()))
        found: Made = pickle.loads(kept.read_bytes())
        return found
