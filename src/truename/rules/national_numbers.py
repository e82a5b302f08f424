"""Numbers that states give to people: is the check digit right, and what does the number say of its holder?

A year of two digits is compared by its two digits: no century is guessed.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from truename.rules.number_schemes import SCHEMES, Said, Scheme


class Agreement(StrEnum):
    """How what a number says stands to what is printed."""

    AGREES = "AGREES"
    DIFFERS = "DIFFERS"
    NOT_SAID = "NOT_SAID"
    """The number does not say it, or nothing to compare with was read."""


@dataclass(frozen=True)
class NumberFinding:
    """What one number says about itself and against the rest of the document."""

    scheme: str
    check_digit: bool | None
    """None where the number has none that can be checked."""
    birth: Agreement
    sex: Agreement
    apart: int = 0
    """Figures of the birth, of the six of year, month and day, in which both differ."""

    @property
    def contradicts(self) -> bool:
        """Is anything wrong with it?"""
        return self.check_digit is False or Agreement.DIFFERS in (self.birth, self.sex)


def compact(number: str) -> str:
    """A number in upper case without spaces, dots, hyphens, strokes and brackets."""
    return re.sub(r"[\s.\-/()]", "", number).upper()


def is_valid(scheme: str, number: str) -> bool:
    """Has the number its shape, is its check digit right, and is a date that it bears a day?"""
    rule, plain = SCHEMES[scheme], compact(number)
    if not rule.shape.fullmatch(plain) or (rule.check and not rule.check(plain)):
        return False
    said = _said(rule, plain)
    return said.birth is None or _is_day(said.birth)


def examine_number(scheme: str, number: str, born: date | None, sex: str | None) -> NumberFinding | None:
    """Hold a number against its own rule and against the printed birth and sex; None when it has another shape."""
    rule, plain = SCHEMES[scheme], compact(number)
    if not rule.shape.fullmatch(plain):
        return None
    said = _said(rule, plain)
    printed = (born.year % 100, born.month, born.day) if born else None
    birth, of_sex = _agreement(said.birth, printed), _agreement(said.sex, sex if sex in ("M", "F") else None)
    if rule.stays:
        birth, of_sex = (Agreement.NOT_SAID if one is Agreement.DIFFERS else one for one in (birth, of_sex))
    return NumberFinding(scheme, rule.check(plain) if rule.check else None, birth, of_sex, _apart(said.birth, printed))


def _said(rule: Scheme, plain: str) -> Said:
    """What the number says; no birth where it was not known when the number was given: its month or day is then 00."""
    said = rule.said(plain) if rule.said else Said()
    return replace(said, birth=None) if said.birth and 0 in said.birth[1:] else said


def _agreement(said: object, printed: object) -> Agreement:
    if said is None or printed is None:
        return Agreement.NOT_SAID
    return Agreement.AGREES if said == printed else Agreement.DIFFERS


def _apart(said: tuple[int, int, int] | None, printed: tuple[int, int, int] | None) -> int:
    if said is None or printed is None:
        return 0
    one, other = ("".join(f"{part:02}" for part in parts) for parts in (said, printed))
    return sum(a != b for a, b in zip(one, other, strict=True))


def _is_day(parts: tuple[int, int, int]) -> bool:
    year, month, day = parts
    try:
        date(2000 + year, month, day)
    except ValueError:
        try:
            date(1900 + year, month, day)
        except ValueError:
            return False
    return True
