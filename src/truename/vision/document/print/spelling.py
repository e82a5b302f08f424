"""The marks upon letters, read once more: Ę, Ő, Ů, Ž and Ё by a reader that was trained on them.

The reader of Latin print knows which letters stand in a line, and has seen few of their rarer marks; ours tells
letters of one form from one another, and is no reader of words. So the letters of the first are laid along what ours
sees, and each may become another of its form, if a language has it beside the other letters of its word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.layouts.model import Script
from truename.vision.document.print.alphabets import ONLY_AT_HOME, TAKEN_FOR, form_of, languages_of, small
from truename.vision.document.print.read import crop_line
from truename.vision.runtime import onnx

MODEL: Final = "print_letters"
LINE_HEIGHT: Final = 48
WIDEST: Final = 2400
AROUND: Final = 4
UNKNOWN: Final = np.log(0.05)
"""The chance that a sign has at each place which the reader does not know, such as a bracket."""
SEEN: Final = 0.3
"""How likely a letter of the form must be at its place, or nothing is changed there."""
AS_READ: Final = 0.5
"""What the letter that was read is given before others of its form (in natural logarithms)."""
OF_THE_COUNTRY: Final = 1.5
"""What a language of the country is given before others, for each word."""
LIKELY: Final = 0.9
"""How likely a letter of another form must be."""

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class _Place:
    """One letter of a line, and what it may be."""

    letter: str
    chances: Mapping[str, float]
    """Of the letters of its form, and of those that are taken for it."""
    seen: Scores
    """What is seen there, by output."""


def marks_again(page: Picture, quad: NDArray[np.float32], text: str, script: Script, languages: Sequence[str]) -> str:
    """The text of a line with its letters' marks as they are printed, word for word; raises ModelUnavailable.

    `languages` are those of the country, which go before others.
    """
    known = languages_of(script)
    if not known or not text.strip():
        return text
    network = onnx(MODEL)
    letters = _letters(network.metadata()["letters"])
    scores = _among(network.run(_prepared(crop_line(page, quad)))[0][0], letters, known)
    return spelt_as(with_lost_letters(text, scores, letters), scores, letters, known, languages)


def spelt_as(
    text: str, scores: Scores, letters: Mapping[str, int], known: Mapping[str, str], languages: Sequence[str]
) -> str:
    """The text, each letter as the likeliest of its form; `scores` are logarithms of chances by step and output."""
    steps = _laid_along(text, scores, letters)
    if steps is None:
        return text
    spelt = list(text)
    for first, behind in _words(text):
        places = [_place(text[at], steps[at], scores, letters) for at in range(first, behind)]
        possible = [code for code in known if code not in ONLY_AT_HOME or code in languages]
        language = max(possible, key=lambda code: (_fits(places, known[code], code, languages), code in languages))
        own = {one: letters[one] for one in known[language] + small(known[language], language) if one in letters}
        spelt[first:behind] = [_settled(place, own) for place in places]
    return "".join(spelt)


def with_lost_letters(text: str, scores: Scores, letters: Mapping[str, int]) -> str:
    """The text with letters that the reader of Latin print left out, because it does not know them: Ə, at times Ș.

    A word is believed of ours only if it has all letters of the other in their order, and between them nothing but
    letters with marks that are likely.
    """
    own, known = _as_ours_reads(scores, {at: letter for letter, at in letters.items()}), text.split()
    if len(own) != len(known) or any(len(ours) < len(theirs) for ours, theirs in zip(own, known, strict=True)):
        return text
    return " ".join(_filled(ours, theirs) for ours, theirs in zip(own, known, strict=True))


def _as_ours_reads(scores: Scores, named: Mapping[int, str]) -> list[list[tuple[str, float]]]:
    """What our reader alone makes of a line: its words, each letter with its chance."""
    best = scores.argmax(1)
    chosen = np.flatnonzero((best != 0) & np.concatenate(([True], best[1:] != best[:-1])))
    words: list[list[tuple[str, float]]] = [[]]
    for step in chosen:
        letter = named[int(best[step])]
        if letter == " ":
            words.append([])
        else:
            words[-1].append((letter, float(np.exp(scores[step, best[step]]))))
    return [word for word in words if word]


def _filled(ours: Sequence[tuple[str, float]], theirs: str) -> str:
    """Their word with the letters that ours has beside; theirs where it has other letters, or none that they lack."""
    left, told = list(theirs), []
    for letter, chance in ours:
        if left and form_of(letter).upper() == form_of(left[0]).upper():
            told.append(left.pop(0))
        elif not letter.isascii() and letter.isalpha() and chance >= LIKELY:
            told.append(letter)
        else:
            return theirs
    return theirs if left else "".join(told)


def _fits(places: Sequence[_Place], capitals: str, code: str, languages: Sequence[str]) -> float:
    """How likely a word is one of this language's letters."""
    own = frozenset(capitals + small(capitals, code))
    told = sum(max((_weighed(place, one) for one in place.chances if one in own), default=-9.0) for place in places)
    return told + (OF_THE_COUNTRY if code in languages else 0.0)


