"""Draw any document of the layout files: what it prints, where it stands, its numbers, its zone.

Fields with places are drawn there; a layout without places flows in two columns.
"""

from dataclasses import replace
from datetime import date
from typing import Final

import numpy as np

from truename.rules.countries import COUNTRIES
from truename.sandbox.drawing.another_face import another_portrait
from truename.sandbox.drawing.layout_values import PrintedField, PrintedValues
from truename.sandbox.drawing.native_people import NativePerson, people_of
from truename.sandbox.drawing.sheet import Sheet, can_print, text_width
from truename.sandbox.drawing.subjects import Issue, Person, Portrait, SyntheticDocument
from truename.vision.captures import Picture, Side
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import Box, DocumentLayout, Form, LabelsStand, LayoutField, Script
from truename.vision.document.print.scripts import FROM_RIGHT, letters_of

SIZES: Final = {Form.ID_1: (1027, 648), Form.ID_2: (1260, 888), Form.ID_3: (1500, 1056)}
PEOPLE: Final = {
    "F": Person("RIVERA", "MARTA LUCIA", "F", date(1985, 8, 12), "NOVIGRAD"),
    "M": Person("LINDGREN", "JAN ERIK", "M", date(1979, 11, 23), "NOVIGRAD"),
}
PORTRAITS: Final = (
    (0.04, 0.22, 0.24, 0.48), (0.72, 0.24, 0.24, 0.48), (0.72, 0.46, 0.24, 0.44), (0.04, 0.46, 0.24, 0.4),
)  # fmt: skip
LOW_PORTRAIT: Final = (0.04, 0.2, 0.19, 0.36)
"""Above a zone that stands on the same side."""
UPRIGHT_PORTRAITS: Final = (
    (0.28, 0.14, 0.44, 0.32), (0.04, 0.14, 0.4, 0.3), (0.56, 0.14, 0.4, 0.3), (0.28, 0.6, 0.44, 0.32),
)  # fmt: skip
UPRIGHT_ROWS: Final = 0.49
"""Where, in heights of an upright front, its rows begin."""
LABEL, VALUE, PLATE = 18, 28, 44
SMALLEST: Final = 14
"""Size of the letters of a heading that has little room."""
CLOSEST = 0.78
"""How close rows may stand, of the usual step: a value then ends where the next label begins."""


def size_of(layout: DocumentLayout) -> tuple[int, int]:
    """Width and height of the front in pixels."""
    width, height = SIZES[layout.form]
    return (height, width) if layout.upright else (width, height)


def can_draw(layout: DocumentLayout) -> bool:
    """Can it be drawn on this machine? What is written from right to left needs a library that sets it."""
    return can_print(layout.script)


def draw(
    country: str, layout: DocumentLayout, person: Person | None = None, seed: int = 0, issue: Issue | None = None
) -> SyntheticDocument:
    """Both sides of a document and what is printed on them; the same seed draws the same page.

    Raises CannotMake when no number of the layout's format satisfies its rule.
    """
    native = _native(country, layout, seed) if person is None else None
    person, issue = person or _somebody(layout, seed, native), issue or Issue()
    random = np.random.default_rng(seed + 1000)
    values = PrintedValues(country, layout, person, issue, random, native)
    rows = [values.row(name, field) for name, field in layout.fields.items()]
    zone = values.zone(rows)
    front = Sheet(size_of(layout), seed)
    _heading(front, country, layout)
    boxes = [row.layout.place for row in rows if row.layout.place is not None]
    if issue.portrait is not Portrait.NONE:
        above_zone = bool(zone) and layout.zone_side is Side.FRONT
        box = _pixels(LOW_PORTRAIT if above_zone else _free(boxes, layout.upright), layout)
        front.portrait(box, another_portrait() if issue.portrait is Portrait.ANOTHERS else None)
    on_front = [row for row in rows if row.layout.side is Side.FRONT]
    placed = [row for row in on_front if row.layout.place is not None]
    for row in placed:
        if row.layout.place is not None:
            _at_place(front, row, _pixels(row.layout.place, layout), layout.labels_stand)
    flowing = [row for row in on_front if row.layout.place is None] if not placed else []
    _flow(front, flowing, layout, bool(zone), layout.upright)
    code = values.barcode()
    back = _back(rows, layout, zone, code, seed)
    if zone and layout.zone_side is Side.FRONT:
        front.mrz(zone)
    drawn = placed or on_front
    if layout.upright_number is not None:
        numbers = [row for row in on_front if row.name is LayoutField.DOCUMENT_NUMBER]
        front.upright(numbers[0].lines[0][1], 40)
        drawn = [*drawn, *numbers]
    truth = {name: value for row in drawn for name, value in values.truth(row)}
    behind = {name: value for row in rows if row.layout.side is Side.BACK for name, value in values.truth(row)}
    return SyntheticDocument(country, layout.kind, front.picture(), back, truth, zone, code, behind)


