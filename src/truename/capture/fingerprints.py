"""Was this frame sent before? A fingerprint of what a frame shows, that survives re-encoding and resizing."""

from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np

from truename.vision.captures import Picture

SIDE: Final = 16
SAME_WITHIN_BITS: Final = 1
"""Of 256. A copy that was compressed again or resized differs by one at most; another take of a head before a
camera and a wall that never move by two to five. What was changed otherwise is found by how it moves (`replays.py`)."""


def fingerprint(picture: Picture) -> bytes:
    """256 bits: in a picture shrunk to 17 × 16, is each point brighter than its neighbour?"""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (SIDE + 1, SIDE), interpolation=cv2.INTER_AREA).astype(np.int16)
    return np.packbits(small[:, 1:] > small[:, :-1]).tobytes()


def differing_bits(one: bytes, other: bytes) -> int:
    """In how many bits two fingerprints differ: the fewer, the more alike are the pictures."""
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).bit_count()


def are_replayed(new: Sequence[bytes], earlier: Iterable[bytes]) -> bool:
    """Are the new frames, most of them, copies of earlier ones?

    One look-alike proves nothing (the same person before the same wall); a replay copies the whole performance.
    """
    known = list(earlier)
    copies = sum(any(differing_bits(frame, other) <= SAME_WITHIN_BITS for other in known) for frame in new)
    return copies * 2 >= len(new) > 0
