"""Another room is a cut; another light on the same room is none."""

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
import pytest
import skimage.data
from benchmarks.disturbed_frames import under_lamp

from tests.support import camera, faces
from tests.support.looks import views_of
from truename.sandbox.drawing.head_scene import HeadScene, Pose
from truename.sandbox.drawing.heads import head_recording
from truename.vision.captures import Picture, Step
from truename.vision.liveness.cut_together import was_cut, was_cut_together, was_faded
from truename.vision.liveness.room_differences import ANOTHER_ROOM, details_stayed, difference, room_of
from truename.vision.liveness.views import View, view


def views_before(scene: HeadScene, poses: Sequence[Pose], lamp: float = 0.0) -> list[View]:
    pictures = [scene.render(pose) for pose in poses]
    seen = [view(under_lamp(picture, 0, lamp) if lamp else picture) for picture in pictures]
    assert all(isinstance(one, View) for one in seen)
    return [one for one in seen if isinstance(one, View)]


def test_a_lamp_that_is_switched_on_is_no_cut_and_another_room_is_one():
    """The room's colours change at once and stay changed; its edges are where they were, or not."""
    scene = faces.head_scene(faces.framed_still(None, (360, 480), 0.3))
    turning = [Pose(yaw=yaw) for yaw in (10.0, 14.0, 18.0, 22.0)]
    before, after = views_before(scene, turning[:2]), views_before(scene, turning[2:], lamp=2.0)
    assert (difference(room_of(before[1]), room_of(after[0])) or 0) >= ANOTHER_ROOM, "by its colours it is another room"
    assert not was_cut([*before, *after])
    scene.background[:] = skimage.data.coffee()[:360, :480].transpose(1, 0, 2)[:480, :360]
    assert was_cut([*before, *views_before(scene, turning[2:])])
    scene.background[:] = (90, 160, 80)
    walls = views_before(scene, turning[:2])
    assert was_cut([*before, *walls])
    assert not details_stayed(walls[0], walls[1]), "a plain wall has no details that could stay"


TURNING = [Pose(yaw=yaw) for yaw in (4.0, 7.0, 10.0, 13.0, 16.0, 19.0, 22.0)]


def seen_in(pictures: Sequence[Picture]) -> list[View]:
    seen = [view(picture) for picture in pictures]
    assert all(isinstance(one, View) for one in seen)
    return [one for one in seen if isinstance(one, View)]


def in_another_room(scene: HeadScene) -> list[Picture]:
    scene.background[:] = np.asarray(skimage.data.coffee())[:360, :480].transpose(1, 0, 2)[:480, :360]
    return [scene.render(pose) for pose in TURNING]


@pytest.mark.slow
@pytest.mark.parametrize("frames", [1, 2])
def test_one_recording_that_is_faded_into_another_was_cut_together(frames: int):
    """Between two frames the room never changes by as much as by a cut."""
    scene = faces.head_scene(faces.framed_still(None, (360, 480), 0.3))
    here = [scene.render(pose) for pose in TURNING]
    parts = [0, 0, *((number + 1) / (frames + 1) for number in range(frames)), 1, 1]
    mixed = [
        np.clip((1 - part) * one.astype(np.float32) + part * other, 0, 255).astype(np.uint8)
        for part, one, other in zip(parts, here, in_another_room(scene), strict=False)
    ]
    views = seen_in(mixed)
    assert not was_cut(views)
    assert was_faded(views)
    assert was_cut_together(views)


@cache
def three_rooms() -> dict[str, list[Picture]]:
    """The same head before each, turning."""
    scene = faces.head_scene(faces.framed_still(None, (360, 480), 0.3))
    here, there = [scene.render(pose) for pose in TURNING], in_another_room(scene)
    scene.background[:] = np.asarray(skimage.data.chelsea())[:300, :451].repeat(2, 0).repeat(2, 1)[:480, :360]
    return {"H": here, "T": there, "E": [scene.render(pose) for pose in TURNING]}


@cache
def seen_before(room: str, number: int) -> View:
    return seen_in([three_rooms()[room][number]])[0]


