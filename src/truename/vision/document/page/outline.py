"""Candidate outlines of a flat document from edges and colours, and how well each is borne out by the picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.images import median_of

Quad = NDArray[np.float32]
Floats = NDArray[np.float32]

SHAPES: Final = (85.6 / 54, 125 / 88, 105 / 74)
"""Width over height of the card, the passport page and the larger card (ID-1, ID-3, ID-2)."""
SAMPLES: Final = 48
PARALLEL: Final = 0.1
"""Sine of the angle below which two lines do not meet."""
LINES_PER_DIRECTION: Final = 9
SMALLEST_SHARE: Final = 0.06
"""A document that takes up less of the picture than this is too small to be read anyway."""


@dataclass(frozen=True)
class Edges:
    """The picture's gradients, with its own noise as the yardstick."""

    x: Floats
    y: Floats
    noise: float
    lab: NDArray[np.uint8]

    @property
    def size(self) -> tuple[int, int]:
        return self.x.shape[1], self.x.shape[0]


def edges_of(small: Picture) -> Edges:
    """Gradients over all colour channels: at each point those of the channel that changes most."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.0), cv2.COLOR_RGB2LAB)
    steepest_x, steepest_y, steepest = _slopes(lab, 0, 1 / 8)
    for channel in (1, 2):
        # Colour counts double: pale pages on pale tables differ in tint more than in lightness.
        x, y, steep = _slopes(lab, channel, 2 / 8)
        stronger = cv2.compare(steep, steepest, cv2.CMP_GT)
        cv2.copyTo(x, stronger, steepest_x)
        cv2.copyTo(y, stronger, steepest_y)
        cv2.copyTo(steep, stronger, steepest)
    noise = median_of(np.sqrt(steepest[::2, ::2]))
    return Edges(steepest_x, steepest_y, max(noise, 0.25), np.asarray(lab, np.uint8))


def _slopes(lab: cv2.typing.MatLike, channel: int, scale: float) -> tuple[Floats, Floats, Floats]:
    """Of one channel: the gradients across and down (whole numbers until the end), and the square of their length."""
    plane = cv2.extractChannel(lab, channel)
    x, y = (cv2.Sobel(plane, cv2.CV_16S, *way, ksize=3) * np.float32(scale) for way in ((1, 0), (0, 1)))
    return x, y, x * x + y * y


# ── candidates ─────────────────────────────────────────────────────────────────────────────────────────────


def quads_from_lines(small: Picture, edges: Edges) -> Iterator[Quad]:
    """Every two and two of the longest straight edges that could enclose a document."""
    lines = _long_lines(small)
    if len(lines) < 4:
        return
    # The direction with most edge length is one side of the document; the other side crosses it.
    angles = np.array([line.angle for line in lines])
    weights = np.array([line.length for line in lines])
    spread = np.abs(_turn(angles[:, None] - angles[None, :])) < np.deg2rad(22)
    main = angles[int((spread * weights).sum(1).argmax())]
    along = [line for line in lines if abs(_turn(line.angle - main)) < np.deg2rad(25)][:LINES_PER_DIRECTION]
    across = [line for line in lines if abs(_turn(line.angle - main)) > np.deg2rad(60)][:LINES_PER_DIRECTION]
    width, height = edges.size
    margin = 0.04 * max(width, height)
    if min(len(along), len(across)) < 2:
        return
    points, crosses = _crossings(along, across)
    crosses &= ((points >= -margin) & (points <= np.array([width + margin, height + margin], np.float32))).all(2)
    pairs = [np.array(list(combinations(range(len(lines)), 2))) for lines in (along, across)]
    one, other = np.divmod(np.arange(len(pairs[0]) * len(pairs[1])), len(pairs[1]))
    (first, second), (third, fourth) = pairs[0][one].T, pairs[1][other].T
    places = ((first, third), (first, fourth), (second, third), (second, fourth))
    whole = np.logical_and.reduce([crosses[place] for place in places])
    for corners in np.stack([points[place] for place in places], 1)[whole]:
        quad = cv2.convexHull(corners)[:, 0].astype(np.float32)
        if len(quad) == 4 and is_plausible(quad, edges.size):
            yield quad


def _crossings(along: list["_Line"], across: list["_Line"]) -> tuple[Floats, NDArray[np.bool_]]:
    """Where each line meets each line of the other direction, and whether the two are far enough from parallel."""
    (one, way), (other, turn) = (
        (np.array([line.point for line in lines]), np.array([line.direction for line in lines]))
        for lines in (along, across)
    )
    determinant = np.outer(way[:, 0], turn[:, 1]) - np.outer(way[:, 1], turn[:, 0])
    crosses = np.abs(determinant) >= PARALLEL
    gap = other[None] - one[:, None]
    distance = (gap[..., 0] * turn[:, 1] - gap[..., 1] * turn[:, 0]) / np.where(crosses, determinant, 1)
    return np.asarray(one[:, None] + way[:, None] * distance[..., None], np.float32), crosses


def quads_from_colour(edges: Edges) -> Iterator[Quad]:
    """What differs in colour from the picture's rim, taken as one piece."""
    lab = edges.lab.astype(np.float32)
    lab[..., 1:] *= 2  # as in the gradients
    rim = max(3, round(0.015 * max(lab.shape[:2])))
    strips = (lab[:rim], lab[-rim:], lab[:, :rim], lab[:, -rim:])
    border = np.concatenate([strip.reshape(-1, 3) for strip in strips])[::7]
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.5)
    cv2.setRNGSeed(1)
    _, labels, centres = cv2.kmeans(np.ascontiguousarray(border), 4, np.empty(0), criteria, 1, cv2.KMEANS_PP_CENTERS)
    share = np.bincount(labels.ravel(), minlength=4) / len(border)
    planes = cv2.split(lab)
    squares = [sum((planes[one] - centre[one]) ** 2 for one in range(3)) for centre in centres[share > 0.06]]
    distance = np.sqrt(np.min(squares, axis=0))
    for threshold in (6.0, 10.0, 18.0, 30.0):
        mask = (distance > threshold).astype(np.uint8)
        kernel = np.ones((5, 5), np.uint8)
        whole = cv2.morphologyEx(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel, iterations=2), cv2.MORPH_OPEN, kernel)
        contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:2]:
            hull = cv2.convexHull(contour)
            for quad in (_four_corners(hull), cv2.boxPoints(cv2.minAreaRect(hull)).astype(np.float32)):
                if quad is not None and is_plausible(quad, edges.size):
                    yield quad


