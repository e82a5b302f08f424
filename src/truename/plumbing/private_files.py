"""Files and folders that nobody else on the machine may look into."""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path


class FolderUnavailable(OSError):
    """A folder that somebody named cannot be made; the sentence says which and why."""


def private_folder(folder: Path) -> None:
    """Make the folder with mode 0700; one that is ours and open to others is closed to them.

    A folder that belongs to somebody else, or that is shared by design (sticky, as /tmp is), is left as it is.
    Raises FolderUnavailable.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise FolderUnavailable(f"The folder {folder} cannot be made: {fault.strerror}.") from None
    found = folder.stat()
    if found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX and found.st_mode & 0o077:
        with contextlib.suppress(PermissionError):
            folder.chmod(stat.S_IMODE(found.st_mode) & 0o700)


def write_private(path: Path, text: str) -> None:
    """Write a file that only we may read, whatever stood there before."""
    private_folder(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        os.fsync(file.fileno())
    draft.replace(path)


@contextlib.contextmanager
def private_draft(path: Path) -> Iterator[Path]:
    """An empty file beside `path` that only we may read, and that is gone when the block ends.

    Who has written all of it gives it the real name by `os.link`, which fails where something has that name. What a
    process left that was killed is taken over; raises FileExistsError while another one is at it.
    """
    draft = path.with_name(f".{path.name}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(descriptor), draft.lstat()):
                raise FileNotFoundError  # the other one has ended since, and taken it away
        except (BlockingIOError, FileNotFoundError):
            raise FileExistsError(errno.EEXIST, "Another process is writing it", str(path)) from None
        os.fchmod(descriptor, 0o600)
        os.ftruncate(descriptor, 0)
        try:
            yield draft
        finally:
            draft.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
