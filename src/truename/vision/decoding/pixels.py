"""Decode in this very process: for the decoder processes, and for pictures that we made ourselves.

Only JPEG and PNG are ever handed to a decoder, and every fault is an `ImageRefused`.
"""

from __future__ import annotations

import hashlib
import io
import mmap
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from PIL import Image

from truename.vision.decoding.header import (
    Format,
    ImageRefused,
    inspect,
    refuse_bad_size,
    refuse_large_buffers,
    refuse_many_scans,
)
from truename.vision.decoding.jpeg import Structure, quick_jpeg, structure_of
from truename.vision.decoding.png import without_side_chunks

if TYPE_CHECKING:
    from truename.vision.captures import Picture

EXIF_ORIENTATION: Final = 0x0112
OPENCV_OUT_OF_MEMORY: Final = -4
BAND_PIXELS: Final = 2**17
"""Pixels that are brought to RGB at a time: each step of it makes a copy of them."""
FOUR_BYTES: Final = frozenset({"RGB", "RGBA", "LA", "CMYK"})
"""Colour models of which Pillow keeps four bytes for each pixel, whatever the file has."""


def decode(data: bytes) -> Picture:
    """Decode to upright 8-bit RGB, whatever the colour model of the file.

    Raises ImageRefused for whatever is wrong with the file, and MemoryError when there is not enough memory for it.
    """
    header = inspect(data)
    try:
        if header.format == "PNG":
            return _pixels(without_side_chunks(data), "PNG")
        return _jpeg_pixels(data)
    except (ImageRefused, MemoryError):
        raise
    except cv2.error as fault:
        if fault.code == OPENCV_OUT_OF_MEMORY:
            raise MemoryError from fault
        raise ImageRefused("damaged", "The image is damaged and cannot be decoded.") from fault
    except (
        Exception
    ) as fault:  # decoders raise anything on hostile input: OSError, ValueError, SyntaxError, struct.error…
        raise ImageRefused("damaged", "The image is damaged and cannot be decoded.") from fault


def _jpeg_pixels(data: bytes) -> Picture:
    structure = structure_of(data)
    refuse_many_scans(structure)
    refuse_large_buffers(data)
    if structure.whole:
        data = data[: structure.length]  # films and second pictures after the end never reach a decoder
    try:
        return _pixels(data, "JPEG", structure)
    except OSError as fault:
        truncated = fault.with_traceback(None)  # its frames hold pixels
    # Some cameras leave out the end mark. Bits after a complete picture change nothing, while in a truncated
    # one they are drawn: so the file was complete if both endings give the same picture. Never are two there at once.
    first = _digest(_pixels(data + b"\xff\xd9", "JPEG"))
    again = _pixels(data + b"\x5a\xc3\x17\x96" * 64 + b"\xff\xd9", "JPEG")
    if _digest(again) != first:
        raise truncated
    return again


def _digest(picture: Picture) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(picture).data).digest()


def _pixels(data: bytes, kind: Format, structure: Structure | None = None) -> Picture:
    """`structure`: that of a JPEG, where it is known already."""
    with Image.open(io.BytesIO(data), formats=[kind]) as image:
        refuse_bad_size(*image.size)  # a second header may say something else than the first
        picture = quick_jpeg(data, image, structure or structure_of(data)) if kind == "JPEG" else None
        room = Room(image) if picture is None and image.mode in FOUR_BYTES else None
        orientation = _orientation(image)  # which may load a PNG already
        if picture is None:
            image.load()
            picture = _rgb(image, room)
    return _upright(picture, orientation)


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(EXIF_ORIENTATION, 1))
    except MemoryError:
        raise
    except Exception:  # broken EXIF is common in honest files and turns nothing
        return 1


def _upright(picture: Picture, orientation: int) -> Picture:
    """Turn and mirror as the EXIF orientation says; any other number turns nothing."""
    if orientation == 2:
        turned = cv2.flip(picture, 1)
    elif orientation == 3:
        turned = cv2.rotate(picture, cv2.ROTATE_180)
    elif orientation == 4:
        turned = cv2.flip(picture, 0)
    elif orientation == 5:
        turned = cv2.transpose(picture)
    elif orientation == 6:
        turned = cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE)
    elif orientation == 7:
        turned = cv2.flip(cv2.transpose(picture), -1)
    elif orientation == 8:
        turned = cv2.rotate(picture, cv2.ROTATE_90_COUNTERCLOCKWISE)
    else:
        return picture
    return np.asarray(turned, np.uint8)


class Room:
    """Memory that a picture is decoded into, four bytes a pixel, and in which it becomes three.

    Else it is there twice: 280 MB for 40 million pixels, where this takes 160, and 120 when it is done.
    """

    def __init__(self, image: Image.Image) -> None:
        """Make it, and have the image, which is open but not loaded, use it. MemoryError where there is none."""
        self._size = image.width * image.height
        try:
            self._memory = mmap.mmap(-1, 4 * self._size)
        except OSError as fault:
            raise MemoryError from fault
        core = Image.core  # type: ignore[attr-defined]  # no documented way lets the library decode into given memory
        image.im = core.map_buffer(self._memory, image.size, "raw", 0, (image.mode, 0, 1))

    def packed(self) -> Picture:
        """Where its pixels go, from its beginning on: no row is written before the one that was there is read."""
        return np.frombuffer(self._memory, np.uint8, 3 * self._size)

    def give_rest_back(self) -> None:
        """What lies after the last of three bytes is not needed any more."""
        page = mmap.PAGESIZE
        start = -(-3 * self._size // page) * page
        if start < 4 * self._size:
            self._memory.madvise(mmap.MADV_DONTNEED, start, 4 * self._size - start)


def _rgb(image: Image.Image, room: Room | None = None) -> Picture:
    """Bring any colour model to RGB, in its own room if it has one; what is transparent is laid over white."""
    width, height = image.size
    picture = (np.empty(height * width * 3, np.uint8) if room is None else room.packed()).reshape(height, width, 3)
    rows = max(1, BAND_PIXELS // width)
    for top in range(0, height, rows):
        band = image.crop((0, top, width, min(top + rows, height)))
        picture[top : top + rows] = np.asarray(_band(band), np.uint8)
    if room is not None:
        room.give_rest_back()
    return picture


def _band(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):
        grey = np.asarray(image).astype(np.uint32) >> 8
        return Image.fromarray(np.minimum(grey, 255).astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, layer).convert("RGB")
    return image.convert("RGB")
