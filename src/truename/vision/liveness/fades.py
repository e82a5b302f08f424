"""Was one recording faded into another? For a frame or a few the room is then a mix of the one before and after.

A camera that turns, or a lamp, never shows two rooms at once: what comes between two rooms is moved or lit, not mixed.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.camera_movement import camera_movement
from truename.vision.liveness.cuts import (
    ANOTHER_ROOM,
    SAME_ROOM,
    Room,
    details_stayed,
    difference,
    has_details,
    room_of,
    was_cut,
)
from truename.vision.liveness.views import View

LONGEST: Final = 4
"""Frames over which one recording may be faded into the other; the page records no more than four on any way."""
LEAST_PART: Final = 0.1
"""Of each of both rooms in a mix; what holds less of one is the other."""


def was_cut_together(views: Sequence[View]) -> bool:
    """Were these views cut together from several recordings, at once or by fading one into the other?"""
    return was_cut(views) or was_faded(views)


def was_faded(views: Sequence[View]) -> bool:
    """Does one room turn into another through frames that show both? Rooms without details say nothing."""
    rooms = [room_of(one) for one in views]
    changes = [difference(one, other) for one, other in pairwise(rooms)]
    calm = [one is not None and one < SAME_ROOM for one in changes]
    for before in range(1, len(rooms) - 3):
        for after in range(before + 2, min(before + LONGEST + 1, len(rooms) - 2) + 1):
            between = rooms[before + 1 : after]
            mixed = calm[before - 1] and calm[after] and _are_mixed(rooms[before], between, rooms[after])
            if mixed and _other_rooms(views[before], views[after]):
                return True
    return False


def _other_rooms(before: View, after: View) -> bool:
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
