"""Did the nose point where it was asked to, and was the face at the distance that was asked for?

All is measured against the straight look that every challenge begins with, in the same numbers that the capture page
leads the person by (`capture_page/static/face/pose.js`), so that who follows the page is in the middle of a target.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, exp, log, radians
from statistics import median
from typing import Final

from truename.rules.liveness_signs import LivenessSign
from truename.vision.captures import Step
from truename.vision.liveness.outcome import Outcome, clear
from truename.vision.liveness.parallax import LOSS_BY_NOD, has_relief, relief, slenderness
from truename.vision.liveness.scenery import scene_moves_along
from truename.vision.liveness.targets import (
    AIMS,
    FAR_LEFT,
    FAR_RIGHT,
    NEAR,
    SIZES,
    STRAIGHT_AIM,
    WAY_OF,
    Aim,
    aimed_at,
    half_size,
    progress,
    size_meant,
)
from truename.vision.liveness.views import View

RELIEF_FROM: Final = 15.5
"""Degrees to a side from which on relief is judged; a flat picture, tilted by up to 55°, read as 14° at most. The far
targets between two directions lie at 20.5°, and who is led there may be measured 4° nearer."""
RELIEF_BEST: Final = 30.0
ON_THE_WAY: Final = (0.12, 0.88)
"""The share of the way between two targets at which a frame shows the movement itself."""
BESIDE: Final = 0.45
"""How far beside the straight way, in far rings: heads move in arcs."""
LONG_WAY: Final = 0.6
"""Shorter ways than this, in far rings, may be gone between two frames."""
WAYS_UNSEEN: Final = 0
"""No way of a challenge may be missing: before a plain wall one cut would show in nothing else. The page asks people to
go again, more slowly, until it has seen them on their way."""
HELD: Final = 0.3
"""Farther than this from where a step ends, in far rings, the head is not held there: the page begins it anew."""
WANDERING: Final = 0.85
"""How much longer than the direct way, in far rings, the way within one step may be."""


@dataclass(frozen=True)
class Baseline:
    """The straight look that everything is measured against."""

    yaw: float
    pitch: float
    size: float
    sides: tuple[int, ...]
    """Height and width of the picture, in pixels."""

    def aim(self, one: View) -> Aim:
        """Where the nose points in a view."""
        return Aim(one.yaw - self.yaw, one.mesh.pose.pitch - self.pitch)

    def size_of(self, one: View) -> float:
        """The face's size in a view, of 1 at the straight look.

        Nobody comes closer by a larger picture.
        """
        return one.size / self.size / enlarged(one, self.sides)


@dataclass(frozen=True)
class Settled:
    """Where the head was at the end of a step."""

    aim: Aim
    size: float
    """Of 1 at the straight look."""


def is_aimed(challenge: Sequence[Step]) -> bool:
    """Is this a challenge of targets (rather than one of turns, as they were asked for earlier)?"""
    return any(step in AIMS for step in challenge)


def enlarged(one: View, sides: Sequence[int]) -> float:
    """By how much a view's picture is larger than one with these sides, of 1 where it is not.

    One side of what the page shows is always a whole side of the camera's picture, however the browser's bars come and
    go, so that both sides of a frame never grow or shrink together: where they do, the frame was made larger or
    smaller, and the face with it.
    """
    larger = [now / before for now, before in zip(one.picture.shape, sides, strict=False)]
    return min(larger) if min(larger) > 1 else max(larger) if max(larger) < 1 else 1.0


def baseline(straight: Sequence[View]) -> Baseline:
    """The middle of the straight views, as large as they were in a picture of the first one's size."""
    sides = straight[0].picture.shape[:2]
    return Baseline(
        float(median([one.yaw for one in straight])),
        float(median([one.mesh.pose.pitch for one in straight])),
        float(median([one.size / enlarged(one, sides) for one in straight])),
        sides,
    )


