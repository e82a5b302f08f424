"""Decode ordinary JPEGs quickly; only `images` calls this, after the header was judged."""

from typing import Final

import cv2
import numpy as np
from PIL import Image

from truename.vision.captures import Picture

JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def quick_jpeg(data: bytes, opened: Image.Image) -> Picture | None:
    """The same pixels by a third less work, for ordinary files that are whole; None leaves the file to Pillow.

    OpenCV draws a truncated file without a word, so nothing goes there whose end was not seen.
    """
    if opened.mode not in ("RGB", "L") or not is_whole(data):
        return None
    try:
        found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    if found is None or found.shape[:2] != (opened.height, opened.width):
        return None
    return np.asarray(found, np.uint8)


def is_whole(data: bytes) -> bool:
    """Do the segments lead through one frame and at least one scan to the end mark, none of them cut off?"""
    values = np.frombuffer(data, np.uint8)
    at = np.flatnonzero(values[:-1] == 0xFF)
    after = values[at + 1]
    # Inside a scan, an escaped 0xFF and the restart marks are data.
    marks = at[(after != 0) & ((after < 0xD0) | (after > 0xD7))]
    here, frames, scans = 2, 0, 0
    while here + 4 <= len(data) and data[here] == 0xFF:
        marker = data[here + 1]
        if marker == 0xFF:
            here += 1
            continue
        here += 2 + int.from_bytes(data[here + 2 : here + 4], "big")
        if marker < 0xC0 or 0xD0 <= marker <= 0xD9:
            return False
        frames += marker in JPEG_FRAMES
        if marker == 0xDA:
            scans += 1
            index = int(np.searchsorted(marks, here))
            if index == len(marks):
                return False
            here = int(marks[index])
            if data[here + 1] == 0xD9:
                return frames == 1 and scans > 0
    return False
