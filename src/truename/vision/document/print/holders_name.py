"""Is a line the name of a holder, whatever else it could say? VIRGINIA is a state, and many a woman."""

from collections.abc import Sequence
from typing import Final

from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.phrases import label_fields
from truename.vision.document.print.labels import Vocabulary, as_label
from truename.vision.document.print.read import TextLine

BESIDE: Final = 4.0
"""Heights of a line between a label and the name to its right."""
NAMES: Final = frozenset({LayoutField.SURNAMES, LayoutField.GIVEN_NAMES, LayoutField.FULL_NAME})


def is_holders_name(line: TextLine, lines: Sequence[TextLine]) -> bool:
    """Does a label of a name point at a line, from above or from the left? Then no state names itself in it."""
    tall, known = max(line.height, 1.0), Vocabulary(label_fields())
    for other in lines:
        beside = min(line.bottom, other.bottom) - max(line.top, other.top) > 0.4 * min(line.height, other.height)
        is_left = beside and 0 <= line.left - other.right + 0.6 * tall < BESIDE * tall
        is_above = -0.6 * tall < line.top - other.bottom < tall and abs(line.left - other.left) < tall
        if other is line or not (is_left or (is_above and other.top < line.top)):
            continue
        label = as_label(other, known)
        if label is not None and label.field in NAMES and not label.rest:
            return True
    own = as_label(line, known)
    return own is not None and own.field in NAMES and bool(own.rest)
