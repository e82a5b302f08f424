"""Which frames are copies of each other? A camera never takes the same picture twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.rules.evidence import QualityReason
from truename.vision.captures import Frame, Picture
from truename.vision.face.detect import Face
from truename.vision.images import averaged, halve
from truename.vision.liveness.stillness import AT_A_GLANCE, movement
from truename.vision.liveness.views import View

Grey = NDArray[np.float32]

SIDE: Final = 64
NEAR: Final = 1.5
"""Whole frames that differ by more grey levels than this are looked at no further."""
COPY: Final = 0.85
"""Mean difference of the face in grey levels, at 64 × 64, below which two frames are one picture.

Measured on the head of `tests/support/faces.py`: copies re-encoded as JPEG of quality 60 to 95, or made smaller and
larger again, differ by 0.2 to 0.8; a head that has turned by a tenth of a degree by 1.2 to 1.4, by a third of a degree
by 2.8. People who hold still sway by more than that between two frames, four to the second.
"""
COARSE: Final = 16
COARSELY_NEAR: Final = 0.75
"""The same at 16 × 16, where noise that was laid over a copy has averaged out."""
SOFT: Final = 4.0
NOISE_ALONE: Final = 0.115
"""What is left of a difference once it is softened by four pixels, against its finest part: noise laid over one picture
leaves 0.07 to 0.11 (of 3 to 12 grey levels, 40 copies), heads that hold still 0.31 and more, 0.12 and more before a
camera that adds 10 levels of noise itself (56 pairs each). The head has always moved, and that is no noise."""
LEAST_NOISE: Final = 1.0
"""Grey levels; with less of it, a copy is as near as `COPY`."""
STANDS_STILL: Final = 0.0015
"""Of a face's width: a head that has moved by less has not moved at all. In hundredths of it, copies under noise of 3
grey levels that was softened by up to 3 pixels read as moved by 0.02 to 0.11 (36 of six people); drawn heads that hold
still by 0.32 and more (1,242 pairs of frames of twelve people, with noise of 2 and 10 levels), real people who sit
before a camera by 0.89 and more (111 pairs of frames of `nuaa`, 2 to 483 frames apart). Set on these."""
PLAINLY_MOVED: Final = 4 * STANDS_STILL
"""At a glance: so much farther that it needs no closer look."""


@dataclass(frozen=True)
class Repeats:
    """Copies found among the frames, as pairs of their numbers."""

    pairs: tuple[tuple[int, int], ...]

    @property
    def found(self) -> bool:
        return bool(self.pairs)


def find_repeats(frames: Sequence[Frame], pictures: Sequence[Picture], seen: Sequence[View | QualityReason]) -> Repeats:
    """Compare every frame with every other, byte by byte and by what they show."""
    whole = np.array([_glance(picture, one) for picture, one in zip(pictures, seen, strict=True)])
    coarse = whole.reshape(-1, COARSE, SIDE // COARSE, COARSE, SIDE // COARSE).mean((2, 4)).reshape(len(whole), -1)
    pairs = []
    for second in range(len(frames)):
        apart = np.abs(whole[:second] - whole[second]).mean(1)
        coarsely_apart = np.abs(coarse[:second] - coarse[second]).mean(1)
        for first in range(second):
            same = frames[first].image == frames[second].image
            if not same and apart[first] < NEAR:
                one = seen[first]
                face = one.face if isinstance(one, View) else None
                both = [_face(_grey(pictures[number], seen[number]), face) for number in (first, second)]
                same = _difference(*both) < COPY
            if not same and coarsely_apart[first] < COARSELY_NEAR:
                same = _differ_by_noise_alone(seen[first], seen[second])
            if same or _head_stands_still(seen[first], seen[second]):
                pairs.append((first, second))
    return Repeats(tuple(pairs))


def _grey(picture: Picture, seen: View | QualityReason) -> NDArray[np.uint8]:
    if isinstance(seen, View):
        return seen.grey
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


def _face(grey: NDArray[np.uint8], face: Face | None) -> Grey:
    """The face with a little room, or the whole frame where none was found."""
    if face is None:
        return _small(grey)
    left, top, wide, tall = face.box
    part = grey[
        max(0, int(top - 0.1 * tall)) : max(1, int(top + 1.1 * tall)),
        max(0, int(left - 0.1 * wide)) : max(1, int(left + 1.1 * wide)),
    ]
    return _small(part) if part.size else _small(grey)


def _glance(picture: Picture, seen: View | QualityReason) -> Grey:
    """The whole frame at 64 × 64, as the differences from its mean."""
    near = seen.half if isinstance(seen, View) and min(picture.shape[:2]) >= 4 * SIDE else picture
    grey = np.asarray(cv2.cvtColor(near, cv2.COLOR_RGB2GRAY), np.uint8)
    while min(grey.shape) >= 4 * SIDE:
        grey = halve(grey)
    small = _small(grey).ravel()
    return np.asarray(small - small.mean(), np.float32)


def _small(grey: NDArray[np.uint8]) -> Grey:
    return averaged(grey, (SIDE, SIDE)).astype(np.float32)


def _difference(one: Grey, other: Grey) -> float:
    """Mean difference, whatever the brightness of the two."""
    change = one - other
    return float(np.abs(change - change.mean()).mean())


def _differ_by_noise_alone(one: View | QualityReason, other: View | QualityReason) -> bool:
    """Is the face of the one that of the other under noise? Where none was found, or sizes differ, nothing is said."""
    if not (isinstance(one, View) and isinstance(other, View)) or one.grey.shape != other.grey.shape:
        return False
    left, top, wide, tall = (int(value) for value in one.face.box)
    place = slice(max(0, top), max(1, top + tall)), slice(max(0, left), max(1, left + wide))
    change = one.grey[place].astype(np.float32) - other.grey[place]
    if min(change.shape) < SIDE // 2:
        return False
    change -= change.mean()
    noise = _spread(change - cv2.GaussianBlur(change, (0, 0), 1.0))
    return noise >= LEAST_NOISE and _spread(cv2.GaussianBlur(change, (0, 0), SOFT)) < NOISE_ALONE * noise


def _head_stands_still(one: View | QualityReason, other: View | QualityReason) -> bool:
    """Has the head not moved between these two? Where no face was found, nothing is said."""
    if not (isinstance(one, View) and isinstance(other, View)):
        return False
    roughly = movement(one, other, AT_A_GLANCE)
    if roughly is None or roughly > PLAINLY_MOVED:
        return False
    moved = movement(one, other)
    return moved is not None and moved < STANDS_STILL


def _spread(values: NDArray[np.generic]) -> float:
    """The middle distance from nought: an eyelid that moved alone does not count."""
    return float(np.median(np.abs(values)))
