"""What a zone's readers doubted, read a second time by what is printed on the page.

The print says the same number, days and names in other letters. Where the readers doubted a character of the number or
of a day, and the printed value in its place makes every check digit of the zone right, it is what stands there. Names
have no check digit: a printed name of the same length is the zone's where they doubted every character that differs.
What the readers saw clearly is never changed, so a zone that was forged legibly stays and contradicts the print.

The print alone says in which century somebody was born.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np

from truename.rules.evidence import FieldName, MrzFormat, ReadValue
from truename.vision.document.folding import fold_words
from truename.vision.document.mrz.certainty import certainty, confidence
from truename.vision.document.mrz.decode import INDEX
from truename.vision.document.mrz.fields import parse
from truename.vision.document.mrz.layouts import ALPHABET, FILLER, LAYOUTS, Layout, Place, verify
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.mrz.repair import DEAREST_CHARACTER
from truename.vision.document.reconcile import ZONE_SPELLINGS

FIELDS: Final = (FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY)
"""What a zone protects by a check digit and a page prints; they bear the same names in both."""
MOST_TRIED: Final = 4
"""Candidates of each field that are tried, the likeliest first."""
SURE: Final = 0.5
"""How sure a printed name must be: no check digit stands behind it."""

Printed = Mapping[FieldName, Sequence[ReadValue]]
Change = dict[Place, str]


def settled_by_print(zone: MrzRead, printed: Printed) -> MrzRead:
    """The zone with printed values in the place of what was doubted; the very same where nothing settles a doubt."""
    return _names_settled(_numbers_settled(zone, printed), printed) if zone.characters else zone


def born_in_printed_century(said: ReadValue, printed: Sequence[ReadValue]) -> ReadValue:
    """The zone's day of birth a hundred years earlier, where the print says that; the zone has two figures of a year.

    The very same where the print says the later day, too, or neither. No surer than the print is.
    """
    earlier = f"{int(said.value[:4]) - 100}{said.value[4:]}"
    sure = {one.value: one.confidence for one in reversed(printed) if one.confidence >= SURE}
    if said.value in sure or earlier not in sure:
        return said
    return said.model_copy(update={"value": earlier, "confidence": min(said.confidence, sure[earlier])})


def _numbers_settled(zone: MrzRead, printed: Printed) -> MrzRead:
    """Number and days as printed, where that makes the zone valid.

    The very same zone where it is valid already, where a printed value differs from it in a character that was clear,
    and where no printed value makes every check digit right, or more than one does.
    """
    layout = LAYOUTS[zone.reading.format]
    if zone.reading.valid:
        return zone
    failing = [name for name in FIELDS if not zone.reading.check_digits.get(name.value, True)]
    choices = [list(_changes(zone, layout, name, printed.get(name, ())[:MOST_TRIED])) for name in failing]
    if not failing or not all(choices):
        return zone
    tried = {_with(zone.reading.lines, parts) for parts in product(*choices)}
    valid = [lines for lines in tried if all(verify(layout, lines).values())]
    return _as_read(zone, valid[0], tuple(name.value for name in failing)) if len(valid) == 1 else zone


def _names_settled(zone: MrzRead, printed: Printed) -> MrzRead:
    """Surnames and given names as printed, each where the readers doubted every character that differs."""
    layout = LAYOUTS[zone.reading.format]
    if "names" not in layout.fields or zone.reading.format in (MrzFormat.RUSSIAN_ID, MrzFormat.KENYAN_ID):
        return zone  # an old French card has its names in two lines, a Russian one in a code, a Kenyan one undivided
    places = layout.fields["names"]
    field = "".join(zone.reading.lines[line][column] for line, column in places)
    surnames, _, given = field.partition(2 * FILLER)
    starts = {FieldName.SURNAMES: (0, surnames), FieldName.GIVEN_NAMES: (len(surnames) + 2, given.rstrip(FILLER))}
    changes: list[Change] = []
    for name, (start, text) in starts.items():
        there = places[start : start + len(text)]
        sure = [value.value for value in printed.get(name, ())[:MOST_TRIED] if value.confidence >= SURE]
        values = [spelling for value in sure for spelling in _name_in_zone(value)]
        if not text or text in values:
            continue
        found = (_change(zone, there, value) for value in values if len(value) == len(text))
        changes += [change for change in found if change is not None][:1]
    if not changes:
        return zone
    lines = _with(zone.reading.lines, changes)
    mrz = parse(lines)
    if mrz is None:
        return zone
    repaired = (*zone.reading.repaired_fields, "names")
    reading = zone.reading.model_copy(update={"lines": lines, "readers_agree": False, "repaired_fields": repaired})
    return replace(zone, reading=reading, mrz=mrz)


def _name_in_zone(name: str) -> list[str]:
    """How a zone may write a printed name: with its letters' long spellings (ÜE) or without its marks."""
    spellings = (name.upper().translate(ZONE_SPELLINGS), name)
    return ["<".join(fold_words(spelling.replace("'", "").replace("-", " "))) for spelling in spellings]


def _changes(zone: MrzRead, layout: Layout, name: FieldName, values: Sequence[ReadValue]) -> Iterator[Change]:
    """What each printed value would change in its field, where the readers doubted all of that."""
    places = layout.fields[name.value]
    for value in values:
        text = _as_in_zone(name, value.value, len(places))
        if text is None:
            continue
        if change := _change(zone, places, text):
            yield change


def _change(zone: MrzRead, places: Sequence[Place], text: str) -> Change | None:
    """What differs between the zone and a text in these places; None where nothing does or some of it was clear."""
    change = {
        place: character
        for place, character in zip(places, text, strict=True)
        if zone.reading.lines[place[0]][place[1]] != character
    }
    if not change or not all(_is_doubted(zone, place, character) for place, character in change.items()):
        return None
    return change


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
