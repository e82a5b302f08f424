"""From a recogniser's scores to MRZ text: the best line of a fixed length whose characters may stand where they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.layouts import ALPHABET

Scores = NDArray[np.float32]
BLANK = len(ALPHABET)
INDEX = {character: index for index, character in enumerate(ALPHABET)}
_IMPOSSIBLE = np.float32(-1e9)
_UNREACHED = -1e6
_ANEW = 1e7
"""Scores of whole lines lie far above the one; the other is more than any two of them differ by."""


@dataclass(frozen=True)
class DecodedLine:
    """The best line of its length, and what each of its characters might be instead."""

    text: str
    cost: float
    """How much less likely the grammar's reading is than the free one, in nats: 0 when the grammar changed nothing."""
    characters: Scores
    """Position × alphabet: log-probability of each character, given that one stands there."""
    middles: Scores
    """Where along the line each character stands, in steps of the reader."""


def free_text(steps: Scores) -> str:
    """What stands there without any grammar: the best path, repeats merged, blanks dropped."""
    path = steps.argmax(1)
    kept = path[np.concatenate(([True], path[1:] != path[:-1]))]
    return "".join(ALPHABET[index] for index in kept if index != BLANK)


def decode_line(steps: Scores, classes: Sequence[str]) -> DecodedLine | None:
    """The likeliest text of exactly `len(classes)` characters, each in its class; None when there are too few steps."""
    if len(steps) < len(classes):
        return None
    paths = _paths(steps, tuple(classes))
    total = max(paths.after_blank[-1][-1], paths.in_character[-1][-1])
    if total <= _UNREACHED / 2:
        return None
    segments = _trace(paths)
    characters = _characters(steps, segments, tuple(classes))
    text = "".join(ALPHABET[index] for index in characters.argmax(1))
    middles = np.array([(first + last) / 2 for first, last in segments], np.float32)
    return DecodedLine(text, float(steps.max(1).sum() - total), characters, middles)


@dataclass(frozen=True)
class _Paths:
    """The best score of every way to read the first characters in the first steps; column 0 is before any step."""

    in_character: NDArray[np.float64]
    """Position × steps: that character was named in the last step."""
    after_blank: NDArray[np.float64]
    """Characters so far × steps: the last step was blank, or there was none."""
    stays: Sequence[NDArray[np.bool_]]
    """Of each position, step by step: may it go on with the character of the step before?"""
    moves: Sequence[NDArray[np.bool_]]
    """May it follow the character before it without a blank between them? (Of position 0: never.)"""


def _paths(steps: Scores, classes: tuple[str, ...]) -> _Paths:
    """Position by position, all steps of one at once: along the steps only the running best counts.

    Staying in a character adds its score of each step. Once those sums are taken off, the best way to be in it is the
    best of all ways to have come into it, since it last had to be another character.
    """
    length, count = len(classes), len(steps)
    scores = steps.astype(np.float64)
    of_class = {allowed: _emissions(scores, allowed) for allowed in dict.fromkeys(classes)}
    blanks = np.concatenate(([0.0], np.cumsum(scores[:, BLANK])))
    in_character = np.full((length, count + 1), _UNREACHED)
    after_blank = np.full((length + 1, count + 1), _UNREACHED)
    after_blank[0] = blanks
    moves = [np.zeros(count, bool)]
    for place, allowed in enumerate(classes):
        one = of_class[allowed]
        come = after_blank[place, :-1].copy()
        if place:
            named = of_class[classes[place - 1]].named
            moves.append(one.named != np.concatenate(([-1], named[:-1])))
            np.maximum(come, in_character[place - 1, :-1], out=come, where=moves[place])
        run = np.maximum.accumulate(come - one.sums[:-1] + one.runs) - one.runs
        in_character[place, 1:] = run + one.sums[1:]
        blank = np.maximum.accumulate(in_character[place] - blanks)
        after_blank[place + 1, 1:] = blank[:-1] + blanks[1:]
    return _Paths(in_character, after_blank, [of_class[allowed].stays for allowed in classes], moves)


@dataclass(frozen=True)
class _Emissions:
    """The best character of a class in every step."""

    named: NDArray[np.int64]
    sums: NDArray[np.float64]
    """Its score, summed up; the first entry is before any step."""
    stays: NDArray[np.bool_]
    """Is it the same as in the step before?"""
    runs: NDArray[np.float64]
    """Rises where it changes, by more than any score: a running best begins anew there."""


def _emissions(scores: NDArray[np.float64], allowed: str) -> _Emissions:
    letters = np.array([INDEX[character] for character in allowed])
    chosen = scores[:, letters].argmax(1)
    named = letters[chosen]
    best = scores[np.arange(len(scores)), named]
    stays = np.concatenate(([False], named[1:] == named[:-1]))
    return _Emissions(named, np.concatenate(([0.0], np.cumsum(best))), stays, np.cumsum(~stays) * _ANEW)


def _trace(paths: _Paths) -> list[tuple[int, int]]:
    """First and last step of every character on the best path."""
    in_character, after_blank = paths.in_character, paths.after_blank
    length = len(in_character)
    blank, place = bool(after_blank[length, -1] >= in_character[length - 1, -1]), length
    segments = [(0, 0)] * length
    for step in range(in_character.shape[1] - 2, -1, -1):
        # Column `step` of both tables is what was before this step.
        if blank:
            blank = not (place and in_character[place - 1, step] > after_blank[place, step])
            continue
        first = segments[place - 1]
        segments[place - 1] = (step, first[1] if first != (0, 0) else step)
        stay = in_character[place - 1, step] if paths.stays[place - 1][step] else _UNREACHED
        begun = after_blank[place - 1, step]
        moved = in_character[place - 2, step] if paths.moves[place - 1][step] else _UNREACHED
        if begun > stay and begun >= moved:
            blank, place = True, place - 1
        elif moved > stay:
            place -= 1
    return segments


def _characters(steps: Scores, segments: Sequence[tuple[int, int]], classes: tuple[str, ...]) -> Scores:
    """What may stand at each position: the steps of its segment together, over its class."""
    sums = np.zeros((len(steps) + 1, len(ALPHABET)))
    np.cumsum(np.exp(steps[:, :BLANK]), axis=0, dtype=np.float64, out=sums[1:])
    first, last = np.array(segments).T
    chances = (sums[last + 1] - sums[first] + 1e-9) * _allowed(classes)
    shares = chances / chances.sum(1, keepdims=True)
    return np.where(_allowed(classes), np.log(np.maximum(shares, 1e-300)), _IMPOSSIBLE).astype(np.float32)


@cache
def _allowed(classes: tuple[str, ...]) -> NDArray[np.bool_]:
    """Position × alphabet: which characters may stand where."""
    return np.array([[character in allowed for character in ALPHABET] for allowed in classes])
