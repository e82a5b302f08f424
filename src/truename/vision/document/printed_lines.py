"""One printed line of a page: read at a glance where that is enough, and carefully where it is not.

Most of a page's print is labels, titles and the words of the law. The quick reader (`print/glance.py`) reads them well
enough to know them again, in a fifth of the time; names, numbers and dates that it is not sure of are read carefully.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from truename.vision.captures import Picture
from truename.vision.document.classify import names_issuer_or_kind
from truename.vision.document.layouts.phrases import label_fields
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.print.glance import glance
from truename.vision.document.print.labels import Vocabulary, as_label
from truename.vision.document.print.read import Quad, Recognised, TextLine, crop_line, recognise

MISSED: Final = 0.05
"""A letter may be missing from this chance on. On 500 drawn lines of all sizes, tints and blurs, the quick reader was
sure of 157 with nothing missed: it had each right but for the accents of eight, the careful reader one or two fewer."""
SHORT: Final = 1.6
"""Length over height of a line that is read carefully at once: it costs little, and single letters need it."""

Enough = Callable[[str], bool]


def read_line(page: Picture, quad: Quad, limits: ReadingLimits = CHOSEN, enough: Enough | None = None) -> TextLine:
    """What the line says. `enough` tells of a text that was read at a glance that no more need be known of it.

    What the quick reader could make nothing of (specks, signatures, patterns) is not tried again.
    """
    crop = crop_line(page, quad)
    if crop.shape[1] < SHORT * crop.shape[0]:
        return _line(_carefully(crop), quad)
    seen = glance(crop)
    is_sure = seen.confidence >= limits.glance_sure and seen.missed < MISSED
    if (
        not is_sure
        and seen.confidence >= limits.line_sure
        and not (enough and enough(seen.text))
        and not _is_known(_line(seen, quad))
    ):
        seen = _carefully(crop)
    return _line(seen, quad)


def _carefully(crop: Picture) -> Recognised:
    [word] = recognise([crop])
    return word


def _line(word: Recognised, quad: Quad) -> TextLine:
    return TextLine(word.text, word.confidence, np.asarray(quad, np.float32))


def _is_known(line: TextLine) -> bool:
    """Is it a label alone, or does it name an issuer or a kind of document? Those are known again though misread."""
    label = as_label(line, Vocabulary(label_fields()))
    return not label.rest if label is not None else names_issuer_or_kind(line.text)
