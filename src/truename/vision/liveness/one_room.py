"""Are all frames before one room, in whichever order they come? What is behind the head must link them.

A camera in a hand moves and turns, lamps go on, somebody passes: but from one frame to some other the room has the same
colours, or the same details under another light, or details that the camera's movement has put elsewhere. Frames that
nothing links to any of the others were taken before another room.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.images import averaged
from truename.vision.liveness.camera_movement import camera_movement
from truename.vision.liveness.room_differences import (
    ANOTHER_ROOM,
    apart_in_colour,
    details_of,
    details_stayed,
    difference,
    has_details,
    one_side_stayed,
    room_of,
)
from truename.vision.liveness.views import View

Values = NDArray[np.float64]
Kind = TypeVar("Kind", bound=np.generic)

COARSE, FEWEST_SHARED = 2, 150
"""Pixels to each side of a field where a camera's swing is looked for, and how many of them both must show."""
SWUNG: Final = 0.3
SWUNG_COLOURS: Final = 16.0
"""How alike (correlation) details are at least that a camera has moved across the picture, by whichever shift, and by
how many levels the middle field may differ there, since no hand shifts a picture by whole fields. Two of twelve
pictures as rooms are so in 2 of 132 pairs, one of them that is moved by a sixth of its width in all but one of 50."""
FEW_FRAMES: Final = 2
"""So few frames that nothing links to the last ones of other rooms are compared with every other frame: somebody may
have passed close behind, or the hand has slipped."""
MOST_ROOMS: Final = 4
"""So many rooms are kept apart while frames that link them may still come; so many are compared with every frame."""

Behind = list[View]
"""Frames that were taken before one room, in their order."""


def is_one_room(views: Sequence[View]) -> bool:
    """Were all frames taken before one room, each of them? Those before a room without details say nothing."""
    return len(rooms_behind(views)) <= 1


def rooms_behind(views: Sequence[View]) -> list[Behind]:
    """The frames by the rooms that they were taken before, as far as these have details.

    Each is compared with the last one of every room that was seen before it, and where that leaves one or two of them
    alone, these with all others.
    """
    rooms: list[Behind] = []
    alone: list[Behind] = []
    for view in views:
        if not has_details(view):
            continue
        linked = [are_linked(room[-1], view) for room in rooms]
        same = [one for room, is_linked in zip(rooms, linked, strict=True) if is_linked for one in room]
        rooms = [room for room, is_linked in zip(rooms, linked, strict=True) if not is_linked] + [[*same, view]]
        if len(rooms) > MOST_ROOMS:
            alone.append(rooms.pop(min(range(len(rooms)), key=lambda place: len(rooms[place]))))
    return _joined([*rooms, *alone])


def _joined(rooms: list[Behind]) -> list[Behind]:
    """The same, once few frames were compared with all of the others; where some belong to none, it ends there."""
    few = [room for room in rooms if len(room) <= FEW_FRAMES]
    for room in few[:MOST_ROOMS]:
        if all(room is not other for other in rooms):  # another few were linked to them
            continue
        others = [other for other in rooms if other is not room]
        linked = next((other for other in others if any(_are_alike(*pair) for pair in product(other, room))), None)
        if linked is None:
            break
        rooms = [other for other in others if other is not linked] + [[*linked, *room]]
    return rooms


def _are_alike(one: View, other: View) -> bool:
    """The same, also where something hides one side of the room; asked of few frames only."""
    return one_side_stayed(room_of(one), room_of(other)) or are_linked(one, other)


def are_linked(before: View, after: View) -> bool:
    """Have both the same room behind them, by its colours or by its details, wherever in the picture these are?"""
    apart = difference(room_of(before), room_of(after))
    if apart is None or apart < ANOTHER_ROOM or was_swung(before, after):
        return True
    return not are_other_rooms(before, after)


def are_other_rooms(before: View, after: View) -> bool:
    """Have both rooms details, and are they neither where they were nor where the camera's movement has put them?"""
    if not (has_details(before) and has_details(after)) or details_stayed(before, after):
        return False
    move = camera_movement(before, after)
    if move is None:
        return True
    height, width = before.grey.shape
    back = cv2.warpAffine(
        after.grey,
        move[:2],
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return not details_stayed(before, after, np.asarray(back, np.uint8))


def was_swung(before: View, after: View) -> bool:
    """Do details and colours of one room lie in the other by any shift at all, as far as both show the same of it?"""
    (first, one), (second, other) = (details_of(seen, COARSE) for seen in (before, after))
    overlap, likeness = _likeness_by_shift(first, one, second, other)
    likeness[overlap < FEWEST_SHARED] = -1.0
    down, right = (int(place) for place in np.unravel_index(int(likeness.argmax()), likeness.shape))
    if likeness[down, right] < SWUNG:
        return False
    both = one & _moved_back(other, down, right)
    here, there = (averaged(seen.picture, one.shape[::-1]).astype(np.float32) for seen in (before, after))
    return apart_in_colour(here[both], _moved_back(there, down, right)[both]) < SWUNG_COLOURS


def _moved_back(picture: NDArray[Kind], down: int, right: int) -> NDArray[Kind]:
    """What lies so much farther down and to the right, brought back; nothing where the picture has ended."""
    height, width = picture.shape[:2]
    larger = np.zeros((2 * height, 2 * width, *picture.shape[2:]), picture.dtype)
    larger[:height, :width] = picture
    return np.asarray(np.roll(larger, (-down, -right), (0, 1))[:height, :width])


def _likeness_by_shift(
    first: NDArray[np.float32], one: NDArray[np.bool_], second: NDArray[np.float32], other: NDArray[np.bool_]
) -> tuple[Values, Values]:
    """Of two pictures, where each shows anything: pixels that both show, and their correlation, for every shift."""
    size = tuple(2 * side for side in first.shape)
    powers = [
        [np.fft.rfft2(np.where(where, values.astype(np.float64) ** power, 0.0), size) for power in range(3)]
        for values, where in ((first, one), (second, other))
    ]

    def summed(power: int, other_power: int) -> Values:
        return np.asarray(np.fft.irfft2(powers[0][power].conj() * powers[1][other_power], size))

    count = np.maximum(summed(0, 0), 1.0)
    sum_one, sum_other = summed(1, 0), summed(0, 1)
    spread_one, spread_other = summed(2, 0) - sum_one**2 / count, summed(0, 2) - sum_other**2 / count
    both = np.sqrt(np.maximum(spread_one, 1e-6) * np.maximum(spread_other, 1e-6))
    return count, np.asarray((summed(1, 1) - sum_one * sum_other / count) / both)
