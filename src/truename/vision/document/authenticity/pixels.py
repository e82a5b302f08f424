"""What the pixels say: grain, edges and compression of the portrait against its page, and whether a camera saw it."""

from typing import Final

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.page.locate import Quad
from truename.vision.face.detect import Face
from truename.vision.images import percentile_of_bytes

Grey = NDArray[np.float32]
Box = tuple[slice, slice]

_BLOCK: Final = 12
_CALM: Final = 25
"""Percentile of the blocks by grain: the calmest quarter shows grain, the rest shows print."""
_LEAST_BLOCKS: Final = 12
_FLOOR: Final = 0.25
"""Grain below this is none: the step of eight-bit pixels."""
_LEAST_SIDE: Final = 48
_PRINT: Final = 12
"""Steps above this are print; a grid of compression is far fainter."""
_GOES_ON: Final = 0.85
"""How much of the evenness within the blocks of a compression goes on across their borders, where a program made it:
0.94 and more on plain pages, saved at whichever quality. Of photographed documents with a pattern it is 0.35 to 0.68 at
qualities from 50 to 10; of blank paper at 30 and less it is as much as of a program's page, and cannot be told."""


def even_share(page: Picture) -> float:
    """Share of the page in which neighbouring pixels are equal to the last bit, burnt-out and black parts aside."""
    even, judged = _even(page)
    count = cv2.countNonZero(judged)
    return cv2.countNonZero(even) / count if count > 0.05 * judged.size else 0.0


def is_even_by_blocks(photo: Picture, quad: Quad) -> bool:
    """Does what is even on the page end at the borders of blocks of eight, both ways, as compression leaves it?"""
    corners = quad.round().astype(int)
    (left, top), (right, bottom) = np.maximum(corners.min(0), 0), corners.max(0)
    even, judged = _even(photo[top:bottom, left:right])
    ways = []
    for axis in (0, 1):
        lines, all_of_them = (cv2.reduce(one, axis, cv2.REDUCE_SUM, dtype=cv2.CV_32S).ravel() for one in (even, judged))
        if len(lines) < 16:
            return False
        shares = [float(lines[at::8].sum() / max(all_of_them[at::8].sum(), 1)) for at in range(8)]
        ways.append(min(shares) < _GOES_ON * max(shares))
    return all(ways)


def _even(picture: Picture) -> tuple[cv2.typing.MatLike, cv2.typing.MatLike]:
    """Where all neighbours are equal, and which pixels are neither burnt out nor black."""
    green = cv2.extractChannel(picture, 1)
    window = np.ones((3, 3), np.uint8)
    same = cv2.compare(cv2.dilate(green, window), cv2.erode(green, window), cv2.CMP_EQ)
    judged = cv2.inRange(green, (5,), (250,))
    return cv2.bitwise_and(same, judged), judged


