"""The structure of a JPEG, and the quick way to decode an ordinary one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from PIL import Image

    from truename.vision.captures import Picture

JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
PLAIN_FRAMES: Final = frozenset({0xC0, 0xC1})
PROGRESSIVE_FRAME: Final = 0xC2
START_OF_SCAN: Final = 0xDA
END: Final = 0xD9


@dataclass(frozen=True)
class Structure:
    """How a JPEG is put together: `length` bytes with so many scans, `whole` when its end mark was seen."""

    whole: bool
    scans: int
    length: int


def structure_of(data: bytes) -> Structure:
    """Walk through one frame and its scans to the end mark.

    Where the segments do not lead to the end, every start of a scan anywhere in the file is counted: a decoder skips
    rubbish between segments, and may find one that this walk did not.
    """
    values = np.frombuffer(data, np.uint8)
    at = np.flatnonzero(values[:-1] == 0xFF)
    after = values[at + 1]
    # Inside a scan, an escaped 0xFF and the restart marks are data.
    marks = at[(after != 0) & ((after < 0xD0) | (after > 0xD7))]
    broken = Structure(False, int(np.count_nonzero(after == START_OF_SCAN)), len(data))
    here, frames, scans = 2, 0, 0
    while here + 4 <= len(data) and data[here] == 0xFF:
        marker = data[here + 1]
        if marker == 0xFF:
            here += 1
            continue
        here += 2 + int.from_bytes(data[here + 2 : here + 4], "big")
        if marker < 0xC0 or 0xD0 <= marker <= 0xD9:
            return broken
        frames += marker in JPEG_FRAMES
        if marker == START_OF_SCAN:
            scans += 1
            index = int(np.searchsorted(marks, here))
            if index == len(marks):
                return broken
            here = int(marks[index])
            if data[here + 1] == END:
                return Structure(True, scans, here + 2) if frames == 1 else broken
    return broken


def quick_jpeg(data: bytes, opened: Image.Image, structure: Structure) -> Picture | None:
    """The same pixels by a third less work, for ordinary files that are whole; None leaves the file to Pillow.

    OpenCV draws a truncated file without a word, so nothing goes there whose end was not seen.
    """
    if opened.mode not in ("RGB", "L") or not structure.whole:
        return None
    try:
        found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    if found is None or found.shape[:2] != (opened.height, opened.width):
        return None
    return np.asarray(found, np.uint8)
