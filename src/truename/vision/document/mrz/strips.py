"""Strips that may be lines of a zone: which way up they stand, what our own reader sees in them, and how clearly."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.band import Band
from truename.vision.document.mrz.decode import DecodedLine, Scores, free_text
from truename.vision.document.mrz.layouts import ALPHABET, FILLER
from truename.vision.document.mrz.readers import read_own
from truename.vision.document.mrz.rows import Grey

Quad = NDArray[np.float32]

_SHORTEST: Final = 24
"""Characters of a line that may be one of a zone's."""
_NARROW: Final = 20
"""The same where some may have been missed, because they are narrow."""
_FILLERS: Final = 3 * FILLER
_GARBAGE: Final = -0.6
"""Mean log-probability per character of what is hardly ever a line of a zone."""
_WIDER: Final = 1.25
STEP: Final = 4
"""Pixels of a strip for each step of the reader."""
_CLOSEST: Final = 14.5
"""Pixels from one character to the next, at least, in lines that the reader was taught on (`training/mrz/render.py`):
nearer to each other some are passed over, twins first, and the grammar puts others into their places."""
_USUAL: Final = 18.0


def is_like_a_zone(scores: Scores) -> bool:
    """Fillers in a row, in a line that is long enough: other print is hardly ever read so."""
    text = free_text(scores)
    return _FILLERS in text and len(text) >= _NARROW and _clarity(scores) > _GARBAGE


def widened(strip: Grey) -> Grey:
    """The same a quarter wider."""
    return np.asarray(cv2.resize(strip, None, fx=_WIDER, fy=1, interpolation=cv2.INTER_CUBIC), np.uint8)


def crowded(line: DecodedLine) -> bool:
    """Do characters stand nearer to each other than in any line that the reader was taught on?"""
    return _pitch(line) < _CLOSEST


def spread_out(strip: Grey, line: DecodedLine) -> Grey:
    """The strip of a line, stretched until its characters stand as far apart as the reader knows them best."""
    wider = _USUAL / _pitch(line)
    return np.asarray(cv2.resize(strip, None, fx=wider, fy=1, interpolation=cv2.INTER_CUBIC), np.uint8)


def _pitch(line: DecodedLine) -> float:
    """Pixels of the strip from one character to the next."""
    return max(float(line.middles[-1] - line.middles[0]), 1.0) * STEP / (len(line.middles) - 1)


def ways_up(band: Band, either_way: bool) -> Iterator[tuple[list[Grey], Quad]]:
    """As the picture lies, then turned by half."""
    yield list(band.strips), band.corners
    if either_way:
        yield [_turned(strip) for strip in reversed(band.strips)], np.roll(band.corners, 2, 0)


def own_scores(strips: Sequence[Grey], clear: float) -> tuple[list[Scores], bool]:
    """What our own reader sees in each strip; False beside it when it is plain that no two neighbours are a zone's.

    Of any two neighbours one stands at an odd place: where none of those is clear, the others are not read.
    """
    odd = read_own(strips[1::2])
    if not any(is_clear(scores, clear) for scores in odd):
        return odd, False
    both = zip_longest(read_own(strips[::2]), odd)
    return [scores for pair in both for scores in pair if scores is not None], True


def is_clear(scores: Scores, limit: float) -> bool:
    """May it be a line of a zone?"""
    return _clarity(scores) > limit and len(free_text(scores)) >= _SHORTEST


def _turned(strip: Grey) -> Grey:
    return np.ascontiguousarray(np.rot90(strip, 2))


def _clarity(scores: Scores) -> float:
    """How sure the reader is of the characters it names: mean log-probability, very low for a line too short."""
    named = scores[scores.argmax(1) != len(ALPHABET)]
    return float(named.max(1).mean()) if len(named) and len(free_text(scores)) >= 8 else -10.0
