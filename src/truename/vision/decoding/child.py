"""The life of one decoder process: take a picture, decode it under limits, hand back pixels; again until the end.

It is forked by the fork server and holds nothing but one end of a socket. Whoever finds a hole in a decoder finds
themselves in a process without the database, without keys, without the right to open a file.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import socket

import numpy as np
from PIL import Image

from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.protocol import (
    ANSWER,
    DECODED,
    JOB,
    LARGEST_COPY,
    OUT_OF_MEMORY,
    REFUSED,
    Hung,
    receive,
)
from truename.vision.decoding.time_slices import LONGEST, take_slice
from truename.vision.images import encode_jpeg, encode_jpeg_in_place, shrink


def live(connection: socket.socket, *, memory: int, niceness: int) -> None:
    """Work until the service hangs up, or a limit kills this process."""
    confine(memory)
    os.nice(niceness)
    take_slice(LONGEST)
    with contextlib.suppress(Hung, OSError):
        while _one_picture(connection):
            pass


def rehearse() -> None:
    """Decode one small picture of each kind, so that every module is loaded before no file can be opened any more."""
    exif = Image.Exif()
    exif[0x0112] = 6
    for kind, mode in (("JPEG", "RGB"), ("JPEG", "CMYK"), ("PNG", "RGBA"), ("PNG", "P"), ("PNG", "I;16")):
        out = io.BytesIO()
        Image.new(mode, (8, 8)).save(out, kind, exif=exif)
        shrink(decode(out.getvalue()), 4)
        with contextlib.suppress(ImageRefused):
            decode(out.getvalue()[:-20])
    encode_jpeg(decode(out.getvalue()))
    encode_jpeg_in_place(decode(out.getvalue()))


def confine(memory: int) -> None:
    """From here on: so many bytes more than now, no files, no further processes, no core dumps."""
    most = _mapped_now() + memory
    for what, limit in (
        (resource.RLIMIT_AS, most),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        resource.setrlimit(what, (limit, limit))
    with contextlib.suppress(ValueError, OSError):  # root is not bound by it
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    # The timer of consumed time ends this process where no handler could: in the middle of a decoder.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)


def _mapped_now() -> int:
    """Bytes of address space in use. Where the system does not say, a generous guess."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 (as few modules as possible)
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 2 * 1024**3


def _one_picture(connection: socket.socket) -> bool:
    """Answers whether this process is good for another one."""
    size, quality, largest_side, seconds = JOB.unpack(receive(connection, JOB.size))
    data = receive(connection, size)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        picture = decode(data)
        height, width = picture.shape[:2]
        small = shrink(picture, largest_side) if largest_side else picture
        encode = encode_jpeg if small is picture else encode_jpeg_in_place
        copy = encode(picture, quality) if quality else b""
        if len(copy) > LARGEST_COPY and small is not picture:
            (height, width), copy = small.shape[:2], encode_jpeg(small, quality)
        answer = ANSWER.pack(DECODED, width, height, small.shape[1], small.shape[0], len(copy))
    except ImageRefused as refused:
        words = json.dumps([refused.reason_code, refused.sentence]).encode()
        connection.sendall(ANSWER.pack(REFUSED, 0, 0, 0, 0, len(words)) + words)
        return True
    except MemoryError:
        connection.sendall(ANSWER.pack(OUT_OF_MEMORY, 0, 0, 0, 0, 0))
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    connection.sendall(answer + copy)
    connection.sendall(np.ascontiguousarray(small).data.cast("B"))
    return True
