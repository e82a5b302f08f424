"""The numbers of reading that were chosen by looking at pictures, in one place.

`benchmarks/accuracy.py` chooses them anew in folds, always on other sources than those it counts, so that what it
publishes is what a stranger's document meets.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What is believed and what is not."""

    outline_sure: float = 0.85
    """From this mark on the network's outline needs no rival: on scans every such outline overlaps the true one by
    0.96."""
    outline_believed: float = 0.50
    """Below this no outline is believed; the text's own outline, or the whole picture, is taken instead."""
    outline_plain: float = 0.9
    """From this certainty of the network on, only outlines of one colour rival its own. Straight lines, which take
    60 ms to find, moved the outline of three of 47 such pictures by more than a twentieth of its area."""
    line_sure: float = 0.5
    """Lines of print that are less sure are not read at all."""
    glance_sure: float = 0.98
    """Lines that the quick reader is so sure of are not read carefully."""
    zone_clear: float = -0.35
    """Mean log-probability per character below which a strip is no line of a zone (garbage lies below -1)."""
    zone_dearest_line: float = 0.45
    """Nats per character that the grammar may cost a line before it is no line of that format."""
    zone_second_weight: float = 0.5
    """What the second reader's opinion counts beside that of our own."""
    zone_least_for_repair: float = 0.02
    """Certainty of the whole zone below which no check digit proves a repair."""
    zone_believed: float = 0.1
    """Certainty below which no check digit proves anything, of the whole zone or of a field: the grammar finds some
    characters that fit. Of 3,535 readings with right digits, of pictures taken badly, 41 of 59 below it were wrong."""


CHOSEN: Final = ReadingLimits()
"""Chosen on all development pictures."""
