"""Read Arabic and Persian figures in a line of print, which Tesseract's Arabic does not know: piece by piece.

Figures stand apart from each other in print, unlike Arabic letters. Each piece of ink is named by a small network of
our own (recipe in training/figures) that sees its form, how tall it is and where it stands: a nought is a dot at half
height. Two or three that touch are parted where each part is a figure.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.runtime import onnx

MODEL: Final = "figures"
CLASSES: Final = "0123456789/-?"
"""What a piece may be; the last is anything else."""
SIDE: Final = 20
"""Pixels of the square that a piece is brought to."""
LINE: Final = 72
"""The height that a line is brought to."""
OTHER: Final = len(CLASSES) - 1
SURE: Final = 0.5
SURE_OF_PARTS: Final = 0.9
MOSTLY: Final = 0.5
"""The share of figures in a line in which two that touch are parted."""
AS_WIDE: Final = 0.9
"""Of the height of figures: what is wider may be two."""
LEAST_AREA: Final = (LINE // 14) ** 2
"""Smaller pieces are specks."""
WORD: Final = 0.25
"""The share of ink in the box of a word; that around a line has less."""
MOST_PARTS: Final = 4
TALLER: Final = 1.1
"""Than the figures beside it: a stroke between them reaches over both ends of its line."""
LEANS: Final = (0.3, 0.4)
"""How far, of its height, such a stroke leans to the right."""
MOST_CUTS: Final = 4
LEAST_FIGURES: Final = 4
GAP_TO_LABEL: Final = 0.4
"""Of the height of a line: what is so far apart are a label and its value."""
LOW: Final = 0.25
"""Of the height of figures: the middle of a full stop is not so high above their foot."""
WIDE_GAP: Final = 0.8
"""Of the height of figures: pieces farther apart do not belong to one number, unless they stand so all along."""

Ink = NDArray[np.float32]


@dataclass(frozen=True)
class FigureRun:
    """A number or date in a line, in figures of 0–9."""

    text: str
    confidence: float


@dataclass(frozen=True)
class Piece:
    """A piece of ink in a line of LINE pixels: where it stands, and its ink (1 is black)."""

    left: int
    top: int
    right: int
    bottom: int
    ink: Ink

    @property
    def height(self) -> int:
        return self.bottom - self.top


def figure_runs(crop: Picture) -> list[FigureRun]:
    """The numbers of a level line, from left to right; none where there are only letters. Raises ModelUnavailable."""
    pieces = pieces_of(crop)
    if len(pieces) < LEAST_FIGURES:
        return []
    chances = _chances(pieces, pieces)
    if any(_may_be_two(piece, pieces) for piece in pieces) and (chances.argmax(1) < OTHER).mean() >= MOSTLY:
        pieces = [part for piece in pieces for part in _parts(piece, pieces)]
        chances = _chances(pieces, pieces)
    return [run for group in _groups(pieces, chances) if (run := _run(group)) is not None]


def pieces_of(crop: Picture, with_words: bool = False) -> list[Piece]:
    """The pieces of ink from left to right, without what runs along the edges and without specks.

    `with_words`: letters that hang together and of which one reaches the edge are kept; no figures do.
    """
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    width = max(8, round(grey.shape[1] * LINE / grey.shape[0]))
    level = cv2.resize(grey, (width, LINE), interpolation=cv2.INTER_CUBIC)
    around = np.ones((LINE // 2, LINE // 2), np.uint8)
    paper = cv2.morphologyEx(cv2.GaussianBlur(level, (0, 0), 1.2), cv2.MORPH_CLOSE, around)
    dark = np.clip((paper.astype(np.float32) - level) / np.maximum(paper, 1), 0, 1)
    ink = np.clip(dark / max(float(np.percentile(dark, 99)), 0.01), 0, 1).astype(np.float32)
    _, mask = cv2.threshold((ink * 255).astype(np.uint8), 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    pieces = []
    for label in range(1, count):
        left, top, wide, tall, area = (int(value) for value in stats[label])
        is_word = with_words and tall > LINE // 2 and area >= WORD * wide * tall
        at_edge = (top == 0 or top + tall == LINE) and ((wide > LINE and not is_word) or tall < LINE // 8)
        if area >= LEAST_AREA and not at_edge:
            box = np.s_[top : top + tall, left : left + wide]
            pieces.append(Piece(left, top, left + wide, top + tall, np.where(labels[box] == label, ink[box], 0)))
    return sorted(pieces, key=lambda piece: piece.left)


def widest_gap(crop: Picture, least: float = GAP_TO_LABEL) -> int | None:
    """The column in the middle of the widest gap of a line; None where no gap is as wide as `least` of its height."""
    pieces = pieces_of(crop, with_words=True)
    gaps = [
        (piece.left - before, (piece.left + before) / 2)
        for at, piece in enumerate(pieces[1:], 1)
        if (before := max(one.right for one in pieces[:at])) < piece.left
    ]
    wide, middle = max(gaps, default=(0, 0.0))
    return round(middle * crop.shape[0] / LINE) if wide >= least * LINE else None


def features(pieces: Sequence[Piece], line: Sequence[Piece]) -> Ink:
    """What the network sees of pieces of a line: each one's ink in a square, its height, where it stands, its width."""
    tallest = usual_height(line)
    foot = float(np.median([piece.bottom for piece in line if piece.height > 0.6 * tallest]))
    rows = []
    for piece in pieces:
        middle = (foot - (piece.top + piece.bottom) / 2) / tallest
        stands = [piece.height / tallest, middle, (piece.right - piece.left) / tallest]
        rows.append(np.concatenate([_square(piece.ink).reshape(-1), np.clip(stands, -2, 4)]))
    return np.asarray(rows, np.float32)


