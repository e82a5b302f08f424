"""Names whose labels could not be read: the two lines of a name stand one below the other, surnames first.

Labels are the smallest print of a page and the first to be lost; names are set as large as dates and begin where each
other begins. Where nothing says which lines they are, the first two of the fullest column above the date of birth are
taken; where one of both is known, its neighbour is. A document that prints the name in one piece is left alone.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import ReadValue, Source
from truename.vision.document.folding import fold, fold_words
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.phrases import issuer_phrases, kind_phrases, nationalities, sex_words
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value

CONFIDENCE: Final = 0.45
"""Below what counts as another source's word: such a name never speaks against a zone."""
WELL_READ: Final = 0.9
AS_TALL: Final = 0.8
"""Of the date of birth: labels are smaller."""
SHIFTED: Final = 0.7
"""How far to the side, in heights, the lines of one column may begin."""
APART: Final = 4.5
"""How far apart, in heights, the two lines may stand: a label lies between them, and no third value."""
MOST_WORDS: Final = 5
CODE: Final = 3
"""Letters of a country's code: KEN is also a name."""
LEAST_LETTERS: Final = 3
"""Two letters beside a passport's names are rather the code of its kind."""

Found = Mapping[LayoutField, Sequence[ReadValue]]


def unlabelled_names(
    lines: Sequence[TextLine], found: Found, dating: Dating, country: str | None
) -> dict[LayoutField, list[ReadValue]]:
    """The surnames or given names, or both, that no label pointed at; nothing where it cannot be told which."""
    missing = [name for name in (LayoutField.SURNAMES, LayoutField.GIVEN_NAMES) if not found.get(name)]
    born = _line_of_birth(lines, found, dating)
    if not missing or found.get(LayoutField.FULL_NAME) or born is None:
        return {}
    taken = {fold(values[0].value) for name, values in found.items() if values and name not in _NAMES}
    taken |= {COUNTRIES[country].alpha_3} if country in COUNTRIES else set()
    likely = [line for line in lines if line.top < born.top and _may_be_name(line, born, dating, taken)]
    if len(missing) == 1:
        known = fold(found[next(name for name in _NAMES if name not in missing)][0].value)
        line = _beside(known, likely, below=missing[0] is LayoutField.GIVEN_NAMES)
        return {missing[0]: [_value(line)]} if line is not None else {}
    columns = [_column(line, likely) for line in likely]
    fullest = max(columns, key=len, default=[])
    if len(fullest) < len(_NAMES) or not _are_near(fullest[0], fullest[1]):
        return {}
    return {name: [_value(line)] for name, line in zip(_NAMES, fullest, strict=False)}


_NAMES: Final = (LayoutField.SURNAMES, LayoutField.GIVEN_NAMES)


def _line_of_birth(lines: Sequence[TextLine], found: Found, dating: Dating) -> TextLine | None:
    said = next((value.value for value in found.get(LayoutField.DATE_OF_BIRTH, ())), None)
    for line in sorted(lines, key=lambda line: line.top):
        days = [day.isoformat() for day in dating.days(line.text)]
        if days and said in (None, *days):
            return line
    return None


def _may_be_name(line: TextLine, born: TextLine, dating: Dating, taken: set[str]) -> bool:
    words = fold_words(line.text)
    folded = fold(line.text)
    return (
        line.confidence >= WELL_READ
        and line.height >= AS_TALL * born.height
        and len(words) <= MOST_WORDS
        and len(folded) >= LEAST_LETTERS
        and "/" not in line.text
        and folded not in taken
        and as_value(LayoutField.SURNAMES, line.text, dating) is not None
        and not any(len(word) > CODE and word in nationalities() for word in (folded, *words))
        and folded not in sex_words()
        and not any(len(phrase) > 3 and phrase in folded for phrase, _ in (*issuer_phrases(), *kind_phrases()))
    )


def _column(first: TextLine, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that begin below the first one, from top to bottom, with itself."""
    reach = SHIFTED * first.height
    below = [line for line in lines if line.top >= first.top and abs(line.left - first.left) <= reach]
    return sorted(below, key=lambda line: line.top)


def _beside(known: str, lines: Sequence[TextLine], below: bool) -> TextLine | None:
    """The line next to those of the name that is known, in the same column."""
    own = [line for line in lines if fold(line.text) and fold(line.text) in known]
    if not own:
        return None
    edge = max(own, key=lambda line: line.top) if below else min(own, key=lambda line: line.top)
    others = [
        line
        for line in lines
        if line not in own
        and (line.top > edge.top) is below
        and abs(line.left - edge.left) <= SHIFTED * edge.height
        and _are_near(edge, line)
    ]
    return min(others, key=lambda line: abs(line.top - edge.top), default=None)


def _are_near(one: TextLine, other: TextLine) -> bool:
    return abs(one.top - other.top) <= APART * max(one.height, other.height)


def _value(line: TextLine) -> ReadValue:
    value = line.text.strip(" .,:;-")
    return ReadValue(value=value, source=Source.VISUAL, confidence=round(CONFIDENCE * line.confidence, 3))
