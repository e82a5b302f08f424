"""One line of print in two readings, of Latin letters and of its document's script: which is believed, and where."""

import re
from collections.abc import Set
from dataclasses import replace
from functools import cache
from typing import Final

from rapidfuzz import fuzz

from truename.vision.document.folding import fold, is_latin
from truename.vision.document.layouts.formats import SAME_FORM
from truename.vision.document.layouts.model import Script
from truename.vision.document.layouts.phrases import labels_in, printed_labels
from truename.vision.document.print.chinese import with_label_parted
from truename.vision.document.print.dates import has_date
from truename.vision.document.print.figure_lines import LEAST_FIGURES
from truename.vision.document.print.figures import own_figures
from truename.vision.document.print.japanese import with_years_of_ours
from truename.vision.document.print.read import Recognised, TextLine
from truename.vision.document.print.scripts import FROM_RIGHT, letters_of

OWN_LETTERS: Final = 0.5
"""The share of letters that must be of the script: a number or a Latin word is left to the other reader."""
SURE: Final = 0.8
LIKELY: Final = 0.5
LESS_SURE: Final = 0.3
"""A reading that is likely counts if it is less sure than the Latin one by no more than this: the reader of Latin is
sure of Cyrillic letters that look like its own."""
CERTAIN: Final = 0.93
SURER: Final = 0.86
"""Where the reader of Latin is certain, the other must be surer than usual: it takes Latin letters for its own."""
OTHER_LETTERS: Final = 2
"""So many letters that Latin has not, in the reading of the reader of Latin, which knows Greek capitals, say that the
line is not in Latin letters, however sure it is: of `ΕΛΛΗΝΙΚΗ` it makes `EAΛHNIKH`."""
BEYOND_FIGURES: Final = 0.97
"""How sure the reader of Latin is of figures that are its own: of Devanagari ones of another value it is 0.93."""
TWO_SCRIPTS: Final = re.compile(r"([^A-Za-z]+)\s([A-Za-z][A-Za-z .'()]+)")
"""Words in other letters, and Latin ones behind them."""
ALIKE: Final = 85
"""How alike (0–100) the first half of a label in two scripts must be, where its Latin half was read to the letter."""
SHORTEST_PART: Final = 2
LONG_NUMBER: Final = 6
"""Characters of a part of a number, a date or a label in two languages, and digits of a whole number."""
FIELD_NUMBER: Final = re.compile(r"\d{1,2}[a-d]?[.)] ")
SERIES: Final = re.compile(r"(?:\d{1,2}[a-d]?[.)] ?)?(?:[A-Z]{1,4}[ .\-]?)?\d[\d ./\-]*(?:[ .\-]?[A-Z]{1,3})?")
"""A number or a date in figures with a few capitals before or behind it; the number of its field may stand before."""
LEAST_LETTERS: Final = 0.5
"""Letters in a piece of line as long as it is high; print has one or two."""


def settled(line: TextLine, own: Recognised, script: Script) -> TextLine:
    """One line of two readings: each is believed where it knows the letters."""
    if script is Script.HAN:
        return _with_ideographs(line, own)
    # A label is known to the letter, however short: of `Нэр` the reader of Latin is sure that it is `Hap`.
    if fold(own.text) in labels_in(script) and letters_of(script, own.text) >= OWN_LETTERS:
        return replace(line, text=own.text, confidence=max(own.confidence, LIKELY))
    if label := _label_in_two_scripts(line.text, own.text, script):
        return replace(line, text=label, confidence=max(own.confidence, line.confidence))
    in_script, stroke, _ = own.text.partition("/")
    _, other_stroke, in_latin = line.text.rpartition("/")
    # A label in two languages: the country's own before the stroke, English behind it.
    is_latin = sum(map(str.isalpha, in_latin)) >= SHORTEST_PART and not digits(in_latin)
    two_languages = stroke and other_stroke and script not in FROM_RIGHT and is_latin
    # Of words in Vietnamese letters, which are Latin ones with marks, its own reader knows both halves, and the value.
    in_one = script is Script.VIETNAMESE and own.confidence >= SURE and not digits(line.text)
    if two_languages and in_one:
        return replace(line, text=own.text, confidence=own.confidence)
    if two_languages and letters_of(script, in_script) >= OWN_LETTERS:
        return replace(line, text=f"{in_script}/{in_latin}", confidence=max(own.confidence, line.confidence))
    if _is_in_own_figures(own, sure_in_latin(line), script):
        return replace(line, text=own.text, confidence=own.confidence)
    is_known = _is_latin_letter(line, own) or _is_number_for_sure(line, own, script)
    latin = 0.0 if _other_letters(line.text, script) >= OTHER_LETTERS else sure_in_latin(line)
    if is_known or not _is_own(own, latin, script):
        return line
    # A number beside a label: the reader of Latin knows figures better, and they stand in its reading in one piece.
    numbers = [] if _has_no_figures(line, own) else [word for word in line.text.split() if _is_number(word)]
    if sum(map(digits, numbers)) >= LONG_NUMBER and letters_of(script, line.text) < OWN_LETTERS:
        if len(numbers) == sum(map(_is_number, own.text.split())):
            # A date with its month in words: every number keeps its place.
            left = iter(numbers)
            told = " ".join(next(left) if _is_number(word) else word for word in own.text.split())
            return replace(line, text=told, confidence=own.confidence)
        words = [word for word in own.text.split() if not digits(word) and letters_of(script, word) > 0]
        return replace(line, text=" ".join([*words, *numbers]), confidence=own.confidence)
    return replace(line, text=_with_field_number(own.text, line.text), confidence=own.confidence)