def _chances(pieces: Sequence[Piece], line: Sequence[Piece]) -> Ink:
    return np.asarray(onnx(MODEL).run(features(pieces, line))[0], np.float32)


def _may_be_two(piece: Piece, pieces: Sequence[Piece]) -> bool:
    return piece.right - piece.left > AS_WIDE * usual_height(pieces)


def _parts(piece: Piece, pieces: Sequence[Piece], most: int = MOST_PARTS) -> list[Piece]:
    """A piece that is no figure, cut where it has little ink if all its parts are figures; otherwise the piece."""
    if most == 1 or not _may_be_two(piece, pieces) or _is_figure(piece, pieces):
        return [piece]
    if _is_taller(piece, pieces) and (parts := _beside_stroke(piece, pieces, most)):
        return parts
    for darkness in (0.6, 0.75, 0.85):
        darker = _components(piece, darkness)
        if len(darker) > 1 and all(_is_figure(part, pieces) for part in darker):
            return darker
    ink = cv2.GaussianBlur(piece.ink.sum(0)[None], (0, 0), 1.0)[0]
    low = [at for at in range(3, len(ink) - 3) if ink[at] == ink[at - 3 : at + 4].min()]
    for cut in sorted(low, key=lambda at: ink[at])[:MOST_CUTS]:
        left, right = _cut(piece, 0, cut), _cut(piece, cut, len(ink))
        if _is_figure(left, pieces):
            rest = _parts(right, pieces, most - 1)
            if all(_is_figure(part, pieces) for part in rest):
                return [left, *rest]
    return [piece]


def _is_taller(piece: Piece, pieces: Sequence[Piece]) -> bool:
    """Is it taller than the figures of its line? Then there is a stroke between figures in it."""
    figures = [one.height for one in pieces if one.height > 0.6 * usual_height(pieces)]
    return piece.height > TALLER * float(np.median(figures))


def _beside_stroke(piece: Piece, pieces: Sequence[Piece], most: int) -> list[Piece] | None:
    """A leaning stroke and the figures that touch it, parted along the stroke; None where not all of them are known.

    Of a stroke and a figure, no upright cut takes one and leaves the other whole.
    """
    for leaning, cut in _leaning_cuts(piece):
        parts = [_masked(piece, leaning < cut), _masked(piece, leaning >= cut)]
        strokes = [_is_stroke(part, pieces) for part in parts]
        if not any(strokes):
            continue
        each = zip(parts, strokes, strict=True)
        whole = [[part] if is_stroke else _parts(part, pieces, most - 1) for part, is_stroke in each]
        if all(_is_figure(part, pieces) for one in whole for part in one):
            return [part for one in whole for part in one]
    return None


def _leaning_cuts(piece: Piece) -> Iterator[tuple[NDArray[np.int_], int]]:
    """Where a piece has little ink along leaning lines: the number of the line at each pixel, and that of the cut."""
    rows, columns = np.indices(piece.ink.shape)
    for lean in LEANS:
        leaning = np.round(columns + lean * (rows - piece.height / 2)).astype(int)
        leaning -= leaning.min()
        ink = np.bincount(leaning.ravel(), piece.ink.ravel())
        inked = np.flatnonzero(ink > 0)
        low = [at for at in range(inked[0] + 3, inked[-1] - 3) if ink[at] == ink[at - 3 : at + 4].min()]
        yield from ((leaning, at) for at in sorted(low, key=lambda at: ink[at])[:MOST_CUTS])


