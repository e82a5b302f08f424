"""A file system that is soon full."""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def a_small_disk(size: str) -> Iterator[Path]:
    """A file system in memory that is soon full."""
    libc = ctypes.CDLL(None, use_errno=True)
    above = Path(tempfile.mkdtemp(prefix="truename-small-disk-"))
    above.chmod(0o711)  # PostgreSQL runs as another user where we are root
    folder = above / "disk"
    folder.mkdir()
    try:
        if libc.mount(b"none", bytes(folder), b"tmpfs", 0, f"size={size}".encode()) != 0:
            pytest.skip(f"this user may not mount: {os.strerror(ctypes.get_errno())}")
        try:
            yield folder
        finally:
            libc.umount2(bytes(folder), 2)
    finally:
        shutil.rmtree(above)
