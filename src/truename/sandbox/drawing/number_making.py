"""Numbers in the format of a layout, with the check digit that its rule asks for, for people who do not exist."""

import string
from datetime import date
from typing import Final

import numpy as np

from truename.rules.national_numbers import examine_number, is_valid
from truename.sandbox.drawing.subjects import Person
from truename.vision.document.layouts.formats import parts
from truename.vision.document.layouts.model import FieldLayout

MOST_TRIES: Final = 60_000
PLAIN_LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Without I, O and Q, which many countries leave out where digits may stand, because they look like them."""


class CannotMake(Exception):
    """No number of the format satisfies its rule, or no day can be written in the calendar."""


def make_number(layout: FieldLayout, person: Person, random: np.random.Generator) -> str:
    """A number of the first format; where it has a rule, one that is valid and agrees with birth and sex."""
    format = layout.formats[0] if layout.formats else "########"
    for _ in range(MOST_TRIES):
        number = "".join(_part(part, person, random) for part in parts(format))
        if layout.scheme is None or _agrees(layout.scheme, number, person):
            return number
    raise CannotMake(f"No number of the format {format} satisfies {layout.scheme}.")


def _agrees(scheme: str, number: str, person: Person) -> bool:
    found = examine_number(scheme, number, person.born, person.sex)
    return found is not None and not found.contradicts and is_valid(scheme, number)


def _part(part: str, person: Person, random: np.random.Generator) -> str:
    if part.startswith("{"):
        return _of_birth(part, person.born, person.sex)
    if part == "#":
        return str(random.integers(0, 10))
    if part == "@":
        return string.ascii_uppercase[int(random.integers(0, 26))]
    if part == "*":
        either = string.digits + PLAIN_LETTERS
        return either[int(random.integers(0, len(either)))]
    return part


def _of_birth(part: str, born: date, sex: str) -> str:
    woman = sex == "F"
    return {
        "{YYYY}": f"{born.year:04d}",
        "{YYY}": f"{born.year % 1000:03d}",
        "{YY}": f"{born.year % 100:02d}",
        "{MM}": f"{born.month:02d}",
        "{DD}": f"{born.day:02d}",
        "{WM}": f"{born.month + 50 * woman:02d}",
        "{WD}": f"{born.day + 40 * woman:02d}",
        "{HM}": "M" if woman else "H",
    }[part]
