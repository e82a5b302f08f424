"""Names that stand behind their labels in one line: letters that were lost beside the smaller print of the label.

A network that reads a whole line sees small letters, a gap and large ones; where they meet, the first letter of the
value is sometimes passed over, and `Apellidos: MUÑOZ` is read as `Apellidos: UÑOZ`, as sure as ever.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from truename.rules.evidence import DocumentType
from truename.vision.captures import Picture
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.print.figure_lines import widest_gap
from truename.vision.document.print.labels import Vocabulary, as_label, vocabulary_of
from truename.vision.document.print.read import TextLine, crop_line, recognise

NAMES: Final = frozenset({LayoutField.SURNAMES, LayoutField.GIVEN_NAMES, LayoutField.FULL_NAME})
BEYOND_DOUBT: Final = 0.97
"""A line that is read so surely has lost no letter."""
GAP: Final = 0.2
"""Of the height of the line: the least gap between a label and its value."""
SURE: Final = 0.9
MOST_LOST: Final = 2
"""Letters that may have been lost at the beginning of a name."""


def whole_names(
    page: Picture, lines: Sequence[TextLine], country: str | None, kind: DocumentType | None
) -> list[TextLine]:
    """The lines, with names behind labels read alone where that gives letters in front of what was read of them."""
    known = vocabulary_of(country, kind)
    return [_whole(page, line, known) if line.confidence < BEYOND_DOUBT else line for line in lines]


def _whole(page: Picture, line: TextLine, known: Vocabulary) -> TextLine:
    label = as_label(line, known)
    if label is None or label.field not in NAMES or not label.rest or not line.text.endswith(label.rest):
        return line
    crop = crop_line(page, line.quad)
    if (cut := widest_gap(crop, GAP)) is None:
        return line
    [alone] = recognise([crop[:, cut:]])
    name, read = fold(alone.text), fold(label.rest)
    if alone.confidence < SURE or not name.endswith(read) or not 0 < len(name) - len(read) <= MOST_LOST:
        return line
    return replace(line, text=line.text.removesuffix(label.rest) + alone.text.strip())
