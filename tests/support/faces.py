"""Faces before the camera: the head that turns, and the attacks that only seem to.

What is live comes from the sandbox's own drawing; everything that is made here must be refused.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tests.support.flat_pictures import FlatPicture
from tests.support.once import once
from truename.sandbox.drawing.head_scene import Pose
from truename.sandbox.drawing.heads import CHALLENGE as CHALLENGE
from truename.sandbox.drawing.heads import MOVING_MS as MOVING_MS
from truename.sandbox.drawing.heads import STEP_MS as STEP_MS
from truename.sandbox.drawing.heads import TARGETS as TARGETS
from truename.sandbox.drawing.heads import TURN as TURN
from truename.sandbox.drawing.heads import TURNS as TURNS
from truename.sandbox.drawing.heads import Render as Render
from truename.sandbox.drawing.heads import Timed as Timed
from truename.sandbox.drawing.heads import as_frames as as_frames
from truename.sandbox.drawing.heads import filmed as filmed
from truename.sandbox.drawing.heads import framed_still as framed_still
from truename.sandbox.drawing.heads import head_scene as head_scene
from truename.sandbox.drawing.heads import poses as poses
from truename.sandbox.drawing.heads import turning_head_frames as turning_head_frames
from truename.sandbox.drawing.heads import turning_head_pictures as turning_head_pictures
from truename.vision.captures import Frame, Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.targets import AIMS, PITCH_FAR, SIZES, YAW_FAR


@lru_cache(maxsize=4)
def a_live_sequence(steps: tuple[Step, ...] = CHALLENGE, seed: int = 0) -> tuple[Frame, ...]:
    """The sequence that tests share, because to draw one takes seconds: as few frames as are accepted for sure."""
    return once(
        f"a live sequence {','.join(steps)} {seed}", lambda: tuple(turning_head_frames(steps=steps, fps=2.5, seed=seed))
    )


# ── a flat picture, moved in every way a hand or a program can move it ─────────────────────────────────────

_closer = {Step.MOVE_CLOSER: Pose(closer=1.4), Step.MOVE_AWAY: Pose(closer=0.74), Step.LOOK_STRAIGHT: Pose()}
PLANE_MOTIONS: dict[str, dict[Step, Pose]] = {
    "still": dict.fromkeys(Step, Pose()),
    "zoom only": {**_closer, Step.TURN_LEFT: Pose(), Step.TURN_RIGHT: Pose()},
    "slide": {**_closer, Step.TURN_LEFT: Pose(right=45), Step.TURN_RIGHT: Pose(right=-45)},
    "roll": {**_closer, Step.TURN_LEFT: Pose(roll=18), Step.TURN_RIGHT: Pose(roll=-18)},
    "tilt 25": {**_closer, Step.TURN_LEFT: Pose(yaw=25), Step.TURN_RIGHT: Pose(yaw=-25)},
    "tilt 40": {**_closer, Step.TURN_LEFT: Pose(yaw=40), Step.TURN_RIGHT: Pose(yaw=-40)},
    "tilt 55": {**_closer, Step.TURN_LEFT: Pose(yaw=55), Step.TURN_RIGHT: Pose(yaw=-55)},
    "tilt and slide": {**_closer, Step.TURN_LEFT: Pose(yaw=35, right=40), Step.TURN_RIGHT: Pose(yaw=-35, right=-40)},
    "tilt, nod and roll": {
        **_closer,
        Step.TURN_LEFT: Pose(yaw=35, pitch=20, roll=8),
        Step.TURN_RIGHT: Pose(yaw=-35, pitch=-20, roll=-8),
    },
    "tilt 50": {**_closer, Step.TURN_LEFT: Pose(yaw=50), Step.TURN_RIGHT: Pose(yaw=-50)},
    "tilt against": {**_closer, Step.TURN_LEFT: Pose(yaw=-35), Step.TURN_RIGHT: Pose(yaw=35)},
}


def _moved_alike(motion: dict[Step, Pose]) -> dict[Step, Pose]:
    """The motion's poses for targets: to a target as far as it goes for a turn, up and down two thirds of that."""
    left = motion[Step.TURN_LEFT]
    made = dict(motion)
    for step, aim in AIMS.items():
        across, up = aim.yaw / YAW_FAR, aim.pitch / PITCH_FAR
        pitch = 0.65 * up * abs(left.yaw) + across * left.pitch
        made[step] = Pose(
            yaw=across * left.yaw,
            pitch=pitch,
            roll=across * left.roll,
            right=across * left.right,
            down=-up * left.right,
        )
    for step, size in SIZES.items():
        made[step] = Pose(closer=1.0 if motion[Step.MOVE_CLOSER].closer == 1 else size)
    return made


PLANE_MOTIONS = {name: _moved_alike(motion) for name, motion in PLANE_MOTIONS.items()}
BENDS = {"flat": 0.0, "bulging": 90.0, "half a cylinder": 150.0, "hollow": -70.0}


def flat_picture_frames(
    motion: str,
    bend: str = "flat",
    still: Picture | None = None,
    steps: Sequence[Step] = CHALLENGE,
    fps: float = 4,
    seed: int = 0,
    scenery: Picture | None = None,
    size: tuple[int, int] = (480, 640),
) -> list[Frame]:
    """A photograph moved before the camera; with scenery its edges are in the picture, without it fills the view."""
    sheet = FlatPicture(framed_still(still, size), BENDS[bend], scenery)
    return as_frames(filmed(sheet.render, steps, fps, seed, PLANE_MOTIONS[motion]))


# ── sequences spoilt in one way ────────────────────────────────────────────────────────────────────────────


def mirrored(frames: Sequence[Frame]) -> list[Frame]:
    """Every frame flipped left to right, so that turns go to the other side."""
    return [replace(frame, image=encode_jpeg(decode(frame.image)[:, ::-1].copy(), 90)) for frame in frames]


def relabelled(frames: Sequence[Frame], labels: dict[Step, Step]) -> list[Frame]:
    """The same frames under the names of other steps."""
    return [replace(frame, step=labels.get(frame.step, frame.step)) for frame in frames]


def shuffled(frames: Sequence[Frame], seed: int = 0) -> list[Frame]:
    """The pictures in another order, under the old steps and times."""
    order = np.random.default_rng(seed).permutation(len(frames))
    return [replace(frame, image=frames[index].image) for frame, index in zip(frames, order, strict=True)]


def one_frame_repeated(frames: Sequence[Frame]) -> list[Frame]:
    """The first picture sent for every frame."""
    return [replace(frame, image=frames[0].image) for frame in frames]


def re_encoded_copies(frames: Sequence[Frame]) -> list[Frame]:
    """One picture per step, sent again and again in other encodings."""
    last = {frame.step: decode(frame.image) for frame in frames}
    return [
        replace(frame, image=encode_jpeg(last[frame.step], 60 + 5 * (number % 8)))
        for number, frame in enumerate(frames)
    ]


def with_another_person(frames: Sequence[Frame], other: Picture, at: int) -> list[Frame]:
    """One frame shows somebody else."""
    stranger = encode_jpeg(framed_still(other), 90)
    return [replace(frame, image=stranger) if number == at else frame for number, frame in enumerate(frames)]
