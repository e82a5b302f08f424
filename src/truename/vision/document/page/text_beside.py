"""Where the text of a picture stands, held against an outline: a page holds its lines from end to end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Quad = NDArray[np.float32]

LETTERS: Final = 0.6
"""Of the height of a line's box its letters fill so much."""
OVERSHOT: Final = 1.0
"""By more pixels of the working size than this a letter stands outside of an outline."""


@dataclass(frozen=True)
class Text:
    """Where the letters of each line of text stand, as four corners, and each line's share of the length of all."""

    letters: NDArray[np.float32]
    shares: NDArray[np.float32]


NO_TEXT: Final = Text(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))


def text_at(lines: Sequence[Quad]) -> Text:
    """Of the boxes around the lines, each from its upper left corner clockwise."""
    lengths = np.array([np.linalg.norm(line[1] - line[0]) for line in lines], np.float32)
    letters = np.array([_letters(line) for line in lines], np.float32).reshape(-1, 4, 2)
    return Text(letters, lengths / max(float(lengths.sum()), 1e-6))


def _letters(line: Quad) -> Quad:
    """The part of a line's box that its letters fill: it is drawn half a letter too long at each end, and too tall."""
    along, down = (line[1] - line[0]) / 2, (line[3] - line[0]) / 2
    along = along * max(0.0, 1 - np.linalg.norm(down) / max(float(np.linalg.norm(along)), 1e-6))
    down = down * LETTERS
    return np.asarray(line.mean(0) + np.array([-along - down, along - down, along + down, down - along]), np.float32)


def text_outside(quads: Quad, text: Text) -> NDArray[np.float32]:
    """For each quad the share of the text, by length, that it does not hold: a page holds its lines from end to end."""
    return np.asarray((_beyond(quads, text) > OVERSHOT).any((2, 3)) @ text.shares, np.float32)


def _beyond(quads: Quad, text: Text) -> NDArray[np.float32]:
    """How far each corner of each line's letters stands beyond each side of each quad, by quad, line, corner, side."""
    away = quads - quads.mean(1, keepdims=True)
    clockwise = np.argsort(np.arctan2(away[..., 1], away[..., 0]), 1)
    starts = np.take_along_axis(quads, clockwise[..., None], 1)
    ways = np.roll(starts, -1, 1) - starts
    ways /= np.maximum(np.linalg.norm(ways, axis=2, keepdims=True), 1e-6)
    gaps = text.letters[None, :, :, None] - starts[:, None, None]
    beyond = ways[:, None, None, :, 1] * gaps[..., 0] - ways[:, None, None, :, 0] * gaps[..., 1]
    return np.asarray(beyond, np.float32)


def stands_beyond_each_side(quad: Quad, text: Text) -> bool:
    """Do whole lines of text stand beyond each of the four sides?"""
    return bool((_beyond(quad[None], text)[0].min(1) > OVERSHOT).any(0).all())
