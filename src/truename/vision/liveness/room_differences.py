"""How does the room around the head differ between two frames, by its colours and by its details?"""

from dataclasses import dataclass
from itertools import product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.images import averaged, halve, median_of
from truename.vision.liveness.shifted import compare
from truename.vision.liveness.views import View

ACROSS, DOWN = 24, 32
"""The room is compared in so many fields."""
MIN_FIELDS: Final = 40
"""With fewer fields of the room in both pictures, nothing is said."""
ANOTHER_ROOM: Final = 10.0
"""Colour levels by which the middle field differs between two rooms, once exposure and a shaking hand are allowed for.

Measured on the drawn head before nine pictures: the frames of one differ by 0 to 4.5, whichever way the head is turned;
of two of them by 11 and more in 95 of 100 pairs.
"""
SAME_ROOM: Final = 5.0
MAX_GAIN: Final = 1.6
SHIFTS: Final = tuple(sorted(product((-1, 0, 1), repeat=2), key=lambda shift: abs(shift[0]) + abs(shift[1])))
"""Fields by which a shaking hand may have moved the room, down and across; none is tried first."""
BESIDE_HEAD, WELL_AWAY = (0.95, 0.95), (1.25, 1.1)
"""Where the room begins, in the face's width and height; where not even hair is left in it."""
WIDTH_OF_A_HEAD: Final = 0.8
"""Of the height of a face. One that is turned far is narrower, and the head behind it is not: its hair is no room."""
BEHIND_FACE: Final = 0.45
"""So far behind the middle of its face lies the middle of a head, in the face's width: some 6.5 cm of 14. Where a head
is turned, it is seen beside the face, on the side from which it turned away."""
FINER: Final = 4
"""Details are compared in so many pixels to each side of a field."""
SOFT, NOISE = 2.0, 2.0
"""Pixels around each by which local brightness is taken out, and grey levels that are no detail."""
FEWEST_PIXELS: Final = 400
"""A room of which less is seen has no details."""
FEWEST_COMPARED: Final = 200
"""Of two rooms that have some, so many pixels that both show tell whether they are one: a near face or a turned one
leaves 200 to 300. Before 20 real rooms, 190 pairs of them, two that are not one were as alike as 0.8 in 1 of 738 strips
of 150 to 300 such pixels, and the next ones as 0.69 (each by the best of all shifts); of one room before a window whose
light came and went five of six pairs of frames as 0.82 to 0.93, the sixth as 0.61, by whichever of both comparisons."""
LEAST_DETAIL: Final = 0.3
"""Of local contrast, 1 being all of it: what is plainer has no details that could have stayed."""
SAME_DETAILS: Final = 0.8
"""How alike (correlation) the details of one room are at least, under whichever light: 0.9 to 1.0 before 16 pictures as
rooms; of two of them 0.28 at most, and 0.70 where both were a circle before black."""
SHAKEN: Final = 2
HAND_SHAKES: Final = tuple(product(range(-SHAKEN, SHAKEN + 1), range(-SHAKEN, SHAKEN + 1)))


@dataclass(frozen=True)
class Room:
    """The colours around a head; the mask is 1 where the room is."""

    colours: NDArray[np.float32]
    mask: NDArray[np.bool_]


def details_stayed(before: View, after: View, moved: NDArray[np.uint8] | None = None) -> bool:
    """Are the room's edges and patterns where they were? Then another light fell on the same room.

    Local brightness and contrast are taken out first. A wall without any detail says nothing, and its colours decide.
    `moved` is the second picture, grey, as it would be had the camera not moved.
    """
    first, one = _details(before.grey), _where(before, WELL_AWAY)
    second, other = _details(after.grey if moved is None else moved), _where(after, WELL_AWAY)
    both = _finer(one & other, FINER)
    rim = [*range(SHAKEN), *range(-SHAKEN, 0)]
    both[rim] = both[:, rim] = False
    if int(both.sum()) < FEWEST_COMPARED:
        return False
    found = compare(first, both, second, HAND_SHAKES)
    return bool(((found.contrast >= LEAST_DETAIL) & (found.likeness >= SAME_DETAILS)).any())


