"""How far did a head move between two frames, whatever else has changed in them?

Nobody holds a head still to a thousandth of its face: a breath and a heartbeat move it by more. Where two frames show
no movement at all, one is a copy of the other, under whichever noise, light or compression.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.views import View

Values = NDArray[np.float32]

EVERY: Final = 1
"""Pixels of the half of a picture, across and down, of which one is asked."""
AT_A_GLANCE: Final = 4
"""The same where a rough answer will do: a sixteenth of the work."""
BESIDE: Final = 0.06
"""Of the face's width: faces that were found farther apart have moved."""
SMALLEST: Final = 32
"""Pixels: of a smaller face nothing is said."""


def movement(one: View, other: View, every: int = EVERY) -> float | None:
    """How far the face moved, in the middle of its points, as a share of its width; None where it plainly did.

    Least squares: what is left once the light has changed by a factor, a sum and a slope is explained by shifts along
    the picture's own edges that are affine in place. What is laid over a copy has nothing to do with its edges.
    """
    box, there = one.face.box, other.face.box
    if any(abs(new - old) >= BESIDE * box[2] for old, new in zip(box, there, strict=True)):
        return None
    left, top, wide, tall = (int(value) // 2 for value in box)
    place = slice(max(0, top), max(0, top + tall)), slice(max(0, left), max(0, left + wide))
    if one.picture.shape != other.picture.shape or min(one.softened_half[place].shape) < SMALLEST // 2:
        return None
    before, after = one.softened_half[place], other.softened_half[place]
    both = before + after
    inner = slice(2, -2, every)
    usual = both[inner, inner] / 510
    change = (after[inner, inner] - before[inner, inner]).ravel()
    across, down = _slope(both[inner], every), _slope(both[:, inner].T, every).T
    y, x = (np.arange(size, dtype=np.float32) * (every / wide) for size in usual.shape)
    y, x = (y - y.mean())[:, None], (x - x.mean())[None]
    light = [np.ones_like(usual), usual, usual * x, usual * y]
    shift = [across, across * x, across * y, down, down * x, down * y]
    terms = np.stack([term.ravel() for term in (*light, *shift)]).astype(np.float64)
    found, *_ = np.linalg.lstsq(terms @ terms.T, terms @ change, rcond=None)
    along, upright = (still + by_x * x + by_y * y for still, by_x, by_y in found[4:].reshape(2, 3))
    return float(np.sqrt((along**2 + upright**2).mean())) / wide


def _slope(of_both: Values, every: int) -> Values:
    """How steeply the mean of both rises along each row, by the two neighbours on either side."""
    far_back, back, forth, far_forth = (of_both[:, by : of_both.shape[1] - 4 + by : every] for by in (0, 1, 3, 4))
    return np.asarray((8 * (forth - back) - (far_forth - far_back)) / 24, np.float32)
