"""Scenes in which strangers' zones were missed: another card, a drawing or rotated text beside them, and more."""

from collections.abc import Callable
from random import Random
from typing import Final

import cv2
import numpy as np

from benchmarks.worse_photographs import compressed_to, lit_from_one_side, seen_from_the_side
from truename.sandbox.drawing import documents
from truename.vision.captures import Picture
from truename.vision.document.mrz.read import read_mrz

_GAP: Final = 24
_SMALL_ZONE: Final = 300
"""Width of the zone on the card that lies beside a larger drawing."""
_WORDS: Final = ("Specimen", "ISSUED BY", "Valid until", "Page 2 of 4", "see overleaf", "No. 8841-22", "remarks")


def by_phone(picture: Picture, chance: Random) -> Picture:
    """Everything at once in moderate doses: a little from the side, lit unevenly, unsharp, 640 wide, JPEG 60."""
    seen = seen_from_the_side(picture, chance, keystone=0.06, most_degrees=6, share=0.92)
    width = min(640, seen.shape[1])
    size = width, round(seen.shape[0] * width / seen.shape[1])
    small = np.asarray(cv2.resize(seen, size, interpolation=cv2.INTER_AREA), np.uint8)
    small = lit_from_one_side(small, chance, darkest=0.55)
    return compressed_to(np.asarray(cv2.GaussianBlur(small, (0, 0), chance.uniform(0.4, 0.8)), np.uint8), 60)


def held_square(picture: Picture, chance: Random) -> Picture:
    """Held at an angle of 20 to 40 degrees, a little from the side, in a picture of 512 by 512."""
    longest = max(picture.shape[:2])
    square = np.full((longest, longest, 3), [chance.randint(60, 200) for _ in range(3)], np.uint8)
    top, left = (longest - picture.shape[0]) // 2, (longest - picture.shape[1]) // 2
    square[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    turned = seen_from_the_side(square, chance, keystone=0.05, most_degrees=40, least_degrees=20, share=0.85)
    return np.asarray(cv2.resize(turned, (512, 512), interpolation=cv2.INTER_AREA), np.uint8)


def beside_another_card(picture: Picture, chance: Random) -> Picture:
    """Two cards in one picture: the other is the front of a drawn one, beside, above or below, each a little turned."""
    other = documents.id_card(seed=chance.randrange(1000)).front
    return _both(picture, other, chance, chance.choice(("beside", "below")))


def beside_a_drawing(picture: Picture, chance: Random) -> Picture:
    """The zone 300 pixels wide, beside a drawing that is larger than the card: boxes, arrows, headings."""
    read = read_mrz(picture)
    wide = float(np.linalg.norm(read.corners[1] - read.corners[0])) if read is not None else 0.8 * picture.shape[1]
    shrink = min(1.0, _SMALL_ZONE / wide)
    small = np.asarray(cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
    drawing = np.full((max(700, round(1.3 * small.shape[0])), 900, 3), 250, np.uint8)
    for _ in range(8):
        x, y = chance.randrange(20, 700), chance.randrange(20, drawing.shape[0] - 120)
        colour = [chance.randint(0, 200) for _ in range(3)]
        cv2.rectangle(drawing, (x, y), (x + chance.randint(80, 180), y + chance.randint(30, 100)), colour, 2)
        cv2.putText(drawing, chance.choice(_WORDS), (x + 6, y + 24), cv2.FONT_HERSHEY_SIMPLEX, 0.7, colour, 2)
        cv2.arrowedLine(drawing, (x, y), (chance.randrange(880), chance.randrange(drawing.shape[0])), colour, 2)
    return _both(small, drawing, chance, "beside")


def beside_rotated_text(picture: Picture, chance: Random) -> Picture:
    """The page of an open booklet whose other half bears text that is turned by a quarter."""
    height, width = picture.shape[:2]
    page = np.full((width, height, 3), 235, np.uint8)
    size = max(0.5, height / 900)
    for y in range(round(40 * size), width - 20, round(34 * size)):
        words = " ".join(chance.choice(_WORDS) for _ in range(6))
        cv2.putText(page, words, (20, y), cv2.FONT_HERSHEY_DUPLEX, size, (60, 50, 50), max(1, round(size)), cv2.LINE_AA)
    turned = np.asarray(np.rot90(page, chance.choice((1, 3))), np.uint8)
    return np.ascontiguousarray(np.hstack((turned, picture) if chance.random() < 0.5 else (picture, turned)))


def with_a_rectangle(picture: Picture, chance: Random) -> Picture:
    """A screenshot of a program that drew a coloured rectangle around the zone, where the reader sees it.

    The labels do not say where it lies: a picture in which it is not seen stays as it is, and is not read exactly.
    """
    read = read_mrz(picture)
    if read is None:
        return picture
    drawn = picture.copy()
    middle = read.corners.mean(0)
    around = middle + (read.corners - middle) * chance.uniform(0.97, 1.04)
    colour = chance.choice(((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 0, 255), (255, 200, 0)))
    thick = max(2, picture.shape[1] // chance.choice((200, 300, 400)))
    cv2.polylines(drawn, [np.round(around).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
    return drawn


def worn(picture: Picture, chance: Random) -> Picture:
    """Specks and scratches of the paper's colour all over, as on a print that has worn off."""
    height, width = picture.shape[:2]
    random = np.random.default_rng(chance.randrange(2**32))
    specks = cv2.GaussianBlur(random.normal(0, 1, (height, width)).astype(np.float32), (0, 0), max(1.0, width / 900))
    gone = np.asarray(specks > np.quantile(specks, 0.93), np.uint8)
    for _ in range(12):
        start = (chance.randrange(width), chance.randrange(height))
        end = (start[0] + chance.randint(-width // 3, width // 3), start[1] + chance.randint(-height // 8, height // 8))
        cv2.line(gone, start, end, 1, max(1, width // 900))
    paper = cv2.morphologyEx(picture, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    soft = cv2.GaussianBlur(gone.astype(np.float32), (0, 0), 0.8)[..., None] * 0.75
    return np.asarray(picture * (1 - soft) + paper * soft, np.uint8)


def _both(one: Picture, other: Picture, chance: Random, how: str) -> Picture:
    """Two pictures on one table, in either order."""
    pair = [one, other] if chance.random() < 0.5 else [other, one]
    axis = 1 if how == "beside" else 0
    across = max(part.shape[1 - axis] for part in pair)
    colour = [chance.randint(60, 220) for _ in range(3)]
    laid = []
    for part in pair:
        shape = list(part.shape)
        shape[axis] += 2 * _GAP
        shape[1 - axis] = across + 2 * _GAP
        table = np.full(shape, colour, np.uint8)
        free = across + 2 * _GAP - part.shape[1 - axis]
        at = chance.randint(_GAP // 2, free - _GAP // 2)
        top, left = (at, _GAP) if axis else (_GAP, at)
        table[top : top + part.shape[0], left : left + part.shape[1]] = part
        laid.append(table)
    return np.ascontiguousarray(np.concatenate(laid, axis))


SCENES: Final[dict[str, Callable[[Picture, Random], Picture]]] = {
    one.__name__: one
    for one in (
        by_phone,
        held_square,
        beside_another_card,
        beside_a_drawing,
        beside_rotated_text,
        with_a_rectangle,
        worn,
    )
}