def _native(country: str, layout: DocumentLayout, seed: int) -> NativePerson | None:
    """Somebody whose name is written in the script of the layout."""
    people = people_of(layout.script, countries()[country].languages[0])
    return people[seed % len(people)] if people else None


def _somebody(layout: DocumentLayout, seed: int, native: NativePerson | None) -> Person:
    """A woman or a man, with two surnames where the document has a label for each."""
    person = PEOPLE["FM"[seed % 2]]
    if native is not None:
        return replace(PEOPLE[native.sex], surnames=native.latin_surnames, given_names=native.latin_given_names)
    surnames = layout.fields.get(LayoutField.SURNAMES)
    return replace(person, surnames=f"{person.surnames} SOLER") if surnames and surnames.second else person


# ── where it stands ────────────────────────────────────────────────────────────────────────────────────────


def _heading(sheet: Sheet, country: str, layout: DocumentLayout) -> None:
    known = countries()[country]
    region = (
        known.regions[min(46, len(known.regions) - 1)] if layout.model == "american_licence" and known.regions else ""
    )
    name = _capitals(region or (known.issuers[0] if known.issuers else COUNTRIES[country].name))
    left = max(130, 60 + text_width(layout.plate, PLATE)) if layout.plate else 40
    width = size_of(layout)[0]
    room = width - left - 40
    if layout.plate:
        sheet.text((36, 20), layout.plate, PLATE, bold=True)
    if layout.script in FROM_RIGHT:
        sheet.text((width - 40, 10), known.issuers[-1], _fitting(known.issuers[-1], 30, room), bold=True, to_left=True)
        for title in layout.titles[:1]:
            sheet.text((width - 40, 52), title, _fitting(title, 26, room), to_left=True)
        return
    sheet.text((left, 14), name, _fitting(name, 30, room), bold=True)
    for index, title in enumerate(map(_capitals, layout.titles[:2])):
        size = _fitting(title, 22, room)
        sheet.text((left, 50 + 27 * index), title, size, bold=layout.script is Script.HANGUL)


def _fitting(text: str, size: int, room: int) -> int:
    """The size of letters, or as much smaller as the text needs to stand in so many pixels."""
    return next((one for one in range(size, SMALLEST, -1) if text_width(text, one) <= room), SMALLEST)


def _capitals(text: str) -> str:
    """As headings are set; Georgian has no capitals in use."""
    return text if letters_of(Script.GEORGIAN, text) > 0 else text.upper()


def _at_place(sheet: Sheet, row: PrintedField, corners: tuple[int, int, int, int], stand: LabelsStand) -> None:
    x, y, _, bottom = corners
    step = (bottom - y) // len(row.lines)
    size = max(16, min(34, round(0.62 * step)))
    for index, (label, value) in enumerate(row.lines):
        top = y + index * step
        sheet.text((x + 6, top - 4 if index == 0 else top + 2), value, size, bold=True)
        if label and stand is LabelsStand.ABOVE:
            sheet.text((x + 4, top - 17 if index == 0 else top - 12), label, 13)


def _flow(sheet: Sheet, rows: list[PrintedField], layout: DocumentLayout, zone: bool, upright: bool = False) -> None:
    """Rows in two columns beside the portrait, or below that of an upright front, above a zone on this side."""
    width, height = size_of(layout) if upright else SIZES[layout.form]
    below = height - (260 if zone and layout.zone_side is Side.FRONT else 40)
    left, column = (40, round(0.5 * width)) if upright else (round(0.31 * width), round(0.345 * width))
    if layout.script in FROM_RIGHT:
        left, column = width - 40, -column
    first = round(UPRIGHT_ROWS * height) if upright else 112
    x, y, widest = left, first, 0
    closer = _closer(rows, layout, below - y, abs(left - (0 if column < 0 else width)))
    at_foot = [row for row in rows if row.layout.label_below and layout.script not in FROM_RIGHT]
    for row in rows:
        if row in at_foot:
            continue
        tall, wide = round(closer * _tall(row, layout)), _wide(row, layout)
        if y + tall > below and x == left:
            # The next column stands clear of the first one, as far as the page goes.
            step = max(abs(column), min(widest + 60, abs(left - (0 if column < 0 else width)) - wide - 20))
            x, y = left + (step if column > 0 else -step), first
        drawn_to = _one_row(sheet, row, layout, (x, y))
        y, widest = y + round(closer * (drawn_to - y)), max(widest, wide)
    # What has its label below stands at the foot, side by side, as far as the page goes.
    for row in at_foot:
        wide = max(text_width(text, VALUE) for line in row.lines for text in line)
        if x > left and x + wide > width:
            x, y = left, y + 76
        _one_row(sheet, row, layout, (x, y))
        x += wide + 40


