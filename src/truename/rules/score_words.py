"""A score and its limit as people read them: on which side of the limit the score lies is never rounded away."""

import math


def shown_score(score: float, needed: float, digits: int = 2) -> str:
    """A score with as many digits as it takes to see on which side of the limit it lies; never rounded across it."""
    for enough in (digits, *(more for more in (3, 4, 6) if more > digits)):
        step = 10**enough
        rounded = (math.floor(score * step + 1e-9) if score < needed else round(score * step)) / step
        if (rounded < needed) == (score < needed):
            return f"{rounded:.{enough}f}"
    return repr(score)


def shown_limit(needed: float) -> str:
    """A limit as it was set, with two digits at least: 0.85, 0.90, 0.8512."""
    short = f"{needed:.2f}"
    return short if float(short) == needed else repr(needed)


def shown_years(age: float) -> str:
    """An estimated age as people count: somebody of 17.96 is 17."""
    return str(math.floor(age)) if math.isfinite(age) else "?"
