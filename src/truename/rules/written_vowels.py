"""Arabic and Hebrew letters that stand for a vowel: which vowel, and whether it is one, the script leaves open.

Short vowels are not written at all. Long ones are written with letters that may also be consonants (the matres
lectionis): in علي the last letter is I and in يوسف the first one is Y; ו is O or U in נועה and אורי, and V in דוד.
"""

import re
from collections.abc import Mapping
from typing import Final

_FIRST: Final = {"و": "w", "ي": "y", "ی": "y", "י": "y", "ו": "v"}
"""At the beginning of a word these are consonants."""
_ELSEWHERE: Final = {
    "ا": "a", "أ": "a", "إ": "i", "آ": "a", "ٱ": "a", "ع": "a", "ى": "a", "ة": "a", "ي": "i", "ی": "i", "ئ": "i",
    "و": "u", "ؤ": "u", "ء": "", "א": "a", "ע": "a", "י": "i",
}  # fmt: skip
_AT_THE_END: Final = {"ה": "a"}
_VAVS: Final = ("o", "u", "v")
_WORD: Final = re.compile(r"\S+")
_TWICE: Final = re.compile("([aiou])\\1")
"""A letter of the throat beside a vowel, as at the end of נועה, is that vowel."""


def vowel_readings(text: str) -> tuple[str, ...]:
    """The text with these letters written as Latin ones, all others left as they are; one reading for each of ו."""
    tables = [{**_ELSEWHERE, "ו": vav} for vav in _VAVS] if "ו" in text else [_ELSEWHERE]
    words = _WORD.findall(text)
    return tuple(_TWICE.sub(r"\1", " ".join(_read(word, table) for word in words)) for table in tables)


def _read(word: str, table: Mapping[str, str]) -> str:
    first, rest, last = word[0], word[1:-1], word[-1] if len(word) > 1 else ""
    written = "".join(table.get(letter, letter) for letter in rest)
    return _FIRST.get(first, table.get(first, first)) + written + _AT_THE_END.get(last, table.get(last, last))
