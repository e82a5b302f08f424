"""Where in the picture is the document, and which way up is it?

Several methods propose outlines; each proposal is rated by the same yardstick (edges along all four sides, the
proportions of a document, no text cut off) and the best one wins, if it is good enough to be believed.
"""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.page import corners, outline
from truename.vision.document.page.groups import two_groups
from truename.vision.document.page.text_beside import NO_TEXT, Text, stands_beyond_each_side, text_at, text_outside
from truename.vision.document.page.turns import quarter_turns
from truename.vision.document.print.read import detect_lines
from truename.vision.images import halve

Quad = NDArray[np.float32]

WORKING_SIDE: Final = 640
PAGE_SIDE: Final = 1600
"""The longest side of a rectified page: small print on a card is then about 20 pixels high."""
REFINED: Final = 14
"""So many of the best rough proposals are worth refining."""
HALVED_ABOVE: Final = 1600
INSIDE: Final = 0.015
"""Share of the picture's longer side by which a page must lie inside it for its text to be whole."""
PLAIN: Final = 0.9
"""The network's certainty from which on its outline holds all of the page."""
FROM_RIM_TO_RIM: Final = 0.85
"""Text that spans so much of the picture's width or height leaves no table beside the document there."""
TRUST: Final = 0.3
"""What the corner network's word is worth beside the edges: proposals near its outline gain up to this much."""


@dataclass(frozen=True)
class Located:
    """The document's corners in the picture, clockwise from its own top left, and how sure that is."""

    quad: Quad
    confidence: float
    method: str
    """Which method proposed it: corners, lines, colour, text, frame."""
    text_cut: bool = False
    """A line of text inside the outline runs into the picture's rim: part of the document is missing."""


@dataclass(frozen=True)
class Page:
    """The document alone: flat, upright."""

    picture: Picture
    located: Located


def find_page(picture: Picture, limits: ReadingLimits = CHOSEN) -> Page | None:
    """Cut the document out and turn it upright; None when the picture holds neither outline nor text."""
    located = locate(picture, limits)
    return page_at(picture, located) if located is not None else None


def page_at(picture: Picture, located: Located) -> Page:
    """The document at this place of the picture, cut out and turned upright."""
    page = rectify(picture, located.quad)
    turns = quarter_turns(page)
    return _turned(Page(page, located), turns) if turns else Page(page, located)


def locate(picture: Picture, limits: ReadingLimits = CHOSEN) -> Located | None:
    """The outline of the document, with its first corner at the upper left of the picture as it stands."""
    near = halved(picture, HALVED_ABOVE)
    scale = WORKING_SIDE / max(near.shape[:2])
    size = (max(8, round(near.shape[1] * scale)), max(8, round(near.shape[0] * scale)))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(near, size, interpolation=way), np.uint8)
    edges = outline.edges_of(small)
    seen = corners.find_corners(near, small)
    if seen is not None:
        seen = replace(seen, quad=from_upper_left(seen.quad * _ratio(near, small)))
        if (plain := _beyond_doubt(seen, edges, limits.outline_sure)) is not None:
            return replace(plain, quad=from_upper_left(plain.quad) * _ratio(small, picture))
    text = detect_lines(small, WORKING_SIDE)
    best = _best(seen, small, edges, text_at(text), limits)
    if best is None or best.confidence < limits.outline_believed:
        best = (
            _one_of_two(small, edges, text, limits)
            or _on_print(seen, edges, text_at(text), limits)
            or _fallback(small, text, best)
        )
    if best is None:
        return None
    cut = _runs_into_rim(best.quad, text, size)
    return replace(best, quad=from_upper_left(best.quad) * _ratio(small, picture), text_cut=cut)


def halved(picture: Picture, above: float) -> Picture:
    """The picture halved until its longer side is not above the limit: the cheapest way to shrink it soundly."""
    while max(picture.shape[:2]) > above:
        picture = halve(picture)
    return picture


