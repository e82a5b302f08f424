"""Pictures as pixels: made smaller, and encoded for keeping."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from truename.vision.captures import Picture

BAND: Final = 128
"""Rows that are worked on at a time, where a second copy of the whole would double the memory."""


@dataclass(frozen=True)
class CleanImage:
    """A re-encoded copy: an upright JPEG with no metadata."""

    data: bytes
    width: int
    height: int


def clean(picture: Picture, quality: int = 92) -> CleanImage:
    """Make the copy that is safe to keep."""
    height, width = picture.shape[:2]
    return CleanImage(encode_jpeg(picture, quality), width, height)


def encode_jpeg(picture: Picture, quality: int = 92) -> bytes:
    """Encode RGB pixels as a JPEG without metadata."""
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "JPEG", quality=quality)
    return out.getvalue()


def encode_jpeg_in_place(picture: Picture, quality: int = 92) -> bytes:
    """The same bytes with half of the memory, for a picture that nobody needs afterwards: its colours are swapped.

    Raises MemoryError.
    """
    for top in range(0, picture.shape[0], BAND):
        band = picture[top : top + BAND]
        band[...] = band[..., ::-1].copy()
    try:
        _, encoded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    except cv2.error as fault:
        raise MemoryError from fault
    return encoded.tobytes()


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
