"""One printed line of a page: read at a glance where that is enough, and carefully where it is not.

Most of a page's print is labels, titles and the words of the law. The quick reader (`print/glance.py`) reads them well
enough to know them again, in a fifth of the time; names, numbers and dates that it is not sure of are read carefully.
Where something of the document is still missing afterwards, so is all the rest that is in doubt.
"""

from collections.abc import Callable
from typing import Final

from truename.vision.captures import Picture
from truename.vision.document.classify import names_issuer_or_kind
from truename.vision.document.layouts.phrases import label_fields
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.print.glance import glance
from truename.vision.document.print.labels import Vocabulary, as_label
from truename.vision.document.print.read import Quad, TextLine, crop_line, recognise

MISSED: Final = 0.05
"""A letter may be missing from this chance on. On 500 drawn lines of all sizes, tints and blurs, the quick reader was
sure of 157 with nothing missed: it had each right but for the accents of eight, the careful reader one or two fewer."""
SHORT: Final = 1.6
"""Length over height of a line that is read carefully at once: it costs little, and single letters need it."""

Enough = Callable[[str], bool]


def read_line(page: Picture, quad: Quad, limits: ReadingLimits = CHOSEN, enough: Enough | None = None) -> TextLine:
    """What the line says. `enough` tells of a text that was read at a glance that no more need be known of it.

    What the quick reader could make nothing of (specks, signatures, patterns) is not tried again at once.
    """
    crop = crop_line(page, quad)
    if crop.shape[1] < SHORT * crop.shape[0]:
        return _carefully(crop, quad)
    seen = glance(crop)
    # Of letters with accents it is sure without knowing which one it is.
    is_sure = seen.confidence >= limits.glance_sure and seen.missed < MISSED and seen.text.isascii()
    line = TextLine(seen.text, seen.confidence, quad, in_doubt=not is_sure)
    if is_sure or seen.confidence < limits.line_sure or (enough and enough(seen.text)) or _is_known(line):
        return line
    return _carefully(crop, quad)


def read_carefully(page: Picture, line: TextLine) -> TextLine:
    """The line read carefully, where it is in doubt."""
    return _carefully(crop_line(page, line.quad), line.quad) if line.in_doubt else line


def _carefully(crop: Picture, quad: Quad) -> TextLine:
    [word] = recognise([crop])
    return TextLine(word.text, word.confidence, quad)


def _is_known(line: TextLine) -> bool:
    """Is it a label alone, or does it name an issuer or a kind of document? Those are known again though misread."""
    label = as_label(line, Vocabulary(label_fields()))
    return not label.rest if label is not None else names_issuer_or_kind(line.text)