def has_details(seen: View) -> bool:
    """Has the room edges and patterns by which it would be known again?"""
    details, where = details_of(seen)
    return int(where.sum()) >= FEWEST_PIXELS and float(details[where].std()) >= LEAST_DETAIL


def details_of(seen: View, finer: int = FINER) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The picture's edges and patterns without its local brightness and contrast, and where in it the room is."""
    return _details(seen.grey, finer), _finer(_where(seen, WELL_AWAY), finer)


def _finer(fields: NDArray[np.bool_], finer: int) -> NDArray[np.bool_]:
    """Each field as so many pixels across and down."""
    return fields.repeat(finer, 0).repeat(finer, 1)


def _details(grey: NDArray[np.uint8], finer: int = FINER) -> NDArray[np.float32]:
    values = averaged(grey, (finer * ACROSS, finer * DOWN)).astype(np.float32)
    values = values - cv2.GaussianBlur(values, (0, 0), SOFT)
    contrast = np.sqrt(cv2.GaussianBlur(values * values, (0, 0), 2 * SOFT)) + NOISE
    return np.asarray(values / contrast, np.float32)


def room_of(seen: View) -> Room:
    """What is beside and above the head, in fields."""
    near = seen.picture
    while near.shape[1] >= 4 * ACROSS and near.shape[0] >= 4 * DOWN:
        near = seen.half if near is seen.picture else halve(near)
    return Room(averaged(near, (ACROSS, DOWN)).astype(np.float32), _where(seen))


def _where(seen: View, beside: tuple[float, float] = BESIDE_HEAD) -> NDArray[np.bool_]:
    """In which fields the room is seen, so far beside the middle of the face."""
    height, width = seen.picture.shape[:2]
    left, top, seen_wide, tall = seen.face.box
    wide = max(seen_wide, WIDTH_OF_A_HEAD * tall)
    mask = np.ones((DOWN, ACROSS), np.uint8)
    mask[int(max(0.0, (top + 0.9 * tall) / height * DOWN)) :] = 0
    middle = left + seen_wide / 2 - BEHIND_FACE * wide * np.sin(np.radians(seen.yaw))
    centre = (int(middle / width * ACROSS), int((top + 0.45 * tall) / height * DOWN))
    axes = (int(np.ceil(beside[0] * wide / width * ACROSS)), int(np.ceil(beside[1] * tall / height * DOWN)))
    cv2.ellipse(mask, centre, axes, 0, 0, 360, 0, -1)
    return mask.astype(bool)


def difference(one: Room, other: Room) -> float | None:
    """By how much two rooms differ, in colour levels; None where too little of them is seen to tell.

    A hand that shakes is allowed for only where they differ: of one room it need not be known how little.
    """
    least: float | None = None
    mask, colours = one.mask[1:-1, 1:-1], one.colours[1:-1, 1:-1]
    for down, across in SHIFTS:
        place = slice(1 - down, DOWN - 1 - down), slice(1 - across, ACROSS - 1 - across)
        both = mask & other.mask[place]
        if np.count_nonzero(both) < MIN_FIELDS:
            continue
        apart = apart_in_colour(colours[both], other.colours[place][both])
        least = apart if least is None else min(least, apart)
        if least < SAME_ROOM:
            break
    return least


def one_side_stayed(one: Room, other: Room) -> bool:
    """Has the left or the right side of two rooms the same colours? A finger before the lens leaves the other one."""
    middle = ACROSS // 2
    apart = [
        difference(Room(one.colours, one.mask & side), Room(other.colours, other.mask & side))
        for side in (np.arange(ACROSS) < middle, np.arange(ACROSS) >= middle)
    ]
    return any(found is not None and found < SAME_ROOM for found in apart)


def apart_in_colour(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """By how many levels the middle one of these fields differs, once exposure is allowed for."""
    gain = min(max(float(first.mean()) / max(float(second.mean()), 1.0), 1 / MAX_GAIN), MAX_GAIN)
    return median_of(np.abs(first - np.float32(gain) * second).mean(1))
