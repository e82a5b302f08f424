"""Safe decoding of pictures that strangers send.

Everything that reads an untrusted picture goes through here: the magic and the header are judged before a single
pixel is decoded, only JPEG and PNG are ever handed to the decoder, and every fault is an `ImageRefused`.
"""

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from PIL import Image

from truename.vision.captures import Picture
from truename.vision.jpeg import JPEG_FRAMES, quick_jpeg

MAX_PIXELS: Final = 40_000_000
MAX_SIDE: Final = 65_500
"""The longest side that a JPEG can have, since every kept copy is one."""
MAX_METADATA: Final = 4 * 1024 * 1024
"""What one compressed text or colour-profile chunk may unfold to."""

PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
JPEG_MAGIC: Final = b"\xff\xd8\xff"
PNG_KEPT_CHUNKS: Final = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"eXIf", b"IEND"}
EXIF_ORIENTATION: Final = 0x0112
UPRIGHTED_BY: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

Format = Literal["JPEG", "PNG"]
Reason = Literal["format_not_supported", "no_pixels", "too_many_pixels", "metadata_too_large", "damaged"]


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


@dataclass(frozen=True)
class CleanImage:
    """A re-encoded copy: an upright JPEG with no metadata."""

    data: bytes
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
    _refuse_bad_size(header.width, header.height)
    return header


def decode(data: bytes) -> Picture:
    """Decode to upright 8-bit RGB, whatever the colour model of the file."""
    header = inspect(data)
    try:
        if header.format == "PNG":
            return _pixels(_without_side_chunks(data), "PNG")
        return _jpeg_pixels(data)
    except ImageRefused:
        raise
    except (
        Exception
    ) as fault:  # decoders raise anything on hostile input: OSError, ValueError, SyntaxError, struct.error…
        raise ImageRefused("damaged", "The image is damaged and cannot be decoded.") from fault


def clean(data: bytes, quality: int = 92, largest_side: int | None = None) -> CleanImage:
    """Make the copy that is safe to keep: upright, re-encoded, without metadata."""
    picture = decode(data)
    if largest_side is not None:
        picture = shrink(picture, largest_side)
    height, width = picture.shape[:2]
    return CleanImage(encode_jpeg(picture, quality), width, height)


def encode_jpeg(picture: Picture, quality: int = 92) -> bytes:
    """Encode RGB pixels as a JPEG without metadata."""
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "JPEG", quality=quality)
    return out.getvalue()


def shrink(picture: Picture, largest_side: int) -> Picture:
    """Scale down, never up, so that no side is longer than asked."""
    height, width = picture.shape[:2]
    scale = largest_side / max(height, width)
    if scale >= 1:
        return picture
    size = max(1, round(width * scale)), max(1, round(height * scale))
    while picture.shape[1] >= 2 * size[0] and picture.shape[0] >= 2 * size[1] and min(size) > 1:
        # Halving whole pixels is several times faster than averaging by an odd factor at once.
        half = picture.shape[1] // 2, picture.shape[0] // 2
        even = picture[: 2 * half[1], : 2 * half[0]]
        picture = np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


# ── headers ────────────────────────────────────────────────────────────────────────────────────────────────


def _refuse_bad_size(width: int, height: int) -> None:
    if width == 0 or height == 0:
        raise ImageRefused("no_pixels", "The image has no pixels.")
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        raise ImageRefused("too_many_pixels", f"The image has more than {MAX_PIXELS // 1_000_000} million pixels.")


def _png_size(data: bytes) -> tuple[int, int]:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise ImageRefused("damaged", "The PNG has no header.")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Walk the marker segments up to the frame header."""
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            at += 2
            continue
        if marker in (0xD8, 0xD9, 0xDA):
            break
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in JPEG_FRAMES and at + 9 <= len(data):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + max(length, 2)
    raise ImageRefused("damaged", "The JPEG has no frame header.")


# ── PNG ────────────────────────────────────────────────────────────────────────────────────────────────────


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
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


def _without_side_chunks(data: bytes) -> bytes:
    """Keep only what draws the first frame, so that text, profiles and animation never reach the decoder."""
    kept = [PNG_MAGIC]
    for kind, body in _png_chunks(data):
        if kind in (b"zTXt", b"iCCP", b"iTXt"):
            _refuse_bomb(kind, body)
        if kind in PNG_KEPT_CHUNKS:
            checksum = zlib.crc32(body, zlib.crc32(kind)).to_bytes(4, "big")
            kept.append(struct.pack(">I4s", len(body), kind) + body + checksum)
    return b"".join(kept)


def _refuse_bomb(kind: bytes, body: bytes) -> None:
    packed = body.partition(b"\0")[2]
    if kind == b"iTXt":
        if packed[:1] != b"\1":
            return
        packed = packed[2:].partition(b"\0")[2].partition(b"\0")[2]
    else:
        packed = packed[1:]
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(packed, MAX_METADATA + 1)
    except zlib.error:
        return  # it is left out anyway
    if len(unpacked) > MAX_METADATA:
        raise ImageRefused("metadata_too_large", "The PNG carries a text or profile that unfolds to many megabytes.")


# ── JPEG ───────────────────────────────────────────────────────────────────────────────────────────────────


def _jpeg_pixels(data: bytes) -> Picture:
    try:
        return _pixels(data, "JPEG")
    except OSError:
        # Some cameras leave out the end mark. Bits after a complete picture change nothing, while in a truncated
        # one they are drawn: so the file was complete if both endings give the same picture.
        as_it_is = _pixels(data + b"\xff\xd9", "JPEG")
        if not np.array_equal(as_it_is, _pixels(data + b"\x5a\xc3\x17\x96" * 64 + b"\xff\xd9", "JPEG")):
            raise
        return as_it_is


# ── pixels ─────────────────────────────────────────────────────────────────────────────────────────────────


def _pixels(data: bytes, kind: Format) -> Picture:
    with Image.open(io.BytesIO(data), formats=[kind]) as image:
        _refuse_bad_size(*image.size)  # a second header may say something else than the first
        orientation = _orientation(image)
        quick = quick_jpeg(data, image) if kind == "JPEG" else None
        if quick is not None and orientation not in UPRIGHTED_BY:
            return quick
        whole = Image.fromarray(quick) if quick is not None else image
        whole.load()
        upright = whole.transpose(UPRIGHTED_BY[orientation]) if orientation in UPRIGHTED_BY else whole
        return np.ascontiguousarray(np.asarray(_rgb(upright), dtype=np.uint8))


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(EXIF_ORIENTATION, 1))
    except Exception:  # broken EXIF is common in honest files and turns nothing
        return 1


def _rgb(image: Image.Image) -> Image.Image:
    """Bring any colour model to RGB; what is transparent is laid over white."""
    if image.mode.startswith("I"):
        grey = np.asarray(image).astype(np.uint32) >> 8
        return Image.fromarray(np.minimum(grey, 255).astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, layer).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")
