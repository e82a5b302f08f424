"""Was a screen photographed? Over its stripes the hues run round in one direction: red, green, blue, and again red.

Print goes there and back: what an ink takes away it takes away of all colours at the same place, so that a pattern of
lines, however fine and regular, has no direction. Nor has a displacement of the colours against one another, as lenses
and scanners leave it, until it is a large part of the pattern. Screens whose dots lie in diamonds, as those of many
phones, have none either: they are not told.
"""

from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture

Quad = NDArray[np.float32]
Strengths = NDArray[np.float32]

TILE: Final = 128
TILES: Final = 40
"""At most so many, spread evenly over the page."""
FEWEST: Final = 4
AROUND: Final = 13
"""Pixels across of the surroundings whose mean is taken off."""
PRINT: Final = 12
"""Levels: larger differences from the surroundings are print and edges, which must not drown the faint pattern."""
SMOOTHED: Final = 5
"""A pattern seen at an angle changes its pitch over a page by a few waves a tile."""
BAND: Final = (0.06, 0.48)
"""Waves a pixel in which screens beat with sensors."""
UNIT: Final = 2.7
"""Brings the number to the scale of the one before it, so that evidence of both is judged by the same limit."""

_HUES: Final = np.array([[1, -0.5, -0.5], [0, np.sqrt(0.75), -np.sqrt(0.75)]], np.float32)
"""Red, green and blue as points a third of a turn from one another."""
_WINDOW: Final = np.repeat(np.outer(np.hanning(TILE), np.hanning(TILE))[..., None], 2, axis=2).astype(np.float32)
_ROUNDING: Final = float((_WINDOW[..., 0] ** 2).sum())
"""The strength that noise of one level has in every wave: what is fainter says nothing."""


def hues_in_one_direction(photo: Picture, quad: Quad) -> float | None:
    """How far the hues of one regular pattern run round in one direction rather than in both, over most of the page.

    `quad`: the page's corners in the photo, whose own pixels are looked at: to rectify it blurs what is looked for.
    None where fewer than four tiles of 128 pixels lie on the page.
    """
    directions = [_directions(photo[y : y + TILE, x : x + TILE]) for x, y in _tiles(photo, quad)]
    if len(directions) < FEWEST:
        return None
    # By the median: a portrait or an emblem may be anything. Its error falls with the root of their number.
    ordered = np.sort(np.array(directions), axis=0)  # in a quarter of the time of np.median
    of_most = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return float(np.abs(of_most).max() * np.sqrt(len(ordered)) * UNIT)


def _tiles(photo: Picture, quad: Quad) -> list[tuple[int, int]]:
    """Left upper corners of the tiles: at most forty in rows and columns, those whose middle lies on the page."""
    first = np.clip(np.floor(quad.min(axis=0)), 0, None).astype(int)
    beyond = np.minimum(np.ceil(quad.max(axis=0)).astype(int), photo.shape[1::-1])
    room = beyond - first
    if room.min() < TILE:
        return []
    most = room // TILE
    columns = int(np.clip(round(np.sqrt(TILES * room[0] / room[1])), 1, most[0]))
    rows = int(min(TILES // columns, most[1]))
    across = np.linspace(first[0], beyond[0] - TILE, columns).astype(int)
    down = np.linspace(first[1], beyond[1] - TILE, max(rows, 1)).astype(int)
    outline = quad.astype(np.float32)
    middle = TILE / 2
    return [
        (int(x), int(y))
        for y in down
        for x in across
        if cv2.pointPolygonTest(outline, (float(x + middle), float(y + middle)), False) >= 0
    ]


def _directions(tile: Picture) -> Strengths:
    """Of each wave, by how many e-foldings the hues run round rather along it than against it."""
    colours = tile.astype(np.float32)
    colours -= cv2.blur(colours, (AROUND, AROUND))
    np.clip(colours, -PRINT, PRINT, out=colours)
    turning = cv2.dft(cv2.transform(colours, _HUES) * _WINDOW, flags=cv2.DFT_COMPLEX_OUTPUT)
    strengths = turning[..., 0] ** 2 + turning[..., 1] ** 2
    rim = SMOOTHED // 2
    around = cv2.copyMakeBorder(strengths, rim, rim, rim, rim, cv2.BORDER_WRAP)
    smooth = cv2.blur(around, (SMOOTHED, SMOOTHED))[rim:-rim, rim:-rim].ravel() + _ROUNDING
    along, against = _waves()
    return np.asarray(np.log(smooth[along] / smooth[against]), np.float32)


@cache
def _waves() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of one half of the waves in a tile's spectrum, and of the same waves in the other direction."""
    of = np.fft.fftfreq(TILE)
    radius = np.hypot(of[:, None], of[None, :])
    half = (of[None, :] > 0) | ((of[None, :] == 0) & (of[:, None] > 0))
    rows, columns = np.nonzero(half & (radius > BAND[0]) & (radius < BAND[1]))
    return rows * TILE + columns, (-rows % TILE) * TILE + -columns % TILE
