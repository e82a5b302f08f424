"""What the first bytes of a stranger's picture say, and what it will cost to decode it.

Nothing here decodes a pixel, so it is safe to run beside everything else.
"""

import struct
from dataclasses import dataclass
from typing import Final, Literal

from truename.vision.decoding.jpeg import (
    JPEG_FRAMES,
    MAX_SCANS,
    MAX_SEGMENTS,
    PLAIN_FRAMES,
    PROGRESSIVE_FRAME,
    Structure,
    buffered_bytes,
    skip_fill,
    structure_of,
)

MAX_PIXELS: Final = 40_000_000
MAX_SIDE: Final = 65_500
"""The longest side that a JPEG can have, since every kept copy is one."""
MAX_BUFFERED: Final = 128 * 1024 * 1024
"""Bytes that a JPEG of several scans may take beside its pixels: 40 million pixels with colours at half their width and
height, as cameras and most programs write them, or 22 million with colours in full."""
MAX_RATIO: Final = 20
"""How much longer than wide a picture may be: no document and no face is a ribbon, and no model can look at one."""

PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
JPEG_MAGIC: Final = b"\xff\xd8\xff"
PNG_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

Format = Literal["JPEG", "PNG"]
Reason = Literal[
    "format_not_supported",
    "no_pixels",
    "too_many_pixels",
    "too_narrow",
    "too_many_scans",
    "metadata_too_large",
    "too_costly",
    "damaged",
]


class ImageRefused(Exception):
    """The picture cannot be used; says why, in a code and in a sentence."""

    def __init__(self, reason_code: Reason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason_code = reason_code
        self.sentence = sentence


@dataclass(frozen=True)
class ImageHeader:
    """What the first bytes say, before EXIF orientation is applied."""

    format: Format
    width: int
    height: int


def inspect(data: bytes) -> ImageHeader:
    """Read format and size from magic and header only, and refuse what is too large to be decoded."""
    if data.startswith(PNG_MAGIC):
        header = ImageHeader("PNG", *_png_size(data))
    elif data.startswith(JPEG_MAGIC):
        header = ImageHeader("JPEG", *_jpeg_size(data))
    else:
        raise ImageRefused("format_not_supported", "The image is neither a JPEG nor a PNG.")
    refuse_bad_size(header.width, header.height)
    return header


def expected_seconds(data: bytes, header: ImageHeader) -> float:
    """About how long one core of today needs to decode the picture and to encode its copy.

    Measured on pictures of 12 million pixels: within a factor of two of the truth, and meant to err upwards. Refuses a
    JPEG of absurdly many scans, each of which costs a few bytes and a walk over every pixel, and one that would be kept
    in memory several times over.
    """
    pixels = header.width * header.height
    copying = pixels * 7e-9
    if header.format == "PNG":
        sample = max(1, data[24] // 8) * PNG_CHANNELS.get(data[25], 4)
        return copying + pixels * sample * 3e-9 + len(data) * 2e-8
    structure = structure_of(data)
    refuse_many_scans(structure)
    refuse_large_buffers(data)
    decoding = pixels * (6 + structure.scans) * 1e-9 + structure.length * (4e-8 if structure.scans > 1 else 2e-8)
    # A file whose end was not seen is decoded up to three times, to find out whether it is whole.
    return copying + decoding * (1 if structure.whole else 3)


def refuse_many_scans(structure: Structure) -> None:
    """Raise ImageRefused for a JPEG that is sent over and over: each scan costs as much as the picture."""
    if structure.scans > MAX_SCANS:
        raise ImageRefused("too_many_scans", f"The JPEG has more than {MAX_SCANS} scans.")


def refuse_large_buffers(data: bytes) -> None:
    """Raise ImageRefused for a JPEG in several scans that would take far more memory than its pixels."""
    try:
        size = buffered_bytes(data)
    except ValueError:
        raise ImageRefused("damaged", "The JPEG has no frame header.") from None
    if size > MAX_BUFFERED:
        words = "The JPEG is progressive, and too large for that: save it without."
        raise ImageRefused("too_costly", words)


def refuse_bad_size(width: int, height: int) -> None:
    """Refuse what has no pixels, too many, or the shape of a ribbon."""
    if width == 0 or height == 0:
        raise ImageRefused("no_pixels", "The image has no pixels.")
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        raise ImageRefused("too_many_pixels", f"The image has more than {MAX_PIXELS // 1_000_000} million pixels.")
    if max(width, height) > MAX_RATIO * min(width, height):
        raise ImageRefused("too_narrow", f"One side of the image is more than {MAX_RATIO} times as long as the other.")


def _png_size(data: bytes) -> tuple[int, int]:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise ImageRefused("damaged", "The PNG has no header.")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Walk the marker segments up to the frame header; refuses a file that has none within so many."""
    at = 2
    for _ in range(MAX_SEGMENTS):
        at = skip_fill(data, at)
        if at + 4 > len(data) or data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            at += 2
            continue
        if marker in (0xD8, 0xD9, 0xDA):
            break
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in JPEG_FRAMES and at + 9 <= len(data):
            if marker not in PLAIN_FRAMES and marker != PROGRESSIVE_FRAME:
                raise ImageRefused("format_not_supported", "The JPEG is lossless or arithmetic-coded.")
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + max(length, 2)
    raise ImageRefused("damaged", "The JPEG has no frame header.")
