"""Rows of a zone that is seen from the side converge: what on the page is a rectangle around them?"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.rows import LINE, Row

Quad = NDArray[np.float32]

_PARALLEL: Final = 1.06
"""Rows are parallel where those of one end stand at most so many times as far apart as those of the other."""
_STEEPEST: Final = 2.0
"""The same beyond which rows were seen wrongly."""
_STRAY: Final = 3.0
"""Pixels by which a row may end beside the place where the others say it should."""


def rectangle_around(rows: Sequence[Row], width: int, height: int) -> Quad | None:
    """Corners, clockwise from the top left, of a rectangle on the page that holds all of the band; they lie outside of
    it where rows fall out of it. None where the rows are parallel, or do not tell."""
    left = np.array([row.at for row in rows])
    if len(rows) < 2 or np.diff(np.sort(left)).min() < LINE / 2:
        return None
    right = left + np.array([row.slope for row in rows]) * width
    spread, shift = np.polyfit(left, right, 1)
    if not 1 / _STEEPEST < spread < _STEEPEST or 1 / _PARALLEL < spread < _PARALLEL:
        return None
    if np.abs(spread * left + shift - right).max() > _STRAY:
        return None
    top, bottom = min(0.0, -shift / spread), max(float(height), (height - shift) / spread)
    return np.array(
        [[0, top], [width, spread * top + shift], [width, spread * bottom + shift], [0, bottom]], np.float32
    )
