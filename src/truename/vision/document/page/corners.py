"""Where are the document's four corners? A small network marks the document, lines are fitted to its sides."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.images import fitted, median_of
from truename.vision.runtime import any_number, onnx

Quad = NDArray[np.float32]
Points = NDArray[np.float32]

NETWORK: Final = "document_outline"
SIDE: Final = 320
_FINE: Final = 1280
"""Longest side of the picture in which the sides are fitted to the pixel."""
_LEAST_SHARE: Final = 0.03
_BESIDE: Final = 4
"""Pixels beside a part that blurring it needs to know."""
_REACH: Final = 0.012
"""How far from the network's line the true edge may lie, as a share of the diagonal."""


@dataclass(frozen=True)
class Corners:
    """Four points, clockwise, the first at the upper left of the picture as it lies, in its pixels."""

    quad: Quad
    confidence: float
    """The network's mean certainty inside the outline, times how well its mark fills the four-sided figure."""


def find_corners(picture: Picture, smaller: Picture | None = None) -> Corners | None:
    """The document's corners and how sure they are; None when the picture shows no document.

    `smaller`: the picture at a lesser size, where there is one already, for the first look.
    """
    if smaller is None or smaller.shape[0] > picture.shape[0]:
        smaller = picture
    marks, scale = _marks(picture, smaller)
    outline = _largest(marks[0])
    if outline is None:
        return None
    rough = _four_sides(outline)
    if rough is None:
        return None
    bounds = (picture.shape[1] / scale, picture.shape[0] / scale)
    fitted = _fit_sides(outline, rough, bounds)
    confidence = _certainty(marks[0], fitted)
    quad = _refine(picture, np.asarray(fitted * scale, np.float32))
    return Corners(_from_upper_left(quad), confidence)