def settled(own: Sequence[View], base: Baseline) -> Settled:
    """The middle of a step's last frames: at its start the head may still be where the step before has left it.

    Where a frame at the end was lost, one on the way is among the last two: it does not tell where the head came to.
    """
    end = base.aim(own[-1])
    last = [one for one in own[-max(min(len(own) - 1, 2), len(own) // 3, 1) :] if base.aim(one).away(end) <= HELD]
    aims = [base.aim(one) for one in last]
    aim = Aim(float(median([one.yaw for one in aims])), float(median([one.pitch for one in aims])))
    return Settled(aim, float(median([base.size_of(one) for one in last])))


def judge_aim(step: Step, own: Sequence[View], base: Baseline, straight: View) -> Outcome:
    """Does the nose point at this target, and at no other, and does the head show relief where it is turned far?"""
    there, asked = settled(own, base).aim, AIMS[step]
    if aimed_at(there) is not step:
        mirrored = aimed_at(Aim(-there.yaw, there.pitch))
        other_side = mirrored is not None and WAY_OF.get(mirrored) == WAY_OF[step] and abs(asked.yaw) > 1
        return Outcome((LivenessSign.WRONG_SIDE if other_side else LivenessSign.STEP_NOT_DONE,), 0.1)
    sure = clear(NEAR / 2 - there.away(asked), NEAR / 2)
    if step not in FAR_LEFT | FAR_RIGHT:
        return Outcome((), sure)
    side = 1.0 if asked.yaw > 0 else -1.0
    far = [one for one in own if side * (one.yaw - straight.yaw) >= RELIEF_FROM]
    if not far:
        return Outcome((LivenessSign.STEP_NOT_DONE,), 0.1)
    found = relief(straight, min(far, key=lambda one: abs(side * (one.yaw - straight.yaw) - RELIEF_BEST)))
    return Outcome((), sure, (found,)) if has_relief(found) else Outcome((LivenessSign.FLAT_MOTION,), 0.2, (found,))


def judge_size(step: Step, own: Sequence[View], base: Baseline, straight: View) -> Outcome:
    """Is the face as large as was asked for, and did the room stay where it was?"""
    reached = settled(own, base).size
    if size_meant(reached) is not step:
        return Outcome((LivenessSign.STEP_NOT_DONE,), 0.1)
    nearest = min(own, key=lambda one: abs(log(base.size_of(one) / SIZES[step])))
    if not keeps_its_shape(step, straight, nearest):
        return Outcome((LivenessSign.STEP_NOT_DONE,), 0.1)
    if scene_moves_along(straight, nearest):
        return Outcome((LivenessSign.SCENE_MOVES_ALONG,), 0.2)
    half = log(half_size(step))
    return Outcome((), clear(half - abs(log(reached / SIZES[step])), half))


def keeps_its_shape(step: Step, straight: View, moved: View) -> bool:
    """Did the face grow or shrink to all sides? A picture that is stretched upright alone makes it longer.

    Its shape may change by less than half of what its size was asked to. Who turns away is slenderer, and who looks
    down or up shows another part of the face.
    """
    may, wider = exp(abs(log(SIZES[step])) / 2), slenderness(moved) / slenderness(straight)
    turned, nodded = moved.yaw - straight.yaw, moved.mesh.pose.pitch - straight.mesh.pose.pitch
    least = cos(radians(turned)) / may - LOSS_BY_NOD * max(0.0, -nodded)
    return least <= wider <= may + LOSS_BY_NOD * max(0.0, nodded)


def ways_seen(challenge: Sequence[Step], steps: Sequence[Sequence[View]], base: Baseline) -> bool:
    """Was the head seen between the targets, on its way? Held poses that were cut together show no way."""
    unseen, before = 0, STRAIGHT_AIM
    for step, own in zip(challenge, steps, strict=True):
        if not own:
            continue
        there = settled(own, base).aim
        if step in AIMS and before.away(there) >= LONG_WAY:
            gone = [progress(before, there, base.aim(one)) for one in own]
            unseen += not any(ON_THE_WAY[0] <= part <= ON_THE_WAY[1] and beside <= BESIDE for part, beside in gone)
        before = there
    return unseen <= WAYS_UNSEEN


def goes_straight_there(own: Sequence[View], base: Baseline) -> bool:
    """Does the head go one way within a step? Frames in another order go to and fro."""
    aims = [base.aim(one) for one in own]
    return sum(one.away(other) for one, other in pairwise(aims)) <= aims[0].away(aims[-1]) + WANDERING
