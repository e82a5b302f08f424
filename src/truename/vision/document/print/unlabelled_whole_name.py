"""A whole name that stands without a label, and beside nothing that could be found: as on cards that have no labels.

It is the line of words that are nothing else which the document is known to say. Where several are (the towns of an
address), it is the first of them, at a confidence below what counts as another source's word.
"""

from collections.abc import Sequence
from typing import Final

from truename.rules.evidence import ReadValue, Source
from truename.vision.document.folding import fold, fold_words
from truename.vision.document.layouts.model import DocumentLayout, FieldLayout, LayoutField
from truename.vision.document.layouts.phrases import issuer_phrases, kind_phrases, nationalities, sex_words
from truename.vision.document.print.labels import Label
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.titles import is_said
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value

ALONE: Final = 0.9
"""What is left of the confidence where no other line may be the name."""
FIRST_OF_SEVERAL: Final = 0.45
WELL_READ: Final = 0.9
AS_TALL: Final = 0.8
"""Of the tallest that may be one: small print is no name."""
LEAST_WORDS: Final = 2
MOST_WORDS: Final = 8
LONG_PHRASE: Final = 3
"""Letters that more than these make a phrase by which an issuer or a kind is known in the middle of a line."""


def stands_alone(rule: FieldLayout) -> bool:
    """Does the file say nothing of where the name stands, but what is below it?"""
    return not (rule.labels or rule.number or rule.place or rule.below_title or rule.surname_lines)


def unlabelled_whole_name(
    values: Sequence[TextLine], labels: Sequence[Label], layouts: Sequence[DocumentLayout], dating: Dating
) -> list[ReadValue]:
    """The name in one piece, with its confidence; nothing where no line may be one."""
    labelled = {id(label.line) for label in labels}
    said = [words for layout in layouts for words in (*layout.titles, *_printed(layout))]
    names = [
        line
        for line in values
        if id(line) not in labelled
        and _may_be_name(line, dating)
        and not any(is_said(words, [line.text]) for words in said)
    ]
    tallest = max((line.height for line in names), default=0.0)
    names = sorted((line for line in names if line.height >= AS_TALL * tallest), key=lambda line: line.top)
    if not names:
        return []
    worth = ALONE if len(names) == 1 else FIRST_OF_SEVERAL
    confidence = round(worth * names[0].confidence, 3)
    return [ReadValue(value=names[0].text.strip(), source=Source.VISUAL, confidence=confidence)]


def _printed(layout: DocumentLayout) -> list[str]:
    return [word for field in layout.fields.values() for word in field.printed]


def _may_be_name(line: TextLine, dating: Dating) -> bool:
    folded, words = fold(line.text), fold_words(line.text)
    return (
        line.confidence >= WELL_READ
        and LEAST_WORDS <= len(words) <= MOST_WORDS
        and as_value(LayoutField.FULL_NAME, line.text, dating) is not None
        and folded not in nationalities()
        and folded not in sex_words()
        and not any(len(one) > LONG_PHRASE and one in folded for one, _ in (*issuer_phrases(), *kind_phrases()))
    )
