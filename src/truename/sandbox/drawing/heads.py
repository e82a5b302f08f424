"""A head before the camera, made from one still, that follows whichever challenge was drawn."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import cv2
import numpy as np

from truename.sandbox.drawing.head_scene import HeadScene, Pose
from truename.sandbox.drawing.sheet import still as public_still
from truename.vision.captures import Frame, Picture, Step
from truename.vision.face.detect import detect_faces
from truename.vision.face.mesh import mesh
from truename.vision.images import encode_jpeg

CHALLENGE = (Step.LOOK_STRAIGHT, Step.TURN_LEFT, Step.TURN_RIGHT, Step.MOVE_CLOSER)
TURN = 28.0
"""How far the stand-in turns its head, in degrees."""
TARGETS = {
    Step.LOOK_STRAIGHT: Pose(),
    Step.TURN_LEFT: Pose(yaw=TURN),
    Step.TURN_RIGHT: Pose(yaw=-TURN),
    Step.MOVE_CLOSER: Pose(closer=1.4),
    Step.MOVE_AWAY: Pose(closer=0.74),
}
STEP_MS = 1400
MOVING_MS = 700

Render = Callable[[Pose], Picture]
Timed = tuple[Step, int, Picture]


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


def poses(
    steps: Sequence[Step], fps: float, seed: int = 0, targets: dict[Step, Pose] | None = None
) -> list[tuple[Step, int, Pose]]:
    """How a person follows the steps: moves in the first half of each, then holds, never quite still."""
    random = np.random.default_rng(seed)
    targets = targets or TARGETS
    drift = random.uniform(0, 2 * np.pi, 5)
    made: list[tuple[Step, int, Pose]] = []
    before = Pose()
    for number, step in enumerate(steps):
        goal = targets[step]
        for index in range(round(STEP_MS / 1000 * fps)):
            inside = index / fps * 1000
            part = min(inside / MOVING_MS, 1.0)
            part = part * part * (3 - 2 * part)
            seconds = (number * STEP_MS + inside) / 1000
            wave = np.sin(seconds * np.array([2.1, 1.7, 1.3, 2.3, 1.9]) + drift)
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


def filmed(
    render: Render, steps: Sequence[Step], fps: float = 4, seed: int = 0, targets: dict[Step, Pose] | None = None
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
    steps: Sequence[Step], number: int, seed: int, share: float, moving: bool = True, size: tuple[int, int] = (480, 640)
) -> list[Frame]:
    """So many frames, evenly over the whole challenge; without `moving`, of a head that only ever looks straight.

    Only the frames that are sent are rendered: a whole film would take several times as long.
    """
    scene = _astronaut_scene(size, share)
    path = poses(steps, 6, seed, TARGETS if moving else dict.fromkeys(Step, Pose()))
    chosen = [path[round(at)] for at in np.linspace(0, len(path) - 1, number)]
    random = np.random.default_rng(seed + 1)
    taken = []
    for step, at_ms, pose in chosen:
        noisy = scene.render(pose).astype(np.float32) + random.normal(0, 2.0, (*size[::-1], 3)).astype(np.float32)
        taken.append((step, at_ms, np.clip(noisy, 0, 255).astype(np.uint8)))
    return as_frames(taken)


@lru_cache(maxsize=4)
def a_live_sequence(steps: tuple[Step, ...] = CHALLENGE, seed: int = 0) -> tuple[Frame, ...]:
    """The sequence that tests share, because to draw one takes seconds: as few frames as are accepted for sure."""
    return tuple(turning_head_frames(steps=steps, fps=2.5, seed=seed))
