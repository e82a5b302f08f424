"""Which frames are copies of each other? A camera never takes the same picture twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Frame, Picture

SIDE: Final = 64
COPY_DIFFERENCE: Final = 0.55
"""Mean difference in grey levels, at 64 × 64, below which two frames are one picture.

Measured on the simulated heads of `tests/support/faces.py`: JPEG copies at qualities 50 to 95 differ by 0.02 to 0.3;
neighbouring frames of a head that holds still, 250 ms apart, by 0.9 and more (a hand-held camera moves more).
"""


@dataclass(frozen=True)
class Repeats:
    """Copies found among the frames."""

    pairs: tuple[tuple[int, int], ...]
    frames: int

    @property
    def share(self) -> float:
        """The share of frames that copy an earlier one."""
        return len({later for _, later in self.pairs}) / self.frames if self.frames else 0.0

    @property
    def found(self) -> bool:
        return bool(self.pairs)


def find_repeats(frames: Sequence[Frame], pictures: Sequence[Picture]) -> Repeats:
    """Compare every frame with every other, byte by byte and by what they show."""
    small = [_small(picture) for picture in pictures]
    pairs = [
        (first, second)
        for second in range(len(frames))
        for first in range(second)
        if frames[first].image == frames[second].image or _difference(small[first], small[second]) < COPY_DIFFERENCE
    ]
    return Repeats(tuple(pairs), len(frames))


def _small(picture: Picture) -> NDArray[np.float32]:
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.float32)


def _difference(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.abs(one - other).mean())
