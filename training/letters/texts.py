"""Lines of invented names: letters in no order that any language has, so that none is learnt.

A line is a list of tokens: what is drawn in one piece. That is a letter, or in Thai a consonant with all that stands
above and below it.
"""

import random
from collections.abc import Callable
from typing import Final

from training.letters.alphabets import (
    ASCII,
    CASELESS,
    DIGITS,
    LATIN,
    POINTS,
    SCRIPTS,
    SPACE,
    THAI_BEFORE,
    THAI_BEHIND,
    THAI_CONSONANTS,
    THAI_DIGITS,
    THAI_TONES,
    THAI_UPON,
    letters_of,
    lower,
)

LONGEST: Final = 24
"""Tokens of a line."""
MARKED: Final = 0.35
"""How many letters of a Latin name have a mark; far more than in any language."""
Tokens = list[str]


def tokens_of(script: str) -> Tokens:
    """Everything that may be drawn in one piece in this script."""
    common = list(DIGITS + POINTS)
    if script != "thai":
        return [*common, *letters_of(script)]
    whole = [one + upon + tone for one in THAI_CONSONANTS for upon in THAI_UPON for tone in THAI_TONES]
    return [*common, *whole, *THAI_BEFORE, *THAI_BEHIND, *THAI_DIGITS]


def line(script: str, chance: random.Random) -> Tokens:
    """One line: one to three words, now and then a number before, between or instead of them."""
    told: Tokens = []
    language = chance.choice(list(SCRIPTS[script])) if script != "thai" else ""
    case = chance.choices(("upper", "title", "lower"), (0.66, 0.28, 0.06))[0]
    while not told or (len(told) < LONGEST - 3 and chance.random() < 0.5):
        told += [_between(chance)] if told else []
        told += list(_number(script, chance)) if chance.random() < 0.07 else _word(script, language, case, chance)
    told = told[:LONGEST]
    while told[-1] == SPACE:
        told.pop()
    return told


def _between(chance: random.Random) -> str:
    return chance.choices((SPACE, "-", "'", "’", ".", ",", "/"), (16, 2, 1, 0.5, 0.5, 0.5, 0.3))[0]


def _number(script: str, chance: random.Random) -> str:
    figures = THAI_DIGITS if script == "thai" and chance.random() < 0.7 else DIGITS
    return "".join(chance.choice(figures) for _ in range(chance.randint(1, 8)))


def _word(script: str, language: str, case: str, chance: random.Random) -> Tokens:
    if script == "thai":
        return _thai(chance)
    length = chance.choice((2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12))
    drawn = [_letter(script, language, chance) for _ in range(length)]
    return list(_CASES[case](drawn, language)) if script not in CASELESS else drawn


def _letter(script: str, language: str, chance: random.Random) -> str:
    own = SCRIPTS[script][language]
    if script == "latin":
        own = LATIN[language] if LATIN[language] and chance.random() < MARKED else ASCII
    return chance.choice(own)


def _upper(word: Tokens, language: str) -> Tokens:
    return word


def _lower(word: Tokens, language: str) -> Tokens:
    return [lower(letter, language) for letter in word]


def _title(word: Tokens, language: str) -> Tokens:
    return word[:1] + _lower(word[1:], language)


_CASES: Final[dict[str, Callable[[Tokens, str], Tokens]]] = {"upper": _upper, "lower": _lower, "title": _title}


def _thai(chance: random.Random) -> Tokens:
    told: Tokens = []
    for _ in range(chance.randint(1, 6)):
        if chance.random() < 0.25:
            told.append(chance.choice(THAI_BEFORE))
        upon = chance.choice(THAI_UPON) if chance.random() < 0.5 else ""
        tone = chance.choice(THAI_TONES) if chance.random() < 0.35 else ""
        told.append(chance.choice(THAI_CONSONANTS) + upon + tone)
        if not upon and chance.random() < 0.3:
            told.append(chance.choice(THAI_BEHIND))
        if chance.random() < 0.4:
            told.append(chance.choice(THAI_CONSONANTS))
    return told
