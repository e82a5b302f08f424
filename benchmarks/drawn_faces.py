"""Templates of faces, drawn as the real ones of the default recipe are distributed: there are no pictures of so many.

Around a common mean, along directions of falling weight; the figures are those of 447 people of LFW.
"""

import numpy as np
from numpy.typing import NDArray

NUMBERS = 320
MEAN, DIRECTIONS, FALL = 0.266, 165, 46.0
"""Length of the common mean; how many directions matter, and after how many of them the weight has fallen to 1/e."""
GENUINE, SPREAD = 0.695, 0.09
"""Cosines of two pictures of one person: 169 pairs of LFW have the median 0.70, a tenth lies under 0.58."""
REAL = "0.07 ± 0.09, one in 1,000 over 0.36"

Vectors = NDArray[np.float32]


class People:
    """Draws templates."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        weights = np.exp(-np.arange(DIRECTIONS) / FALL)
        spread = np.sqrt(weights / weights.sum() * (1 - MEAN**2))
        axes, _ = np.linalg.qr(self.random.standard_normal((NUMBERS, NUMBERS)))
        self.along = (axes[:, :DIRECTIONS] * spread).T.astype(np.float32)
        self.mean = (axes[:, DIRECTIONS] * MEAN).astype(np.float32)

    def strangers(self, many: int) -> Vectors:
        """One template each of so many people."""
        drawn = self.random.standard_normal((many, DIRECTIONS), dtype=np.float32) @ self.along + self.mean
        return _of_length_one(drawn)

    def again(self, known: Vectors) -> Vectors:
        """Another picture of each of these people."""
        cosine = np.clip(self.random.normal(GENUINE, SPREAD, (len(known), 1)), 0.4, 0.95).astype(np.float32)
        other = self.random.standard_normal((len(known), DIRECTIONS), dtype=np.float32) @ self.along
        other -= (other * known).sum(1, keepdims=True) * known
        return _of_length_one((cosine * known + np.sqrt(1 - cosine**2) * _of_length_one(other)).astype(np.float32))


def _of_length_one(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
