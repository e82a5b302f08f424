"""Was one recording cut to another, or faded into it? The room around the head tells.

From one frame to the next, a fraction of a second later, the room keeps its colours. Where they change at once, while
the frames before and those after agree among themselves, the recording was cut. Where one is faded into another, the
room of a frame or a few is a mix of the one before and after: a camera that turns, or a lamp, never shows two at once.

Who moves the camera away shows more of the room, and what is between is as good as a mix before a wall of few colours:
rooms that the camera's movement links, from one to the other or through any other frame, are one.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.one_room import is_one_room, rooms_behind
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
    return not is_one_room(views) or was_cut(views) or was_faded(views)


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
        # Of a wall without details no movement can be told: its colours decide.
        if (
            changed
            and not details_stayed(views[at], views[at + 1])
            and not _share_a_room(views, views[at], views[at + 1])
        ):
            return True
    return False


def was_faded(views: Sequence[View]) -> bool:
    """Does one room turn into another through frames that show both? Rooms without details say nothing."""
    rooms = [room_of(one) for one in views]
    changes = [difference(one, other) for one, other in pairwise(rooms)]
    # Beyond the first frame and the last one there is nothing that could agree with them.
    calm = [True, *(one is not None and one < SAME_ROOM for one in changes), True]
    for before in range(len(rooms) - 2):
        for after in range(before + 2, min(before + LONGEST + 1, len(rooms) - 1) + 1):
            mixed = (
                calm[before] and calm[after + 1] and _are_mixed(rooms[before], rooms[before + 1 : after], rooms[after])
            )
            detailed = mixed and has_details(views[before]) and has_details(views[after])
            left = [*views[: before + 1], *views[after:]]
            if detailed and not _share_a_room(left, views[before], views[after]):
                return True
    return False


def _share_a_room(views: Sequence[View], one: View, other: View) -> bool:
    """Were these two taken before one room, by whichever of these frames link them?"""
    return any(
        any(one is seen for seen in room) and any(other is seen for seen in room) for room in rooms_behind(views)
    )


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
