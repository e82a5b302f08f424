"""Where on the flattened page does each value stand? In the zone by its layout, in the print by its line."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

import cv2
import numpy as np

from truename.rules.document_words import DATES
from truename.rules.evidence import DocumentField, FieldName, Outline
from truename.vision.captures import Picture
from truename.vision.document.folding import fold
from truename.vision.document.mrz.layouts import LAYOUTS, Place
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.print.date_forms import ANY_FORM, DateForms, date_in_form, is_same_day
from truename.vision.document.print.dates import Order, printed_dates
from truename.vision.document.print.read import Quad, TextLine
from truename.vision.images import percentile_of_bytes

IN_THE_ZONE: Final[Mapping[FieldName, str]] = {
    FieldName.DOCUMENT_NUMBER: "document_number",
    FieldName.NATIONALITY: "nationality",
    FieldName.DATE_OF_BIRTH: "date_of_birth",
    FieldName.GENDER: "sex",
    FieldName.DATE_OF_EXPIRY: "date_of_expiry",
    FieldName.SURNAMES: "surnames",
    FieldName.GIVEN_NAMES: "given_names",
}
DARK: Final = 0.6
"""Of the zone's own brightness: what is darker is ink."""
INKED: Final = 0.04
LEAST_PART: Final = 0.6
"""An inked part narrower than this share of the zone is none: then the zone is taken as it was found."""
SHORTEST: Final = 3
"""Letters and digits of a value that is looked for in the print: shorter ones stand everywhere."""


def field_places(
    page: Picture,
    lines: Sequence[TextLine],
    mrz: MrzRead | None,
    fields: Mapping[FieldName, DocumentField],
    forms: DateForms = ANY_FORM,
) -> dict[FieldName, tuple[Outline, ...]]:
    """The outlines of each value on this page, as fractions of its width and height; a value not found has none.

    `forms`: how the document writes dates.
    """
    height, width = page.shape[:2]
    size = np.array([width, height], np.float32)
    zone = None if mrz is None else _printed_part(page, mrz.corners)
    found = {
        name: tuple(_outline(quad / size) for quad in _quads(name, field.value, lines, mrz, zone, forms))
        for name, field in fields.items()
    }
    return {name: outlines for name, outlines in found.items() if outlines}


def is_said_in(lines: Sequence[TextLine], name: FieldName, value: str, forms: DateForms = ANY_FORM) -> bool:
    """Does any of these lines say this value?"""
    return any(_says(line.text, name, value, forms) for line in lines)


def _quads(
    name: FieldName, value: str, lines: Sequence[TextLine], mrz: MrzRead | None, zone: Quad | None, forms: DateForms
) -> Iterator[Quad]:
    line = next((line for line in lines if _says(line.text, name, value, forms)), None)
    if line is not None:
        yield line.quad
    if mrz is not None and zone is not None and (spot := _in_the_zone(mrz, zone, name)) is not None:
        yield spot


def _printed_part(page: Picture, corners: Quad) -> Quad:
    """The zone without its margins: as far as there is ink. On a page laid flat it stands upright."""
    height, width = page.shape[:2]
    left, top = np.clip(corners.min(0), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(corners.max(0), 1, (width, height)).astype(int)
    if right <= left or bottom <= top:
        return corners
    part = cv2.cvtColor(page[top:bottom, left:right], cv2.COLOR_RGB2GRAY)
    dark = (part < DARK * percentile_of_bytes(part, 50)).view(np.uint8)
    down, across = (cv2.reduce(dark, axis, cv2.REDUCE_AVG, dtype=cv2.CV_32F).ravel() for axis in (0, 1))
    columns, rows = np.flatnonzero(down > INKED), np.flatnonzero(across > INKED)
    if len(columns) < 2 or len(rows) < 2 or columns[-1] - columns[0] < LEAST_PART * (right - left):
        return corners
    x1, x2, y1, y2 = left + columns[0], left + columns[-1] + 1, top + rows[0], top + rows[-1] + 1
    return np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]], np.float32)


def _says(text: str, name: FieldName, value: str, forms: DateForms) -> bool:
    if name in DATES:
        day = date.fromisoformat(value)
        if any(is_same_day(form, date_in_form(text, form, day, True), day) for form in forms.own):
            return True
        orders = (Order.DAY_FIRST, Order.MONTH_FIRST)
        return any(day in printed.days() for order in orders for printed in printed_dates(text, order))
    wanted = fold(value)
    return len(wanted) >= SHORTEST and wanted in fold(text)


def _in_the_zone(mrz: MrzRead, zone: Quad, name: FieldName) -> Quad | None:
    layout = LAYOUTS[mrz.reading.format]
    part = IN_THE_ZONE.get(name)
    spots: Sequence[Place] | None = layout.fields.get(part or "")
    if spots is None and name in (FieldName.SURNAMES, FieldName.GIVEN_NAMES):
        spots = _part_of_the_names(mrz, layout.fields.get("names", ()), name)
    if not spots:
        return None
    line = spots[0][0]
    first, last = spots[0][1], spots[-1][1] + 1
    rows = len(mrz.reading.lines)
    return _part(zone, first / layout.length, last / layout.length, line / rows, (line + 1) / rows)


def _part_of_the_names(mrz: MrzRead, spots: Sequence[Place], name: FieldName) -> Sequence[Place]:
    """Surnames stand before the double filler, given names behind it."""
    text = "".join(mrz.reading.lines[line][column] for line, column in spots)
    before, divided, behind = text.partition("<<")
    if name is FieldName.SURNAMES:
        return spots[: len(before)]
    start = len(before) + 2
    return spots[start : start + len(behind.rstrip("<"))] if divided else ()


def _part(corners: Quad, left: float, right: float, top: float, bottom: float) -> Quad:
    """A part of a four-cornered shape, by fractions of its sides."""
    top_left, top_right, bottom_right, bottom_left = (np.asarray(corner, np.float32) for corner in corners)

    def at(x: float, y: float) -> Quad:
        above, below = top_left + x * (top_right - top_left), bottom_left + x * (bottom_right - bottom_left)
        return np.asarray(above + y * (below - above), np.float32)

    return np.stack([at(left, top), at(right, top), at(right, bottom), at(left, bottom)])


def _outline(quad: Quad) -> Outline:
    return tuple((round(float(x), 4), round(float(y), 4)) for x, y in np.clip(quad, 0.0, 1.0))
