"""What became of one step of a challenge."""

from dataclasses import dataclass

import numpy as np

from truename.rules.liveness_signs import LivenessSign
from truename.vision.liveness.parallax import Relief


@dataclass(frozen=True)
class Outcome:
    """What a step shows against it, how clearly it was followed (0 to 1), and the relief that it showed."""

    signs: tuple[LivenessSign, ...]
    margin: float
    reliefs: tuple[Relief, ...] = ()


def clear(excess: float, full: float) -> float:
    """How clearly something was met: a half at the very limit, 1 when it is exceeded by `full`."""
    return float(np.clip(0.5 + 0.5 * excess / full, 0.0, 1.0))
