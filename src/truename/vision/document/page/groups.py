"""Text that stands in two places of a picture, far apart: two documents, or none of our business."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Quad = NDArray[np.float32]

APART: Final = 5.0
"""Heights of a line between two groups of text: two cards on a table lie at least so far from each other."""
LEAST_SHARE: Final = 0.2
"""Of the length of all text: what each of the two groups has at the least."""


def two_groups(text: Sequence[Quad]) -> tuple[list[Quad], list[Quad]] | None:
    """The lines on either side of the widest band without text, level or upright; None where there is no such band."""
    if len(text) < 2:
        return None
    tall = float(np.median([np.linalg.norm(line[3] - line[0]) for line in text]))
    widest, parted = APART * max(tall, 1.0), None
    for axis in (0, 1):
        ordered = sorted(text, key=lambda line: float(line[:, axis].min()))
        reached = np.maximum.accumulate([float(line[:, axis].max()) for line in ordered])
        for place, line in enumerate(ordered[1:], 1):
            gap = float(line[:, axis].min()) - float(reached[place - 1])
            if gap > widest and _is_part(ordered[:place], text) and _is_part(ordered[place:], text):
                widest, parted = gap, (ordered[:place], ordered[place:])
    return parted


def _is_part(some: Sequence[Quad], text: Sequence[Quad]) -> bool:
    return _length(some) >= LEAST_SHARE * _length(text)


def _length(lines: Sequence[Quad]) -> float:
    return sum(float(np.linalg.norm(line[1] - line[0])) for line in lines)
