"""A head before the camera, made from one still, that follows whichever challenge was drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import cv2
import numpy as np

from truename.rules.evidence import QualityReason
from truename.sandbox.drawing.head_scene import HeadScene, Pose
from truename.sandbox.drawing.sheet import still as public_still
from truename.sandbox.drawing.sway import Drift, any_drift, swayed, unlike_drift
from truename.vision.captures import Frame, Picture, Step
from truename.vision.face.detect import detect_faces
from truename.vision.face.mesh import mesh
from truename.vision.images import encode_jpeg
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import AIMS, STRAIGHT_AIM
from truename.vision.liveness.views import View, view

CHALLENGE = (
    Step.LOOK_STRAIGHT,
    Step.AIM_FAR_LEFT,
    Step.AIM_NEAR_UP,
    Step.MOVE_CLOSER_A_LITTLE,
    Step.AIM_FAR_DOWN_RIGHT,
    Step.AIM_NEAR_DOWN_LEFT,
)
"""One of many that the service may draw."""
TURNS = (Step.LOOK_STRAIGHT, Step.TURN_LEFT, Step.TURN_RIGHT, Step.MOVE_CLOSER)
"""As challenges were until 2026-11."""
TURN = 28.0
"""How far the stand-in turns its head, in degrees."""
TARGETS = {
    Step.LOOK_STRAIGHT: Pose(),
    **dict.fromkeys(COLOURS, Pose()),
    Step.TURN_LEFT: Pose(yaw=TURN),
    Step.TURN_RIGHT: Pose(yaw=-TURN),
    Step.MOVE_CLOSER: Pose(closer=1.4),
    Step.MOVE_AWAY: Pose(closer=0.74),
    Step.AIM_NEAR_LEFT: Pose(yaw=18.9, pitch=-1.6),
    Step.AIM_NEAR_UP_LEFT: Pose(yaw=14.3, pitch=4.2),
    Step.AIM_NEAR_UP: Pose(yaw=0.5, pitch=8.2),
    Step.AIM_NEAR_UP_RIGHT: Pose(yaw=-14.7, pitch=6.5),
    Step.AIM_NEAR_RIGHT: Pose(yaw=-19.0, pitch=1.2),
    Step.AIM_NEAR_DOWN_RIGHT: Pose(yaw=-12.5, pitch=-4.3),
    Step.AIM_NEAR_DOWN: Pose(yaw=-0.1, pitch=-7.7),
    Step.AIM_NEAR_DOWN_LEFT: Pose(yaw=12.4, pitch=-7.1),
    Step.AIM_FAR_LEFT: Pose(yaw=31.5, pitch=-4.5),
    Step.AIM_FAR_UP_LEFT: Pose(yaw=25.6, pitch=8.7),
    Step.AIM_FAR_UP: Pose(yaw=1.0, pitch=13.5),
    Step.AIM_FAR_UP_RIGHT: Pose(yaw=-24.3, pitch=9.6),
    Step.AIM_FAR_RIGHT: Pose(yaw=-33.7, pitch=0.7),
    Step.AIM_FAR_DOWN_RIGHT: Pose(yaw=-20.8, pitch=-11.1),
    Step.AIM_FAR_DOWN: Pose(yaw=-0.3, pitch=-15.9),
    Step.AIM_FAR_DOWN_LEFT: Pose(yaw=18.5, pitch=-13.8),
    Step.MOVE_CLOSER_A_LOT: Pose(closer=1.469),
    Step.MOVE_CLOSER_A_LITTLE: Pose(closer=1.206),
    Step.MOVE_AWAY_A_LITTLE: Pose(closer=0.837),
    Step.MOVE_AWAY_A_LOT: Pose(closer=0.695),
}
"""A photograph laid on a mesh is measured as turned by less than it was, and as nodding by more: these are the poses in
which the public still, where it stood at first, is measured as on each target. Other stills and other distances have
their own (`targets_of`, `aimed_pose`)."""
TURN_MEASURED, NOD_MEASURED = 0.87, 1.35
"""How many degrees are measured for one by which the head is turned, or nods."""
STEP_MS = 1400
MOVING_MS = 700
SENT_MS = (330.0, 950.0, 1340.0)
LONG_WAY_MS = (260.0, 400.0, 950.0, 1340.0)
COLOUR_MS = (950.0, 1340.0)
"""When the page records a step, one whose target is far away (a third and three fifths along its way) and a colour."""
LONG_WAY = 0.5
"""Far rings; from here on the page records two frames on the way."""

Render = Callable[[Pose], Picture]
Timed = tuple[Step, int, Picture]
Goal = Callable[[Step, float], Pose]
"""The pose that a step asks for of a head that stands at this distance (`Pose.closer`)."""


def framed_still(still: Picture | None = None, size: tuple[int, int] = (480, 640), share: float = 0.38) -> Picture:
    """The still as a selfie camera would frame it: the face `share` of the width, a little above the middle."""
    return _framed_astronaut(size, share).copy() if still is None else _framed(still, size, share)


@lru_cache(maxsize=4)
def _framed_astronaut(size: tuple[int, int], share: float) -> Picture:
    return _framed(public_still(), size, share)


def _framed(picture: Picture, size: tuple[int, int], share: float) -> Picture:
    x, y, wide, tall = detect_faces(picture)[0].box
    scale = size[0] * share / wide if size[0] < size[1] else size[1] * share / wide
    matrix = np.array(
        [
            [scale, 0, size[0] / 2 - scale * (x + wide / 2)],
            [0, scale, size[1] * 0.45 - scale * (y + tall / 2)],
        ]
    )
    return np.asarray(
        cv2.warpAffine(picture, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def goal_among(targets: Mapping[Step, Pose]) -> Goal:
    """Goals by a table of poses: who has come closer stays there while the nose follows targets."""
    return lambda step, closer: replace(targets[step], closer=closer) if step in AIMS else targets[step]


def poses(
    steps: Sequence[Step], fps: float, seed: int = 0, targets: Mapping[Step, Pose] | None = None
) -> list[tuple[Step, int, Pose]]:
    """How a person follows the steps: moves in the first half of each, then holds, never quite still."""
    times = [index / fps * 1000 for index in range(round(STEP_MS / 1000 * fps))]
    return poses_at(steps, times, seed, goal_among(targets or TARGETS))


def poses_at(
    steps: Sequence[Step], times: Sequence[float], seed: int, goal_of: Goal, drift: Drift | None = None
) -> list[tuple[Step, int, Pose]]:
    """The same at these milliseconds of each step; `drift`: when the head sways which way, else by the seed."""
    if drift is None:
        drift = any_drift(np.random.default_rng(seed))
    made: list[tuple[Step, int, Pose]] = []
    before = Pose()
    for number, step in enumerate(steps):
        goal = goal_of(step, before.closer)
        for inside in times:
            part = min(inside / MOVING_MS, 1.0)
            part = part * part * (3 - 2 * part)
            seconds = (number * STEP_MS + inside) / 1000
            wave = swayed(seconds, drift)
            made.append(
                (
                    step,
                    round(seconds * 1000),
                    Pose(
                        yaw=before.yaw + (goal.yaw - before.yaw) * part + wave[0] * 0.8,
                        pitch=before.pitch + (goal.pitch - before.pitch) * part + wave[1] * 1.2,
                        roll=before.roll + (goal.roll - before.roll) * part + wave[2] * 0.8,
                        closer=before.closer + (goal.closer - before.closer) * part + wave[3] * 0.006,
                        right=before.right + (goal.right - before.right) * part + wave[4] * 3,
                        down=before.down + (goal.down - before.down) * part + wave[1] * 2,
                    ),
                )
            )
        before = goal
    return made


def sent_poses(
    steps: Sequence[Step], seed: int, goal_of: Goal, drift: Drift | None = None
) -> list[tuple[Step, int, Pose]]:
    """The same when the page records: once on the way, twice on a long one, and twice at the end."""
    times = sorted({*SENT_MS, *LONG_WAY_MS})
    every = poses_at(steps, times, seed, goal_of, drift)
    made, before = [], STRAIGHT_AIM
    for number, step in enumerate(steps):
        aim = AIMS.get(step, STRAIGHT_AIM)
        long = step in AIMS and before.away(aim) >= LONG_WAY
        kept = LONG_WAY_MS if long else COLOUR_MS if step in COLOURS else SENT_MS
        own = every[number * len(times) : (number + 1) * len(times)]
        made += [pose for inside, pose in zip(times, own, strict=True) if inside in kept]
        before = aim
    return made


def filmed(
    render: Render, steps: Sequence[Step], fps: float = 4, seed: int = 0, targets: Mapping[Step, Pose] | None = None
) -> list[Timed]:
    """Film something that follows the steps, with a sensor's noise."""
    random = np.random.default_rng(seed + 1)
    taken = []
    for step, at_ms, pose in poses(steps, fps, seed, targets):
        noisy = render(pose).astype(np.float32) + random.normal(0, 2.0, (1, 1, 1)) * 0.5
        noisy += random.normal(0, 2.0, noisy.shape).astype(np.float32)
        taken.append((step, at_ms, np.clip(noisy, 0, 255).astype(np.uint8)))
    return taken


