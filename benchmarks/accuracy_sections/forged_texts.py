"""Drawn documents that cannot be genuine by what they say, photographed: zones, dates and numbers that were changed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from unittest.mock import patch

import numpy as np

from truename.rules.national_numbers import Agreement, examine_number
from truename.sandbox.drawing import documents, layout_values, sheet
from truename.sandbox.drawing.documents import Person
from truename.sandbox.drawing.from_layout import can_draw, draw
from truename.sandbox.drawing.number_making import make_number
from truename.sandbox.drawing.subjects import Issue
from truename.vision.captures import Picture
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import DocumentLayout, FieldLayout

DRAWN = 8
PEOPLE = (
    Person("NOVAK", "JAN PETR", "M", date(1979, 11, 23), "BRNO"),
    Person("LINDHOLM", "SAGA", "F", date(1992, 4, 30), "UPPSALA"),
    Person("OKAFOR", "CHIDI EMEKA", "M", date(1968, 7, 2), "ENUGU"),
    Person("ALVAREZ RUIZ", "LUCIA", "F", date(2001, 12, 15), "CORDOBA"),
)
YOUNGER = 11
"""Years by which the forger makes the holder younger."""

Lines = tuple[str, ...]


def births_changed_in_print() -> Iterator[Picture]:
    """Passports whose printed birth was changed and whose zone was left as it was."""
    for seed, person in _people():
        yield _with_zone(_younger(person), seed, lambda _, kept: kept, person)


def names_changed_in_print() -> Iterator[Picture]:
    """Passports whose printed names were changed and whose zone was left as it was."""
    for seed, person in _people():
        other = PEOPLE[(seed + 1) % len(PEOPLE)]
        named = replace(person, surnames=other.surnames, given_names=other.given_names)
        yield _with_zone(named, seed, lambda _, kept: kept, person)


def births_changed_everywhere() -> Iterator[Picture]:
    """Passports whose birth was changed in print and zone, and whose check digits were not made anew."""
    for seed, person in _people():
        yield _with_zone(_younger(person), seed, _with_birth_of, person)


def _with_birth_of(new: Lines, old: Lines) -> Lines:
    """The old lines with the six figures of the new birth, which follow number, digit and nationality."""
    return old[0], old[1][:13] + new[1][13:19] + old[1][19:]


def ends_put_off() -> Iterator[Picture]:
    """Passports whose end was put off by ten years, in print and zone, with check digits that are right."""
    for seed, person in _people():
        issue = Issue(expires=date(2041, 3, 9))
        yield _photographed(documents.passport(person, seed=seed, issue=issue).front, seed)


def numbers_of_others() -> Iterator[Picture]:
    """Documents whose national number is somebody else's: right in itself, and of another birth."""
    for at, (code, layout) in enumerate(_bearing_births()[:DRAWN]):
        person = PEOPLE[at % len(PEOPLE)]
        with patch.object(layout_values, "make_number", partial(_number_of, _younger(person))):
            drawn = draw(code, layout, person, seed=at)
        yield _photographed(drawn.front, at)


def _number_of(somebody: Person, field: FieldLayout, _: Person, random: np.random.Generator) -> str:
    return make_number(field, somebody, random)


def _bearing_births() -> list[tuple[str, DocumentLayout]]:
    """Of each country the first document of which a number says when its holder was born."""
    found: dict[str, DocumentLayout] = {}
    for code, country in sorted(countries().items()):
        for layout in country.documents:
            if can_draw(layout) and any(_tells_birth(field) for field in layout.fields.values()):
                found.setdefault(code, layout)
    return list(found.items())


def _tells_birth(field: FieldLayout) -> bool:
    if field.scheme is None:
        return False
    person = PEOPLE[0]
    number = make_number(field, _younger(person), np.random.default_rng(0))
    finding = examine_number(field.scheme, number, person.born, person.sex)
    return finding is not None and finding.birth is Agreement.DIFFERS


def _people() -> Iterator[tuple[int, Person]]:
    for seed in range(DRAWN):
        yield seed, PEOPLE[seed % len(PEOPLE)]


def _younger(person: Person) -> Person:
    born = person.born
    return replace(person, born=date(born.year + YOUNGER, born.month % 12 + 1, min(born.day + 3, 28)))


def _photographed(page: Picture, seed: int) -> Picture:
    return documents.photograph(page, seed=seed)[0]


def _with_zone(printed: Person, seed: int, change: Callable[[Lines, Lines], Lines], of: Person) -> Picture:
    """A passport of one person with a zone that `change` makes of its own lines and those of another passport."""
    kept = documents.passport(of, seed=seed).mrz
    usual = sheet.Sheet.mrz

    def print_zone(page: sheet.Sheet, lines: Lines) -> None:
        usual(page, change(lines, kept))

    with patch.object(sheet.Sheet, "mrz", print_zone):
        page = documents.passport(printed, seed=seed).front
    return _photographed(page, seed)
