"""How a head sways that is held still: five slow waves, and when each begins."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Drift = NDArray[np.float64]
"""Where each wave begins, in radians."""
PACE: Final = np.array([2.1, 1.7, 1.3, 2.3, 1.9])
"""Radians a second: of the turn, the nod, the tilt, the distance and the shift."""
SEEN: Final = np.array([[0.53, 0, 0, 0], [0, 0.22, 0, 0], [0, 0, 0.78, 0], [0, 0, 0, 0.2], [1.71, 0, 0, 0]])
"""How far the head in a picture goes by each, in hundredths of its face's width: across (turn and shift together),
down, tilted, in size. Fitted to `vision.liveness.stillness.movement` on 180 pairs of frames of sixty people."""
UNLIKE: Final = 0.43
"""Frames farther apart than this were never taken for copies of each other; those that were lay within 0.35, and of a
head that had come close within 0.42."""
TRIES: Final = 500
"""Of six steps one drift in seven is good, of eleven one in fifty. The best of many would not do: takes of one person
would be alike, and the second be taken for the first one sent again."""


def any_drift(random: np.random.Generator) -> Drift:
    """One by chance."""
    return random.uniform(0, 2 * np.pi, len(PACE))


def swayed(seconds: NDArray[np.float64] | float, drift: Drift) -> NDArray[np.float64]:
    """Where each wave is by then, from -1 to 1."""
    return np.asarray(np.sin(np.multiply.outer(seconds, PACE) + drift))


def unlike_drift(moments: NDArray[np.float64], seed: int) -> Drift:
    """One by which no two pictures of a step show the head at one place; `moments`: of each step, in seconds.

    By chance they did in one recording of fifty: the head had turned and shifted, and one made up for the other.
    """
    random = np.random.default_rng(seed)
    drift = any_drift(random)
    for _ in range(TRIES):
        if _least_apart(moments, drift) >= UNLIKE:
            break
        drift = any_drift(random)
    return drift


def _least_apart(moments: NDArray[np.float64], drift: Drift) -> float:
    """How near each other two pictures of one step show the head, at the nearest."""
    seen = swayed(moments, drift) @ SEEN
    return float(np.linalg.norm(seen - np.roll(seen, 1, axis=1), axis=-1).min())
