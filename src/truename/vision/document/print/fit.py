"""Do the values of a page stand where a layout has them? Then they can be read though no label was.

Labels are the smallest print of a page and the first to be lost. A layout whose places were measured on pictures is
believed when most of its places hold what must stand there, among them at least two dates or numbers of its format.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truename.vision.document.layouts.formats import settle
from truename.vision.document.layouts.model import DATES, NUMBERS, Box, DocumentLayout, FieldLayout, LayoutField
from truename.vision.document.print.dates import date_in_figures
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import NAMES, as_value

MARGIN: Final = 0.012
"""How far, in fractions of the page, a value may stand outside its place: pages are laid flat to a per cent."""
FITTING: Final = 0.7
"""The share of places that must hold a value."""
LEAST_PLACES: Final = 4
LEAST_TELLING: Final = 2
"""Dates and formatted numbers that must be found: names and words stand anywhere."""
NEARLY_AS_TALL: Final = 0.75
"""Of the tallest line in its place: smaller print there is a label."""
NEARLY_AS_SURE: Final = 0.8
"""Of the surest line of a name: what was read less surely in the same place is a part of its label."""

Size = tuple[int, int]
"""Width and height of the page in pixels."""


@dataclass(frozen=True)
class Spot:
    """A line and where it stands, in fractions of the page."""

    line: TextLine
    x: float
    y: float
    left: float


@dataclass(frozen=True)
class Placed:
    """A value read by its place."""

    value: str
    confidence: float
    lines: tuple[str, ...] = ()
    """Of a name: the lines that it runs over."""


@dataclass(frozen=True)
class Fit:
    """A layout that the page has."""

    layout: DocumentLayout
    values: Mapping[LayoutField, Placed]
    share: float


def spots(lines: Sequence[TextLine], size: Size) -> list[Spot]:
    """Where each line stands on a page of this size."""
    width, height = size
    return [
        Spot(line, float(line.quad[:, 0].mean()) / width, float(line.quad[:, 1].mean()) / height, line.left / width)
        for line in lines
    ]


def best_fit(
    page: Sequence[Spot],
    layouts: Sequence[DocumentLayout],
    dating: Dating,
    country: str | None,
    least_telling: int = LEAST_TELLING,
) -> Fit | None:
    """The layout that the page has; None when none of them fits.

    `least_telling`: so many dates and formatted numbers must stand in their places.
    """
    fits = [fit for layout in layouts if (fit := _fit(page, layout, dating, country, least_telling))]
    return max(fits, key=lambda fit: fit.share, default=None)


def _fit(
    page: Sequence[Spot], layout: DocumentLayout, dating: Dating, country: str | None, least_telling: int
) -> Fit | None:
    placed = {name: field for name, field in layout.fields.items() if field.place is not None}
    if len(placed) < LEAST_PLACES:
        return None
    standing = _by_place(page, placed)
    values = {
        name: value
        for name, field in placed.items()
        if (value := _value_of(standing[name], name, field, dating, country)) is not None
    }
    telling = sum(name in DATES or (name in NUMBERS and bool(placed[name].formats)) for name in values)
    share = len(values) / len(placed)
    if share < FITTING or len(values) < LEAST_PLACES or telling < least_telling:
        return None
    return Fit(layout, values, share)


def _by_place(page: Sequence[Spot], placed: Mapping[LayoutField, FieldLayout]) -> dict[LayoutField, list[TextLine]]:
    """The lines of each place; one that stands in two of them, at their edges, belongs to the nearer."""
    standing: dict[LayoutField, list[TextLine]] = {name: [] for name in placed}
    boxes = {name: field.place for name, field in placed.items() if field.place is not None}
    for spot in page:
        around = [name for name, box in boxes.items() if _stands_in(spot, box)]
        if around:
            nearest = min(around, key=lambda name: abs(spot.y - boxes[name][1] - boxes[name][3] / 2))
            standing[nearest].append(spot.line)
    return standing


def _value_of(
    here: Sequence[TextLine], name: LayoutField, field: FieldLayout, dating: Dating, country: str | None
) -> Placed | None:
    tallest = max((line.height for line in here), default=0.0)
    here = [line for line in here if line.height >= NEARLY_AS_TALL * tallest]
    found = [(line, value) for line in here if (value := _as_value(line, name, field, dating, country)) is not None]
    if name in NUMBERS and field.formats:
        found = [(line, settled.value) for line, value in found if (settled := settle(value, field.formats))]
    if not found:
        return None
    if name in NAMES:
        # Names run over several lines; between them stand labels, which are smaller and read less surely.
        surest = max(line.confidence for line, _ in found)
        found = [(line, value) for line, value in found if line.confidence >= NEARLY_AS_SURE * surest]
        lines = tuple(value for _, value in found)
        return Placed(" ".join(lines), min(line.confidence for line, _ in found), lines)
    line, value = max(found, key=lambda one: one[0].confidence)
    return Placed(value, line.confidence)


def _as_value(line: TextLine, name: LayoutField, field: FieldLayout, dating: Dating, country: str | None) -> str | None:
    if not field.figures:
        return as_value(name, line.text, dating, country)
    day = date_in_figures(line.text, field.figures, dating.today, future=name is LayoutField.DATE_OF_EXPIRY)
    return day.isoformat() if day is not None else None


def _stands_in(spot: Spot, place: Box) -> bool:
    left, top, width, height = place
    inside = left - MARGIN <= spot.x <= left + width + MARGIN and top - MARGIN <= spot.y <= top + height + MARGIN
    return inside and spot.left >= left - 2 * MARGIN
