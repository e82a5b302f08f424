"""How far did a head move between two frames, whatever else has changed in them?

Nobody holds a head still to a thousandth of its face: a breath and a heartbeat move it by more. Where two frames show
no movement at all, one is a copy of the other, under whichever noise, light or compression.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.views import View

Values = NDArray[np.float32]

SOFT: Final = 2.0
"""Pixels by which both are blurred before they are compared: a camera's own noise would hide small movements."""
EVERY: Final = 2
"""Pixels, across and down, of which one is asked."""
BESIDE: Final = 0.06
"""Of the face's width: faces that were found farther apart have moved."""
SMALLEST: Final = 32
"""Pixels: of a smaller face nothing is said."""


def movement(one: View, other: View) -> float | None:
    """How far the face moved, in the middle of its points, as a share of its width; None where it plainly did.

    Least squares: what is left once the light has changed by a factor, a sum and a slope is explained by shifts along
    the picture's own edges that are affine in place. What is laid over a copy has nothing to do with its edges.
    """
    box, there = np.array(one.face.box), np.array(other.face.box)
    if one.grey.shape != other.grey.shape or (np.abs(there - box) >= BESIDE * box[2]).any():
        return None
    left, top, wide, tall = (int(value) for value in box)
    place = slice(max(0, top), max(0, top + tall)), slice(max(0, left), max(0, left + wide))
    before, after = (seen.softened(SOFT)[place].astype(np.float32) for seen in (one, other))
    if min(before.shape) < SMALLEST:
        return None
    usual, change = (before + after) / 2, after - before
    down, across = np.gradient(usual)
    rows, columns = np.indices(usual.shape, np.float32)
    y, x = rows / wide - usual.shape[0] / (2 * wide), columns / wide - usual.shape[1] / (2 * wide)
    usual = usual / 255
    light = [np.ones_like(usual), usual, usual * x, usual * y]
    shift = [across, across * x, across * y, down, down * x, down * y]
    terms = np.stack([term[::EVERY, ::EVERY].ravel() for term in (*light, *shift)]).astype(np.float64)
    found, *_ = np.linalg.lstsq(terms @ terms.T, terms @ change[::EVERY, ::EVERY].ravel(), rcond=None)
    shifts = found[4:].reshape(2, 3) @ np.stack((np.ones_like(x), x, y)).reshape(3, -1)
    return float(np.sqrt((shifts**2).sum(0).mean())) / wide
