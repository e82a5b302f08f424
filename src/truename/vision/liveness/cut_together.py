"""Was one recording cut to another, or faded into it? The room around the head tells.

From one frame to the next, a fraction of a second later, the room keeps its colours. Where they change at once, while
the frames before and those after agree among themselves, the recording was cut. Where one is faded into another, the
room of a frame or a few is a mix of the one before and after: a camera that turns, or a lamp, never shows two at once.

Who moves the camera away shows more of the room, and what is between is as good as a mix before a wall of few colours:
rooms that the camera's movement links are one.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.one_room import are_linked, is_one_room
from truename.vision.liveness.room_differences import (
    ANOTHER_ROOM,
    SAME_ROOM,
    Room,
    details_stayed,
    difference,
    has_details,
    room_of,
)
from truename.vision.liveness.views import View

LONGEST: Final = 4
"""Frames over which one recording may be faded into the other; the page records no more than four on any way."""
LEAST_PART: Final = 0.1
"""Of each of both rooms in a mix; what holds less of one is the other."""


def was_cut_together(views: Sequence[View]) -> bool:
    """Were these views cut together from several recordings: at once, by fading, or in whichever order?"""
    return was_cut(views) or was_faded(views) or not is_one_room(views)


def was_cut(views: Sequence[View]) -> bool:
    """Does the room change between two frames that agree with those on their other sides?"""
    rooms = [room_of(one) for one in views]
    changes = [difference(one, other) for one, other in pairwise(rooms)]
    for at in range(1, len(changes) - 1):
        here = changes[at]
        if here is None or here < ANOTHER_ROOM:
            continue
        # A lamp that is switched on, or a hand before the lens, changes one frame; a cut changes all that follow.
        beside, across = (changes[at - 1], changes[at + 1]), difference(rooms[at - 1], rooms[at + 2])
        calm = all(one is not None and one < SAME_ROOM for one in beside)
        changed = calm and across is not None and across >= ANOTHER_ROOM
        if changed and not details_stayed(views[at], views[at + 1]) and not _was_moved(views[at], views[at + 1]):
            return True
    return False


def _was_moved(before: View, after: View) -> bool:
    """Does a movement of the camera link the two? Of a wall without details that cannot be said: its colours decide."""
    return has_details(before) and has_details(after) and are_linked(before, after)


def was_faded(views: Sequence[View]) -> bool:
    """Does one room turn into another through frames that show both? Rooms without details say nothing."""
    rooms = [room_of(one) for one in views]
    changes = [difference(one, other) for one, other in pairwise(rooms)]
    calm = [one is not None and one < SAME_ROOM for one in changes]
    for before in range(1, len(rooms) - 3):
        for after in range(before + 2, min(before + LONGEST + 1, len(rooms) - 2) + 1):
            between = rooms[before + 1 : after]
            mixed = calm[before - 1] and calm[after] and _are_mixed(rooms[before], between, rooms[after])
            if mixed and not are_linked(views[before], views[after]):
                return True
    return False


def _are_mixed(before: Room, between: Sequence[Room], after: Room) -> bool:
    """Are these two rooms, and each of those between a mix of both, as far as fields tell?"""
    apart = difference(before, after)
    return apart is not None and apart >= ANOTHER_ROOM and all(_is_mixed(before, one, after) for one in between)


def _is_mixed(before: Room, between: Room, after: Room) -> bool:
    both = before.mask & between.mask & after.mask
    if not both.any():
        return False
    first, seen, last = (np.asarray(one.colours[both], np.float64) for one in (before, between, after))
    part = _part(first, seen, last)
    left = np.abs(seen - (1 - part) * first - part * last).mean(1)
    return LEAST_PART <= part <= 1 - LEAST_PART and float(np.median(left)) < SAME_ROOM


def _part(first: NDArray[np.float64], seen: NDArray[np.float64], last: NDArray[np.float64]) -> float:
    """How much of the last there is in what is seen, by least squares."""
    change = last - first
    return float(((seen - first) * change).sum() / max(float((change**2).sum()), 1e-9))
