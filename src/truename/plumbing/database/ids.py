"""New identifiers: UUID version 7, so that rows made together lie together."""

import os
import time
from uuid import UUID


def new_id() -> UUID:
    """A fresh identifier: 48 bits of milliseconds, 74 bits of chance."""
    milliseconds = time.time_ns() // 1_000_000
    chance = int.from_bytes(os.urandom(10), "big")
    high = (milliseconds << 16) | 0x7000 | (chance >> 68)
    low = (0b10 << 62) | (chance & ((1 << 62) - 1))
    return UUID(int=(high << 64) | low)