def grain_difference(page: Picture, face: Face) -> float | None:
    """By how many doublings the portrait's grain differs from that of the page around it; None for a small portrait."""
    grain = _grain(cv2.extractChannel(page, 1))
    of_face = _blocks(grain[_box(page, face, grow=0.05)]).ravel()
    of_page = _blocks(grain)
    rows, columns = _box(page, face, grow=0.9)
    around = np.ones(of_page.shape, bool)
    around[rows.start // _BLOCK : -(-rows.stop // _BLOCK), columns.start // _BLOCK : -(-columns.stop // _BLOCK)] = False
    of_page = of_page[around]
    if min(len(of_face), len(of_page)) < _LEAST_BLOCKS:
        return None
    levels = [max(float(np.percentile(one, _CALM)), _FLOOR) for one in (of_face, of_page)]
    return abs(float(np.log2(levels[0] / levels[1])))


def cut_edges(page: Picture, face: Face) -> float | None:
    """How sharply straight upright lines cut the portrait out, against the sharpest print of the page; 0 for none."""
    grey = cv2.extractChannel(page, 1)
    print_step = percentile_of_bytes(cv2.absdiff(grey[::2, 1:], grey[::2, :-1]), 99.5)
    left, top, width, height = face.box
    rows = slice(max(0, round(top)), round(top + height))
    found = []
    for near, far in ((left - 0.9 * width, left - 0.1 * width), (left + 1.1 * width, left + 1.9 * width)):
        band = grey[rows, max(0, round(near)) : max(0, min(page.shape[1], round(far)))].astype(np.float32)
        if band.shape[0] >= 24 and band.shape[1] >= 8:
            # One straight line: most rows step the same way in the same column.
            found.append(float(np.abs(np.median(np.diff(band, axis=1), axis=0)).max()))
    return max(found) / max(print_step, 1.0) if found else None


def foreign_grid(photo: Picture, quad: Quad, page: Picture, face: Face) -> float | None:
    """By how much the portrait bears a grid of compression that its surroundings do not; None for a small portrait."""
    inside = _in_photo(_box(page, face, grow=0.25), quad, page, photo)
    around = _in_photo(_box(page, face, grow=1.5), quad, page, photo)
    own, others = (cv2.extractChannel(photo[where], 1) for where in (inside, around))
    if min(own.shape) < _LEAST_SIDE:
        return None
    # Where the surroundings' own grid lies is no news; any other place where the portrait is cut into blocks is.
    return float((_grid(own, inside) - _grid(others, around)).max())


def _grid(grey: cv2.typing.MatLike, where: Box) -> Grey:
    """How far each of the eight columns and eight rows of a grid stands out, in spreads of the others."""
    strengths = []
    across = cv2.absdiff(grey[:, 1:], grey[:, :-1]), 0, where[1].start
    down = cv2.absdiff(grey[1:], grey[:-1]), 1, where[0].start
    for steps, axis, start in (across, down):
        lines = cv2.reduce(
            cv2.threshold(steps, _PRINT, _PRINT, cv2.THRESH_TRUNC)[1], axis, cv2.REDUCE_AVG, dtype=cv2.CV_32F
        ).ravel()
        offset = (np.arange(len(lines)) + start + 1) % 8
        means = np.array([lines[offset == one].mean() for one in range(8)])
        spread = max(float(np.median(np.abs(means - np.median(means)))), 0.02)
        strengths.append((means - np.median(means)) / spread)
    return np.concatenate(strengths).astype(np.float32)


def _grain(grey: cv2.typing.MatLike) -> Grey:
    """What is left when everything that runs on evenly is taken away (Immerkær's operator)."""
    bend = np.array([1, -2, 1], np.float32)
    grain = np.asarray(cv2.sepFilter2D(grey, cv2.CV_32F, bend, bend), np.float32)
    np.abs(grain, out=grain)
    grain /= 6
    return grain


def _blocks(grain: Grey) -> Grey:
    """Mean grain of each whole block."""
    rows, columns = grain.shape[0] // _BLOCK, grain.shape[1] // _BLOCK
    if not rows or not columns:
        return np.zeros((0, 0), np.float32)
    whole = grain[: rows * _BLOCK, : columns * _BLOCK]
    return np.asarray(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


def _box(page: Picture, face: Face, grow: float) -> Box:
    left, top, width, height = face.box
    rows = slice(max(0, round(top - grow * height)), max(1, min(page.shape[0], round(top + (1 + grow) * height))))
    columns = slice(max(0, round(left - grow * width)), max(1, min(page.shape[1], round(left + (1 + grow) * width))))
    return rows, columns


def _in_photo(box: Box, quad: Quad, page: Picture, photo: Picture) -> Box:
    """The upright rectangle of the photo in which a part of the flat page lies."""
    height, width = page.shape[:2]
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, quad.astype(np.float32))
    rows, columns = box
    corners = np.array([[[x, y]] for x in (columns.start, columns.stop) for y in (rows.start, rows.stop)], np.float32)
    seen = cv2.perspectiveTransform(corners, matrix)[:, 0]
    low = np.clip(np.floor(seen.min(0)), 0, [photo.shape[1] - 1, photo.shape[0] - 1]).astype(int)
    high = np.clip(np.ceil(seen.max(0)), low + 1, [photo.shape[1], photo.shape[0]]).astype(int)
    return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))
