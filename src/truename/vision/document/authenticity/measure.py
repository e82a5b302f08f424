"""Measure every sign of one document; what cannot be measured is left out and says nothing."""

from collections.abc import Mapping
from datetime import date
from typing import Final

import numpy as np

from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.evidence import DocumentField, DocumentType, FieldName, Source
from truename.vision.captures import Picture
from truename.vision.document.authenticity import agreement
from truename.vision.document.authenticity.pixels import (
    cut_edges,
    even_share,
    foreign_grid,
    grain_difference,
    is_even_by_blocks,
)
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.page.locate import Page
from truename.vision.document.page.portrait import Portrait
from truename.vision.document.page.quality import SMALLEST_SIDE, Measured, is_too_small

LONGEST_LINE: Final = 44
LEAST_PITCH: Final = SMALLEST_SIDE / LONGEST_LINE
"""Pixels from letter to letter of a passport's zone on the smallest page that is taken."""
LITTLE: Final = 0.1
"""Of less than this share of a page that is even nobody asks what made it so: to look takes 50 ms of a large photo."""

Signs = dict[AuthenticitySign, float]


def signs_of_text(
    fields: Mapping[FieldName, DocumentField],
    zone: MrzRead | None,
    country: str | None,
    kind: DocumentType | None,
    today: date,
) -> Signs:
    """What the words, numbers and dates of the whole document say."""
    found: dict[AuthenticitySign, float | None] = {
        AuthenticitySign.NUMBER_CONTRADICTS: agreement.contradicting_numbers(fields, country, kind),
        AuthenticitySign.IMPOSSIBLE_DATES: agreement.impossible_dates(fields, country, kind, today),
    }
    if zone is not None or any(field.source is Source.BARCODE for field in fields.values()):
        found[AuthenticitySign.SOURCES_CONTRADICT] = agreement.surest_contradiction(fields, country, kind)
    if zone is not None:
        found[AuthenticitySign.CHECK_DIGITS_FAILED] = agreement.wrong_check_digits(zone.reading)
        found[AuthenticitySign.ZONE_SPACING] = zone.spacing
        found[AuthenticitySign.ZONE_FONT] = zone.unlike_ocr_b if _shows_its_font(zone) else None
    return _known(found)


def _shows_its_font(zone: MrzRead) -> bool:
    """Letters of which some were misread, or that are smaller than on the smallest page we take, show no font."""
    width = float(np.linalg.norm(zone.corners[1] - zone.corners[0]))
    return zone.reading.valid and width >= len(zone.reading.lines[0]) * LEAST_PITCH


def signs_of_front(photo: Picture, page: Page, measured: Measured, portrait: Portrait | None) -> Signs:
    """What the pixels of the front say; on a page that is too small, stripes and grain are not seen.

    What compression alone has made even does not count: a camera may have seen it.
    """
    flat = page.picture
    small = is_too_small(page.located)
    found: dict[AuthenticitySign, float | None] = {
        AuthenticitySign.SCREEN: None if small else measured.hues_in_one_direction,
        AuthenticitySign.PHOTOCOPY: measured.colour,
        AuthenticitySign.NO_CAMERA_NOISE: _even_by_a_program(photo, page),
    }
    if portrait is not None and not small:
        found[AuthenticitySign.PORTRAIT_NOISE] = grain_difference(flat, portrait.face)
        found[AuthenticitySign.PORTRAIT_EDGE] = cut_edges(flat, portrait.face)
        found[AuthenticitySign.PORTRAIT_COMPRESSION] = foreign_grid(photo, page.located.quad, flat, portrait.face)
    return _known(found)


def _even_by_a_program(photo: Picture, page: Page) -> float:
    """The share of the page that is even, unless compression has made it so; of little there is nothing to explain."""
    share = even_share(page.picture)
    return 0.0 if share >= LITTLE and is_even_by_blocks(photo, page.located.quad) else share


def _known(found: Mapping[AuthenticitySign, float | None]) -> Signs:
    return {sign: round(float(value), 3) for sign, value in found.items() if value is not None}