@pytest.mark.parametrize("order", [pytest.param("HHHETTT", marks=pytest.mark.slow), "HTHTHTH"])
def test_a_third_room_between_two_and_rooms_that_alternate_were_cut_together(order: str):
    """No two frames beside the cut agree with each other."""
    views = [seen_before(letter, number) for number, letter in enumerate(order)]
    assert not was_cut(views)
    assert not was_faded(views)
    assert was_cut_together(views)
    assert not was_cut_together([seen_before("H", number) for number in range(len(order))])


@pytest.mark.slow
def test_a_lamp_that_is_turned_up_and_a_camera_that_is_swung_fade_nothing():
    scene = faces.head_scene(faces.framed_still(None, (360, 480), 0.3))
    lamp = [0.0, 0.0, 0.7, 1.4, 2.0, 2.0, 2.0]
    lit = [
        under_lamp(scene.render(pose), 0, by) if by else scene.render(pose)
        for pose, by in zip(TURNING, lamp, strict=True)
    ]
    assert not was_cut_together(seen_in(lit))
    here = in_another_room(scene)
    for step in (8, 16, 24):
        swung = [
            np.roll(one, by, 1)
            for one, by in zip(here, (0, 0, step, 2 * step, 3 * step, 3 * step, 3 * step), strict=True)
        ]
        assert not was_faded(seen_in(swung)), step


def shifted(picture: Picture, right: float, down: float) -> Picture:
    """As from a camera that a hand has moved by so many pixels."""
    matrix = np.array([[1, 0, right], [0, 1, down]], np.float64)
    return np.asarray(cv2.warpAffine(picture, matrix, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.slow
def test_who_looks_aside_and_then_holds_the_camera_farther_away_was_not_cut_together():
    """Before a wall of few colours, the way from one to the other is as good as a mix of both."""
    aside = camera.goal_of(Step.AIM_FAR_DOWN_RIGHT, 1.0)
    away = camera.goal_of(Step.MOVE_AWAY_A_LOT, 1.0)
    poses = [camera.way_between(Pose(), aside, part) for part in (0.35, 0.65, 1.0, 1.02)]
    poses += [camera.way_between(aside, away, part) for part in (0.35, 0.65, 1.0, 1.02)]
    found = []
    for beginning in range(2, 5):
        hand = [
            12 * np.array([np.cos(angle), np.sin(angle)]) for angle in 1.2 * beginning + 0.9 * np.arange(len(poses))
        ]
        pictures = [shifted(camera.person_at(pose), x, y) for pose, (x, y) in zip(poses, hand, strict=True)]
        found.append(was_cut_together(seen_in([one[:, 160:480] for one in pictures])))
    assert not any(found), found


@pytest.mark.slow
def test_the_hair_of_a_near_head_that_is_turned_far_is_no_other_room():
    """Its face is narrow, and what lies so many face widths beside it was taken for the room."""
    away = (Step.AIM_FAR_UP_LEFT, Step.AIM_FAR_RIGHT, Step.AIM_FAR_LEFT)
    frames = faces.a_live_sequence((Step.LOOK_STRAIGHT, Step.AIM_FAR_UP, Step.MOVE_CLOSER_A_LOT, *away))
    assert not was_cut_together([one for one in views_of(frames) if isinstance(one, View)])


@pytest.mark.slow
def test_the_hair_behind_a_turned_face_is_no_other_room():
    """The middle of a head lies behind its face: of who had come close and looked aside hair was left beside it, which
    is alike to no frame in which there was room enough to see a room."""
    aside = (Step.AIM_FAR_DOWN, Step.AIM_NEAR_RIGHT, Step.AIM_FAR_DOWN_RIGHT)
    steps = (Step.LOOK_STRAIGHT, Step.AIM_FAR_UP_LEFT, Step.MOVE_CLOSER_A_LOT, *aside)
    frames = head_recording(steps, seed=100018, share=0.34)
    assert not was_cut_together([one for one in views_of([*frames[:3], *frames[-2:]]) if isinstance(one, View)])
