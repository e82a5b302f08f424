"""What a number looks like on one document, and what a doubtful letter in it must be."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import islice, product
from typing import Final

from truename.rules.national_numbers import compact

DIGIT_OF: Final = {"O": "0", "Q": "0", "D": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "G": "6", "T": "7", "B": "8"}
"""Letters that are misread digits."""
LETTERS_OF: Final = {"0": "OD", "1": "IL", "2": "Z", "5": "S", "6": "G", "7": "T", "8": "B"}
SAME_FORM: Final = dict(zip("АВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYXIJSABEZHIKMNOPTYX", strict=True))
"""Capitals of Cyrillic and Greek, and the Latin ones that look the same."""
TAKEN_FOR: Final = {"Б": "56B", "З": "3", "Ч": "4"}
"""Capitals that Latin has not, and what they are taken for where print is read in Latin letters."""
MOST_READINGS: Final = 64
_PART: Final = re.compile(r"\{\w+\}|.")
_LETTER_OF_SEX: Final = "{HM}"
_SEPARATORS: Final = re.compile(r"[\s.\-/()]")


@dataclass(frozen=True)
class Settled:
    """A number that has one of its formats."""

    value: str
    repaired: bool
    """A letter was read as the digit, or a digit as the letter, that must stand there."""
    proven: bool
    """Its check digit is right."""


def settle(text: str, formats: Sequence[str], is_valid: Callable[[str], bool] | None = None) -> Settled | None:
    """The number in a text as its format asks, doubtful letters settled by place and check digit; None if none fits.

    A number whose check digit is wrong in every reading is given as it was read: some specimens bear wrong ones.
    """
    plain = compact(text)
    found: list[str] = []
    for format in formats:
        classes = _classes(format)
        if len(classes) == len(plain):
            found += [reading for reading in _readings(plain, classes) if reading not in found]
    if not found:
        return None
    proven = [reading for reading in found if is_valid is not None and is_valid(reading)]
    unchanged = plain in found
    if unchanged and (plain in proven or len(proven) != 1):
        return Settled(text.strip(), repaired=False, proven=plain in proven)
    if len(proven) == 1:
        return Settled(_in_the_form_of(text, proven[0]), repaired=True, proven=True)
    return Settled(_in_the_form_of(text, found[0]), repaired=True, proven=False)


def parts(format: str) -> list[str]:
    """The characters of a format, and the parts of the birth in braces."""
    return _PART.findall(format)


def digits_in(format: str) -> int:
    """How many digits a format has at least."""
    return sum(one == _DIGIT for one in _classes(format))


def birth_apart(number: str, formats: Sequence[str], born: date) -> int | None:
    """In how many figures the birth that a number bears differs from this one.

    None where a format that it has bears no part of the birth, and where it has none of them.
    """
    plain = compact(number)
    fitting = [format for format in formats if (settled := settle(number, [format])) and not settled.repaired]
    found = [_figures_of_birth(plain, format, born) for format in fitting]
    if not found or not all(found):
        return None
    return min(sum(read != meant for read, meant in pairs) for pairs in found)


def _figures_of_birth(plain: str, format: str, born: date) -> list[tuple[str, str]]:
    """The figures of the birth in a number without separators, each with what stands there for this birth."""
    pairs: list[tuple[str, str]] = []
    at = 0
    for part in parts(format):
        if part == _LETTER_OF_SEX:
            at += 1
        elif part.startswith("{"):
            read = plain[at : at + len(part) - 2]
            at += len(read)
            if (more := _ADDED_FOR_WOMEN.get(part, 0)) and int(read) > more:
                read = f"{int(read) - more:02}"
            meant = {"Y": f"{born.year:04}", "M": f"{born.month:02}", "D": f"{born.day:02}"}[part[-2]]
            pairs += zip(read, meant[-len(read) :], strict=True)
        elif not _SEPARATORS.match(part):
            at += 1
    return pairs


_DIGIT, _LETTER, _EITHER = "#", "@", "*"
_ADDED_FOR_WOMEN: Final = {"{WM}": 50, "{WD}": 40}


@cache
def _classes(format: str) -> tuple[str, ...]:
    """One class for each character of the number without separators."""
    classes: list[str] = []
    for part in parts(format):
        if part == _LETTER_OF_SEX:
            classes.append(_LETTER)
        elif part.startswith("{"):
            classes += [_DIGIT] * (len(part) - 2)
        elif not _SEPARATORS.match(part):
            classes.append(part.upper())
    return tuple(classes)


def _readings(plain: str, classes: Sequence[str]) -> Iterator[str]:
    choices = [list(_may_be(character, one)) for character, one in zip(plain, classes, strict=True)]
    return ("".join(reading) for reading in islice(product(*choices), MOST_READINGS))


def _may_be(character: str, one: str) -> Iterator[str]:
    """What a character can be at a place of this class, itself first."""
    if one == _DIGIT:
        if character.isdigit():
            yield character
        elif character in DIGIT_OF:
            yield DIGIT_OF[character]
    elif one == _LETTER:
        if character.isalpha():
            yield character
        else:
            yield from LETTERS_OF.get(character, "")
    elif one == _EITHER:
        yield character
        yield from DIGIT_OF.get(character, "")
        yield from LETTERS_OF.get(character, "")[:1]
    elif (
        _latin(character) == _latin(one)
        or one in (DIGIT_OF.get(character, ""), *LETTERS_OF.get(character, ""))
        or character in TAKEN_FOR.get(one, "")
    ):
        yield one


def _latin(letter: str) -> str:
    """The Latin letter of the same form: which alphabet a series of capitals is of cannot be seen."""
    return SAME_FORM.get(letter, letter)


def _in_the_form_of(text: str, plain: str) -> str:
    """The settled characters between the separators of the text."""
    rest = iter(plain)
    return "".join(one if _SEPARATORS.match(one) else next(rest, "") for one in text.strip())
