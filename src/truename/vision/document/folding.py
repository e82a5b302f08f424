"""Bring printed words to one form, so that accents, case, spaces and frequent misreadings do not matter."""

import re
from typing import Final

from anyascii import anyascii

_OTHERS: Final = re.compile(r"[^A-Z0-9]+")
_NOT_LATIN: Final = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u3040-\ud7ff]")
ARABIC_VOWELS: Final = tuple(map(chr, range(0x64B, 0x653)))
"""Marks that Arabic leaves out but in schoolbooks: a reader sees them in the pattern of the paper."""
_ONE_LETTER: Final = str.maketrans({
    **dict.fromkeys(ARABIC_VOWELS, ""),
    "\u0649": "\u06cc", "\u064a": "\u06cc", "\u0643": "\u06a9", "\u0629": "\u0647", "\u00b0": "\u00ba",
    "\u067e": "\u0628", "\u0686": "\u062c", "\u0698": "\u0632", "\u06af": "\u06a9",
})  # fmt: skip
"""Letters that Arabic, Persian and Urdu write alike and code apart, and the small o of `Nº`, for which many type the
sign of degrees: which of them was printed cannot be seen. And those of Persian that the reader of Arabic takes for the
ones without the dots."""
_WORDS: Final = re.compile(r"[A-Z0-9]+")


def fold(text: str) -> str:
    """Upper case, no accents, letters and digits only."""
    return _OTHERS.sub("", plain(text))


def fold_words(text: str) -> list[str]:
    """The same, word by word."""
    return _WORDS.findall(plain(text))


def in_own_script(text: str) -> str:
    """Letters only, in their own script: one that was misread is one, however it is written in Latin letters."""
    return "".join(filter(str.isalpha, text.translate(_ONE_LETTER).upper()))


def is_latin(text: str) -> bool:
    """Is every letter a Latin one, with marks or without?"""
    return _NOT_LATIN.search(text) is None


def plain(text: str) -> str:
    """Upper case in plain Latin letters, with all that stands between them."""
    return (text if text.isascii() else anyascii(text.translate(_ONE_LETTER))).upper()