def _marks(picture: Picture, source: Picture) -> tuple[NDArray[np.float32], float]:
    """Document and border marks, and how many picture pixels one pixel of them is."""
    height, width = picture.shape[:2]
    shrink = SIDE / max(height, width)
    size = (max(16, round(width * shrink)), max(16, round(height * shrink)))
    small = fitted(source, size, exactly=True)
    padded = cv2.copyMakeBorder(small, 0, -size[1] % 32, 0, -size[0] % 32, cv2.BORDER_REPLICATE)
    blob = np.empty((1, 3, *padded.shape[:2]), np.float32)
    for plane, colour in zip(blob[0], cv2.split(padded), strict=True):
        np.divide(colour, np.float32(127.5), out=plane)
        plane -= 1
    marks = onnx(NETWORK, prepare=any_number).run(blob)[0][0][:, : -(-size[1] // 2), : -(-size[0] // 2)]
    return np.asarray(marks, np.float32), 2 * max(height, width) / SIDE


def _largest(mask: NDArray[np.float32]) -> Points | None:
    """The outline of the largest marked part, to a fraction of a mark."""
    zoom = 4
    larger = cv2.resize(mask, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_LINEAR)
    contours, _ = cv2.findContours((larger > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    best = max(contours, key=cv2.contourArea, default=None)
    if best is None or cv2.contourArea(best) < _LEAST_SHARE * larger.size:
        return None
    return np.asarray((best[:, 0].astype(np.float32) + 0.5) / zoom, np.float32)


def _four_sides(outline: Points) -> Quad | None:
    """The four-sided figure that its convex hull comes nearest to."""
    hull = cv2.convexHull(outline)
    around = cv2.arcLength(hull, True)
    for tolerance in np.linspace(0.01, 0.12, 23):
        few = cv2.approxPolyDP(hull, tolerance * around, True)
        if len(few) <= 4:
            break
    if len(few) != 4:
        few = cv2.boxPoints(cv2.minAreaRect(outline))[:, None]
    quad = np.asarray(few[:, 0], np.float32)
    return quad if cv2.contourArea(quad) > 0 else None


def _fit_sides(outline: Points, rough: Quad, bounds: tuple[float, float]) -> Quad:
    """A straight line through each side's own points, away from the rounded corners; the corners are where they meet.

    Points on the picture's own frame are no edge of the document: a side that lies there stays where it is.
    """
    quad = rough
    for _ in range(2):
        lines = []
        for index in range(4):
            start, end = quad[index], quad[(index + 1) % 4]
            way = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
            length = float(np.linalg.norm(end - start))
            gap = outline - start
            along = gap @ way
            across = np.abs(gap[:, 0] * way[1] - gap[:, 1] * way[0])
            near = outline[(along > 0.1 * length) & (along < 0.9 * length) & (across < 0.06 * length + 2)]
            line = (start, way)
            if len(near) >= 12:
                vx, vy, x0, y0 = cv2.fitLine(near, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
                line = (np.array([x0, y0], np.float32), np.array([vx, vy], np.float32))
            lines.append(line)
        quad = _meet(lines, quad)
    margin = 0.06 * max(bounds)
    return np.clip(quad, -margin, np.array(bounds, np.float32) + margin)


def _meet(lines: list[tuple[Points, Points]], before: Quad) -> Quad:
    """Corners as the meeting points of neighbouring sides (as before where two sides are nearly parallel)."""
    found = before.copy()
    for index in range(4):
        (p, u), (q, v) = lines[index - 1], lines[index]
        cross = float(u[0] * v[1] - u[1] * v[0])
        if abs(cross) > 0.15:
            gap = q - p
            found[index] = p + u * float(gap[0] * v[1] - gap[1] * v[0]) / cross
    return found


def _certainty(mask: NDArray[np.float32], quad: Quad) -> float:
    inside = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 1)
    marked = mask > 0.5
    both = float((inside.astype(bool) & marked).sum())
    either = float((inside.astype(bool) | marked).sum())
    return float(cv2.mean(mask, inside)[0]) * both / max(either, 1.0)


def _refine(picture: Picture, quad: Quad) -> Quad:
    """Move each side onto the edge that runs beside it in the full picture, where there is one."""
    shrink = min(1.0, _FINE / max(picture.shape[:2]))
    fine = picture if shrink == 1 else _shrunk(picture, shrink)
    small = quad * shrink
    reach = _REACH * float(np.hypot(*fine.shape[:2]))
    lines = [_edge(fine, small[index], small[(index + 1) % 4], reach) for index in range(4)]
    moved = _meet(lines, small)
    if np.abs(moved - small).max() > 2.5 * reach:
        return quad
    return np.asarray(moved / shrink, np.float32)


def _shrunk(picture: Picture, scale: float) -> Picture:
    return fitted(picture, (round(picture.shape[1] * scale), round(picture.shape[0] * scale)), exactly=True)


def _soft_part(picture: Picture, grid: Points) -> tuple[NDArray[np.float32], Points]:
    """The part of the picture in which these points lie, a little blurred, and the points in it."""
    height, width = picture.shape[:2]
    low = np.clip(np.floor(grid.min((0, 1))) - _BESIDE, 0, (width - 1, height - 1)).astype(int)
    high = np.clip(np.ceil(grid.max((0, 1))) + _BESIDE, low + 1, (width, height)).astype(int)
    part = cv2.GaussianBlur(picture[low[1] : high[1], low[0] : high[0]], (0, 0), 1.0)
    return part.astype(np.float32), np.asarray(grid - low, np.float32)


def _edge(picture: Picture, start: Points, end: Points, reach: float) -> tuple[Points, Points]:
    """The line through the strongest steps across a side; the side itself when they do not line up."""
    way = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
    across = np.array([-way[1], way[0]], np.float32)
    offsets = np.arange(-reach, reach + 0.5, 0.5, dtype=np.float32)
    shares = np.linspace(0.08, 0.92, 72, dtype=np.float32)
    points = start + shares[:, None] * (end - start)
    grid = points[:, None] + offsets[None, :, None] * across
    part, places = _soft_part(picture, grid)
    sampled = cv2.remap(part, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    steps = np.abs(sampled[:, 2:] - sampled[:, :-2]).sum(2) * np.exp(-0.5 * (offsets[1:-1] / (0.6 * reach)) ** 2)
    height, width = picture.shape[:2]
    outside = (grid[..., 0] < 1) | (grid[..., 0] > width - 2) | (grid[..., 1] < 1) | (grid[..., 1] > height - 2)
    steps[outside[:, 1:-1]] = 0
    # Edges of print change from place to place; the document's own edge is there all along.
    steady = np.minimum(steps, median_of(steps) * 6 + 12)
    found = _straightest(steady, offsets[1:-1], shares)
    if found is None:
        return start, way
    at, slope = found
    first = start + across * (at + slope * shares[0]) + (end - start) * shares[0]
    last = start + across * (at + slope * shares[-1]) + (end - start) * shares[-1]
    return first, (last - first) / max(float(np.linalg.norm(last - first)), 1e-6)


def _straightest(steps: NDArray[np.float32], offsets: Points, shares: Points) -> tuple[float, float] | None:
    """Offset and slope of the straight line along which the steps add up to most; None when none stands out."""
    tracks = _tracks(len(shares), len(offsets))
    sums = np.take(steps, tracks).mean(1)
    best = int(sums.argmax())
    if sums[best] < 1.6 * float(steps.mean()) + 1.0:
        return None
    rows = np.arange(len(shares))
    near = tracks[best][:, None] - (rows * len(offsets))[:, None] + np.arange(-3, 4)
    inside = (near >= 0) & (near < len(offsets))
    strengths = np.where(inside, steps[rows[:, None], near * inside], -1)
    peaks = near[rows, strengths.argmax(1)]
    found = offsets[0] + peaks * (offsets[1] - offsets[0])
    slope, at = np.polyfit(shares, found, 1, w=np.sqrt(steps[rows, peaks] + 1e-3))
    return float(at), float(slope)


@cache
def _tracks(count: int, width: int) -> NDArray[np.int64]:
    """Straight ways through such a strip, from any of some columns to any of them: the places on each, row by row."""
    ends = np.arange(0, width, max(1, width // 24))
    left, right = (line.ravel() for line in np.meshgrid(ends, ends, indexing="ij"))
    columns = np.rint(left[:, None] + (right - left)[:, None] * np.linspace(0, 1, count)).astype(np.int64)
    return np.asarray(columns + np.arange(count) * width, np.int64)


def _from_upper_left(quad: Quad) -> Quad:
    centre = quad.mean(0)
    ordered = quad[np.argsort(np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0]))]
    middles = (ordered + np.roll(ordered, -1, 0)) / 2
    return np.asarray(np.roll(ordered, -int(middles[:, 1].argmin()), 0), np.float32)
