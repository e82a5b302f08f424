"""Rows of characters in a level band: where each runs, how it falls along the band, and how tall its capitals are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]

LINE: Final = 36
"""Height to which a detected line is brought before its rows are looked for."""
_INKED: Final = 0.42
"""A row of letters is where there is at least so much of the ink that its blackest row of pixels has."""
_LEAN: Final = 3.0
"""Pixels by which a row may fall along the band and still count as level."""
_LONG: Final = 48
"""Pixels from which a stroke is longer than letters are wide or tall: those are about twenty."""


@dataclass(frozen=True)
class Row:
    """A row of characters in the level band: its middle as a line y = at + slope · x, and its capitals' height."""

    at: float
    slope: float
    capital: float
    if_level: float
    """The same with its fall along the band taken off."""


def without_frames(level: Grey) -> tuple[Grey, Grey]:
    """The band without what is drawn around its lines or between them: upright strokes longer than letters; and level
    ones, too. The latter is for what lies beside letters: those that run together in a blurred picture are as long."""
    ink = _ink(level)
    across = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((_LONG, 1), np.uint8))
    along = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, _LONG), np.uint8))
    upright = np.asarray(cv2.add(level, across), np.uint8)
    return upright, np.asarray(cv2.add(level, cv2.max(along, across)), np.uint8)


def _ink(level: Grey) -> Grey:
    return np.asarray(cv2.morphologyEx(level, cv2.MORPH_BLACKHAT, np.ones((LINE // 2, LINE // 2), np.uint8)), np.uint8)


def find_rows(level: Grey) -> list[Row]:
    """Rows of ink by their horizontal profile, each followed along the band."""
    ink = _ink(level).astype(np.float32)
    margin = level.shape[1] // 12
    inner = ink[:, margin:-margin]
    # A row is where ink is spread along the whole width: medians over parts forgive a stamp or a border.
    profile = np.sort(_means_of_parts(inner, 8), 0)[2:].mean(0)
    profile = cv2.GaussianBlur(profile[:, None], (1, 5), 1.5)[:, 0]
    floor, peak = np.percentile(profile, 10), profile.max()
    if peak - floor < 2:
        return []
    above = profile > floor + _INKED * (peak - floor)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], above.astype(np.int8), [0]))))
    runs = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= LINE * 0.25]
    rows = [_follow(ink, (a + b) / 2, b - a) for a, b in runs]
    return [_as_tall_as_others(row, rows) for row in rows]


def _as_tall_as_others(row: Row, rows: Sequence[Row]) -> Row:
    """Lines of a zone are equally tall: a row counts as so much lower as it falls where that makes it like the others.

    Where it does not, the fall was seen wrongly, because of a card's frame beside it or a stamp.
    """
    others = [other.if_level for other in rows if other is not row]
    usual = float(np.median(others)) if others else row.capital
    nearer = abs(row.if_level - usual) < abs(row.capital - usual)
    return replace(row, capital=row.if_level) if nearer else row


def _follow(ink: NDArray[np.float32], middle: float, tall: float) -> Row:
    """Fit the row's middle along the band, so that a slight slope does not cut characters off."""
    reach = int(max(tall, LINE * 0.45))
    low, high = max(0, int(middle) - reach), min(len(ink), int(middle) + reach)
    starts, lengths = _parts(ink.shape[1], 10)
    profiles = _means_of_parts(ink[low:high], 10)
    profiles = np.maximum(profiles - np.percentile(profiles, 25, axis=1, keepdims=True), 0)
    places = starts + (lengths - 1) / 2
    fits = (_fit(own, places, low) for own in (_of_the_row(profiles, round(tall)), profiles))
    fit = next((one for one in fits if one is not None and _runs_through(*one, middle, ink.shape[1])), None)
    if fit is None:
        return Row(middle, 0.0, tall, tall)
    at, slope = fit
    falls = places * slope
    level = tall
    if np.ptp(falls) > _LEAN:
        level = _tall_along(profiles, falls - falls.mean(), at + falls.mean() - low, tall)
    return Row(float(at), float(slope), min(tall, LINE * 0.9), min(level, LINE * 0.9))


def _fit(profiles: NDArray[np.float32], places: NDArray[np.float64], low: int) -> tuple[float, float] | None:
    """Where the middle of the ink begins, and how it falls; None where there is too little of it."""
    weights = profiles.sum(1)
    inked = weights > 1e-3
    if inked.sum() < 4:
        return None
    ys = (profiles @ np.arange(low, low + profiles.shape[1]))[inked] / weights[inked]
    slope, at = np.polyfit(places[inked], ys, 1, w=np.sqrt(weights[inked]))
    return float(at), float(slope)


def _runs_through(at: float, slope: float, middle: float, width: int) -> bool:
    """Is it the row that was looked for? One that falls steeply, or runs elsewhere, was led astray."""
    return abs(slope) * width <= 1.2 * LINE and abs(at + slope * width / 2 - middle) <= 0.4 * LINE


def _of_the_row(profiles: NDArray[np.float32], tall: int) -> NDArray[np.float32]:
    """The ink of each part that is the letters' own: of so many rows of pixels, one under the other, with the most.

    A card's frame or a neighbouring line would move their middle. A frame is blacker than letters, and thin: no row
    counts for more than the letters' blacker ones.
    """
    tall = min(tall, profiles.shape[1])
    blackest = np.sort(profiles, axis=1)[:, -1 - tall // 3]
    own = np.minimum(profiles, blackest[:, None])
    sums = np.concatenate((np.zeros((len(own), 1)), np.cumsum(own, axis=1)), axis=1)
    first = (sums[:, tall:] - sums[:, :-tall]).argmax(1)[:, None]
    rows = np.arange(own.shape[1])
    return np.asarray(own * ((first <= rows) & (rows < first + tall)), np.float32)


def _tall_along(profiles: NDArray[np.float32], falls: NDArray[np.float64], middle: float, tall: float) -> float:
    """How tall the row is when each part is moved back by as much as the row has fallen there.

    Of a zone seen from the side at most one row is level in the band; the profile of the others is as much taller as
    they fall, and their letters would be made too small to read. What lies beyond the profile is not looked at, and no
    more taken off than the row falls: the frame of a card beside it is blacker than letters, and thin.
    """
    rows = np.arange(profiles.shape[1], dtype=np.float64)
    level = np.mean([np.interp(rows + fall, rows, part) for part, fall in zip(profiles, falls, strict=True)], axis=0)
    level = cv2.GaussianBlur(level.astype(np.float32)[:, None], (1, 5), 1.5)[:, 0]
    level = level[np.abs(rows - middle) <= tall / 2]
    inked = np.flatnonzero(level > _INKED * level.max(initial=0))
    seen = inked[-1] - inked[0] + 1 if len(inked) else tall
    return float(np.clip(seen, max(LINE * 0.25, tall - np.ptp(falls)), tall))


def _parts(width: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each of so many nearly equal parts of a width begins, and how long it is; the first are the longer ones."""
    lengths = np.full(count, width // count)
    lengths[: width % count] += 1
    return np.cumsum(lengths) - lengths, lengths


def _means_of_parts(ink: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Part × rows: the mean of each row within each of so many parts of the width."""
    starts, lengths = _parts(ink.shape[1], count)
    return np.asarray(np.add.reduceat(ink, starts, axis=1).T / lengths[:, None], np.float32)