def _with_ideographs(line: TextLine, own: Recognised) -> TextLine:
    """The line as the network reads it with all its outputs, where that shows it a sign of Chinese: it knows the rest
    of the line as well as the one without them."""
    if own.confidence < LIKELY or not letters_of(Script.HAN, own.text):
        return line
    return replace(line, text=with_label_parted(with_years_of_ours(own.text)), confidence=own.confidence)


def _label_in_two_scripts(latin: str, own: str, script: Script) -> str | None:
    """The label that begins as the one reader has it and ends as the other one has: neither knows both halves."""
    ends, begins = fold(latin), fold(own)
    for first, last, label in _halves(printed_labels(script)):
        if ends.endswith(last) and fuzz.ratio(begins[: len(first)], first) >= ALIKE:
            return label
    return None


@cache
def _halves(labels: Set[str]) -> tuple[tuple[str, str, str], ...]:
    """Of labels in two scripts without a stroke between (`เกิดวันที่ Date of birth`) both halves, folded, and the whole.

    The longest first.
    """
    parted = ((TWO_SCRIPTS.fullmatch(label), label) for label in labels if "/" not in label)
    halves = ((fold(half[1]), fold(half[2]), label) for half, label in parted if half and not is_latin(half[1]))
    return tuple(sorted((one for one in halves if all(one)), key=lambda half: (-len(half[2]), half[2])))


def _is_latin_letter(line: TextLine, own: Recognised) -> bool:
    """Is it a single letter, or the number of a field, that the reader of Latin is sure of?

    A letter that has no Latin one of its form is believed of the other reader, where that one is surer: of `Ж` the
    reader of Latin makes a K.
    """
    if sure_in_latin(line) < SURER:
        return False
    if FIELD_NUMBER.fullmatch(f"{line.text.strip()} "):
        return True
    letter = own.text.strip().upper()
    is_other = len(letter) == 1 and letter not in SAME_FORM and own.confidence > line.confidence
    return len(line.text.strip()) == 1 and not is_other


def _with_field_number(own: str, latin: str) -> str:
    """A line that begins with the number of its field, as the reader of Latin saw it: its letter is Latin (`4c.`)."""
    number, read = FIELD_NUMBER.match(latin), own.partition(" ")
    return f"{number[0].strip()} {read[2]}" if number and len(read[0]) == len(number[0].strip()) else own


def digits(text: str) -> int:
    """How many figures a text has."""
    return sum(character.isdigit() for character in text)


def _is_number(word: str) -> bool:
    return 2 * digits(word) >= len(word) and digits(word) >= SHORTEST_PART


def _is_number_for_sure(line: TextLine, own: Recognised, script: Script) -> bool:
    """Is it a date, or a number with capitals at either end of it, that the reader of Latin is certain of?

    The other one takes such capitals for its own: `KG 91499319` for `КС 91499319`, `3. 23.11.1979` for `з. 23.11.1979`.
    """
    number = SERIES.fullmatch(line.text.strip()) or has_date(line.text)
    if not number or sure_in_latin(line) < CERTAIN or digits(line.text) < LEAST_FIGURES:
        return False
    words = [word for word in own.text.split() if not digits(word)]
    return fold(" ".join(words)) not in labels_in(script)


def _has_no_figures(line: TextLine, own: Recognised) -> bool:
    """Is it words alone, for sure, behind the number of a field at the most, and figures to the reader of Latin, who
    is not? Georgian letters have the form of 3 and 0: a surname was read as 3003030."""
    words = FIELD_NUMBER.sub("", own.text, count=1)
    return own.confidence >= SURE and sure_in_latin(line) < SURER and not digits(words)


def _is_in_own_figures(own: Recognised, latin: float, script: Script) -> bool:
    """Is it a number in the figures of the script, which are no letters and which the reader of Latin does not know?"""
    figures = own_figures(script, own.text)
    if figures < LEAST_FIGURES or 2 * figures <= sum(map(str.isalnum, own.text)):
        return False
    return own.confidence >= (LIKELY if latin < CERTAIN else SURE) and latin < BEYOND_FIGURES


def _other_letters(text: str, script: Script) -> int:
    """How many letters of the script, which is none of Latin letters with marks, stand in a text."""
    return sum(not is_latin(letter) and letters_of(script, letter) > 0 for letter in text)


def _is_own(own: Recognised, latin: float, script: Script) -> bool:
    if letters_of(script, own.text) < OWN_LETTERS or (latin >= CERTAIN and own.confidence < SURER):
        return False
    return own.confidence >= SURE or (own.confidence >= LIKELY and own.confidence >= latin - LESS_SURE)


def sure_in_latin(line: TextLine) -> float:
    """How sure the reader of Latin is of a line; not at all where it saw hardly a letter in it."""
    return line.confidence if len(line.text.strip()) >= LEAST_LETTERS * aspect(line) else 0.0


def aspect(line: TextLine) -> float:
    """Length over height."""
    return (line.right - line.left) / max(line.height, 1.0)
