"""Was a screen photographed? Over its stripes the hues run round in one direction: red, green, blue, and again red.

Print goes there and back: what an ink takes away it takes away of all colours at the same place, so that a pattern of
lines, however fine and regular, has no direction. Where lenses and scanners displace the colours a little against one
another, the lines are darker far more than they are coloured, and a screen's are not. Dots in diamonds, as on many
phones, have no direction of their own, and get one when a picture is compressed at half of its colours.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
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
BRIGHTNESS: Final = 0.3
"""How much of a wave's strength in brightness is set against its hues: stripes of all three colours have none."""
BEYOND_CHANCE: Final = 3.15
"""The least median over the tiles, times the root of their number. Noise alone comes to 2.9 in thirty photos."""
COLOURED: Final = 0.16
"""The least median with brightness set against the hues. Scans of documents come to 0.14; one to 0.18."""

_HUES: Final = np.array([[1, -0.5, -0.5], [0, np.sqrt(0.75), -np.sqrt(0.75)]], np.float32)
"""Red, green and blue as points a third of a turn from one another."""
_GREY: Final = np.ones((1, 3), np.float32)
_WINDOW: Final = np.repeat(np.outer(np.hanning(TILE), np.hanning(TILE))[..., None], 2, axis=2).astype(np.float32)
_ROUNDING: Final = float((_WINDOW[..., 0] ** 2).sum())
"""The strength that noise of one level has in every wave: what is fainter says nothing."""


def hues_in_one_direction(photo: Picture, quad: Quad) -> float | None:
    """How far the hues of one regular pattern run round in one direction rather than in both, over most of the page.

    `quad`: the page's corners in the photo, whose own pixels are looked at: to rectify it blurs what is looked for.
    The limit of the sign is reached where that is beyond chance and the pattern is coloured rather than dark: the limit
    by which evidence of before 19 November 2026 stays judged. None where fewer than four tiles of 128 pixels lie on the
    page.
    """
    tiles = [photo[y : y + TILE, x : x + TILE] for x, y in _tiles(photo, quad)]
    if len(tiles) < FEWEST:
        return None
    hues = [_hues(tile) for tile in tiles]
    share = _of_most([_directions(strengths) for strengths in hues]) * np.sqrt(len(tiles)) / BEYOND_CHANCE
    if share.max() >= 1:  # brightness is asked for only where something was seen: it costs half as much again
        coloured = [_directions(strengths + _brightness(tile)) for strengths, tile in zip(hues, tiles, strict=True)]
        share = np.minimum(share, _of_most(coloured) / COLOURED)
    return LIMITS[AuthenticitySign.SCREEN].limit * float(share.max())


def _of_most(tiles: Sequence[Strengths]) -> Strengths:
    """The median over the tiles, because a portrait or an emblem may be anything; without its sign."""
    ordered = np.sort(np.array(tiles), axis=0)  # in a quarter of the time of np.median
    return np.asarray(np.abs(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2, np.float32)


def _tiles(photo: Picture, quad: Quad) -> list[tuple[int, int]]:
    """Left upper corners of the tiles: at most forty in rows and columns, those whose middle lies on the page."""
    first = np.clip(np.floor(quad.min(axis=0)), 0, None).astype(int)
    beyond = np.minimum(np.ceil(quad.max(axis=0)).astype(int), photo.shape[1::-1])
    room = beyond - first
    if room.min() < TILE:
        return []
    most = room // TILE
    columns = int(np.clip(round(np.sqrt(TILES * room[0] / room[1])), 1, min(most[0], TILES)))
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


def _hues(tile: Picture) -> Strengths:
    """The strength of each wave in the hues of a tile; the same wave in the other direction is another."""
    return _smoothed(cv2.transform(_pattern(tile), _HUES) * _WINDOW) + _ROUNDING


def _brightness(tile: Picture) -> Strengths:
    """What is set against the hues."""
    return BRIGHTNESS * _smoothed(cv2.transform(_pattern(tile), _GREY) * _WINDOW[..., 0])


def _pattern(tile: Picture) -> NDArray[np.float32]:
    colours = tile.astype(np.float32)
    colours -= cv2.blur(colours, (AROUND, AROUND))
    return np.clip(colours, -PRINT, PRINT, out=colours)


def _directions(strengths: Strengths) -> Strengths:
    """Of each wave, by how many e-foldings the hues run round rather along it than against it."""
    along, against = _waves()
    return np.asarray(np.log(strengths[along] / strengths[against]), np.float32)


def _smoothed(values: cv2.typing.MatLike) -> Strengths:
    """Of each wave in a tile of numbers, or of points in a plane: its strength, as the mean with its neighbours'."""
    waves = cv2.dft(values, flags=cv2.DFT_COMPLEX_OUTPUT)
    rim = SMOOTHED // 2
    around = cv2.copyMakeBorder(waves[..., 0] ** 2 + waves[..., 1] ** 2, rim, rim, rim, rim, cv2.BORDER_WRAP)
    return np.asarray(cv2.blur(around, (SMOOTHED, SMOOTHED))[rim:-rim, rim:-rim].ravel(), np.float32)


@cache
def _waves() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of one half of the waves in a tile's spectrum, and of the same waves in the other direction."""
    of = np.fft.fftfreq(TILE)
    radius = np.hypot(of[:, None], of[None, :])
    half = (of[None, :] > 0) | ((of[None, :] == 0) & (of[:, None] > 0))
    rows, columns = np.nonzero(half & (radius > BAND[0]) & (radius < BAND[1]))
    return rows * TILE + columns, (-rows % TILE) * TILE + -columns % TILE
