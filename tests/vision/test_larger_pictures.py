"""A face that grows because the picture was made larger has not come closer."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.faces import framed_still, head_scene
from truename.rules.liveness_signs import LivenessSign
from truename.sandbox.drawing.head_scene import Pose
from truename.vision.captures import Picture, Step
from truename.vision.liveness.aimed import baseline, judge_size, keeps_its_shape
from truename.vision.liveness.scenery import scene_moves_along
from truename.vision.liveness.targets import SIZES
from truename.vision.liveness.views import View, view


def scaled(seen: View, picture: Picture, by: float) -> View:
    """The same face in a picture that shows it larger or smaller."""
    points = seen.mesh.points * np.float32(by)
    return replace(seen, picture=picture, mesh=replace(seen.mesh, points=points))


@pytest.fixture(scope="module")
def straight() -> View:
    found = view(framed_still(None, (360, 480)))
    assert isinstance(found, View)
    plain = np.full_like(found.picture, 180)  # a wall that says nothing of where it is
    return replace(found, picture=plain)


@pytest.mark.parametrize("step", SIZES)
@pytest.mark.parametrize("cut", [0, 15])
def test_a_larger_or_smaller_picture_brings_nobody_closer(straight: View, step: Step, cut: int):
    """Nor one of which a little was cut off, so that it has not quite the same shape."""
    made = np.asarray(cv2.resize(straight.picture, None, fx=SIZES[step], fy=SIZES[step]), np.uint8)[cut:]
    own = [scaled(straight, made, SIZES[step])] * 2
    assert judge_size(step, own, baseline([straight]), straight).signs == (LivenessSign.STEP_NOT_DONE,)


@pytest.mark.parametrize("step", SIZES)
@pytest.mark.parametrize("first", [0, 1, 2])
def test_straight_looks_of_several_picture_sizes_bring_nobody_closer(straight: View, step: Step, first: int):
    """All is measured against them: where most came in other sizes than what follows, nobody has moved for it."""
    by = 1 / SIZES[step]
    other = scaled(straight, np.asarray(cv2.resize(straight.picture, None, fx=by, fy=by), np.uint8), by)
    looks = [other, other]
    looks.insert(first, straight)
    base = baseline(looks)
    assert base.size_of(straight) == pytest.approx(1, abs=0.01)
    assert judge_size(step, [straight] * 2, base, straight).signs == (LivenessSign.STEP_NOT_DONE,)
    grown = scaled(straight, straight.picture, SIZES[step])
    assert judge_size(step, [grown] * 2, base, straight).signs == (), "whoever has come closer all the same"


@pytest.mark.parametrize("step", SIZES)
def test_a_face_that_grows_in_its_picture_has_come_closer(straight: View, step: Step):
    own = [scaled(straight, straight.picture, SIZES[step])] * 2
    assert judge_size(step, own, baseline([straight]), straight).signs == ()


@pytest.mark.parametrize("step", SIZES)
@pytest.mark.parametrize("shown", [(480, 400), (480, 330), (430, 360), (520, 360), (450, 380)])
def test_bars_of_the_browser_that_come_and_go_cost_nothing(straight: View, step: Step, shown: tuple[int, int]):
    """The page then cuts more or less off one side, and makes the frame as long as before."""
    own = [scaled(straight, np.full((*shown, 3), 180, np.uint8), SIZES[step])] * 2
    assert judge_size(step, own, baseline([straight]), straight).signs == ()


def seen_as(picture: Picture) -> View:
    found = view(picture)
    assert isinstance(found, View)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("step", SIZES)
def test_a_face_that_is_stretched_upright_alone_has_not_come_closer(step: Step):
    """Whatever is behind it."""
    scene = head_scene(framed_still(None, (360, 480), 0.33))
    straight, by = seen_as(scene.render(Pose())), SIZES[step]
    upright = np.array([[1, 0, 0], [0, by, 216 * (1 - by)]])
    picture = cv2.warpAffine(scene.render(Pose(yaw=1)), upright, (360, 480), borderMode=cv2.BORDER_REPLICATE)
    stretched = seen_as(np.asarray(picture, np.uint8))
    assert not keeps_its_shape(step, straight, stretched)
    for pose in (Pose(), Pose(yaw=6, pitch=-3), Pose(yaw=-25), Pose(pitch=6), Pose(pitch=-6)):
        assert keeps_its_shape(step, straight, seen_as(scene.render(replace(pose, closer=by)))), pose


@pytest.mark.parametrize("step", [*SIZES][::2] + [pytest.param(one, marks=pytest.mark.slow) for one in [*SIZES][1::2]])
def test_a_room_that_is_stretched_with_the_face_moves_along(step: Step):
    """Upright alone, or a part of it to all sides, by which the face's shape changes less than it may."""
    scene = head_scene(framed_still(None, (360, 480), 0.33))
    straight, by = seen_as(scene.render(Pose())), SIZES[step]
    for across in (1.0, by**0.5):
        stretch = np.array([[across, 0, 180 * (1 - across)], [0, by, 216 * (1 - by)]])
        picture = cv2.warpAffine(scene.render(Pose(yaw=1)), stretch, (360, 480), borderMode=cv2.BORDER_REPLICATE)
        assert scene_moves_along(straight, seen_as(np.asarray(picture, np.uint8))), across
    for pose in (Pose(), Pose(yaw=8, pitch=-4, right=9, down=6)):
        assert not scene_moves_along(straight, seen_as(scene.render(replace(pose, closer=by)))), pose


@pytest.mark.parametrize("step", SIZES)
def test_a_shape_may_change_by_less_than_half_of_what_the_size_was_asked_to(straight: View, step: Step):
    for part, keeps in ((0.45, True), (-0.45, True), (0.55, False), (-0.55, False)):
        points = straight.mesh.points * np.array([SIZES[step] ** part, 1, 1], np.float32)
        other = replace(straight, mesh=replace(straight.mesh, points=points))
        assert keeps_its_shape(step, straight, other) is keeps
        grown = scaled(other, straight.picture, SIZES[step])
        signs = () if keeps else (LivenessSign.STEP_NOT_DONE,)
        assert judge_size(step, [grown] * 2, baseline([straight]), straight).signs == signs