def rectify(picture: Picture, quad: Quad, side: int = PAGE_SIDE) -> Picture:
    """The page as seen from straight above, never larger than it was in the picture."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, 0), axis=1)
    width, height = float(max(sides[0], sides[2])), float(max(sides[1], sides[3]))
    shrink = min(1.0, side / max(width, height))
    size = (max(8, round(width * shrink)), max(8, round(height * shrink)))
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    if shrink < 0.5:
        # Shrinking by a warp skips pixels: halve the whole picture first.
        return rectify(halve(picture), quad * np.float32(0.5), side)
    flat = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)


def turned_level(page: Page) -> Page:
    """A page whose lines stand on end, a quarter turned to the likelier of both sides."""
    return _turned(page, quarter_turns(page.picture, (1, 3)))


def _turned(page: Page, turns: int) -> Page:
    """The page after so many quarter turns counter-clockwise."""
    located = replace(page.located, quad=np.roll(page.located.quad, -turns, 0))
    return Page(np.ascontiguousarray(np.rot90(page.picture, turns)), located)


def from_upper_left(quad: Quad) -> Quad:
    """The same corners clockwise, starting with the one nearest the picture's upper left along a level reading."""
    centre = quad.mean(0)
    ordered = quad[np.argsort(np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0]))]
    # The top side is the one whose middle is highest.
    middles = (ordered + np.roll(ordered, -1, 0)) / 2
    return np.asarray(np.roll(ordered, -int(middles[:, 1].argmin()), 0), np.float32)


def _ratio(of: Picture, to: Picture) -> Quad:
    """What brings points of one size of the picture to another."""
    return np.array([to.shape[1] / of.shape[1], to.shape[0] / of.shape[0]], np.float32)


def _beyond_doubt(seen: corners.Corners, edges: outline.Edges, sure: float) -> Located | None:
    """The network's outline, where the edges bear it out so well that no text need be looked for.

    It must lie well inside the picture, so that no line of its text is cut off, and the network must be sure that all
    of the document is in it.
    """
    width, height = edges.size
    inside = (seen.quad > INSIDE * max(width, height)).all() and (
        seen.quad < np.array([width, height]) - INSIDE * max(width, height)
    ).all()
    if not inside or seen.confidence < PLAIN:
        return None
    found = _rated("corners", seen.quad, edges, NO_TEXT)
    return found if found.confidence >= sure else None


def _best(
    seen: corners.Corners | None, small: Picture, edges: outline.Edges, text: Text, limits: ReadingLimits
) -> Located | None:
    """The network's outline where the edges bear it out; else the best of all methods."""
    rated: list[Located] = []
    if seen is not None:
        rated.append(_rated("corners", seen.quad, edges, text))
        if rated[0].confidence >= limits.outline_sure:
            return rated[0]
    of_lines = seen is None or seen.confidence < limits.outline_plain
    rated += [_rated(method, quad, edges, text) for method, quad in _proposals(small, edges, text, of_lines)]
    if seen is not None:
        rated = [
            replace(
                found,
                confidence=(1 - TRUST) * found.confidence + TRUST * seen.confidence * _overlap(found.quad, seen.quad),
            )
            for found in rated
        ]
    return max(rated, key=lambda found: found.confidence, default=None)


def _proposals(small: Picture, edges: outline.Edges, text: Text, of_lines: bool) -> list[tuple[str, Quad]]:
    proposals: list[tuple[str, Quad]] = []
    if of_lines:
        proposals += [("lines", quad) for quad in outline.quads_from_lines(small, edges)]
    proposals += [("colour", quad) for quad in outline.quads_from_colour(edges)]
    if len(proposals) <= REFINED:
        return proposals
    quads = np.array([quad for _, quad in proposals])
    sides = outline.support(edges, quads, reach=4)
    rough = sides.mean(1) + sides.min(1) + 0.4 * outline.shape_fits(quads) - 2 * text_outside(quads, text)
    return [proposals[index] for index in np.argsort(-rough)[:REFINED]]


