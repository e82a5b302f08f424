"""Numbers in the format of a layout, with the check digit that its rule asks for, for people who do not exist."""

import string
from collections.abc import Iterator
from datetime import date
from typing import Final

import numpy as np

from truename.rules.national_numbers import examine_number, is_valid
from truename.sandbox.drawing.subjects import Person
from truename.vision.document.layouts.formats import parts
from truename.vision.document.layouts.model import FieldLayout

MOST_TRIES: Final = 60_000
FEW_TRIES: Final = 2_000
"""Of figures alone: so many that have no birth in them, and so many that have."""
PLAIN_LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Without I, O and Q, which many countries leave out where digits may stand, because they look like them."""

BIRTHS: Final = (
    ("{YY}", "{MM}", "{DD}"), ("{DD}", "{MM}", "{YY}"), ("{DD}", "{MM}", "{YYY}"), ("{YYYY}", "{MM}", "{DD}"),
    ("{YY}", "{WM}", "{DD}"), ("{WD}", "{MM}", "{YY}"),
)  # fmt: skip
"""How the numbers that bear a birth bear it."""


class CannotMake(Exception):
    """No number of the format satisfies its rule, or no day can be written in the calendar."""


def make_number(layout: FieldLayout, person: Person, random: np.random.Generator) -> str:
    """A number of the first format; where it has a rule, one that is valid and agrees with birth and sex."""
    format = layout.formats[0] if layout.formats else "########"
    if layout.scheme is None:
        return _any_number(format, person, random)
    of_figures = set(format) == {"#"}
    for _ in range(FEW_TRIES if of_figures else MOST_TRIES):
        number = _any_number(format, person, random)
        if _agrees(layout.scheme, number, person):
            return number
    for _ in range(FEW_TRIES if of_figures else 0):
        births = _with_birth(_any_number(format, person, random), person)
        if agreeing := next((one for one in births if _agrees(layout.scheme, one, person)), None):
            return agreeing
    raise CannotMake(f"No number of the format {format} satisfies {layout.scheme}.")


def _any_number(format: str, person: Person, random: np.random.Generator) -> str:
    return "".join(_part(part, person, random) for part in parts(format))


def _with_birth(number: str, person: Person) -> Iterator[str]:
    """The number with the birth in each place where it may stand: a format of figures alone does not say where."""
    for parts_of_birth in BIRTHS:
        birth = "".join(_of_birth(part, person.born, person.sex) for part in parts_of_birth)
        for at in range(len(number) - len(birth) + 1):
            yield f"{number[:at]}{birth}{number[at + len(birth) :]}"


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
