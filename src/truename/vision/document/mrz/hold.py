"""What a reader saw of a zone, held to what may stand there: codes that exist, fillers behind the names."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.decode import INDEX, Scores
from truename.vision.document.mrz.fields import known_codes
from truename.vision.document.mrz.layouts import ALPHABET, FILLER, Layout, Place
from truename.vision.document.mrz.repair import DEAREST_REPAIR

DEAREST_CODE = 4.0
"""An unknown country code gives way to a known one that is at most so many nats less likely."""


def hold_to_rules(layout: Layout, lines: Sequence[Scores]) -> list[Scores]:
    """The same scores, with issuer and nationality held to codes that exist where the readers leave room for one, and
    with nothing but fillers behind the names."""
    held = [line.copy() for line in lines]
    for line, column in _behind_names(layout, held):
        _hold(held[line][column], INDEX[FILLER])
    for name in ("issuer", "nationality"):
        places = layout.fields.get(name, ())
        if len(places) != 3:
            continue
        scores = np.stack([held[line][column] for line, column in places])
        indices = _code_letters()
        totals = scores[np.arange(3), indices].sum(1)
        best = int(totals.argmax())
        if float(scores.max(1).sum() - totals[best]) <= DEAREST_CODE:
            for (line, column), index in zip(places, indices[best], strict=True):
                _hold(held[line][column], index)
    return held


def _hold(scores: Scores, index: int) -> None:
    """Let this character win its place, as sure or unsure as it was."""
    certainty = scores[index]
    np.minimum(scores, certainty - DEAREST_REPAIR - 1, out=scores)
    scores[index] = certainty


def _behind_names(layout: Layout, lines: Sequence[Scores]) -> Sequence[Place]:
    """Places behind the given names. Names are parted by one filler or two: behind three no letter stands, though the
    card's edge or a speck may look like one."""
    places = layout.fields.get("names", ())
    text = "".join(ALPHABET[lines[line][column].argmax()] for line, column in places)
    gap = text.find(2 * FILLER)
    end = text.find(3 * FILLER, gap + 2)
    return places[end:] if 0 < gap < end else ()


@cache
def _code_letters() -> NDArray[np.int64]:
    """The letters of every code that exists, as places in the alphabet."""
    return np.array([[INDEX[character] for character in code] for code in known_codes()], np.int64)
