"""The structure of a JPEG, and the quick way to decode an ordinary one.

Its libraries are imported where they are needed: every command brings this module along, and few decode anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import Image

    from truename.vision.captures import Picture

JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
PLAIN_FRAMES: Final = frozenset({0xC0, 0xC1})
PROGRESSIVE_FRAME: Final = 0xC2
MAX_SCANS: Final = 32
"""A progressive JPEG has about ten scans, of four colours at most 24; each is a walk over the whole picture."""
START_OF_SCAN: Final = 0xDA
END: Final = 0xD9
MAX_SEGMENTS: Final = 2000
"""Before the end of the walk. A camera writes a few dozen, a long colour profile or thumbnail some two hundred."""
WINDOW: Final = 128 * 1024
"""Bytes that are searched at once: memory stays small, and other threads get their turn between two."""
FIRST_WINDOW: Final = 8 * 1024
"""Where the next marker is searched first: a scan of a hostile file may be a few bytes long."""
QUICK_PIXELS: Final = 16_000_000
"""Pictures of more pixels are decoded in the way that takes the least memory, which is not the quickest."""
_FILL: Final = re.compile(rb"\xff+")
_WINDOW_OF_FILL: Final = b"\xff" * WINDOW


@dataclass(frozen=True)
class Structure:
    """How a JPEG is put together: `length` bytes with so many scans, `whole` when its end mark was seen."""

    whole: bool
    scans: int
    length: int


def structure_of(data: bytes, most: int = MAX_SCANS) -> Structure:
    """Walk through one frame and its scans to the end mark.

    Where the segments do not lead to the end, every start of a scan anywhere in the file is counted: a decoder skips
    rubbish between segments, and may find one that this walk did not. The walk ends early where there are more scans
    than `most`, or absurdly many segments: it runs in the service, so nobody may make it long.
    """
    here, frames, scans = 2, 0, 0
    for _ in range(MAX_SEGMENTS):
        here = skip_fill(data, here)
        if here + 4 > len(data) or data[here] != 0xFF:
            break
        marker = data[here + 1]
        here += 2 + int.from_bytes(data[here + 2 : here + 4], "big")
        if marker < 0xC0 or 0xD0 <= marker <= 0xD9:
            break
        frames += marker in JPEG_FRAMES
        if marker == START_OF_SCAN:
            scans += 1
            if scans > most:
                return Structure(False, scans, len(data))
            here = _next_mark(data, here)
            if here < 0:
                break
            if data[here + 1] == END:
                if frames == 1:
                    return Structure(True, scans, here + 2)
                break
    # Windows that share a byte, so that a mark is seen wherever it stands, and once.
    anywhere = sum(data.count(b"\xff\xda", at, at + WINDOW + 1) for at in range(0, len(data), WINDOW))
    return Structure(False, anywhere, len(data))


def buffered_bytes(data: bytes) -> int:
    """What the library keeps of a JPEG beside its pixels until all of it is read; 0 where it decodes row by row.

    A picture that comes in several scans, as a progressive one does, is kept as two bytes for each coefficient: with
    colours in full twice what its pixels take. Raises ValueError where no frame header is found.
    """
    here, frame = 2, b""
    for _ in range(MAX_SEGMENTS):
        here = skip_fill(data, here)
        if here + 5 > len(data) or data[here] != 0xFF:
            break
        marker, after = data[here + 1], here + 2 + int.from_bytes(data[here + 2 : here + 4], "big")
        if marker == START_OF_SCAN:
            in_one_go = frame and frame[0] != PROGRESSIVE_FRAME and data[here + 4] == frame[6]
            return 0 if in_one_go else _coefficient_bytes(frame)
        if marker in JPEG_FRAMES:
            frame = data[here + 1 : here + 2] + data[here + 4 : after]
        here = here + 2 if marker == 0x01 or 0xD0 <= marker <= 0xD8 else max(after, here + 4)
    return _coefficient_bytes(frame)


def _coefficient_bytes(frame: bytes) -> int:
    """By the kind of the frame and its header: precision, height, width, number of components, three bytes of each."""
    if len(frame) < 10 or len(frame) < 7 + 3 * frame[6]:
        raise ValueError("The JPEG has no frame header.")
    height, width = int.from_bytes(frame[2:4], "big"), int.from_bytes(frame[4:6], "big")
    factors = [(max(1, one >> 4), max(1, one & 15)) for one in frame[8 : 7 + 3 * frame[6] : 3]]
    across, down = max(one for one, _ in factors), max(one for _, one in factors)
    blocks = sum(-(-width * x // (8 * across)) * -(-height * y // (8 * down)) for x, y in factors)
    return 2 * 64 * blocks


def skip_fill(data: bytes, here: int) -> int:
    """The place of the last 0xFF of those before a marker: any number of them may stand there."""
    end = here
    while data.startswith(_WINDOW_OF_FILL, end):  # compared as a block: a twentieth of what the search below takes
        end += WINDOW
    if (fill := _FILL.match(data, end, end + WINDOW)) is not None:
        end = fill.end()
    return here if end == here else end - 1


def _next_mark(data: bytes, here: int) -> int:
    """Where the next marker stands; -1 when there is none. An escaped 0xFF and the restart marks are data of a scan."""
    import numpy as np

    values, size = np.frombuffer(data, np.uint8), FIRST_WINDOW
    while here + 1 < len(data):
        window = values[here : here + size + 1]
        after = window[1:]
        # Every byte is compared, in steps of whole registers: to pick out each 0xFF takes ten times as long where a
        # hostile file is full of them.
        found = window[:-1] == 0xFF
        found &= after != 0
        found &= (after & 0xF8) != 0xD0
        first = int(found.argmax())
        if found[first]:
            return here + first
        here, size = here + size, WINDOW
    return -1


def quick_jpeg(data: bytes, opened: Image.Image, structure: Structure) -> Picture | None:
    """The same pixels by a third less work, for ordinary files that are whole; None leaves the file to Pillow.

    OpenCV draws a truncated file without a word, so nothing goes there whose end was not seen. And it hands its pixels
    over in a copy, so that large ones are left to Pillow, unless what that takes beside them is more still.
    """
    if opened.mode not in ("RGB", "L") or not structure.whole:
        return None
    if opened.width * opened.height > QUICK_PIXELS and (opened.mode == "L" or not buffered_bytes(data)):
        return None
    import cv2
    import numpy as np

    try:
        found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    if found is None or found.shape[:2] != (opened.height, opened.width):
        return None
    return np.asarray(found, np.uint8)
