"""Where are the lines of the machine-readable zone? Long parallel lines of text become level grey strips."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.converging import rectangle_around
from truename.vision.document.mrz.rows import LINE, Grey, Row, find_rows, without_frames

Quad = NDArray[np.float32]

STRIP_HEIGHT: Final = 32
_LEAST_ASPECT: Final = 5.0
"""Length over height from which a detected line may be one of a zone's."""
_PIECE_ASPECT: Final = 2.0
"""The same for a piece beside it: detectors break lines where fillers begin."""
_CAPITAL_SHARE: Final = 0.56
"""How much of a strip's height its capitals fill: what the line reader was trained around."""
_ABOVE: Final = 6
"""Rows of a strip above its capitals, and below them."""
_SHORTEST_BAND: Final = 9
"""Length over a line's height, with room at both ends: thirty characters take up fourteen."""
_MARGIN: Final = 16
"""Pixels around a band that are shrunk with it."""
_NARROWEST: Final = 360
"""Thirty characters, set as close as they come, are wider than this in a strip."""


@dataclass(frozen=True)
class Band:
    """Level strips of the zone's lines from top to bottom, as the picture lies (they may be upside down)."""

    strips: tuple[Grey, ...]
    corners: Quad
    """The zone in the picture, clockwise from its top left as it lies."""


@dataclass(frozen=True)
class _Line:
    centre: NDArray[np.float32]
    along: NDArray[np.float32]
    length: float
    height: float


def find_bands(grey: Grey, quads: Sequence[Quad], most: int = 4) -> Iterator[Band]:
    """Groups of long, parallel lines of one size, the likeliest zone first."""
    lines = [line for line in map(_measure, quads) if line.length >= _LEAST_ASPECT * line.height]
    pieces = [line for line in map(_measure, quads) if line.length >= _PIECE_ASPECT * line.height]
    groups: list[tuple[float, list[_Line], _Line]] = []
    for seed in sorted(lines, key=lambda line: -line.length / line.height)[:12]:
        group = [line for line in pieces if _belongs(seed, line)]
        alike = [line for line in group if _alike(seed, line)]
        if 2 <= len(alike) < len(group):
            # Whole lines of one length are the zone; what stands beside them is something else.
            groups.append((_promise(seed, alike) + 1, alike, seed))
        groups.append((_promise(seed, group), group, seed))
    seen: list[Quad] = []
    for _, group, seed in sorted(groups, key=lambda entry: -entry[0]):
        corners = _corners(group, seed)
        # What lies where another band lay is known already: levelling it again would only cost time.
        if any(_same(corners, other) for other in seen):
            continue
        band = _band(grey, corners, LINE / _height(group))
        if band is None:
            continue
        seen.append(band.corners)
        yield band
        if len(seen) >= most:
            return


def _measure(quad: Quad) -> _Line:
    """A line's middle, direction (rightwards or downwards), length and height, from its four corners."""
    sides = np.roll(quad, -1, 0) - quad
    lengths = np.linalg.norm(sides, axis=1)
    first = (lengths[0] + lengths[2]) / 2 >= (lengths[1] + lengths[3]) / 2
    along = sides[0] - sides[2] if first else sides[1] - sides[3]
    along = along / max(float(np.linalg.norm(along)), 1e-6)
    if along[0] < -0.01 or (abs(along[0]) <= 0.01 and along[1] < 0):
        along = -along
    long, short = (lengths[[0, 2]], lengths[[1, 3]]) if first else (lengths[[1, 3]], lengths[[0, 2]])
    return _Line(quad.mean(0), along.astype(np.float32), float(long.mean()), float(short.mean()))


def _belongs(seed: _Line, line: _Line) -> bool:
    """Parallel to the seed, of about its size, near it and beside it."""
    if abs(float(seed.along[0] * line.along[1] - seed.along[1] * line.along[0])) > 0.12:
        return False
    if not 0.45 < line.height / seed.height < 2.2:
        return False
    x, y = _frame(seed, line.centre)
    overlap = min(seed.length / 2, x + line.length / 2) - max(-seed.length / 2, x - line.length / 2)
    beside = abs(y) < 0.6 * seed.height and abs(x) < seed.length / 2 + line.length / 2 + 4 * seed.height
    return beside or (
        abs(y) < 5.5 * seed.height and overlap > 0.5 * min(seed.length, line.length) and line.length > 0.3 * seed.length
    )


