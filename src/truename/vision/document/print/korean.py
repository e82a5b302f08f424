"""Korean surnames: one sign, of a small set. What is misread into a sign that nobody is called is told by it."""

from collections.abc import Sequence
from itertools import product
from typing import Final

from truename.rules.evidence import ReadValue

SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구나민진지엄원채천방공현함변염여추도소석선설"
    "마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목형계피두감음빈동온호범좌팽승간상시갈단견당"
)
"""All that more than a few hundred people bear."""
ALIKE: Final = ((12, 14), (0, 15), (3, 16), (7, 17))
"""First consonants that differ by a stroke: ㅈ and ㅊ, ㄱ and ㅋ, ㄷ and ㅌ, ㅂ and ㅍ."""
ALIKE_VOWELS: Final = ((18, 8), (18, 13))
"""Vowels that differ by a stroke, above a last consonant: ㅡ and ㅗ, ㅡ and ㅜ."""
_FIRST, _VOWELS, _LAST = 0xAC00, 21, 28


def is_sign(text: str) -> bool:
    """Is it one sign of Korean?"""
    return len(text) == 1 and "\uac00" <= text <= "\ud7a3"


def surname(sign: str) -> str | None:
    """The surname that a sign is, or may have been misread from; None where there is none, or more than one."""
    if not is_sign(sign) or sign in SURNAMES:
        return sign
    place, last = divmod(ord(sign) - _FIRST, _LAST)
    first, vowel = divmod(place, _VOWELS)
    firsts = _with_those_alike(first, ALIKE)
    vowels = _with_those_alike(vowel, ALIKE_VOWELS) if last else [vowel]
    signs = [chr(_FIRST + (one * _VOWELS + other) * _LAST + last) for one, other in product(firsts, vowels)]
    found = [one for one in signs if one in SURNAMES]
    return found[0] if len(found) == 1 else None


def as_surnames(values: Sequence[ReadValue]) -> list[ReadValue]:
    """Readings of a surname; one in Korean that nobody is called goes where there is another."""
    told = [(value, surname(value.value)) for value in values]
    known = [value.model_copy(update={"value": name}) for value, name in told if name is not None]
    return known or list(values)


def _with_those_alike(letter: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    others = [one if letter == other else other for one, other in pairs if letter in (one, other)]
    return [letter, *others]
