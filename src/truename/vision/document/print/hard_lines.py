"""Lines of small print that the finder of lines cut too close, or did not part: what helps a reader of other letters.

Marks above and below letters reach out of the box that letters alone would fill, and a short label with a short value
below it may lie in one box.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.print.read import Quad, TextLine, crop_line

MARGIN: Final = 0.15
"""Of the height of a line, above and below it."""
TALLER: Final = 1.7
"""Than usual: a box so tall may hold two lines."""
WIDEST: Final = 2.5
"""Length over height of two lines in one box; longer ones are found apart."""
UNREAD: Final = 0.5
"""How sure the reader of Latin may be of what it makes of two lines in one."""
LEAST_ROWS: Final = 0.2
"""Of the height of a box: how much of it each of two lines takes at the least."""
EMPTY: Final = 0.08
"""Of the ink of its fullest row: what a row between two lines has at the most."""


def with_margin(quad: Quad) -> Quad:
    """The box of a line with some of the ground above and below it."""
    left, right = MARGIN * (quad[3] - quad[0]), MARGIN * (quad[2] - quad[1])
    return np.array([quad[0] - left, quad[1] - right, quad[2] + right, quad[3] + left], np.float32)


def parted_lines(page: Picture, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with two in the place of each box that holds two, one below the other, and of which nothing was read.

    Both come back as unread.
    """
    usual = float(np.median([line.height for line in lines])) if lines else 0.0
    parted: list[TextLine] = []
    for line in lines:
        cut = _gap_between_rows(crop_line(page, line.quad)) if _may_be_two(line, usual) else None
        if cut is None:
            parted.append(line)
            continue
        left_top, right_top, right_foot, left_foot = line.quad
        left, right = left_top + cut * (left_foot - left_top), right_top + cut * (right_foot - right_top)
        quads = ((left_top, right_top, right, left), (left, right, right_foot, left_foot))
        parted += [replace(line, text="", confidence=0.0, quad=np.array(quad, np.float32)) for quad in quads]
    return parted


def cut_across(line: TextLine, share: float) -> tuple[TextLine, TextLine]:
    """The two parts of a line that is cut across at so much of its length."""
    left_top, right_top, right_foot, left_foot = line.quad
    top, foot = left_top + share * (right_top - left_top), left_foot + share * (right_foot - left_foot)
    before = np.array([left_top, top, foot, left_foot], np.float32)
    behind = np.array([top, right_top, right_foot, foot], np.float32)
    return replace(line, quad=before), replace(line, quad=behind)


def _may_be_two(line: TextLine, usual: float) -> bool:
    is_tall, wide = line.height >= TALLER * usual, line.right - line.left
    return is_tall and line.height / TALLER <= wide <= WIDEST * line.height and line.confidence < UNREAD


def _gap_between_rows(crop: Picture) -> float | None:
    """Where the widest band without ink lies, as a share of the height; None where none parts the box in two lines."""
    ink = _ink_of_rows(crop)
    empty = ink <= EMPTY * ink.max()
    first, last = round(LEAST_ROWS * len(ink)), round((1 - LEAST_ROWS) * len(ink))
    best, start = (0, 0), None
    for row in range(first, last + 1):
        if row < last and empty[row]:
            start = row if start is None else start
        elif start is not None:
            best, start = max(best, (row - start, start)), None
    length, start = best
    return (start + length / 2) / len(ink) if length else None


def _ink_of_rows(crop: Picture) -> NDArray[np.float32]:
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    _, mask = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    return np.asarray(mask.sum(1), np.float32)