def _alike(seed: _Line, line: _Line) -> bool:
    """As long as the seed, and straight above or below it."""
    return 0.8 < line.length / seed.length < 1.25 and abs(_frame(seed, line.centre)[0]) < 0.12 * seed.length


def _frame(seed: _Line, point: NDArray[np.float32]) -> tuple[float, float]:
    gap = point - seed.centre
    return float(gap @ seed.along), float(seed.along[0] * gap[1] - seed.along[1] * gap[0])


def _promise(seed: _Line, group: Sequence[_Line]) -> float:
    """Long thin lines, two or three of them, promise a zone."""
    alike = sum(_alike(seed, line) for line in group)
    return min(seed.length / seed.height, 40) + 8 * min(alike, 3)


def _height(group: Sequence[_Line]) -> float:
    return float(np.median([line.height for line in group]))


def _corners(group: Sequence[_Line], seed: _Line) -> Quad:
    """The rectangle around the group, with a little room, along the seed."""
    height = _height(group)
    places = [(_frame(seed, line.centre), line) for line in group]
    left = min(x - line.length / 2 for (x, _), line in places) - 1.3 * height
    right = max(x + line.length / 2 for (x, _), line in places) + 1.3 * height
    top = min(y - line.height / 2 for (_, y), line in places) - 0.7 * height
    bottom = max(y + line.height / 2 for (_, y), line in places) + 0.7 * height
    across = np.array([-seed.along[1], seed.along[0]], np.float32)
    return np.array(
        [
            seed.centre + x * seed.along + y * across
            for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))
        ],
        np.float32,
    )


def _band(grey: Grey, corners: Quad, scale: float) -> Band | None:
    level = _level(grey, corners, scale)
    if level is None:
        return None
    letters, bare = without_frames(level)
    rows = find_rows(bare)
    if (inside := rectangle_around(rows, level.shape[1], level.shape[0])) is not None:
        turned = _in_picture(inside, corners, level)
        if (straight := _level(grey, turned, scale)) is not None:
            corners = turned
            letters, bare = without_frames(straight)
            rows = find_rows(bare)
    strips = [strip for row in rows if (strip := _strip(letters, bare, row)) is not None]
    return Band(tuple(strips), corners) if len(strips) >= 2 else None


def _in_picture(points: Quad, corners: Quad, level: Grey) -> Quad:
    """Where in the picture points of the level band lie, whose own corners lie there at these."""
    height, width = level.shape
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(whole, corners)
    return np.asarray(cv2.perspectiveTransform(points[None], matrix)[0], np.float32)


def _level(grey: Grey, corners: Quad, scale: float) -> Grey | None:
    sides = np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1) * scale
    width, height = float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2
    if width < _SHORTEST_BAND * LINE or width > 4000 or height > 1200:
        return None
    size = (round(width), round(height))
    if scale < 0.6:
        grey, corners = _shrunk_around(grey, corners, scale * 1.25)
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    return np.asarray(
        cv2.warpPerspective(grey, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _shrunk_around(grey: Grey, corners: Quad, shrink: float) -> tuple[Grey, Quad]:
    """The part of the picture in which the corners lie, made smaller, and where they lie in it."""
    height, width = grey.shape
    left, top = np.clip(np.floor(corners.min(0)) - _MARGIN, 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(0)) + _MARGIN, (left + 1, top + 1), (width, height)).astype(int)
    part = cv2.resize(grey[top:bottom, left:right], None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    return np.asarray(part, np.uint8), np.asarray((corners - (left, top)) * shrink, np.float32)


def _strip(letters: Grey, bare: Grey, row: Row) -> Grey | None:
    """The row alone, level, at the height the line reader wants: its letters as they are, frames beside them painted
    out (`bare`)."""
    scale = STRIP_HEIGHT * _CAPITAL_SHARE / max(row.capital, LINE * 0.3)
    width = round(bare.shape[1] * scale)
    if not _NARROWEST <= width <= 3000:
        return None
    matrix = np.array([[scale, 0, 0], [-row.slope * scale, scale, STRIP_HEIGHT / 2 - row.at * scale]], np.float32)
    strip, beside = (
        cv2.warpAffine(seen, matrix, (width, STRIP_HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for seen in (letters, bare)
    )
    strip[:_ABOVE], strip[-_ABOVE:] = beside[:_ABOVE], beside[-_ABOVE:]
    return np.asarray(strip, np.uint8)


def _same(one: Quad, other: Quad) -> bool:
    shared, _ = cv2.intersectConvexConvex(one, other)
    return float(shared) > 0.7 * max(cv2.contourArea(one), cv2.contourArea(other))
