"""How alike are two names, and are two document numbers the same?

Names are compared as people write them on different papers: transliterated to Latin, without case, marks and
punctuation, in any order. A name that a machine-readable zone cut off, or some of the given names only, is not equal;
such pairs score by how much of the text they share, and the integrator's `similarity_min_score` decides.
"""

import re
import unicodedata
from typing import Final

from anyascii import anyascii
from rapidfuzz.distance import Indel

EXACT: Final = 1.0

_GREEK_LOOKALIKES = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX")
"""Greek numbers use only letters that Latin has too, and a machine-readable zone writes them by their looks."""

_APOSTROPHES = re.compile(r"['`\"]")
_GAPS = re.compile(r"[^a-z0-9]+")
_NOT_ALPHANUMERIC = re.compile(r"[^A-Z0-9]+")


def normal_name(text: str) -> str:
    """The words of a name in Latin lower case and alphabetical order: `O'Neill-Ruíz, Åsa` is `asa oneill ruiz`."""
    latin = _latin(text).casefold()
    # An apostrophe binds (O'NEILL is ONEILL in a machine-readable zone), every other mark separates (a hyphen is `<`).
    return " ".join(sorted(_GAPS.sub(" ", _APOSTROPHES.sub("", latin)).split()))


def name_similarity(one: str, other: str) -> float:
    """From 0 to 1: the share of letters in common, in order; 1.0 if and only if the normal forms are equal."""
    return normal_similarity(normal_name(one), normal_name(other))


def normal_similarity(one: str, other: str) -> float:
    """The similarity of two names that are in their normal form already."""
    if one == other:
        return EXACT
    return min(Indel.normalized_similarity(one, other), 1.0 - 2.0**-53)


def normal_number(text: str) -> str:
    """A document number with letters in Latin upper case, and without dots, hyphens and spaces."""
    return _NOT_ALPHANUMERIC.sub("", _latin(text.translate(_GREEK_LOOKALIKES)).upper())


def _latin(text: str) -> str:
    return text if text.isascii() else anyascii(unicodedata.normalize("NFKC", text))
