"""Lines that are written from right to left, as in a mirror: their values then stand right of their labels."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.print.read import TextLine


def from_the_right(
    lines: Sequence[TextLine], width: int, numbers: Mapping[str, LayoutField] = MappingProxyType({})
) -> list[TextLine]:
    """The lines as in a mirror: what is written from right to left then has its values right of their labels.

    `numbers` are those of the document's fields, in capitals. In a line of figures such a number stands behind its
    value (`23.11.1979 3.`), and comes first in the mirror.
    """
    order = [1, 0, 3, 2]
    return [
        replace(
            line,
            text=_number_first(line.text, numbers),
            quad=(np.array([width, 0], np.float32) + line.quad * np.array([-1, 1], np.float32))[order],
        )
        for line in lines
    ]


def _number_first(text: str, numbers: Mapping[str, LayoutField]) -> str:
    """The text with the number of its field in front, if it has one."""
    # Read from the right, the stop of `1.` comes before its figure.
    before, behind = re.match(r"\.(\d{1,2}[a-d]?)\s+(?=\S)", text), re.search(r"(?<=\S)\s+(\d{1,2}[a-d]?)\.?$", text)
    if before and before[1].upper() in numbers:
        return f"{before[1]}. {text[before.end() :]}"
    if behind and behind[1].upper() in numbers:
        return f"{behind[1]}. {text[: behind.start()]}"
    return text
