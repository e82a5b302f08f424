"""Bring printed words to one form, so that accents, case, spaces and frequent misreadings do not matter."""

import re
from typing import Final

from anyascii import anyascii

_OTHERS: Final = re.compile(r"[^A-Z0-9]+")
_WORDS: Final = re.compile(r"[A-Z0-9]+")


def fold(text: str) -> str:
    """Upper case, no accents, letters and digits only."""
    return _OTHERS.sub("", _plain(text))


def fold_words(text: str) -> list[str]:
    """The same, word by word."""
    return _WORDS.findall(_plain(text))


def _plain(text: str) -> str:
    return (text if text.isascii() else anyascii(text)).upper()
