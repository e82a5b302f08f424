"""The number of a document whose label could not be read, and of which no layout says what its number looks like.

Cards print it twice, or it is the only line on the page that is nothing but a number. Where two numbers stand there
once each, nothing tells which of them is meant, and none is taken.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from truename.rules.evidence import ReadValue, Source
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating

CONFIDENCE: Final = 0.45
"""As for names without labels: such a number never speaks against another source."""
WELL_READ: Final = 0.9
SHAPE: Final = re.compile(r"[A-Z]{0,3}\d{5,12}[A-Z]{0,2}")
SHORTEST: Final = 7
"""Shorter ones are codes of places, and days written without strokes."""


def unlabelled_number(
    lines: Sequence[TextLine], found: Mapping[LayoutField, Sequence[ReadValue]], dating: Dating
) -> dict[LayoutField, list[ReadValue]]:
    """The number that no label pointed at; nothing where there is one already, or where it cannot be told which."""
    if found.get(LayoutField.DOCUMENT_NUMBER):
        return {}
    taken = {fold(value.value) for values in found.values() for value in values}
    likely = [line for line in lines if _may_be_number(line, dating) and fold(line.text) not in taken]
    seen = Counter(fold(line.text) for line in likely)
    repeated = [number for number, count in seen.items() if count > 1]
    chosen = repeated or list(seen)
    if len(chosen) != 1:
        return {}
    line = max((line for line in likely if fold(line.text) == chosen[0]), key=lambda line: line.confidence)
    confidence = round(CONFIDENCE * line.confidence, 3)
    return {
        LayoutField.DOCUMENT_NUMBER: [
            ReadValue(value=line.text.strip(), source=Source.VISUAL, confidence=confidence),
        ]
    }


def _may_be_number(line: TextLine, dating: Dating) -> bool:
    number = fold(line.text)
    return (
        line.confidence >= WELL_READ
        and len(number) >= SHORTEST
        and SHAPE.fullmatch(number) is not None
        and "/" not in line.text
        and not dating.days(line.text, future=True)
    )
