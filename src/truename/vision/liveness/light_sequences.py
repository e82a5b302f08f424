"""Which colours, shown one after another, would explain how a face's colour changed?

A screen multiplies the light of each primary on the face by a number of its own: by how much depends on the room, the
skin and the distance, but it is the same for every colour in which that primary is on, and never less than one. In
logarithms that is a sum of three gains, one for each primary, so that every sequence that could have been shown is
tried by least squares, the one that was asked for like all others.

What a camera's curve does to colours as it exposes anew goes up and down with the exposure. How much of that there is
nobody knows, so that changes along with the exposure count for less, in every sequence alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Primaries = tuple[int, int, int]
"""Which of red, green and blue are on; none: no colour was shown."""

SHOWABLE: Final[tuple[Primaries, ...]] = (
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (1, 1, 0),
    (0, 1, 1),
    (1, 0, 1),
    (0, 0, 0),
)
SOME_PRIMARIES: Final = tuple(some for count in (1, 2, 3) for some in combinations(range(3), count))


@dataclass(frozen=True)
class Unexplained:
    """What sequences leave over of a face's changes, as sums of squares."""

    asked: float
    """The sequence that was asked for."""
    best: float
    """The one that leaves over least, of all that could have been shown."""


def unexplained(
    tints: Array, asked: Sequence[Primaries], either_way: bool = False, weights: Array | None = None
) -> Unexplained:
    """Of the tints of three or four steps, as log(R/G) and log(B/G), one row each, and the colours asked for.

    `either_way`: what was asked for may also have lit the room more than the face. `weights`: a matrix, step by step,
    by which changes count (`less_along`); without it all count alike.
    """
    changes = (tints - tints.mean(0)).reshape(-1)
    if weights is None:
        shown = [_fits(_design([asked]), some) for some in SOME_PRIMARIES]
        every = [_every_fit(len(asked), some) for some in SOME_PRIMARIES]
    else:
        both = np.kron(weights, np.eye(2))
        changes = both @ changes
        shown = [_fits(both @ _design([asked]), some) for some in SOME_PRIMARIES]
        weighed = both @ _every_design(len(asked))
        every = [_fits(weighed, some) for some in SOME_PRIMARIES]
    return Unexplained(_least(shown, changes, either_way), _least(every, changes))


def less_along(direction: Array, share: float) -> Array:
    """The weights by which what goes along with `direction`, one number a step, counts by this share of the rest."""
    unit = direction / max(float(np.linalg.norm(direction)), 1e-12)
    return np.asarray(np.eye(len(unit)) - (1 - share) * np.outer(unit, unit), np.float64)


def possible_sequences(steps: int) -> int:
    """How many sequences are tried for so many steps."""
    return int(len(SHOWABLE) ** steps)


@dataclass(frozen=True)
class _Fits:
    """Least squares of many sequences at once, by some of the primaries."""

    design: Array
    """Sequence, change, primary."""
    solver: Array
    """Sequence, primary, change."""


def _least(fits: Sequence[_Fits], changes: Array, either_way: bool = False) -> float:
    """The least that is left over by any of these, by gains of which none is negative unless they may be."""
    least = float(changes @ changes)
    for one in fits:
        gains = one.solver @ changes
        left = changes - (one.design @ gains[..., None])[..., 0]
        allowed = (gains >= 0).all(1) | either_way
        if allowed.any():
            least = min(least, float((left[allowed] ** 2).sum(1).min()))
    return least


@cache
def _every_fit(steps: int, some: tuple[int, ...]) -> _Fits:
    return _fits(_every_design(steps), some)


@cache
def _every_design(steps: int) -> Array:
    return _design(list(product(SHOWABLE, repeat=steps)))


def _fits(design: Array, some: tuple[int, ...]) -> _Fits:
    own = design[:, :, some]
    turned = own.transpose(0, 2, 1)
    return _Fits(own, np.asarray(np.linalg.pinv(turned @ own, hermitian=True) @ turned, np.float64))


def _design(sequences: Sequence[Sequence[Primaries]]) -> Array:
    """What a whole gain of each primary would do to the tints of these sequences."""
    on = np.array(sequences, np.float64)
    on -= on.mean(1, keepdims=True)
    count, steps, _ = on.shape
    design = np.zeros((count, steps, 2, 3))
    design[:, :, 0, 0] = on[:, :, 0]
    design[:, :, 1, 2] = on[:, :, 2]
    design[:, :, :, 1] = -on[:, :, 1:2]
    return design.reshape(count, 2 * steps, 3)
