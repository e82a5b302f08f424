"""Labels of what is not read: a father's name, a name before marriage, the height.

They begin as labels do that are read (`Nom d'épouse`, `NOMBRE DEL PADRE`), or are alike them (`Mother's name` and
`Other names`): what stands behind the word that is known is then no name of the holder's, however clearly it was read.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cache
from typing import Final

from rapidfuzz import fuzz, process

from truename.vision.document.folding import fold, is_latin
from truename.vision.document.layouts.load import languages
from truename.vision.document.layouts.phrases import english_labels
from truename.vision.document.print.labels import ALIKE_NUMBERED, ALIKE_SHORT, NAMES, Label, Vocabulary, as_label
from truename.vision.document.print.read import TextLine

NOTHING_KNOWN: Final = Vocabulary({})
LEAST_WITH_VALUE: Final = 2
"""Words of a label behind which its value may stand in the same line; one word alone may be anybody's name."""
LONG_ENOUGH: Final = 8
"""Letters of such a label."""
LONG_WORD: Final = 6
BESIDE: Final = 14.0
"""Heights of a label between itself and its value."""
LEAST_LETTERS: Final = 2
"""Of a word that goes on with a label."""


def of_others(lines: Sequence[TextLine], known: Vocabulary) -> set[int]:
    """The ids of lines that are labels of what is not read, alone or with their value behind them.

    What is a label of this document to the letter, or has such a part, is none of them.
    """
    return {id(line) for line in lines if _names_another(line.text, known) or _goes_on(line, known)}


def by_itself(label: Label, lines: Sequence[TextLine]) -> Label:
    """A label of a name without what is no name behind it, but another label, or its own word, misread.

    Of `[a] Name [b] Geburtsname` the second is another name's; `1. Sumame`, with a name to its right, says `Surname`.
    """
    if label.field not in NAMES or not label.rest:
        return label
    is_label = _names_another(label.rest, NOTHING_KNOWN) or (
        label.line.text.lstrip()[:1].isdigit()
        and _is_alike(fold(label.rest), english_labels())
        and any(_is_beside(line, label.line) for line in lines)
    )
    return replace(label, rest="") if is_label else label


def _is_alike(folded: str, labels: Set[str]) -> bool:
    scorer, least = fuzz.ratio, ALIKE_NUMBERED
    return (
        len(folded) >= LONG_WORD and process.extractOne(folded, labels, scorer=scorer, score_cutoff=least) is not None
    )


def _is_beside(line: TextLine, label: TextLine) -> bool:
    """Does a line of letters stand to the right of a label?"""
    together = min(line.bottom, label.bottom) - max(line.top, label.top)
    gap = (line.left - label.right) / max(label.height, 1.0)
    return together > 0.4 * min(line.height, label.height) and -0.6 <= gap < BESIDE and fold(line.text).isalpha()


@cache
def _others(in_latin: bool) -> tuple[frozenset[str], frozenset[str]]:
    """Such labels of all languages, folded: all of them, and those of several words.

    `in_latin`: of those in Latin letters alone. 住址 is ZHUZHI, and somebody is called ZHU ZHI.
    """
    spoken = [label for language in languages().values() for label in language.others]
    listed = [label for label in spoken if is_latin(label) or not in_latin]
    several = {fold(label) for label in listed if len(label.replace("'", " ").split()) >= LEAST_WITH_VALUE}
    return frozenset(map(fold, listed)), frozenset(label for label in several if len(label) >= LONG_ENOUGH)


def _names_another(text: str, known: Vocabulary) -> bool:
    whole, several = _others(is_latin(text))
    text = re.sub(r"^\s*\[\w\]", "", text)
    parts = {fold(part) for part in (text, *text.split("/"), text.partition(":")[0])}
    if parts & known.labels.keys():
        return False
    words = text.split()
    heads = {fold(" ".join(words[:count])) for count in range(1, len(words))}
    return bool(parts & whole or heads & several) or any(_is_alike_another(part, whole, known) for part in parts)


def _is_alike_another(folded: str, others: Set[str], known: Vocabulary) -> bool:
    """Is it such a label but for a few letters, and more alike it than any label that is known?"""
    if len(folded) < LONG_ENOUGH:
        return False
    best = process.extractOne(folded, others, scorer=fuzz.ratio, score_cutoff=ALIKE_SHORT)
    return best is not None and not process.extractOne(
        folded, known.labels.keys(), scorer=fuzz.ratio, score_cutoff=best[1]
    )


def _goes_on(line: TextLine, known: Vocabulary) -> bool:
    """Does the label of a name go on in small letters (`Surname at birth`)? No name is written so."""
    label = as_label(line, known)
    if label is None or label.field not in NAMES or not is_latin(label.rest):
        return False
    return label.rest.islower() and sum(map(str.isalpha, label.rest)) >= LEAST_LETTERS
