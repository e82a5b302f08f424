"""Names and places as they are printed, marks included: the lines that they were taken from are read once more."""

import re
from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import Final

from truename.rules.evidence import DocumentType, FieldName, ReadValue
from truename.vision.captures import Picture
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import Script
from truename.vision.document.print.alphabets import LATIN, LIKE_OTHERS
from truename.vision.document.print.hard_lines import with_margin
from truename.vision.document.print.own_letters import PERMITS, letters_misread, spelt
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.scripts import letters_of
from truename.vision.document.print.spelling import marks_again

SPELT: Final = (FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.PLACE_OF_BIRTH)
TOLD_APART: Final = frozenset({Script.LATIN, Script.CYRILLIC})
CANDIDATES: Final = 2
"""So many candidates of each field are spelt anew: others are seldom chosen."""
MOST_SPELT: Final = 24
"""Lines that are read once more: the words of a document's names stand on a few of its lines."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_CARON: Final = re.compile("([ĽĎŤľďť])['’]")
"""The mark of these stands behind the letter, and is read as an apostrophe."""

Found = Mapping[FieldName, list[ReadValue]]


def with_marks(
    page: Picture,
    lines: Sequence[TextLine],
    found: Found,
    country: str | None,
    kind: DocumentType | None = None,
    script: Script = Script.LATIN,
) -> Found:
    """The fields, with names and places in the letters that stand in their lines; raises ModelUnavailable.

    Nothing is done where neither the country's languages nor what was read has letters with marks. Permits are given
    to people whose names are of other languages.
    """
    country = country if kind not in PERMITS else None
    languages = _languages(country)
    candidates = [value for name in SPELT for value in found.get(name, ())[:CANDIDATES]]
    if script not in TOLD_APART or not _may_have_marks(candidates, languages, script):
        return found
    table = letters_misread(country)
    wanted = {fold(word) for value in candidates for word in _words(value.value, script)}
    anew: dict[str, str] = {}
    for line in lines_that_bear(wanted, lines, table, script):
        text = spelt(line.text, {})
        own = _folded_words(text, table, script)
        marked = _WORD.findall(marks_again(page, with_margin(line.quad), text, script, languages))
        if len(marked) == len(_WORD.findall(text)):
            for word, again in zip(_WORD.findall(text), marked, strict=True):
                anew |= dict.fromkeys(own.get(word, ()), spelt(again, table))
    return {name: _spelt_anew(values, anew, script) if name in SPELT else values for name, values in found.items()}


def lines_that_bear(
    wanted: Set[str], lines: Sequence[TextLine], table: Mapping[int, str], script: Script
) -> list[TextLine]:
    """The first lines with one of these words, folded: no name stands on more, and a page may say one all over."""
    bearing = (
        line
        for line in lines
        if any(keys & wanted for keys in _folded_words(spelt(line.text, {}), table, script).values())
    )
    return list(islice(bearing, MOST_SPELT))


def _folded_words(text: str, table: Mapping[int, str], script: Script) -> dict[str, set[str]]:
    return {word: {fold(word), fold(spelt(word, table))} for word in _words(text, script)}


def _words(text: str, script: Script) -> list[str]:
    """The words in letters of the script: a name may stand in Latin letters as well, and is not to be mixed with it."""
    return [word for word in _WORD.findall(text) if letters_of(script, word) == 1]


def _spelt_anew(values: list[ReadValue], anew: Mapping[str, str], script: Script) -> list[ReadValue]:
    def again(word: re.Match[str]) -> str:
        known = anew.get(fold(word[0])) if letters_of(script, word[0]) == 1 else None
        return word[0] if known is None else _in_its_case(known, word[0])

    texts = [_WORD.sub(again, one.value) for one in values]
    told = [one.model_copy(update={"value": _CARON.sub(r"\1", text)}) for one, text in zip(values, texts, strict=True)]
    return told[:CANDIDATES] + values[CANDIDATES:]


def _in_its_case(again: str, word: str) -> str:
    """A word of capitals stays one: where a name was brought to capitals, its line may have small letters."""
    return again.upper() if word.isupper() and "İ" not in again and "ı" not in again else again


def _languages(country: str | None) -> tuple[str, ...]:
    known = countries().get(country or "")
    return tuple(LIKE_OTHERS.get(code, code) for code in known.languages) if known is not None else ()


def _may_have_marks(values: Sequence[ReadValue], languages: Sequence[str], script: Script) -> bool:
    if script is not Script.LATIN:
        return bool(values)
    marked = not languages or any(LATIN.get(code) for code in languages)
    return bool(values) and (marked or not all(value.value.isascii() for value in values))
