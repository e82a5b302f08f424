"""A zone whose check digits are wrong, read a second time by what is printed on the page.

The print is a reading of the same number and the same days by another eye. Where the zone's readers doubted a
character, and the printed value in its place makes every check digit of the zone right, it is what stands there. What
the readers saw clearly is never changed, so a zone that was forged legibly stays wrong and contradicts the print.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np

from truename.rules.evidence import FieldName, ReadValue
from truename.vision.document.mrz.certainty import certainty, confidence
from truename.vision.document.mrz.decode import INDEX
from truename.vision.document.mrz.fields import parse
from truename.vision.document.mrz.layouts import ALPHABET, FILLER, LAYOUTS, Layout, Place, verify
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.mrz.repair import DEAREST_CHARACTER

FIELDS: Final = (FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY)
"""What a zone protects by a check digit and a page prints; they bear the same names in both."""
MOST_TRIED: Final = 4
"""Candidates of each field that are tried, the likeliest first."""

Printed = Mapping[FieldName, Sequence[ReadValue]]
Change = dict[Place, str]


def settled_by_print(zone: MrzRead, printed: Printed) -> MrzRead:
    """The zone with the printed number and days in the place of what was doubted, where they make it valid.

    The very same zone where it is valid already, where a printed value differs from it in a character that was clear,
    and where no printed value makes every check digit right, or more than one does.
    """
    layout = LAYOUTS[zone.reading.format]
    if zone.reading.valid or not zone.characters:
        return zone
    failing = [name for name in FIELDS if not zone.reading.check_digits.get(name.value, True)]
    choices = [list(_changes(zone, layout, name, printed.get(name, ())[:MOST_TRIED])) for name in failing]
    if not failing or not all(choices):
        return zone
    tried = {_with(zone.reading.lines, parts) for parts in product(*choices)}
    valid = [lines for lines in tried if all(verify(layout, lines).values())]
    return _as_read(zone, valid[0], tuple(name.value for name in failing)) if len(valid) == 1 else zone


def _changes(zone: MrzRead, layout: Layout, name: FieldName, values: Sequence[ReadValue]) -> Iterator[Change]:
    """What each printed value would change in its field, where the readers doubted all of that."""
    places = layout.fields[name.value]
    for value in values:
        text = _as_in_zone(name, value.value, len(places))
        if text is None:
            continue
        change = {
            place: character
            for place, character in zip(places, text, strict=True)
            if zone.reading.lines[place[0]][place[1]] != character
        }
        if change and all(_is_doubted(zone, place, character) for place, character in change.items()):
            yield change


def _as_in_zone(name: FieldName, value: str, length: int) -> str | None:
    """A printed value as the zone writes it; None where it cannot be written there."""
    if name is FieldName.DOCUMENT_NUMBER:
        text = "".join(character for character in value.upper() if character.isalnum())
    else:
        text = value.replace("-", "")[2:]
    if not text or len(text) > length or not all(character in ALPHABET for character in text):
        return None
    return text.ljust(length, FILLER)


def _is_doubted(zone: MrzRead, place: Place, character: str) -> bool:
    """Might this character stand there, as far as the readers could see?"""
    scores = zone.characters[place[0]][place[1]]
    return bool(scores.max() - scores[INDEX[character]] < DEAREST_CHARACTER)


def _with(lines: Sequence[str], changes: Sequence[Change]) -> tuple[str, ...]:
    grid = [list(line) for line in lines]
    for change in changes:
        for (line, column), character in change.items():
            grid[line][column] = character
    return tuple("".join(line) for line in grid)


def _as_read(zone: MrzRead, lines: tuple[str, ...], fields: tuple[str, ...]) -> MrzRead:
    """The zone with these lines, its fields marked as repaired; the readers did not see it so, each alone."""
    mrz = parse(lines)
    if mrz is None:
        return zone
    sure = [certainty(scores, text) for scores, text in zip(zone.characters, lines, strict=True)]
    reading = zone.reading.model_copy(
        update={
            "lines": lines,
            "check_digits": mrz.check_digits,
            "valid": mrz.valid,
            "readers_agree": False,
            "confidence": confidence(float(np.prod(sure)), mrz.valid, agree=False, repaired=True),
            "repaired_fields": fields,
        }
    )
    return replace(zone, reading=reading, mrz=mrz)
