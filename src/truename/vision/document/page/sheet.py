"""A card that lies on a sheet of paper: the sheet is found first, because its edges are the longer ones.

A document's text fills most of it. Where all text of a page stands in a small part of it, that page is looked at again
as a picture of its own: an outline in it that holds all the text and is as good as the sheet's own is the document.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from truename.vision.captures import Picture
from truename.vision.document.limits import ReadingLimits
from truename.vision.document.page.locate import Located, Page, Quad, locate, page_at

CARD_SHAPE: Final = 1.5
"""The longer side over the shorter one: of a card 1.586, of a page of a passport 1.42."""
TEXT_FILLS: Final = 0.4
"""Share of a document that its text spans at the least: a card on a sheet of twice its size has less. Of 40 scans and
pictures the least was 0.43, and that is a page which is half empty."""
SMALLER: Final = 0.75
"""Of the sheet the card covers at most so much; more of it is the same outline, found again."""
FOR_ITS_SIZE: Final = 0.05
"""What an outline that is smaller loses of its mark by its size alone."""


def is_card_shaped(page: Picture) -> bool:
    """Has it the shape of a card of the common size, lying or upright, and not that of a page of a passport?"""
    short, long = sorted(page.shape[:2])
    return bool(long > CARD_SHAPE * short)


def card_on_sheet(photo: Picture, page: Page, lines: Sequence[Quad], limits: ReadingLimits) -> Page | None:
    """The card that lies on the page, where the page is a sheet of paper; None where it is the document itself.

    `lines` are the lines of text of the page, in its own pixels.
    """
    height, width = page.picture.shape[:2]
    if not lines or _spanned(lines) >= TEXT_FILLS * width * height:
        return None
    inner = locate(page.picture, limits)
    least = max(limits.outline_believed, page.located.confidence - FOR_ITS_SIZE)
    if inner is None or inner.confidence < least or not _holds(inner, lines):
        return None
    if cv2.contourArea(inner.quad) > SMALLER * width * height:
        return None
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    back = cv2.getPerspectiveTransform(corners, page.located.quad.astype(np.float32))
    quad = cv2.perspectiveTransform(inner.quad[None].astype(np.float32), back)[0]
    return page_at(photo, replace(inner, quad=np.asarray(quad, np.float32)))


def _spanned(lines: Sequence[Quad]) -> float:
    """The area of the smallest rectangle around all of the text."""
    (_, (width, height), _) = cv2.minAreaRect(np.concatenate(lines).astype(np.float32))
    return float(width * height)


def _holds(inner: Located, lines: Sequence[Quad]) -> bool:
    """Does every line of text begin and end inside of the outline?"""
    quad = inner.quad.astype(np.float32)
    middles = (point for line in lines for point in ((line[0] + line[3]) / 2, line.mean(0), (line[1] + line[2]) / 2))
    return all(cv2.pointPolygonTest(quad, tuple(map(float, point)), False) >= 0 for point in middles)
