"""Two documents in one picture that were taken for one page: what stands on both is never mixed.

The front and the back of one card in one picture stay together: they name one state at the most, and repeat little.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from truename.vision.captures import Picture
from truename.vision.document.classify import from_print
from truename.vision.document.folding import fold
from truename.vision.document.layouts.phrases import issuer_phrases
from truename.vision.document.limits import ReadingLimits
from truename.vision.document.page.groups import two_groups
from truename.vision.document.page.locate import Located, Page, Quad, locate, page_at
from truename.vision.document.print.read import TextLine

WHOLE_NAME: Final = 12
"""Letters of what a state calls itself in full: places of birth are written shorter."""
LONG_LINE: Final = 5
SAME_LINES: Final = 5
"""So many lines of so many letters stand on two documents of one kind: their labels. A back repeats fewer."""


def page_of_one(
    photo: Picture, page: Page, lines: Sequence[TextLine], zone: Quad | None, limits: ReadingLimits
) -> Page | None:
    """The one with the zone, else the larger, of two documents that lie on this page; None where it is one document.

    `lines` are those that were read on the page, `zone` where its zone stands, in the pixels of the page.
    """
    parted = two_groups([line.quad for line in lines])
    if parted is None:
        return None
    groups = [[line for line in lines if any(line.quad is quad for quad in part)] for part in parted]
    if not _are_two(*groups):
        return None
    boxes = [_box(part) for part in parted]
    size = page.picture.shape[1], page.picture.shape[0]
    areas = _halves(boxes, size)
    middle = zone.mean(0) if zone is not None else None
    with_zone = [middle is not None and _holds(area, middle) for area in areas]
    chosen = max((0, 1), key=lambda at: (with_zone[at], _area(boxes[at])))
    return _cut_out(photo, page, areas[chosen], limits)


def _are_two(one: Sequence[TextLine], other: Sequence[TextLine]) -> bool:
    """Do they name two states, or say the same in many lines?"""
    states = _states(one), _states(other)
    if all(states) and states[0].isdisjoint(states[1]):
        return True
    said = [{text for line in part if len(text := fold(line.text)) >= LONG_LINE} for part in (one, other)]
    return len(said[0] & said[1]) >= SAME_LINES


def _states(lines: Sequence[TextLine]) -> set[str]:
    """The states that name themselves in full; else the one that the words of a document with a title name."""
    texts = [fold(line.text) for line in lines]
    in_full = {
        code for phrase, code in issuer_phrases() if len(phrase) >= WHOLE_NAME and any(phrase in text for text in texts)
    }
    if in_full:
        return in_full
    highest = np.array([0.0, min(line.top for line in lines)], np.float32)
    said = from_print([replace(line, quad=line.quad - highest) for line in lines])
    return {said.country} if said.country is not None and said.type is not None else set()


def _box(quads: Sequence[Quad]) -> Quad:
    """The upper left and the lower right corner of all that stands there."""
    points = np.concatenate(list(quads))
    return np.array([points.min(0), points.max(0)], np.float32)


def _area(box: Quad) -> float:
    return float(np.prod(box[1] - box[0]))


def _halves(boxes: Sequence[Quad], size: tuple[int, int]) -> list[Quad]:
    """The page on either side of the middle of the band between both, each as two corners."""
    gaps = boxes[1][0] - boxes[0][1]
    axis = int(gaps.argmax())
    middle = float(boxes[0][1][axis] + boxes[1][0][axis]) / 2
    first, second = (np.array([[0, 0], size], np.float32) for _ in range(2))
    first[1, axis] = second[0, axis] = middle
    return [first, second]


def _holds(area: Quad, point: Quad) -> bool:
    return bool((point >= area[0]).all() and (point <= area[1]).all())


def _cut_out(photo: Picture, page: Page, area: Quad, limits: ReadingLimits) -> Page:
    """The document on this part of the page, by its own outline where it has one."""
    (left, top), (right, bottom) = np.round(area).astype(int)
    inner = locate(np.ascontiguousarray(page.picture[top:bottom, left:right]), limits)
    whole = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    found = inner is not None and inner.confidence >= limits.outline_believed
    quad = inner.quad + area[0] if inner is not None and found else whole
    height, width = page.picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    back = cv2.getPerspectiveTransform(corners, page.located.quad.astype(np.float32))
    placed = np.asarray(cv2.perspectiveTransform(quad[None].astype(np.float32), back)[0], np.float32)
    located = replace(inner, quad=placed) if inner is not None and found else Located(placed, 0.3, "text")
    return page_at(photo, located)
