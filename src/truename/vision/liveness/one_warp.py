"""Were the points of several pictures moved by one and the same warp? What the best one leaves over is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]
"""n × 2, in pixels."""

AT_MOST: Final = 256.0
"""The pictures' long side."""
ROUNDS: Final = 8
FINEST: Final = 0.3
"""Pixels by which points lie beside a warp that fits them: corners are found again no better than that."""
FEWEST_AROUND: Final = 25
STILL_ROOM: Final = 0.35
"""Pixels by which what is around the head may be beside its own warp; more, and it is no room that could be measured
against."""


@dataclass(frozen=True)
class Track:
    """Where corners of an earlier frame were found in a new one that was laid over it; NaN for those that were lost."""

    corners: Places
    moved: Places
    on_head: NDArray[np.bool_]

    def beside(self, warp: "Warp") -> float:
        """How far the head's corners are from where the warp puts them, in pixels: the middle one of them."""
        off = np.linalg.norm(self.moved - warp.at(self.corners), axis=1)[self.on_head]
        return float(np.median(np.where(np.isnan(off), np.inf, off))) if len(off) else np.inf


class Warp:
    """The smooth warp that moves all these corners as they were moved, as well as one can; outliers do not bend it."""

    def __init__(self, corners: Places, moved: Places, degree: int) -> None:
        self.degree = degree
        known = ~np.isnan(moved[:, 0])
        terms, moved = self._terms(corners[known]), moved[known]
        weights, faint = np.ones(len(moved)), 1e-6 * np.eye(terms.shape[1])
        for _ in range(ROUNDS):
            weighted = terms * weights[:, None]
            self.shift = np.linalg.solve(terms.T @ weighted + faint, weighted.T @ moved)
            off = np.linalg.norm(moved - terms @ self.shift, axis=1)
            self.left_over = float(np.median(off)) if len(off) else np.inf
            weights = 1 / (1 + (off / max(FINEST, self.left_over)) ** 2) ** 2

    def at(self, corners: Places) -> Places:
        """How the warp moves these corners."""
        return np.asarray(self._terms(corners) @ self.shift)

    def _terms(self, corners: Places) -> Places:
        x, y = (corners / (AT_MOST / 2) - 1).T
        return np.column_stack([x**a * y**b for a in range(self.degree + 1) for b in range(self.degree + 1 - a)])


def beside_one_warp(tracks: Sequence[Sequence[Track]]) -> float:
    """How far the head is beside the best warp of all frames together, in pixels, in the middle frame.

    Of each earlier frame come its tracks in a few new ones; the one that fits best is taken. The warp is of the third
    degree: a lens bends no more than that.
    """
    chosen = [min(near, key=lambda track: track.beside(Warp(track.corners, track.moved, 2))) for near in tracks]
    for _ in range(2):
        warp = Warp(np.concatenate([one.corners for one in chosen]), np.concatenate([one.moved for one in chosen]), 3)
        chosen = [min(near, key=lambda track: track.beside(warp)) for near in tracks]
    return float(np.median([track.beside(warp) for track in chosen]))


def beside_the_room(tracks: Sequence[Sequence[Track]]) -> float:
    """The same against what is around the head in each frame itself, so that frames may be moved one by one.

    Half of the frames are enough. Infinite where there is too little to measure against, before a plain wall say.
    """
    return sorted(min(_beside_own_room(track) for track in near) for near in tracks)[(len(tracks) - 1) // 2]


def _beside_own_room(track: Track) -> float:
    around = ~track.on_head & ~np.isnan(track.moved[:, 0])
    if int(around.sum()) < FEWEST_AROUND:
        return np.inf
    room = Warp(track.corners[around], track.moved[around], 1)
    return track.beside(room) if room.left_over < STILL_ROOM else np.inf