def _masked(piece: Piece, kept: NDArray[np.bool_]) -> Piece:
    """The ink of a piece where it is kept, in a box of its own; the piece itself where nothing is."""
    ink = np.where(kept, piece.ink, 0).astype(np.float32)
    rows, columns = np.flatnonzero(ink.max(1) > 0.3), np.flatnonzero(ink.max(0) > 0.3)
    if not len(rows) or not len(columns):
        return piece
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    at = piece.left + left, piece.top + top, piece.left + right, piece.top + bottom
    return Piece(*at, ink[top:bottom, left:right])


def _is_stroke(piece: Piece, pieces: Sequence[Piece]) -> bool:
    return _is_figure(piece, pieces) and int(_chances([piece], pieces)[0].argmax()) == CLASSES.index("/")


def _is_figure(piece: Piece, pieces: Sequence[Piece]) -> bool:
    chances = _chances([piece], pieces)[0]
    return bool(chances.argmax() < OTHER and chances.max() >= SURE_OF_PARTS)


def _components(piece: Piece, darkness: float) -> list[Piece]:
    """What is left of a piece where only its darkest ink counts: figures that touch do so in grey."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((piece.ink > darkness).astype(np.uint8), connectivity=4)
    parts = []
    for label in range(1, count):
        left, top, wide, tall, area = (int(value) for value in stats[label])
        if area >= LEAST_AREA:
            box = np.s_[top : top + tall, left : left + wide]
            own = np.where(labels[box] == label, piece.ink[box], 0)
            at = piece.left + left, piece.top + top
            parts.append(Piece(*at, at[0] + wide, at[1] + tall, own))
    return sorted(parts, key=lambda part: part.left)


def _cut(piece: Piece, first: int, last: int) -> Piece:
    ink = piece.ink[:, first:last]
    rows = np.flatnonzero(ink.max(1) > 0.3)
    top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, len(ink))
    return Piece(piece.left + first, piece.top + top, piece.left + last, piece.top + bottom, ink[top:bottom])


def usual_height(pieces: Sequence[Piece]) -> int:
    """How tall the figures of a line are: noughts and strokes between figures are lower, and few pieces are taller."""
    return max(1, sorted(piece.height for piece in pieces)[int(0.75 * len(pieces))])


def _square(ink: Ink) -> Ink:
    """A piece of ink in the middle of a small square, its sides in proportion."""
    height, width = ink.shape
    scale = (SIDE - 2) / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    square = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    square[top : top + size[1], left : left + size[0]] = cv2.resize(ink, size, interpolation=cv2.INTER_AREA)
    return square


def _stands_low(piece: Piece, pieces: Sequence[Piece]) -> bool:
    """Is a dot the full stop of a date? That stands at the foot of its line, and a nought at half height."""
    tallest = usual_height(pieces)
    foot = float(np.median([one.bottom for one in pieces if one.height > 0.6 * tallest]))
    return foot - (piece.top + piece.bottom) / 2 < LOW * tallest


def _groups(pieces: Sequence[Piece], chances: Ink) -> Iterator[list[tuple[str, float]]]:
    """Neighbours that are figures or strokes between them, as far as a letter or a gap wider than the others."""
    gaps = sorted(after.left - before.right for before, after in itertools.pairwise(pieces))
    farthest = max(WIDE_GAP * usual_height(pieces), 2.5 * gaps[len(gaps) // 2])
    group: list[tuple[str, float]] = []
    for at, piece in enumerate(pieces):
        best = int(chances[at].argmax())
        is_figure = best < OTHER and chances[at, best] >= SURE
        if group and (not is_figure or piece.left - pieces[at - 1].right > farthest):
            yield group
            group = []
        if is_figure:
            sign = "." if CLASSES[best] == "0" and _stands_low(piece, pieces) else CLASSES[best]
            group.append((sign, float(chances[at, best])))
    yield group


def _run(group: Sequence[tuple[str, float]]) -> FigureRun | None:
    text = "".join(character for character, _ in group).strip("/-.")
    if sum(map(str.isdigit, text)) < LEAST_FIGURES:
        return None
    chances = [chance for _, chance in group]
    return FigureRun(text, round(0.5 * min(chances) + 0.5 * sum(chances) / len(chances), 3))
