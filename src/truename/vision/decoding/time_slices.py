"""How long a thread goes on before others take its core: its time slice in the Linux scheduler.

A decoder, or a look at a picture, works for seconds without a pause. Niceness says how much of a core it gets, not how
soon it makes room: who wakes up meanwhile, the event loop or a process of PostgreSQL, may wait for the next tick of the
clock (4 ms where there are 250 in a second), and a request wakes somebody up ten to twenty times. Since 6.12 Linux lets
whoever has the shorter slice take over at once. So what works for long has the longest slice. Shares of a core stay as
they are: nobody starves. On older systems, and where it is not allowed, nothing changes.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from collections.abc import Callable
from typing import Final, TypeVar

LONGEST: Final = 100_000_000
"""The longest slice that Linux takes, in nanoseconds; the usual one is 1.4 ms on two cores, 2.8 on eight and more."""
ATTRIBUTES: Final = struct.Struct("=IIQiIQQQ")
"""`struct sched_attr`: its size, policy, flags, niceness, priority, slice, and two that ordinary processes lack."""
NUMBERS: Final = {"x86_64": (314, 315), "aarch64": (274, 275)}
"""Of the calls `sched_setattr` and `sched_getattr`, for which most C libraries have no name."""
ORDINARY: Final = 0
"""The policy SCHED_OTHER."""

Seen = TypeVar("Seen")

_numbers = NUMBERS.get(platform.machine()) if sys.platform == "linux" else None
_call = ctypes.CDLL(None).syscall if _numbers is not None else None


def own_slice() -> int | None:
    """Nanoseconds of this thread's slice; None where the system does not say, or has another policy for it."""
    found = _attributes()
    return None if found is None or found[1] != ORDINARY else found[5] or None


def take_slice(nanoseconds: int) -> bool:
    """Have this thread, and those that it begins later, go on for so long at a stretch.

    Answers whether the system took it. Never raises.
    """
    found = _attributes()
    if found is None or found[1] != ORDINARY or _call is None or _numbers is None:
        return False
    told = ATTRIBUTES.pack(ATTRIBUTES.size, ORDINARY, 0, found[3], 0, nanoseconds, 0, 0)
    return bool(_call(_numbers[0], 0, told, 0) == 0)


def within_slice(nanoseconds: int, work: Callable[[], Seen]) -> Seen:
    """Do this work in such slices, threads and processes that it begins included; then go on as before."""
    before = own_slice()
    if before is None or not take_slice(nanoseconds):
        return work()
    try:
        return work()
    finally:
        take_slice(before)


def _attributes() -> tuple[int, ...] | None:
    if _call is None or _numbers is None:
        return None
    room = ctypes.create_string_buffer(ATTRIBUTES.size)
    if _call(_numbers[1], 0, room, ATTRIBUTES.size, 0) != 0:
        return None
    return ATTRIBUTES.unpack(room.raw)
