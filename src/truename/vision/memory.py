"""Memory that was freed stays with the process that looks at pictures, for the next picture.

Pictures and what networks make of them are blocks of many megabytes. By default glibc hands each back to the system
when it is freed, and the system clears and maps it page by page for the next one: 13,000 pages for each search of a
page for text, a fifth of the time that it takes.
"""

import ctypes
from typing import Final

KEPT: Final = 256 * 2**20
"""Bytes at the end of the heap that are kept when they are free."""
LARGEST: Final = 2**30
"""Bytes of a block up to which it comes from the heap."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""What `malloc.h` calls M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX."""


def keep_freed_memory() -> bool:
    """Tell the C library to keep freed memory, in one heap for all threads; False where it knows no such thing.

    For processes that look at one transaction after another; not for those that decode what strangers send, which
    should be small when they are done.
    """
    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False  # not glibc
    return all([tell(_ARENA_MAX, 1), tell(_TRIM_THRESHOLD, KEPT), tell(_MMAP_THRESHOLD, LARGEST)])
