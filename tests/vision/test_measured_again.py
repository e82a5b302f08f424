"""What is measured of a face a second time depends on the frame, little on where the detector put its points."""

from dataclasses import replace

import numpy as np
import pytest

from truename.rules.evidence import QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.sandbox.drawing.head_scene import Pose
from truename.sandbox.drawing.heads import framed_still, head_recording, head_scene
from truename.vision.captures import Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.face.detect import Face, detect_faces
from truename.vision.face.mesh import mesh
from truename.vision.liveness import challenge
from truename.vision.liveness.challenge import score_challenge
from truename.vision.liveness.views import View, measured_again, view_all

pytestmark = pytest.mark.slow

OFF = ((0.8, 0, 0), (1.25, 0, 0), (1.0, 14, 0), (1.0, 0, 12), (1.0, 0, -12))
"""How the detector's points may lie: larger or smaller than the face, or beside it, by pixels of 480 across."""
STEPS = (
    Step.LOOK_STRAIGHT,
    Step.AIM_FAR_LEFT,
    Step.MOVE_CLOSER_A_LITTLE,
    Step.AIM_FAR_RIGHT,
    Step.AIM_NEAR_UP,
    Step.AIM_NEAR_DOWN_LEFT,
)


def moved(face: Face, scale: float, right: float, down: float) -> Face:
    middle = face.points.mean(0)
    points = (face.points - middle) * scale + middle + np.array([right, down])
    return replace(face, points=points.astype(np.float32))


def seen_by(picture: Picture, face: Face) -> View:
    return View(0, Step.LOOK_STRAIGHT, 0, picture, face, mesh(picture, face))


def one(seen: list[View | QualityReason]) -> View:
    assert isinstance(seen[0], View)
    return seen[0]


def test_pose_and_size_hardly_depend_on_where_the_detector_puts_eyes_and_mouth() -> None:
    picture = head_scene(framed_still()).render(Pose(yaw=-22, pitch=-10))
    found = detect_faces(picture)[0]
    usual = one(measured_again([seen_by(picture, found)]))
    once = [seen_by(picture, moved(found, *off)) for off in OFF]
    assert max(abs(np.log(first.size / usual.size)) for first in once) > 0.1
    for off, first in zip(OFF, once, strict=True):
        again = one(measured_again([first]))
        assert again.yaw == pytest.approx(usual.yaw, abs=1.5), off
        assert again.mesh.pose.pitch == pytest.approx(usual.mesh.pose.pitch, abs=1.5), off
        assert again.size == pytest.approx(usual.size, rel=0.03), off
        assert again.template == first.template


def followed(scale: float, step: Step) -> challenge.ChallengeScore:
    """A head that follows the steps; in the frames of one of them the detector's points lie too near to each other."""
    frames = head_recording(STEPS, 3, 0.38)
    pictures = [decode(frame.image) for frame in frames]
    seen = [
        replace(view, mesh=mesh(view.picture, moved(view.face, scale, 0, 0)))
        if isinstance(view, View) and view.step is step
        else view
        for view in view_all(frames, pictures)
    ]
    return score_challenge(frames, seen, STEPS)


def test_a_step_that_the_page_has_seen_is_seen_on_a_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 27 drawn people whom the page itself had led was refused for a target that it had seen them on."""
    found = followed(0.8, Step.MOVE_CLOSER_A_LITTLE)
    assert found.passed, found.signs
    monkeypatch.setattr(challenge, "measured_again", lambda seen: seen)
    assert followed(0.8, Step.MOVE_CLOSER_A_LITTLE).signs == (LivenessSign.STEP_NOT_DONE,)


def test_what_has_shown_no_relief_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = head_recording(STEPS, 3, 0.38, moving=False)
    pictures = [decode(frame.image) for frame in frames]

    def refuse(_: object) -> list[View | QualityReason]:
        raise AssertionError("what might be a flat picture got a second look")

    monkeypatch.setattr(challenge, "measured_again", refuse)
    found = score_challenge(frames, view_all(frames, pictures), STEPS)
    assert found.signs == (LivenessSign.STEP_NOT_DONE,)
    assert not found.reliefs
