"""What a score of two faces means, in strangers: the share of pairs of different people who score as high or higher.

The calibration (`vision/face/calibrate.py`) fits every curve so that these scores mean this, whatever the model; the
ruler on the dashboard and the words of an explanation are read off the same table. It speaks of random strangers:
relatives, and people of like age and region, score higher.
"""

import math
from itertools import pairwise
from typing import Final, NamedTuple

ANCHOR_SCORE: Final = 0.85
ANCHOR_FALSE_MATCHES: Final = 1e-4
ANCHOR_CAUTION: Final = 0.7
"""The quantile of where the anchor may lie that is taken: by the best guess, 0.5, many other people would break it."""

SCORE_OF_FALSE_MATCHES: Final = (
    (0.5, 0.10),
    (1e-1, 0.35),
    (1e-2, 0.60),
    (1e-3, 0.75),
    (ANCHOR_FALSE_MATCHES, ANCHOR_SCORE),
    (1e-5, 0.91),
    (1e-6, 0.95),
)
"""What each score means: the share of impostor pairs that reach it."""


STEP_EDGES: Final = tuple(score for share, score in SCORE_OF_FALSE_MATCHES if share <= 0.1)
"""Scores at which the next step of the scale begins; below the first one is a step too."""
STEPS: Final = len(STEP_EDGES) + 1


class Mark(NamedTuple):
    """One line of the ruler: at this score, one pair of strangers in so many scores as high or higher."""

    score: float
    one_in: int


RULER: Final = tuple(Mark(score, round(1 / share)) for share, score in SCORE_OF_FALSE_MATCHES if share <= 0.1)
RAREST: Final = RULER[-1]
"""Beyond it nothing is claimed."""
MEASURED: Final = ANCHOR_SCORE
"""To here pairs of strangers were counted; what higher scores mean is extrapolated from those that came near."""
_KNOTS: Final = ((1.0, 0.0), *SCORE_OF_FALSE_MATCHES)


def one_in(score: float) -> float:
    """N, where about one pair of strangers in N scores as high or higher; between two marks by the logarithm.

    A score outside 0 to 1 counts as the nearest end; above the last mark the last mark's N is given.
    """
    for (share, low), (rarer, high) in pairwise(_KNOTS):
        if score < high:
            part = max(0.0, (score - low) / (high - low))
            return float(1 / (share * (rarer / share) ** part))
    return float(RAREST.one_in)


def place_on_ruler(score: float) -> float:
    """Where the score stands on the ruler: 0 where every pair reaches it, 1 at the last mark."""
    return math.log(one_in(score)) / math.log(RAREST.one_in)


def in_strangers(score: float) -> str:
    """The score in words, N to one digit: "about 1 in 100 pairs of strangers score this high or higher"."""
    if score > RAREST.score:
        return f"fewer than 1 in {RAREST.one_in:,} pairs of strangers score this high or higher"
    number = _one_digit(one_in(score))
    if number < 2:
        return "most pairs of strangers score this high or higher"
    return f"about 1 in {number:,} pairs of strangers score this high or higher"


def _one_digit(number: float) -> int:
    unit = int(10 ** math.floor(math.log10(number) + 1e-9))
    return round(number / unit) * unit


def step_bounds(step: int) -> tuple[float, float]:
    """Where a step of the scale begins and the next one does: 0 is the lowest, STEPS - 1 the highest."""
    return ((0.0, *STEP_EDGES)[step], (*STEP_EDGES, 1.01)[step])


def step_words(step: int) -> str:
    """A step of the scale in strangers: "1 in 100 to 1 in 1,000"."""
    rarities = [f"1 in {mark.one_in:,}" for mark in RULER]
    if step == 0:
        return f"more than {rarities[0]}"
    return f"under {rarities[-1]}" if step == STEPS - 1 else f"{rarities[step - 1]} to {rarities[step]}"
