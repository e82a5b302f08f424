"""Are these frames a recording that was sent before, changed so that it looks new?

A person who tries again never moves as before. What is done to a recording as a whole (cut, shifted, turned, bent,
framed, stuck over) moves each point of all its frames by one and the same warp, and what is done to each frame by
itself moves the head with its room. So corners of earlier frames are found again in the new ones, and what such a warp
leaves over is measured where the head is. Local brightness and contrast are taken out first: shades play no part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.face.detect import Face, detect_faces
from truename.vision.face.mesh import EYES_NOSE_MOUTH, mesh
from truename.vision.liveness.one_warp import Places, Track, beside_one_warp, beside_the_room

Grey = NDArray[np.uint8]
Glance = NDArray[np.float32]
Matrix = NDArray[np.float64]

SIDE: Final = 256
COMPARED: Final = 8
FEWEST: Final = 4
"""With fewer frames nothing is said: for any two pictures of a face some warp can be found."""
NEAREST: Final = 3
"""So many new frames are compared with each earlier one, those that look most like it."""
SAME_WARP: Final = 0.4
SAME_ROOM: Final = 0.25
"""Hundredths of the face's width by which the head of a replay may lie beside the warp of all frames, or beside its
own room. What was measured stands in `docs/explanation/liveness-attacks.md`, by `python -m benchmarks.replays`."""
CORNERS: Final = 140
FEWEST_CORNERS: Final = 12
FEWEST_PIXELS: Final = 32
AROUND: Final = 1.0
"""Corners are looked for as far around the face as this, in its own size."""
SOFT: Final = 5.0
NOISE: Final = 4.0
"""Grey levels of local contrast that are taken for noise: a plain wall stays plain."""
GLANCE: Final = 48
LOST: Final = 0.7
"""A corner that is not found back within so many pixels was lost."""
IN_A_MIRROR: Final = [1, 0, 2, 4, 3]
"""Eyes and mouth corners change sides."""


@dataclass(frozen=True)
class Difference:
    """How far the head of new frames lies beside that of earlier ones, in hundredths of the face's width."""

    from_warp: float
    """Once one warp, the same for all frames, was taken out."""
    from_room: float
    """Once each frame was laid on its own room; infinite where too little of it is seen."""

    @property
    def is_replay(self) -> bool:
        return self.from_warp < SAME_WARP or self.from_room < SAME_ROOM


NOTHING_TO_COMPARE: Final = Difference(float("inf"), float("inf"))


