"""Bring printed words to one form, so that accents, case, spaces and frequent misreadings do not matter."""

import re

from anyascii import anyascii


def fold(text: str) -> str:
    """Upper case, no accents, letters and digits only."""
    return re.sub(r"[^A-Z0-9]", "", anyascii(text).upper())


def fold_words(text: str) -> list[str]:
    """The same, word by word."""
    return re.findall(r"[A-Z0-9]+", anyascii(text).upper())
