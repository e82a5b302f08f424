"""Where in a picture are machine-readable zones? A small network marks their lines, at any angle and in any number.

The network (`training/zones`) was taught on invented scenes: one to three pages in any rotation, cut off, framed, worn,
beside print of all kinds. It sees the picture shrunk to a longest side, so that a zone may be as small as five pixels a
letter at that size.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.print.read import TextLine, detect_lines
from truename.vision.images import fitted
from truename.vision.runtime import any_number, onnx

Quad = NDArray[np.float32]

NETWORK: Final = "mrz_zones"
COARSE: Final = 640
FINE: Final = 1280
"""Longest sides at which the picture is looked at; the fine look is for zones that are small in a large picture."""
_TEXT_COARSE: Final = 736
"""Longest side at which lines of text of any kind are looked for."""
_FINE_FROM: Final = 900
"""Longest side from which a second, finer look can show more than the first."""
_CERTAIN: Final = 0.5
_LINE_OF_CORE: Final = 1.76
"""Height of a line as the finder of text boxes it, which the levelling of bands is built around, in marked cores."""
_LEAST_LENGTH: Final = 12.0
"""Shortest marked piece that counts, in pixels of the marks."""


def line_candidates(page: Picture, lines: Sequence[TextLine] | None) -> Iterator[list[Quad]]:
    """Lines that may be a zone's: text that is known already, what the zone finder marks, and all text there is.

    The finder knows zones from other print; the finder of text knows print of all kinds, also what was never drawn in
    training. The fine looks are for pictures in which the page is small, and come last: they cost most.
    """
    if lines is not None:
        yield [line.quad for line in lines]
    yield find_zone_lines(page)
    if lines is not None:
        return  # a page that was found and made level: its zone is not small in it
    yield detect_lines(page, _TEXT_COARSE)
    if max(page.shape[:2]) > _FINE_FROM:
        yield find_zone_lines(page, FINE)
        yield detect_lines(page, FINE)


def find_zone_lines(picture: Picture, longest: int = COARSE) -> list[Quad]:
    """The lines of every zone as four corners each, in pixels of the picture; none where no zone is seen."""
    marks, scale = _marks(picture, longest)
    mask = np.asarray(marks[0] > _CERTAIN, np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    lines = (_line(np.asarray(contour, np.int32)) for contour in contours)
    return [line * scale for line in lines if line is not None]


def _marks(picture: Picture, longest: int) -> tuple[NDArray[np.float32], float]:
    """Lines and zones as the network marks them, and how many picture pixels one pixel of the marks is."""
    height, width = picture.shape[:2]
    shrink = longest / max(height, width)
    size = (max(32, round(width * shrink)), max(32, round(height * shrink)))
    small = fitted(picture, size)
    padded = cv2.copyMakeBorder(small, 0, -size[1] % 32, 0, -size[0] % 32, cv2.BORDER_REPLICATE)
    blob = np.empty((1, 3, *padded.shape[:2]), np.float32)
    for plane, colour in zip(blob[0], cv2.split(padded), strict=True):
        np.divide(colour, np.float32(127.5), out=plane)
        plane -= 1
    marks = onnx(NETWORK, prepare=any_number).run(blob)[0][0]
    return np.asarray(marks, np.float32), 2 / shrink


def _line(contour: NDArray[np.int32]) -> Quad | None:
    """The rectangle of one marked piece, grown from the core of its letters to the whole line."""
    (x, y), (wide, tall), angle = cv2.minAreaRect(contour)
    if wide < tall:
        wide, tall, angle = tall, wide, angle + 90
    # A contour runs through the middles of its outermost pixels: half a pixel is missing on each side.
    wide, tall = wide + 1, tall + 1
    if wide < _LEAST_LENGTH or wide < 2.5 * tall:
        return None
    return np.asarray(cv2.boxPoints(((x + 0.5, y + 0.5), (wide, tall * _LINE_OF_CORE), angle)), np.float32)
