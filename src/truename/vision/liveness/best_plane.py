"""How alike are two pictures once the best plane has brought one onto the other?"""

from typing import Final

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]

ROUNDS: Final = 40
FEWEST_ROUNDS: Final = 12
ROUNDS_AT_ONCE: Final = 4
"""The best plane is looked for in so many rounds; after the fewest, every few of them, it is asked whether more can
matter. Of 128 challenges of `benchmarks.liveness_attacks` every sign and score was as after all rounds."""


def best_plane(first: Grey, second: Grey, mask: NDArray[np.uint8], limit: float) -> float:
    """The correlation under the best plane, within the mask, as far as it tells which side of the limit it is on.

    0 when no plane can be found. Each round comes nearer to it, by less and less. So the search ends where the two are
    more alike than the limit, and where they would not be even if all rounds that are left gained what the last few
    did.
    """
    plane: cv2.typing.MatLike = np.eye(3, dtype=np.float32)
    best = 0.0
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, ROUNDS_AT_ONCE, 1e-4)
    for done in range(ROUNDS_AT_ONCE, ROUNDS + 1, ROUNDS_AT_ONCE):
        before = best
        try:
            best, plane = cv2.findTransformECC(first, second, plane, cv2.MOTION_HOMOGRAPHY, stop, mask, 3)
        except cv2.error:  # it says so by raising when no plane can be found at all
            return 0.0
        may_come = best + (best - before) * (ROUNDS - done) / ROUNDS_AT_ONCE
        if done >= FEWEST_ROUNDS and not best <= limit <= may_come:
            break
    return float(best)
