"""Lines of text such as an MRZ bears: name lines, data lines, and plain noise, so that no language is learnt."""

import random

import numpy as np

from training.mrz.atlas import ALPHABET

BLANK_CELL = len(ALPHABET)
LENGTHS = (30, 36, 44)
_INDEX = {character: index for index, character in enumerate(ALPHABET)}
_VOWELS, _CONSONANTS = "AEIOUY", "BCDFGHJKLMNPQRSTVWXZ"


def pool(length: int, count: int, seed: int) -> np.ndarray:
    """`count` lines of `length` characters, as indices into the alphabet."""
    chance = random.Random(seed)
    makers = (_name_line, _name_line, _data_line, _data_line, _data_line, _noise_line)
    lines = (chance.choice(makers)(chance, length) for _ in range(count))
    return np.array([[_INDEX[character] for character in line] for line in lines], dtype=np.int64)


def _name_line(chance: random.Random, length: int) -> str:
    start = (
        ""
        if length == 30
        else chance.choice(["P<", "PA", "PD", "PO", "I<", "ID", "V<", "AC", "C<", "IR"]) + _code(chance)
    )
    surname = "<".join(_word(chance) for _ in range(chance.choice((1, 1, 1, 2))))
    given = "<".join(_word(chance) for _ in range(chance.choice((1, 1, 2, 3))))
    return (start + surname + "<<" + given).ljust(length, "<")[:length]


def _data_line(chance: random.Random, length: int) -> str:
    number = "".join(chance.choice(ALPHABET[:36] if chance.random() < 0.4 else ALPHABET[26:36]) for _ in range(9))
    number = number[: chance.choice((9, 9, 9, 8, 7))].ljust(9, "<")
    optional = "".join(chance.choice(ALPHABET[:36]) for _ in range(chance.choice((0, 0, 5, 9, 13)))).ljust(20, "<")
    date = lambda: "".join(chance.choice("0123456789") for _ in range(6))  # noqa: E731
    digit = lambda: chance.choice("0123456789")  # noqa: E731
    if length == 30 and chance.random() < 0.5:
        return ("I" + chance.choice("D<RP") + _code(chance) + number + digit() + optional)[:length].ljust(length, "<")
    if length == 30:
        return (date() + digit() + chance.choice("MF<X") + date() + digit() + _code(chance) + optional)[
            : length - 1
        ].ljust(length - 1, "<") + digit()
    return (
        (number + digit() + _code(chance) + date() + digit() + chance.choice("MF<") + date() + digit() + optional)[
            : length - 2
        ].ljust(length - 2, "<")
        + chance.choice((digit(), "<"))
        + digit()
    )


def _noise_line(chance: random.Random, length: int) -> str:
    return "".join(chance.choice(ALPHABET) for _ in range(length))


def _word(chance: random.Random) -> str:
    if chance.random() < 0.25:
        return "".join(chance.choice(ALPHABET[:26]) for _ in range(chance.randint(1, 12)))
    syllables = (
        chance.choice(_CONSONANTS) + chance.choice(_VOWELS) + chance.choice(("", "", chance.choice(_CONSONANTS)))
        for _ in range(9)
    )
    return "".join(syllables)[: chance.randint(2, 13)]


def _code(chance: random.Random) -> str:
    return chance.choice(("D<<", "".join(chance.choice(ALPHABET[:26]) for _ in range(3)), "UTO"))