def _four_corners(hull: cv2.typing.MatLike) -> Quad | None:
    length = cv2.arcLength(hull, True)
    for tolerance in (0.02, 0.03, 0.05, 0.08):
        found = cv2.approxPolyDP(hull, tolerance * length, True)
        if len(found) == 4:
            return found[:, 0].astype(np.float32)
    return None


def is_plausible(quad: Quad, size: tuple[int, int]) -> bool:
    """Convex, large enough, and not stretched beyond what a card looks like under a strong tilt."""
    if not cv2.isContourConvex(quad) or cv2.contourArea(quad) < SMALLEST_SHARE * size[0] * size[1]:
        return False
    sides = np.linalg.norm(quad - np.roll(quad, -1, 0), axis=1)
    one, other = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    opposite = min(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1])
    return bool(1.05 < max(one, other) / min(one, other) < 2.3 and opposite > 0.55)


# ── judging ────────────────────────────────────────────────────────────────────────────────────────────────


def support(edges: Edges, quads: NDArray[np.float32], reach: int = 2) -> Floats:
    """For each side of each quad, the share of its length that lies on an edge running along it."""
    quads = quads.reshape(-1, 4, 2)
    starts, ends = quads, np.roll(quads, -1, 1)
    steps = np.linspace(0.04, 0.96, SAMPLES, dtype=np.float32)
    points = starts[:, :, None] + (ends - starts)[:, :, None] * steps[None, None, :, None]
    direction = ends - starts
    direction = direction / np.maximum(np.linalg.norm(direction, axis=2, keepdims=True), 1e-6)
    normals = np.stack([direction[..., 1], -direction[..., 0]], 2)
    width, height = edges.size
    best = np.zeros(points.shape[:3], np.float32)
    for offset in range(-reach, reach + 1):
        moved = points + normals[:, :, None] * offset
        x, y = np.rint(moved[..., 0]).astype(np.int32), np.rint(moved[..., 1]).astype(np.int32)
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        x, y = x.clip(0, width - 1), y.clip(0, height - 1)
        across = np.abs(edges.x[y, x] * normals[:, :, None, 0] + edges.y[y, x] * normals[:, :, None, 1])
        best = np.maximum(best, np.where(inside, across, 0))
    limit = 3.0 * edges.noise
    marks = 0.7 * (best > limit) + 0.3 * np.clip(best / (4 * limit), 0, 1)
    return np.asarray(marks.mean(2), np.float32)


def shape_fits(quads: NDArray[np.float32]) -> Floats:
    """For each, 1 where the sides have the proportion of a known document, falling to 0 away from all."""
    sides = np.linalg.norm(quads - np.roll(quads, -1, 1), axis=2)
    both = np.stack([sides[:, 0] + sides[:, 2], sides[:, 1] + sides[:, 3]])
    ratio = both.max(0) / np.maximum(both.min(0), 1e-6)
    return np.asarray(np.exp(-((np.log(ratio[:, None] / np.array(SHAPES)) / 0.12) ** 2)).max(1), np.float32)