def _overlap(one: Quad, other: Quad) -> float:
    """Common area over joint area."""
    common = cv2.intersectConvexConvex(one, other)[0]
    return float(common / max(cv2.contourArea(one) + cv2.contourArea(other) - common, 1e-6))


def _rated(method: str, quad: Quad, edges: outline.Edges, text: Text) -> Located:
    """Refine a proposal and give it a mark from 0 to 1."""
    quad = from_upper_left(quad)
    refined = outline.refine(edges, quad, 6)
    if outline.is_plausible(refined, edges.size):
        quad = refined
    sides = outline.support(edges, quad[None])[0]
    outside = float(text_outside(quad[None], text)[0])
    share = cv2.contourArea(quad) / (edges.size[0] * edges.size[1])
    mark = (
        0.45 * sides.mean()
        + 0.25 * sides.min()
        + 0.2 * float(outline.shape_fits(quad[None])[0])
        + 0.1 * min(1.0, share / 0.5)
    )
    return Located(quad, float(np.clip(mark - 0.8 * outside, 0, 1)), method)


def _one_of_two(small: Picture, edges: outline.Edges, text: list[Quad], limits: ReadingLimits) -> Located | None:
    """The larger of two documents that lie apart, each with an outline to be believed: never both as one."""
    found = [_best(None, small, edges, text_at(part), limits) for part in two_groups(text) or ()]
    believed = [one for one in found if one is not None and one.confidence >= limits.outline_believed]
    if len(believed) < 2 or _overlap(believed[0].quad, believed[1].quad) > 0:
        return None
    return max(believed, key=lambda one: cv2.contourArea(one.quad))


def _on_print(seen: corners.Corners | None, edges: outline.Edges, text: Text, limits: ReadingLimits) -> Located | None:
    """The outline of which the network is sure, where print stands beyond each of its sides: a card on a newspaper.

    That print is no part of the document, so that it must not speak against the outline; nor do edges that are weak
    beside those of print, which is what edges are measured by there.
    """
    if seen is None or seen.confidence < PLAIN or not stands_beyond_each_side(seen.quad, text):
        return None
    found = _rated("corners", seen.quad, edges, NO_TEXT)
    return replace(found, confidence=max(found.confidence, limits.outline_believed))


def _fallback(small: Picture, text: list[Quad], best: Located | None) -> Located | None:
    """No outline to be seen: the document fills the picture, or its edges are lost in the table."""
    height, width = small.shape[:2]
    if not text:
        return best if best is not None and best.confidence > 0.35 else None
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    points = np.concatenate(text).astype(np.float32)
    hull = cv2.boxPoints(cv2.minAreaRect(points)).astype(np.float32)
    share = cv2.contourArea(hull) / (width * height)
    spans = ((points.max(0) - points.min(0)) / np.array([width, height])).max()
    if share > 0.45 or spans > FROM_RIM_TO_RIM:
        return Located(frame, 0.4, "frame")
    centre = hull.mean(0)
    grown = centre + (hull - centre) * 1.12
    grown = np.clip(grown, 0, np.array([width, height], np.float32)).astype(np.float32)
    return Located(grown, 0.3, "text")


def _runs_into_rim(quad: Quad, text: list[Quad], size: tuple[int, int]) -> bool:
    """Is a line of the document cut by the edge of the picture?"""
    limit = np.array(size, np.float32) - 1.5
    for line in text:
        tall = np.linalg.norm(line[3] - line[0])
        touches = (line < 1.5).any() or (line > limit).any()
        inside = cv2.pointPolygonTest(quad, tuple(map(float, line.mean(0))), False) >= 0
        if touches and inside and np.linalg.norm(line[1] - line[0]) > 2 * tall > 12:
            return True
    return False
