"""Letters that the reader of Latin print takes for others, and what they must be in the language of the document.

The reader has seen little print with the rarer marks: of Ğ it makes Č, of Ė it makes É. A language that has no Č, but a
Ğ, tells which of the two was printed.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from truename.rules.evidence import DocumentType, ReadValue
from truename.vision.document.layouts.load import countries, languages
from truename.vision.document.layouts.model import LayoutField

SPELT: Final = frozenset({LayoutField.SURNAMES, LayoutField.GIVEN_NAMES, LayoutField.PLACE_OF_BIRTH})
PERMITS: Final = frozenset({DocumentType.RESIDENT_PERMIT, DocumentType.TEMP_PERMIT_ID})
LEAST_CAPITALS: Final = 2
_WORD: Final = re.compile(r"[^\W\d_]+")
_ARTICLE: Final = "Al"
"""The Arabic article, which may stand before capitals."""
_NEVER_FIRST: Final = re.compile(r"\bĞ", re.IGNORECASE)
"""No word begins with it: what was read there is left alone."""

Found = Mapping[LayoutField, Sequence[ReadValue]]


def in_own_letters(
    found: Found, country: str | None, kind: DocumentType | None = None
) -> dict[LayoutField, list[ReadValue]]:
    """The names and places, in letters that the country's first language has; others are left alone.

    Permits are given to people whose names are of other languages.
    """
    table = letters_misread(country) if kind not in PERMITS else {}
    return {
        name: [value.model_copy(update={"value": spelt(value.value, table)}) for value in values]
        for name, values in found.items()
        if name in SPELT
    }


def spelt(text: str, table: Mapping[int, str]) -> str:
    """The text with letters of the table for those that were misread, and words of capitals in capitals throughout.

    No name has the sign of a dollar: it is an S with a mark.
    """
    own = _NEVER_FIRST.sub(lambda found: text[found.start()], text.translate(table)).replace("$", "S")
    return _WORD.sub(lambda word: _in_capitals(word[0]), own)


def _in_capitals(word: str) -> str:
    """A word of capitals, with the letters that have a mark as capitals too; a small L there is an I.

    One that has other small letters is left alone, as `McDONALD` is.
    """
    small = [letter for letter in word if letter.islower()]
    if any(letter.isascii() and letter != "l" for letter in small) or word.startswith(_ARTICLE):
        return word
    if len(word) - len(small) < LEAST_CAPITALS:
        return word
    return "".join("I" if letter == "l" else letter if letter == "ß" else letter.upper() for letter in word)


@cache
def _of_language(code: str) -> Mapping[int, str]:
    return {
        ord(taken): letter
        for capital, others in languages()[code].misread.items()
        for letter, misread in ((capital, others), (capital.lower(), others.lower()))
        for taken in misread
    }


def letters_misread(country: str | None) -> Mapping[int, str]:
    """Letters that the country's first language has not, and what they are in its names."""
    known = countries().get(country or "")
    return _of_language(known.languages[0]) if known is not None and known.languages else {}
