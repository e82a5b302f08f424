"""What a layout file says of two fields and can be true of one only: a label, a number, a place."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import Box, DocumentLayout, FieldLayout

SAME_PLACE: Final = 0.5
"""The share of the smaller of two places that both may have in common: lines of print stand close."""


def said_twice(document: DocumentLayout, path: str) -> Iterator[str]:
    """A sentence for each pair of fields of a document that could not be told apart."""
    for (name, field), (other, second) in combinations(document.fields.items(), 2):
        where = f"`{path}.fields.{other}"
        if common := _labels(field) & _labels(second):
            label = next(one for one in (*second.labels, *second.second, second.again) if fold(one) in common)
            yield f"{where}.labels`: {label} is the label of {name} already; a label names one field."
        if field.number and second.number and field.number.upper() == second.number.upper():
            yield f"{where}.number`: {second.number} is the number of {name} already."
        if field.place and second.place and field.side is second.side and _overlap(field.place, second.place):
            yield f"{where}.place`: most of it is the place of {name}; two values do not stand in one place."


def _labels(field: FieldLayout) -> set[str]:
    """What stands at its values, folded."""
    return {fold(label) for label in (*field.labels, *field.second, field.again) if fold(label)}


def _overlap(one: Box, other: Box) -> bool:
    """Have both places so much in common that a value may stand in either?"""
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    tall = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return wide > 0 and tall > 0 and wide * tall > SAME_PLACE * min(one[2] * one[3], other[2] * other[3])