def small_grey(picture: Picture) -> Grey:
    """A frame as it is compared: grey, its long side 256 pixels."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    scale = SIDE / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


def is_replay(new: Sequence[Grey], earlier: Sequence[Grey]) -> bool:
    """Do the earlier frames (some of them are looked at) come again among the new ones, perhaps mirrored or turned?"""
    return difference(new, earlier).is_replay


def difference(new: Sequence[Grey], earlier: Sequence[Grey]) -> Difference:
    """How far the head of the new frames lies beside where it would lie, were they the earlier ones."""
    looked_at = earlier[:: max(1, len(earlier) // COMPARED)][:COMPARED]
    there, here = _first_face(looked_at), _first_face(new)
    if there is None or here is None:
        return NOTHING_TO_COMPARE
    frames = [one for one in (_look_at(grey, there.face) for grey in looked_at) if one is not None]
    if len(frames) < FEWEST:
        return NOTHING_TO_COMPARE
    ways = [_laid_over(here, there), _laid_over(_mirrored(here, new[0]), there) @ _mirror(new[0])]
    glances = [[_glance(grey, way, there.face) for grey in new] for way in ways]
    apart = [np.array([[np.abs(frame.glance - one).mean() for one in seen] for frame in frames]) for seen in glances]
    best = int(np.argmin([found.min(axis=1).mean() for found in apart]))
    laid = _Laid(new, ways[best])
    tracks = [
        [laid.track(frame, int(number)) for number in np.argsort(unlike)[:NEAREST]]
        for frame, unlike in zip(frames, apart[best], strict=True)
    ]
    hundredth = there.face.box[2] / 100
    return Difference(beside_one_warp(tracks) / hundredth, beside_the_room(tracks) / hundredth)


# ── faces ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Anchor:
    """The face of a first frame, in which people look straight: its eyes, nose and mouth corners, and its box."""

    points: Places
    face: Face


@dataclass(frozen=True)
class _Earlier:
    """One earlier frame: its corners, which of them are on the head, and how it looks at a glance."""

    plain: Grey
    corners: Places
    on_head: NDArray[np.bool_]
    glance: Glance


def _first_face(frames: Sequence[Grey]) -> _Anchor | None:
    for grey in frames[:3]:
        if min(grey.shape) < FEWEST_PIXELS:
            continue
        picture = np.dstack([grey] * 3)
        if found := detect_faces(picture):
            # The detector's own five points are drawn level where a face is tilted.
            points = mesh(picture, found[0]).points[:, :2]
            five = np.stack([points[list(group)].mean(0) for group in EYES_NOSE_MOUTH])
            return _Anchor(five.astype(np.float64), found[0])
    return None


def _look_at(grey: Grey, usual: Face) -> _Earlier | None:
    """The corners of the face and around it; nothing when the face has too few, or a shadow hides it."""
    found = detect_faces(np.dstack([grey] * 3), persistent=False)
    left, top, wide, tall = (found[0] if found else usual).box
    mask = np.zeros_like(grey)
    rows = slice(max(0, int(top - AROUND * tall)), max(0, int(top + (1 + AROUND) * tall)))
    mask[rows, max(0, int(left - AROUND * wide)) : max(0, int(left + (1 + AROUND) * wide))] = 1
    plain = _plain(grey)
    corners = cv2.goodFeaturesToTrack(plain, CORNERS, 0.02, 4, mask=mask)
    if corners is None:
        return None
    places = corners.reshape(-1, 2).astype(np.float64)
    on_head = np.all((places >= [left, top]) & (places <= [left + wide, top + tall]), axis=1)
    if int(on_head.sum()) < FEWEST_CORNERS:
        return None
    return _Earlier(plain, places, np.asarray(on_head), _glance(grey, np.eye(2, 3), usual))


def _plain(grey: Grey) -> Grey:
    """The picture without its local brightness and contrast."""
    values = grey.astype(np.float32)
    values = values - cv2.GaussianBlur(values, (0, 0), SOFT)
    contrast = np.sqrt(cv2.GaussianBlur(values * values, (0, 0), SOFT)) + NOISE
    return np.asarray(np.clip(128 + 40 * values / contrast, 0, 255), np.uint8)


def _glance(grey: Grey, way: Matrix, face: Face) -> Glance:
    """The face and a little around it, small and plain, of a frame that is laid over the earlier ones on this way."""
    left, top, wide, tall = face.box
    scale = GLANCE / (1.6 * max(wide, tall))
    into = np.column_stack([scale * np.eye(2), GLANCE / 2 - scale * np.array([left + wide / 2, top + tall / 2])])
    seen = cv2.warpAffine(
        cv2.blur(grey, (3, 3)), into @ _square(way), (GLANCE, GLANCE), borderMode=cv2.BORDER_REPLICATE
    )
    return _plain(np.asarray(seen, np.uint8)).astype(np.float32)


# ── one over the other ─────────────────────────────────────────────────────────────────────────────────────


def _laid_over(here: _Anchor, there: _Anchor) -> Matrix:
    """The matrix that lays a new frame over the earlier ones, face on face, stretched where that fits better."""
    known = np.column_stack([here.points, np.ones(len(here.points))])
    return _square(np.asarray(np.linalg.lstsq(known, there.points, rcond=None)[0].T, np.float64))


def _mirror(frame: Grey) -> Matrix:
    return np.array([[-1, 0, frame.shape[1] - 1], [0, 1, 0], [0, 0, 1]], np.float64)


def _mirrored(anchor: _Anchor, frame: Grey) -> _Anchor:
    return _Anchor(anchor.points[IN_A_MIRROR] * [-1, 1] + [frame.shape[1] - 1, 0], anchor.face)


def _square(matrix: Matrix) -> Matrix:
    return np.vstack([matrix[:2], [0, 0, 1]])


class _Laid:
    """New frames, each laid over the earlier ones when it is asked for."""

    def __init__(self, new: Sequence[Grey], way: Matrix) -> None:
        self.new, self.way = new, way[:2]
        self.done: dict[int, tuple[Grey, Grey]] = {}

    def track(self, frame: _Earlier, number: int) -> Track:
        """Find the corners of an earlier frame in this new one."""
        if number not in self.done:
            self.done[number] = self._lay(self.new[number], frame.plain.shape)
        plain, seen = self.done[number]
        start = frame.corners.astype(np.float32)
        found, reached = _follow(frame.plain, plain, start)
        back, returned = _follow(plain, frame.plain, found)
        moved = (found - start).astype(np.float64)
        moved[~(reached & returned) | (np.linalg.norm(back - start, axis=1) > LOST)] = np.nan
        column, row = np.clip(np.rint(frame.corners), 0, np.array(plain.shape[::-1]) - 1).astype(int).T
        kept = seen[row, column] > 0  # what was cut off speaks neither for it nor against it
        return Track(frame.corners[kept], moved[kept], frame.on_head[kept])

    def _lay(self, grey: Grey, shape: tuple[int, ...]) -> tuple[Grey, Grey]:
        """The frame in its new place, plain, and where there is anything of it."""
        size = shape[1], shape[0]
        laid = cv2.warpAffine(grey, self.way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        seen = cv2.warpAffine(np.ones_like(grey), self.way, size, flags=cv2.INTER_NEAREST)
        return _plain(np.asarray(laid, np.uint8)), np.asarray(cv2.erode(seen, np.ones((7, 7), np.uint8)), np.uint8)


def _follow(one: Grey, other: Grey, start: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Where points of one picture are in another, and which of them were found at all (Lucas and Kanade)."""
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.01)
    found, reached, _ = cv2.calcOpticalFlowPyrLK(
        one, other, start.reshape(-1, 1, 2), np.empty(0, np.float32), winSize=(13, 13), maxLevel=3, criteria=enough
    )
    return np.asarray(found.reshape(-1, 2), np.float32), reached.reshape(-1) > 0