def as_frames(taken: Sequence[Timed], quality: int = 90) -> list[Frame]:
    """Encode what was filmed as the SDK would send it."""
    return [Frame(image=encode_jpeg(picture, quality), step=step, at_ms=at_ms) for step, at_ms, picture in taken]


@lru_cache(maxsize=10)
def _astronaut_scene(size: tuple[int, int], share: float) -> HeadScene:
    return head_scene(framed_still(None, size, share))


def head_scene(still: Picture) -> HeadScene:
    """Take a framed still apart into a head that can turn, shoulders and background."""
    return HeadScene(still, mesh(still, detect_faces(still)[0]).points.astype(np.float64))


def targets_of(scene: HeadScene, rounds: int = 2) -> dict[Step, Pose]:
    """The poses in which this head, where it stood at first, is measured as on each target."""
    return {**TARGETS, **{step: aimed_pose(scene, step, 1.0, rounds) for step in AIMS}}


def aimed_pose(scene: HeadScene, step: Step, closer: float, rounds: int = 2) -> Pose:
    """The pose in which this head, at this distance, is measured as on a target: it looks and corrects itself.

    Where no face is found in what it sees, it stays with what it has.
    """
    aim, pose = AIMS[step], replace(TARGETS[step], closer=closer)
    before = _straight_look(scene)
    for _ in range(rounds):
        seen = view(scene.render(pose))
        if not (isinstance(before, View) and isinstance(seen, View)):
            break
        yaw, pitch = seen.yaw - before.yaw, seen.mesh.pose.pitch - before.mesh.pose.pitch
        pose = replace(
            pose,
            yaw=pose.yaw + (aim.yaw - yaw) / TURN_MEASURED,
            pitch=pose.pitch + (aim.pitch - pitch) / NOD_MEASURED,
        )
    return pose


