"""New identifiers: UUID version 7, so that rows made together lie together."""

import os
from typing import Final
from uuid import UUID, SafeUUID

import orjson

from truename.plumbing import clock

_VERSION_AND_VARIANT: Final = (7 << 76) | (0b10 << 62)
_CHANCE: Final = ~((0xF << 76) | (0b11 << 62))
"""All bits but those of version and variant."""


def new_id() -> UUID:
    """A fresh identifier: 48 bits of milliseconds (of the database's clock), 74 bits of chance."""
    milliseconds, chance = clock.nanoseconds() // 1_000_000, int.from_bytes(os.urandom(10), "big")
    made = UUID.__new__(UUID)
    # What its constructor does with a number, after it has looked at five other ways to give it: half of the time.
    object.__setattr__(made, "int", ((milliseconds << 80) | chance) & _CHANCE | _VERSION_AND_VARIANT)
    object.__setattr__(made, "is_safe", SafeUUID.unknown)
    return made


def id_text(identifier: UUID) -> str:
    """The 36 characters of an identifier, as `str` writes them, but in a quarter of the time."""
    return orjson.dumps(identifier)[1:-1].decode()