def _weighed(place: _Place, letter: str) -> float:
    return float(np.log(max(place.chances[letter], 1e-6))) + (AS_READ if letter == place.letter else 0.0)


def _settled(place: _Place, own: Mapping[str, int]) -> str:
    """The likeliest letter of a form at its place, among those that the language has."""
    family = {one: chance for one, chance in place.chances.items() if one in own}
    if sum(place.chances.values()) < SEEN or not family:
        return place.letter
    best = max(family, key=lambda one: _weighed(place, one))
    if form_of(best) == form_of(place.letter):
        return best
    among = float(np.exp(place.seen[list(own.values())]).sum())
    return best if family[best] >= LIKELY * among else place.letter


def _place(letter: str, step: int, scores: Scores, letters: Mapping[str, int]) -> _Place:
    family = {one: float(np.exp(scores[step, letters[one]])) for one in _family(letter, letters)}
    return _Place(letter, family, scores[step])


def _family(letter: str, letters: Mapping[str, int]) -> list[str]:
    """The letters that this one may be: those of its form and case, and those that are taken for it."""
    form, taken = form_of(letter), TAKEN_FOR.get(letter, "") + TAKEN_FOR.get(form_of(letter), "")
    return [one for one in letters if form_of(one) == form or one in taken]


def _laid_along(text: str, scores: Scores, letters: Mapping[str, int]) -> list[int] | None:
    """At which step each letter is seen best, in their order; None where there are more letters than steps."""
    chances = np.stack([_of_family(letter, scores, letters) for letter in text], 1)
    count, blank = len(text), scores[:, 0]
    states = np.full((len(scores), 2 * count + 1), -np.inf, np.float32)
    came = np.zeros_like(states, np.int8)
    seen = np.empty_like(states)
    seen[:, 0::2], seen[:, 1::2] = blank[:, None], chances
    states[0, :2] = seen[0, :2]
    for step in range(1, len(scores)):
        ways = np.full((3, 2 * count + 1), -np.inf, np.float32)
        ways[0], ways[1, 1:] = states[step - 1], states[step - 1, :-1]
        # From one letter to the next without a gap, unless both are of one form.
        ways[2, 3::2] = np.where(_differ(text), states[step - 1, 1:-2:2], -np.inf)
        came[step] = ways.argmax(0)
        states[step] = ways.max(0) + seen[step]
    at = 2 * count if states[-1, -1] >= states[-1, -2] else 2 * count - 1
    if not np.isfinite(states[-1, at]):
        return None
    best = [(-np.inf, 0)] * count
    for step in range(len(scores) - 1, -1, -1):
        if at % 2:
            best[at // 2] = max(best[at // 2], (float(seen[step, at]), step))
        at -= int(came[step, at])
    return [step for _, step in best]


def _differ(text: str) -> NDArray[np.bool_]:
    return np.array([form_of(one) != form_of(other) for one, other in pairwise(text)], bool)


def _of_family(letter: str, scores: Scores, letters: Mapping[str, int]) -> Scores:
    family = [letters[one] for one in _family(letter, letters)]
    return scores[:, family].max(1) if family else np.full(len(scores), UNKNOWN, np.float32)


def _words(text: str) -> list[tuple[int, int]]:
    """Where words of letters begin and end."""
    bounds, first = [], None
    for at, letter in enumerate(f"{text} "):
        if letter.isalpha() or letter == "$":
            first = at if first is None else first
        elif first is not None:
            bounds.append((first, at))
            first = None
    return bounds


def _among(scores: Scores, letters: Mapping[str, int], known: Mapping[str, str]) -> Scores:
    """Logarithms of chances, when nothing but letters of the script, figures and points may stand there."""
    own = {letter for code, capitals in known.items() for letter in capitals + small(capitals, code)}
    allowed = np.ones(scores.shape[1], bool)
    common = {letter for letter in letters if letter.isascii() and not letter.isalpha()}
    allowed[[at for letter, at in letters.items() if letter not in own | common]] = False
    kept = np.where(allowed, scores, np.float32(-1e9))
    kept = kept - kept.max(1, keepdims=True)
    return np.asarray(kept - np.log(np.exp(kept).sum(1, keepdims=True)), np.float32)


@cache
def _letters(listed: str) -> Mapping[str, int]:
    return {letter: at for at, letter in enumerate(listed, 1)}


def _prepared(crop: Picture) -> NDArray[np.float32]:
    """The line as the network is shown it: grey, of one height, mean 0 and spread 1."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    width = min(WIDEST, max(16, round(grey.shape[1] * LINE_HEIGHT / grey.shape[0])))
    how = cv2.INTER_AREA if grey.shape[0] > LINE_HEIGHT else cv2.INTER_CUBIC
    level = cv2.resize(grey, (width, LINE_HEIGHT), interpolation=how)
    framed = cv2.copyMakeBorder(level, 0, 0, AROUND, AROUND + -width % 8, cv2.BORDER_REPLICATE).astype(np.float32)
    return np.asarray((framed - framed.mean()) / (framed.std() + 4), np.float32)[None, None]