@lru_cache(maxsize=2)
def _straight_look(scene: HeadScene) -> View | QualityReason:
    return view(scene.render(Pose()))


@lru_cache(maxsize=1024)
def _astronaut_goal(size: tuple[int, int], share: float, step: Step, closer: float) -> Pose:
    return aimed_pose(_astronaut_scene(size, share), step, closer) if step in AIMS else TARGETS[step]


def turning_head_pictures(
    still: Picture | None = None,
    steps: Sequence[Step] = CHALLENGE,
    fps: float = 4,
    seed: int = 0,
    size: tuple[int, int] = (480, 640),
    share: float = 0.38,
) -> list[Timed]:
    """A living person's sequence as raw RGB pictures, for a y4m file or anything else that wants pixels."""
    scene = _astronaut_scene(size, share) if still is None else head_scene(framed_still(still, size, share))
    return filmed(scene.render, steps, fps, seed)


def turning_head_frames(
    still: Picture | None = None,
    steps: Sequence[Step] = CHALLENGE,
    fps: float = 4,
    seed: int = 0,
    size: tuple[int, int] = (480, 640),
    share: float = 0.38,
) -> list[Frame]:
    """A living person's sequence that follows the steps, as the SDK would send it."""
    return as_frames(turning_head_pictures(still, steps, fps, seed, size, share))


def head_recording(
    steps: Sequence[Step], seed: int, share: float, moving: bool = True, size: tuple[int, int] = (480, 640)
) -> list[Frame]:
    """What the page sends of each step: its way (twice if it is long) and its end; without `moving`, a head that stays.

    Only the frames that are sent are rendered: a whole film would take several times as long.
    """
    scene = _astronaut_scene(size, share)
    random = np.random.default_rng(seed + 1)
    taken = []
    if moving:
        moments = (np.arange(len(steps))[:, None] * STEP_MS + np.array(SENT_MS)) / 1000
        sent = sent_poses(steps, seed, partial(_astronaut_goal, size, share), unlike_drift(moments, seed))
    else:
        sent = poses_at(steps, SENT_MS, seed, goal_among(dict.fromkeys(Step, Pose())))
    for step, at_ms, pose in sent:
        noisy = scene.render(pose).astype(np.float32) + random.normal(0, 2.0, (*size[::-1], 3)).astype(np.float32)
        taken.append((step, at_ms, np.clip(noisy, 0, 255).astype(np.uint8)))
    return as_frames(taken)
