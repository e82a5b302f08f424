"""What a service and its decoder process say to each other, over a socket that belongs to the two alone."""

from __future__ import annotations

import io
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from truename.vision.captures import Picture

JOB: Final = struct.Struct(">IBId")
"""Bytes of the picture, quality of the copy (0: none), longest side of the pixels (0: as they are), CPU seconds."""
ANSWER: Final = struct.Struct(">BIIIII")
"""How it went, width and height of the picture, width and height of the pixels, bytes of the copy or of the words."""
DECODED: Final = 0
REFUSED: Final = 1
OUT_OF_MEMORY: Final = 2

LARGEST_SIDE: Final = 4096
"""Pixels of a longer side are of no use to any model, and of much use to who wants to fill the memory."""
LARGEST_COPY: Final = 12 * 1024 * 1024
"""Bytes, as of the largest upload. A picture whose copy would have more (noise, above all: forty megabytes of it stop
the event loop for thirty milliseconds while they are sealed) is kept as small as it is looked at."""


@dataclass(frozen=True)
class Wanted:
    """What is made of a picture: pixels no larger than this side, and a JPEG copy of this quality, or none."""

    largest_side: int | None = None
    copy_quality: int | None = None


@dataclass(frozen=True)
class Decoded:
    """A picture, upright: its pixels, perhaps made smaller, and its copy of `width` × `height` (empty: not wanted).

    The copy is as large as the picture, unless it would have more than `LARGEST_COPY` bytes: then as the pixels.
    """

    width: int
    height: int
    pixels: Picture
    copy: bytes = b""


class Hung(Exception):
    """The other side is gone."""


def receive_into(connection: socket.socket, room: memoryview) -> None:
    """Fill the room; raises Hung when the other side ends before, TimeoutError when it takes too long."""
    while room:
        got = connection.recv_into(room)
        if got == 0:
            raise Hung
        room = room[got:]


def receive(connection: socket.socket, size: int) -> bytes:
    """So many bytes, received where they stay: a file of many megabytes is never there twice."""
    room = io.BytesIO(bytes(size))
    with room.getbuffer() as buffer:
        receive_into(connection, buffer)
    return room.getvalue()
