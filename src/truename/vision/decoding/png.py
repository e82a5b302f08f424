"""The chunks of a PNG, of which only those that draw the picture reach the decoder."""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

from truename.vision.decoding.header import PNG_MAGIC, ImageRefused

MAX_METADATA: Final = 4 * 1024 * 1024
"""What all compressed text and colour-profile chunks together may unfold to: a thousand fit into a picture."""
MAX_EXIF: Final = 64 * 1024
"""As much as a JPEG can carry; a longer one is left out."""
KEPT_CHUNKS: Final = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"eXIf", b"IEND"}


def without_side_chunks(data: bytes) -> bytes:
    """Keep only what draws the first frame, so that text, profiles and animation never reach the decoder."""
    kept, unfolded = [PNG_MAGIC], 0
    for kind, body in _chunks(data):
        if kind in (b"zTXt", b"iCCP", b"iTXt"):
            unfolded += _unfolded(kind, body)
            if unfolded > MAX_METADATA:
                words = "The PNG carries a text or profile that unfolds to many megabytes."
                raise ImageRefused("metadata_too_large", words)
        if kind in KEPT_CHUNKS and not (kind == b"eXIf" and len(body) > MAX_EXIF):
            checksum = zlib.crc32(body, zlib.crc32(kind)).to_bytes(4, "big")
            kept.append(struct.pack(">I4s", len(body), kind) + body + checksum)
    return b"".join(kept)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each chunk whose checksum holds, up to the end mark."""
    at = len(PNG_MAGIC)
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        end = at + 12 + length
        if end > len(data):
            break
        body = data[at + 8 : end - 4]
        if zlib.crc32(body, zlib.crc32(kind)) != int.from_bytes(data[end - 4 : end], "big"):
            raise ImageRefused("damaged", "A checksum in the PNG is wrong.")
        yield kind, body
        if kind == b"IEND":
            return
        at = end
    raise ImageRefused("damaged", "The PNG ends too early.")


def _unfolded(kind: bytes, body: bytes) -> int:
    """How many bytes are folded up in a chunk, counted no further than is allowed; 0 where none are."""
    packed = body.partition(b"\0")[2]
    if kind == b"iTXt":
        if packed[:1] != b"\1":
            return 0
        packed = packed[2:].partition(b"\0")[2].partition(b"\0")[2]
    else:
        packed = packed[1:]
    unpacker = zlib.decompressobj()
    try:
        return len(unpacker.decompress(packed, MAX_METADATA + 1))
    except zlib.error:
        return 0  # it is left out anyway
