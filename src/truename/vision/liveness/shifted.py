"""How alike is one picture to another that a shaking hand may have shifted? All shifts are compared at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]
Values = NDArray[np.float64]
Shift = tuple[int, int]
"""Pixels down and to the right."""


@dataclass(frozen=True)
class Compared:
    """What came out for each shift."""

    likeness: Values
    """The correlation; 0 where one of both is of one colour."""
    contrast: Values
    """Grey levels by which the plainer one of both varies (standard deviation)."""
    count: Values
    """Pixels that were compared."""


def compare(
    still: Grey,
    where: NDArray[np.bool_],
    moved: Grey,
    shifts: Sequence[Shift],
    seen: NDArray[np.bool_] | None = None,
) -> Compared:
    """Compare a picture, in these places of it, with another that is shifted over it.

    The other may be larger by a rim of the same width on all sides; no place may be shifted from beyond it. `seen` says
    where the other shows anything: what it does not show is not compared. With no place to compare, nothing is alike.
    """
    rim, width = (moved.shape[0] - still.shape[0]) // 2, moved.shape[1]
    rows, columns = np.divmod(np.flatnonzero(where), still.shape[1])
    steps = np.array([[down * width + right] for down, right in shifts])
    places = (rows + rim) * width + columns + rim - steps
    one: Values = still[where].astype(np.float64)
    one -= one.mean() if len(one) else 0.0
    other = moved.astype(np.float64) - float(moved.mean())
    if seen is None:
        count, sum_one, square_one = (np.full(len(steps), value) for value in (len(one), 0.0, one @ one))
    else:
        other[~seen] = 0.0
        shown = seen.astype(np.float64).take(places, mode="clip")
        count, sum_one, square_one = (shown @ values for values in (np.ones(len(one)), one, one * one))
    # "clip" is the quickest way to take, and never has anything to clip.
    return _of_sums(count, sum_one, square_one, other.take(places, mode="clip"), one)


def _of_sums(count: Values, sum_one: Values, square_one: Values, others: Values, one: Values) -> Compared:
    """Correlations from sums over the pixels of both; those of the others, one row for each shift, are made here."""
    sum_other, some = others @ np.ones(len(one)), np.maximum(count, 1.0)
    spread_one = square_one / some - (sum_one / some) ** 2
    spread_other = np.einsum("ij,ij->i", others, others) / some - (sum_other / some) ** 2
    together = others @ one / some - sum_one * sum_other / some**2
    least = np.maximum(np.minimum(spread_one, spread_other), 0.0)
    plain = least < 1e-6
    likeness = np.where(plain, 0.0, together / np.sqrt(np.where(plain, 1.0, spread_one * spread_other)))
    return Compared(likeness, np.sqrt(least), count)
