"""Korean surnames: one sign or two, of a small set. What is misread into a sign that nobody is called is told by it."""

from collections.abc import Sequence
from itertools import product
from typing import Final

from truename.rules.evidence import ReadValue
from truename.vision.document.print import chinese

SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구나민진지엄원채천방공현함변염여추도소석선설"
    "마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목형계피두감음빈동온호범좌팽승간상시갈단견당"
)
"""All that more than a few hundred people bear."""
OF_TWO: Final = frozenset({"남궁", "제갈", "사공", "독고", "황보", "선우", "서문", "동방"})
"""Surnames of two signs."""
ALSO_OF_ONE: Final = frozenset({"황보", "선우", "서문", "동방"})
"""Those whose second sign may as well begin a given name: somebody is called 황 보라. With two signs behind, they are
surnames."""
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


def parted_in_signs(name: str) -> tuple[str, str]:
    """Surname and given name of a name in one word, Korean or Chinese."""
    shortest = 4 if name[:2] in ALSO_OF_ONE else 3
    if name[:2] in OF_TWO | chinese.OF_TWO and len(name) >= shortest:
        return name[:2], name[2:]
    return surname(name[:1]) or name[:1], name[1:]


def as_surnames(values: Sequence[ReadValue]) -> list[ReadValue]:
    """Readings of a surname; one in Korean that nobody is called goes where there is another."""
    told = [(value, surname(value.value)) for value in values]
    known = [value.model_copy(update={"value": name}) for value, name in told if name is not None]
    return known or list(values)


def _with_those_alike(letter: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    others = [one if letter == other else other for one, other in pairs if letter in (one, other)]
    return [letter, *others]
