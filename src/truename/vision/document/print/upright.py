"""A number that stands along the right edge of a page, turned by a quarter: its groups are read as one line.

Each group by itself is nearly square, so that nothing tells which way it is turned.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from truename.vision.captures import Picture
from truename.vision.document.print.read import TextLine, recognise

EDGE: Final = 0.88
"""Where, in widths of the page, the edge begins."""
GAP: Final = 0.12
"""How far apart, in heights of the page, the groups of one number may stand."""
AROUND: Final = 4
"""Pixels that are added on every side."""


def upright_line(page: Picture, lines: Sequence[TextLine]) -> TextLine | None:
    """The print along the right edge, from top to bottom; None when there is none."""
    height, width = page.shape[:2]
    groups = sorted((line for line in lines if line.left > EDGE * width), key=lambda line: line.top)
    # The longest group tells where the number is; what stands near it belongs to it.
    longest = max(groups, key=lambda line: line.bottom - line.top, default=None)
    if longest is None or longest.bottom - longest.top < 2 * (longest.right - longest.left):
        return None
    top, bottom = longest.top, longest.bottom
    for line in reversed(groups):
        if line.bottom <= bottom and top - line.bottom < GAP * height:
            top = min(top, line.top)
    left, right = longest.left - AROUND, min(longest.right + AROUND, width)
    strip = page[max(0, round(top) - AROUND) : round(bottom) + AROUND, round(left) : round(right)]
    [read] = recognise([np.ascontiguousarray(np.rot90(strip))])
    quad = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return TextLine(read.text, read.confidence, quad)