def _closer(rows: list[PrintedField], layout: DocumentLayout, room: int, width: int) -> float:
    """How much closer than usual rows must stand: 1, or less where two columns would lie upon each other.

    Rows of several lines are not set closer, and none closer than it can be read.
    """
    flowing = [row for row in rows if not row.layout.label_below]
    tall = sum(_tall(row, layout) for row in flowing)
    fits = tall <= room or 2 * max((_wide(row, layout) for row in flowing), default=0) + 60 <= width
    closer = room / max(tall, 1)
    return 1.0 if fits or closer < CLOSEST or any(len(row.lines) > 1 for row in flowing) else closer


def _in_one_line(row: PrintedField, layout: DocumentLayout) -> bool:
    """Does its label stand beside its value?"""
    return layout.labels_stand is LabelsStand.LEFT or row.layout.beside or row.layout.number is not None


def _tall(row: PrintedField, layout: DocumentLayout) -> int:
    return (46 if _in_one_line(row, layout) else 68) * len(row.lines)


def _wide(row: PrintedField, layout: DocumentLayout) -> int:
    """How wide a row is: its label and value side by side, or the wider of both."""
    if _in_one_line(row, layout):
        return max(text_width(label, LABEL) + 16 + text_width(value, VALUE - 2) for label, value in row.lines)
    return max(max(text_width(label, LABEL), text_width(value, VALUE)) for label, value in row.lines)


def _one_row(sheet: Sheet, row: PrintedField, layout: DocumentLayout, at: tuple[int, int]) -> int:
    x, y = at
    if layout.script in FROM_RIGHT:
        return _from_right(sheet, row, layout, at)
    for label, value in row.lines:
        if row.layout.label_below:
            sheet.text((x, y), value, VALUE - 4, bold=True)
            sheet.text((x, y + 32), label, LABEL)
            y += 60
        elif _in_one_line(row, layout):
            sheet.text((x, y + 6), label, LABEL)
            shift = text_width(label, LABEL) + 16 if label else 0
            sheet.text((x + shift, y), value, VALUE - 2, bold=True)
            y += 46
        elif layout.labels_stand is LabelsStand.BELOW:
            sheet.text((x, y), value, VALUE, bold=True)
            sheet.text((x, y + 36), label, LABEL)
            y += 68
        elif label:
            sheet.text((x, y), label, LABEL)
            sheet.text((x, y + 24), value, VALUE, bold=True)
            y += 68
        else:
            sheet.text((x, y), value, VALUE, bold=True)
            y += 40
    return y


def _from_right(sheet: Sheet, row: PrintedField, layout: DocumentLayout, at: tuple[int, int]) -> int:
    """A row that is read from the right: the label first, the value to its left, below or above it."""
    right, y = at
    for label, value in row.lines:
        if not label or _in_one_line(row, layout):
            sheet.text((right, y + 6), label, LABEL, to_left=True)
            sheet.text((right - text_width(label, LABEL) - 16, y), value, VALUE - 2, bold=True, to_left=True)
            y += 46
            continue
        is_below = layout.labels_stand is LabelsStand.BELOW or row.layout.label_below
        sheet.text((right, y + 36 if is_below else y), label, LABEL, to_left=True)
        sheet.text((right, y if is_below else y + 24), value, VALUE, bold=True, to_left=True)
        y += 68
    return y


def _back(
    rows: list[PrintedField], layout: DocumentLayout, zone: tuple[str, ...], code: bytes | None, seed: int
) -> Picture | None:
    on_back = [row for row in rows if row.layout.side is Side.BACK]
    if not on_back and code is None and not (zone and layout.zone_side is Side.BACK):
        return None
    sheet = Sheet(SIZES[layout.form], seed + 1)
    _flow(sheet, on_back, layout, zone=True)
    if code is not None:
        width, height = SIZES[layout.form]
        sheet.barcode(code, (60, round(0.5 * height), width - 120, round(0.45 * height)))
    if zone and layout.zone_side is Side.BACK:
        sheet.mrz(zone)
    return sheet.picture()


def _free(boxes: list[Box], upright: bool) -> Box:
    """A place for the portrait that covers no field."""
    places = UPRIGHT_PORTRAITS if upright else PORTRAITS
    return next((one for one in places if not any(_overlap(one, box) for box in boxes)), places[0])


def _overlap(one: Box, other: Box) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def _pixels(box: Box, layout: DocumentLayout) -> tuple[int, int, int, int]:
    """Left, top, right and bottom in pixels of the front."""
    width, height = size_of(layout)
    left, top, wide, tall = box
    return round(left * width), round(top * height), round((left + wide) * width), round((top + tall) * height)
