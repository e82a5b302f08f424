"""How alike are two names, and are two document numbers the same?

Names are compared as people write them on different papers: in Latin letters (as everyday transliteration has them, as
ICAO 9303 writes them in a machine-readable zone, and as passports of their country do), without case, marks and
punctuation. They are equal when they are the same words in any order. Below that the best of three comparisons counts:
words sorted, as written, without spaces. A name that a zone cut off, or some of the given names only, is not equal:
such pairs score by how much of the text they share, and the integrator's `similarity_min_score` decides.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from anyascii import anyascii
from rapidfuzz.distance import Indel

from truename.rules.icao_letters import icao_spellings
from truename.rules.national_spellings import national_spellings
from truename.rules.written_vowels import vowel_readings

EXACT: Final = 1.0
NEARLY: Final = 1.0 - 2.0**-53
"""The most that names can score that are not equal."""
PARTED: Final = 0.99
"""The score of the same letters parted into words in another way: Min-jun and MINJUN, De la Cruz and DELACRUZ."""
LONGEST: Final = 200
"""No document prints a longer name. What somebody expects may be as long as a body, and some letters stand for
eighteen: compared whole it took ten seconds, in which the process answered nobody."""
MOST_IN_ONE: Final = 18
"""Letters that one stands for at most: ﷺ."""
GUESSED: Final = 0.9
"""What a likeness counts that rests on vowels which Arabic or Hebrew does not write."""
LONGEST_ENDING: Final = 2
"""A word with this many letters more at its end is another name (Daniel, Daniela), not the same one misspelt."""

_GREEK_LOOKALIKES = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX")
"""Greek numbers use only letters that Latin has too, and a machine-readable zone writes them by their looks."""

_APOSTROPHES = "'`\""
_WORD = re.compile("[a-z0-9]+")
_LETTER = re.compile("[A-Za-z]")
_NOT_ALPHANUMERIC = re.compile(r"[^A-Z0-9]+")
_MARKS = re.compile("[\u0300-\u036f]+")
_WITHOUT_VOWELS = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
"""Hebrew and Arabic letters, which write no short vowels."""
_LONG_VOWELS = ((re.compile("ou|oo"), "w"), (re.compile("ee"), "y"))
_VOWELS = re.compile("[aeiou]")
_AGAIN = re.compile("([\u3400-\u9fff])\u3005")
"""佐々木 is 佐佐木."""
_HARD_C = re.compile("ch|kh|c|q")
"""כ, ק and ח are written K, KH, CH, C or Q."""
_DOUBLED = re.compile(r"([a-z])\1+")

Words = tuple[str, ...]

_compared: ContextVar[dict[tuple[str, str], float] | None] = ContextVar("compared", default=None)


@contextmanager
def each_pair_once() -> Iterator[None]:
    """Inside, the likeness of two names is found out once and then remembered; outside nothing of a name is kept.

    For whoever judges one dossier again and again: two names of many scripts take 9 ms each time.
    """
    outer = _compared.set({})
    try:
        yield
    finally:
        _compared.reset(outer)


def normal_name(text: str) -> str:
    """The words of a name in Latin lower case and alphabetical order: `O'Neill-Ruíz, Åsa` is `asa oneill ruiz`."""
    return " ".join(sorted(_words(_latin(text))))


def is_name(text: str) -> bool:
    """Is there a letter in it? Nothing could ever match a name without one."""
    return bool(_LETTER.search(text) or (not text.isascii() and _LETTER.search(_latin(text))))


def name_similarity(one: str, other: str) -> float:
    """From 0 to 1; 1.0 if and only if the two are the same words in one of the ways to write each in Latin letters.

    So two names in Chinese signs that sound alike are equal, though not every reader would call them so.
    """
    known = _compared.get()
    if known is None:
        return _similarity(one, other)
    if (one, other) not in known:
        known[one, other] = _similarity(one, other)
    return known[one, other]


def _similarity(one: str, other: str) -> float:
    mine_cut, theirs_cut = _cut(one), _cut(other)
    if len(mine_cut) < len(one) or len(theirs_cut) < len(other):
        return EXACT if one == other else min(NEARLY, _similarity(mine_cut, theirs_cut))
    mine, theirs_plain = _one_reading(one), _one_reading(other)
    if mine is not None and theirs_plain is not None:
        return _alike(_words(mine), _words(theirs_plain))
    theirs = _readings(other)
    best = max([_alike(way, their) for way in _readings(one) for their in theirs])
    if best < EXACT and (_WITHOUT_VOWELS.search(one) or _WITHOUT_VOWELS.search(other)):
        # Half of the score is what was written, the other half what is left of both without vowels: محمد is MOHAMMED.
        bare = max(
            Indel.normalized_similarity(_consonants(one, hard), _consonants(other, hard)) for hard in (False, True)
        )
        # Or the letters that may stand for long vowels are read as such: علي is ALI. Which vowel it is, is a guess.
        guesses = [_alike(way, their) for way in _vowelled(one) for their in _vowelled(other)]
        best = min(NEARLY, max(best, (best + bare) / 2, GUESSED * max(guesses)))
    return best


def _cut(text: str) -> str:
    """As much of a name as any document prints, once every letter that stands for several is written out."""
    text = text[:LONGEST]
    if text.isascii() or len(text) * MOST_IN_ONE <= LONGEST:
        return text
    while (written := len(unicodedata.normalize("NFKC", text))) > LONGEST:
        text = text[: len(text) * LONGEST // written]
    return text


def is_part_of_name(part: str, whole: str) -> bool:
    """Does one name bear every word of another, and more? A patronymic or the whole name is then what more it says."""
    words, others = _words(_latin(part)), _words(_latin(whole))
    return len(words) < len(others) and set(words) <= set(others)


def normal_number(text: str) -> str:
    """A document number with letters in Latin upper case, and without dots, hyphens and spaces."""
    return _NOT_ALPHANUMERIC.sub("", _latin(text.translate(_GREEK_LOOKALIKES)).upper())


def _one_reading(text: str) -> str | None:
    """A text that can be written in plain letters in one way only, so written: ASCII, and accents of Western Europe.

    Nearly every name is such a one, and needs none of the tables.
    """
    if text.isascii():
        return text
    try:
        plain = text.encode("latin-1").translate(_WESTERN)
    except UnicodeEncodeError:
        return None
    return None if b"\0" in plain else plain.decode("ascii")


def _readings(text: str) -> tuple[Words, ...]:
    """The words of a name, in every way to write them in Latin letters."""
    if text.isascii():
        return (_words(text),)
    text = _AGAIN.sub(r"\1\1", text)
    everyday = _words(_latin(text))
    composed = unicodedata.normalize("NFC", text) if _MARKS.search(text) else text
    spellings = (*icao_spellings(composed), *national_spellings(composed))
    return (everyday, *(_words(_latin(way)) for way in spellings)) if spellings else (everyday,)


def _words(latin: str) -> Words:
    # An apostrophe binds (O'NEILL is ONEILL in a machine-readable zone), every other mark separates (a hyphen is `<`).
    lower = latin.lower()
    if lower.replace(" ", "").isalnum():
        return tuple(lower.split())
    for mark in _APOSTROPHES:
        lower = lower.replace(mark, "")
    return tuple(_WORD.findall(lower))


def _alike(one: Words, other: Words) -> float:
    mine, theirs = sorted(one), sorted(other)
    if mine == theirs:
        return EXACT
    joined, other_joined = "".join(one), "".join(other)
    if joined == other_joined:
        return PARTED
    ending = _other_ending(mine, theirs)
    best = _shared(joined, other_joined, ending)
    if len(one) > 1 or len(other) > 1:
        written, other_written = " ".join(one), " ".join(other)
        best = max(best, _shared(written, other_written, ending))
        in_order, other_in_order = " ".join(mine), " ".join(theirs)
        if in_order != written or other_in_order != other_written:
            best = max(best, _shared(in_order, other_in_order, ending))
    return min(NEARLY, best)


def _shared(one: str, other: str, ending: int) -> float:
    """The share of letters in common, in order, less the letters of another ending once more."""
    if ending == 0:
        return Indel.normalized_similarity(one, other)
    together = len(one) + len(other)
    return max(0, together - Indel.distance(one, other) - ending) / together


def _other_ending(one: Sequence[str], other: Sequence[str]) -> int:
    """How many letters words of one name have more at their end than the same words of the other (both sorted)."""
    if len(one) != len(other):
        return 0
    letters = 0
    for mine, theirs in zip(one, other, strict=True):
        more = abs(len(mine) - len(theirs))
        if 1 <= more <= LONGEST_ENDING and (mine.startswith(theirs) or theirs.startswith(mine)):
            letters += more
    return letters


def _consonants(text: str, hard: bool) -> str:
    """What Arabic and Hebrew would write of a name: no short vowels, no doubled letters; `hard`: K, KH, CH, C and Q
    are the same."""
    words = _words(_latin(text))
    return " ".join(sorted(_bare(_HARD_C.sub("k", word) if hard else word) for word in words))


def _vowelled(text: str) -> tuple[Words, ...]:
    """The words of a name with its letters of prolongation read as vowels, in every way that the script leaves open."""
    if not _WITHOUT_VOWELS.search(text):
        return _readings(text)
    return tuple(_words(_latin(way)) for way in vowel_readings(unicodedata.normalize("NFKC", text)))


def _bare(word: str) -> str:
    for vowel, letter in _LONG_VOWELS:
        word = vowel.sub(letter, word)
    return _DOUBLED.sub(r"\1", _VOWELS.sub("", word))


def _latin(text: str) -> str:
    if text.isascii():
        return text
    # Accents on Latin letters, the usual case, need no table.
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return bare if bare.isascii() else anyascii(unicodedata.normalize("NFKC", text))


def _western(code: int) -> int:
    plain = _latin(chr(code))
    return ord(plain) if len(plain) == 1 and not icao_spellings(chr(code)) else 0


_WESTERN: Final = bytes(_western(code) for code in range(256))
"""Each character of Latin-1 as one of ASCII; 0 where that takes more than one, or ICAO has another way to write it."""
