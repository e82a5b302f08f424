"""Print beside a zone that can be trusted: it is read until it confirms what the zone says, and no further.

Most of a page's print is labels in three languages, titles and the words of the law. Where the zone's check digits are
right and both its readers agree, the print has two things to add: whether it says the same (a forger changes one of
them), and the day of issue. Values are set larger than labels, so the largest lines are read first. Print that does not
confirm the zone is read in full, labels and all, so that what contradicts it is found.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from truename.rules.contradictions import SAME_NAME
from truename.rules.evidence import FieldName, ReadValue, Source
from truename.rules.text import name_similarity
from truename.vision.document.folding import fold
from truename.vision.document.print.dates import Order, printed_dates
from truename.vision.document.print.read import Quad, TextLine
from truename.vision.document.reconcile import NAMES, agree

CONFIRMED: Final = (
    FieldName.SURNAMES,
    FieldName.GIVEN_NAMES,
    FieldName.DOCUMENT_NUMBER,
    FieldName.DATE_OF_BIRTH,
    FieldName.DATE_OF_EXPIRY,
)
DATES: Final = (FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY)
LEAST_ASPECT: Final = 1.2
MOST_ASPECT: Final = 12.0
"""Length over height of lines that may bear a value; a character is about half as wide as its line is high."""
SAME_SIZE: Final = 0.25
"""The day of issue is set as large as the other dates, up to this share."""
ISSUE_CONFIDENCE: Final = 0.6
LONGEST_VALIDITY: Final = 11
"""Years."""

Read = Callable[[Quad, Callable[[str], bool] | None], TextLine]
"""Reads one line; a text that was read at a glance is shown to the second, which tells whether it is enough."""


@dataclass(frozen=True)
class Beside:
    """What was read of the print, and what it says where it confirms the whole zone."""

    lines: dict[int, TextLine]
    """By the number of the quad that was read."""
    values: dict[FieldName, list[ReadValue]] | None
    """None when something of the zone was not found, or a day that cannot be: then all of the print must be read."""


def read_until_confirmed(quads: Sequence[Quad], zone: Mapping[FieldName, ReadValue], read: Read, today: date) -> Beside:
    """Read lines, the largest first, until each value of the zone was found in one of them.

    `read` reads one line. A zone that lacks one of the values is never confirmed.
    """
    lines: dict[int, TextLine] = {}
    if not all(name in zone for name in CONFIRMED):
        return Beside(lines, None)
    likely = [index for index, quad in enumerate(quads) if LEAST_ASPECT <= _aspect(quad) <= MOST_ASPECT]
    found: dict[FieldName, TextLine] = {}

    def confirms(text: str) -> bool:
        return is_confirmed(text, zone, [name for name in CONFIRMED if name not in found])

    waiting = sorted(likely, key=lambda index: -_height(quads[index]))
    while waiting and len(found) < len(CONFIRMED):
        index = waiting.pop(0)
        lines[index] = line = read(quads[index], confirms)
        for name in CONFIRMED:
            if name not in found and _says(line.text, name, zone[name]):
                found[name] = line
    if len(found) < len(CONFIRMED):
        return Beside(lines, None)
    values = {name: [_value(name, found[name], zone[name])] for name in CONFIRMED}
    size = [found[name].height for name in DATES]
    for index in waiting:
        if (1 - SAME_SIZE) * min(size) <= _height(quads[index]) <= (1 + SAME_SIZE) * max(size):
            lines[index] = read(quads[index], None)
    issued, left_over = _issued(list(lines.values()), zone, today)
    if left_over:
        return Beside(lines, None)
    if issued is not None:
        said = ReadValue(value=issued.isoformat(), source=Source.VISUAL, confidence=ISSUE_CONFIDENCE)
        values[FieldName.DATE_OF_ISSUE] = [said]
    return Beside(lines, values)


def is_confirmed(text: str, zone: Mapping[FieldName, ReadValue], names: Sequence[FieldName] = CONFIRMED) -> bool:
    """Does a line, as it was read at a glance, say a number or date of the zone?

    Of names the print is kept, accents and all, which are not seen for sure at a glance.
    """
    return any(_says(text, name, zone[name]) for name in names if name not in NAMES and name in zone)


def _says(text: str, name: FieldName, machine: ReadValue) -> bool:
    if name in DATES:
        return date.fromisoformat(machine.value) in _days(text)
    if name in NAMES:
        return agree(name, text, machine) or name_similarity(text, machine.value) >= SAME_NAME
    return fold(machine.value) in fold(text)


def _value(name: FieldName, line: TextLine, machine: ReadValue) -> ReadValue:
    text = line.text.strip() if name in NAMES else machine.value
    return ReadValue(value=text, source=Source.VISUAL, confidence=round(line.confidence, 3))


def _issued(lines: Sequence[TextLine], zone: Mapping[FieldName, ReadValue], today: date) -> tuple[date | None, bool]:
    """The one other day among the dates, if it can be the day of issue; and whether there are only days that cannot.

    A day of issue that cannot be (after today, before birth, too long before the end) is for its label to tell.
    """
    born, ends = (date.fromisoformat(zone[name].value) for name in DATES)
    known = {born, ends}
    others = {day for line in lines if not known & _days(line.text) for day in _days(line.text, both=False)}
    days = {day for day in others if born < day <= today and day < ends and ends.year - day.year <= LONGEST_VALIDITY}
    return next(iter(days)) if len(days) == 1 else None, bool(others) and not days


def _days(text: str, both: bool = True) -> set[date]:
    orders = (Order.DAY_FIRST, Order.MONTH_FIRST) if both else (Order.DAY_FIRST,)
    return {day for order in orders for printed in printed_dates(text, order) for day in printed.days()}


def _height(quad: Quad) -> float:
    return float(min(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[1] - quad[0])))


def _aspect(quad: Quad) -> float:
    return float(np.linalg.norm(quad[1] - quad[0])) / max(float(np.linalg.norm(quad[3] - quad[0])), 1.0)