def refine(edges: Edges, quad: Quad, reach: int) -> Quad:
    """Move each side to the strongest straight edge within reach, and cross the sides anew."""
    width, height = edges.size
    fitted = []
    for index in range(4):
        start, end = quad[index], quad[(index + 1) % 4]
        direction = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
        normal = np.array([direction[1], -direction[0]], np.float32)
        points = start + (end - start) * np.linspace(0.05, 0.95, 2 * SAMPLES, dtype=np.float32)[:, None]
        offsets = np.arange(-reach, reach + 1, dtype=np.float32)
        moved = points[:, None] + normal * offsets[None, :, None]
        x = np.rint(moved[..., 0]).astype(np.int32).clip(0, width - 1)
        y = np.rint(moved[..., 1]).astype(np.int32).clip(0, height - 1)
        strength = np.minimum(np.abs(edges.x[y, x] * normal[0] + edges.y[y, x] * normal[1]), 12 * edges.noise)
        fitted.append(_best_line(strength, points, normal, offsets) or (start, direction))
    corners = []
    for index in range(4):
        crossing = _cross(fitted[index - 1], fitted[index])
        if crossing is None or np.linalg.norm(crossing - quad[index]) > 3 * reach:
            return quad
        corners.append(crossing)
    return np.array(corners, np.float32)


def _best_line(strength: Floats, points: Floats, normal: Floats, offsets: Floats) -> tuple[Floats, Floats] | None:
    """The straight path through the strip, from any offset at one end to any at the other, with most edge on it."""
    count, width = strength.shape
    first, last, paths = _straight_paths(count, width)
    totals = strength.ravel()[paths].mean(1) - 0.01 * np.abs(first + last - (width - 1))
    best = int(totals.argmax())
    if totals[best] <= 0:
        return None
    start = points[0] + normal * offsets[first[best]]
    end = points[-1] + normal * offsets[last[best]]
    return start, ((end - start) / max(float(np.linalg.norm(end - start)), 1e-6)).astype(np.float32)


@cache
def _straight_paths(count: int, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Offset at the first and the last row of each straight path through such a strip, and the places on its way."""
    first, last = np.repeat(np.arange(width), width), np.tile(np.arange(width), width)
    near = np.abs(first - last) <= max(2, width // 2)
    first, last = first[near], last[near]
    paths = np.rint(first[:, None] + (last - first)[:, None] * np.linspace(0, 1, count)).astype(np.int64)
    return first, last, paths + np.arange(count) * width


# ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Line:
    point: Floats
    direction: Floats
    length: float

    @property
    def angle(self) -> float:
        return float(np.arctan2(self.direction[1], self.direction[0]))


def _long_lines(small: Picture) -> list[_Line]:
    """Straight edges, pieces of one line joined, longest first."""
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB)
    light = cv2.createCLAHE(2.0, (8, 8)).apply(lab[..., 0])
    tint = cv2.normalize(cv2.GaussianBlur(lab[..., 1:].max(2), (0, 0), 1), np.empty(0), 0, 255, cv2.NORM_MINMAX)
    found = [segments[:, 0] for image in (light, tint) if (segments := detector.detect(image)[0]) is not None]
    if not found:
        return []
    segments = np.concatenate(found)
    lengths = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    segments = segments[(lengths > 0.025 * max(small.shape)).nonzero()[0]]
    segments = segments[np.argsort(-np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1]))][:400]
    free = np.ones(len(segments), bool)
    lines: list[_Line] = []
    for index in range(len(segments)):
        if free[index] and len(lines) < 60:
            lines.append(_joined(segments, free, index))
    return sorted(lines, key=lambda line: -line.length)[:24]


def _joined(segments: Floats, free: NDArray[np.bool_], seed: int) -> _Line:
    start, end = segments[seed, :2], segments[seed, 2:]
    direction = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
    normal = np.array([direction[1], -direction[0]], np.float32)
    near = (np.abs((segments[:, :2] - start) @ normal) < 3) & (np.abs((segments[:, 2:] - start) @ normal) < 3)
    chosen = segments[near]
    free[near] = False
    ends = chosen.reshape(-1, 2)
    vx, vy, x, y = cv2.fitLine(ends, cv2.DIST_L2, 0, 0.01, 0.01).ravel()
    along = (chosen.reshape(-1, 2, 2) - np.array([x, y], np.float32)) @ np.array([vx, vy], np.float32)
    covered = np.zeros(2048, bool)
    for low, high in np.sort(along, axis=1):
        covered[max(0, int(low) + 1024) : max(0, int(high) + 1024)] = True
    return _Line(np.array([x, y], np.float32), np.array([vx, vy], np.float32), float(covered.sum()))


def _cross(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Floats | None:
    (point, direction), (second, turn) = one, other
    determinant = float(direction[0] * turn[1] - direction[1] * turn[0])
    if abs(determinant) < PARALLEL:
        return None
    gap = second - point
    distance = float(gap[0] * turn[1] - gap[1] * turn[0]) / determinant
    return np.asarray(point + direction * distance, np.float32)


def _turn(angle: NDArray[np.float64] | float) -> NDArray[np.float64] | float:
    """An angle between lines, which have no ends: −90° to 90°."""
    return (np.asarray(angle) + np.pi / 2) % np.pi - np.pi / 2
