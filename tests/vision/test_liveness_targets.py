"""The nose follows targets: a head that does so is accepted, one that follows other targets is not."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import cos, radians, sin

import cv2
import numpy as np
import pytest
import skimage.data
from benchmarks.attack_puppets import FaceAlone
from benchmarks.attack_scenes import act, sent
from hypothesis import given
from hypothesis import strategies as st

from tests.support import faces
from tests.support.looks import ACCEPTED, assert_refused, views_of
from truename.capture.challenge import choose_steps
from truename.rules.evidence import LivenessEvidence
from truename.rules.liveness_signs import LivenessSign
from truename.sandbox.drawing.head_scene import Pose
from truename.sandbox.drawing.heads import aimed_pose
from truename.vision.captures import Frame, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.aimed import RELIEF_FROM, baseline, goes_straight_there
from truename.vision.liveness.challenge import score_challenge
from truename.vision.liveness.parallax import Relief, has_relief, head_stands_still, noses_stand_out, relief
from truename.vision.liveness.scenery import scene_growth, scene_moves_along
from truename.vision.liveness.score import score_views
from truename.vision.liveness.targets import (
    AIMS,
    FAR_LEFT,
    FAR_RIGHT,
    OUTSIDE,
    PITCH_FAR,
    SIZES,
    STRAIGHT_AIM,
    YAW_FAR,
    Aim,
    aimed_at,
    between,
    progress,
    size_meant,
)
from truename.vision.liveness.views import View, view

anywhere = st.builds(Aim, st.floats(-60, 60), st.floats(-45, 45))
targets = st.sampled_from(list(AIMS))


def judged(frames: Sequence[Frame], challenge: Sequence[Step] = faces.CHALLENGE) -> LivenessEvidence:
    pictures = [decode(frame.image) for frame in frames]
    return score_views(frames, pictures, views_of(frames), tuple(challenge)).evidence


# ── geometry ───────────────────────────────────────────────────────────────────────────────────────────────


@given(targets, st.floats(0, 0.2), st.floats(0, 360))
def test_a_nose_near_a_target_points_at_this_one(step: Step, off: float, angle: float):
    """At a fifth of the far ring: what the page allows, and a good deal of measuring error."""
    aim = AIMS[step]
    moved = Aim(aim.yaw + off * YAW_FAR * cos(radians(angle)), aim.pitch + off * PITCH_FAR * sin(radians(angle)))
    assert aimed_at(moved) is step


@given(anywhere)
def test_a_nose_points_at_one_target_at_most_and_the_mirror_image_at_its_mirror(aim: Aim):
    found = aimed_at(aim)
    if found is None:
        assert aim.away(STRAIGHT_AIM) > OUTSIDE
        return
    nearest = AIMS.get(found, STRAIGHT_AIM).away(aim)
    assert all(nearest <= other.away(aim) for other in (STRAIGHT_AIM, *AIMS.values()))
    mirrored = Aim(-aim.yaw, aim.pitch)
    other = aimed_at(mirrored)
    assert other is not None
    assert AIMS.get(other, STRAIGHT_AIM).away(mirrored) == pytest.approx(nearest)


@pytest.mark.parametrize("step", [step for step in AIMS if "FAR" in step])
def test_a_nose_twice_as_far_out_as_a_far_target_points_at_none(step: Step):
    assert aimed_at(Aim(2 * AIMS[step].yaw, 2 * AIMS[step].pitch)) is None


@given(targets, targets, st.floats(0, 1))
def test_the_way_between_two_targets_is_gone_evenly(first: Step, last: Step, part: float):
    if first is last:
        return
    gone, beside = progress(AIMS[first], AIMS[last], between(AIMS[first], AIMS[last], part))
    assert gone == pytest.approx(part)
    assert beside == pytest.approx(0, abs=1e-6)


@given(st.sampled_from(list(SIZES)), st.floats(0.925, 1.08))
def test_a_size_near_the_one_asked_for_is_taken_for_it(step: Step, off: float):
    assert size_meant(SIZES[step] * off) is step
    assert size_meant(off) is Step.LOOK_STRAIGHT


def test_three_targets_on_each_side_are_far_enough_for_relief():
    assert {step.value for step in FAR_LEFT} == {"AIM_FAR_LEFT", "AIM_FAR_UP_LEFT", "AIM_FAR_DOWN_LEFT"}
    assert len(FAR_RIGHT) == 3


# ── heads ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_head_that_follows_the_targets_is_accepted_and_asked_and_seen_are_kept():
    evidence = judged(faces.a_live_sequence())
    assert evidence.score >= ACCEPTED
    assert evidence.signs == ()
    assert [one.step for one in evidence.steps] == [step.value for step in faces.CHALLENGE]
    for one in evidence.steps:
        assert one.done
        assert one.from_ms < one.to_ms
    aimed = [one for one in evidence.steps if Step(one.step) in AIMS]
    assert [(one.asked_yaw, one.asked_pitch) for one in aimed] == [
        (round(AIMS[Step(one.step)].yaw, 1), round(AIMS[Step(one.step)].pitch, 1)) for one in aimed
    ]
    for one in aimed:
        assert one.seen_yaw == pytest.approx(one.asked_yaw, abs=4)
        assert one.seen_pitch == pytest.approx(one.asked_pitch, abs=4)
    sized = [one for one in evidence.steps if one.asked_size is not None]
    assert [one.step for one in sized] == [step.value for step in faces.CHALLENGE if step in SIZES]
    for one in sized:
        assert one.seen_size == pytest.approx(one.asked_size, rel=0.06)


@pytest.mark.slow
def test_a_recording_of_one_challenge_fits_no_other():
    """The frames renamed to the steps of other challenges, which is what an attacker would do."""
    frames = faces.a_live_sequence()
    each = len(frames) // len(faces.CHALLENGE)
    drawn = [choose_steps() for _ in range(12)]
    near_misses = [
        (*faces.CHALLENGE[:at], step, *faces.CHALLENGE[at + 1 :])
        for at, step in product(range(1, 6), (*AIMS, *SIZES))
        if step not in faces.CHALLENGE and (step in SIZES) is (faces.CHALLENGE[at] in SIZES)
    ]
    for asked in [*drawn, *near_misses[::4]]:
        names = [step for step in asked for _ in range(each)]
        renamed = [replace(frame, step=name) for frame, name in zip(frames, names, strict=True)]
        again = views_of(renamed)
        assert not score_challenge(renamed, again, asked).passed, asked


@pytest.mark.slow
def test_the_mirror_image_of_a_head_points_to_the_wrong_side():
    assert_refused(judged(faces.mirrored(faces.a_live_sequence())), LivenessSign.WRONG_SIDE)


def test_held_poses_that_were_cut_together_show_no_way_between_them():
    frames = faces.a_live_sequence()
    held = [frame for at, frame in enumerate(frames) if at % 4 >= 2]
    assert_refused(judged(held), LivenessSign.JUMP)


@pytest.mark.slow
def test_a_head_goes_one_way_within_a_step_and_frames_in_another_order_to_and_fro():
    frames = faces.a_live_sequence(faces.CHALLENGE)
    views = [one for one in views_of(frames) if isinstance(one, View)]
    base = baseline([one for one in views if one.step is Step.LOOK_STRAIGHT])
    for step in (step for step in faces.CHALLENGE if step in AIMS):
        own = [one for one in views if one.step is step]
        assert goes_straight_there(own, base)
        to_and_fro = [own[-1], own[0], own[-1], own[0], own[-1]]
        assert not goes_straight_there(to_and_fro, base)


def test_one_cut_is_refused_even_before_a_plain_wall():
    """All but one of the ways are seen; nothing in the room could tell."""
    frames = faces.a_live_sequence()
    each = len(frames) // len(faces.CHALLENGE)
    cut = [frame for at, frame in enumerate(frames) if not (at // each == 4 and at % each < 2)]
    assert_refused(judged(cut), LivenessSign.JUMP)


@pytest.mark.slow
def test_frames_of_two_rooms_are_cut_together():
    """The same head, the same movements; the room behind it changes between two steps."""

    def elsewhere(frame: Frame) -> Frame:
        picture, room = decode(frame.image).copy(), skimage.data.coffee()
        height, width = picture.shape[:2]
        for side in (slice(0, width // 4), slice(width - width // 4, width)):
            picture[: height // 2, side] = room[: height // 2, side]
        return replace(frame, image=encode_jpeg(picture, 90))

    frames = faces.a_live_sequence()
    changed = [frame if at < 12 else elsewhere(frame) for at, frame in enumerate(frames)]
    assert_refused(judged(changed), LivenessSign.CUT)
    assert LivenessSign.CUT not in judged([elsewhere(frame) for frame in frames]).signs


@pytest.mark.parametrize("motion", ["tilt 40", pytest.param("tilt, nod and roll", marks=pytest.mark.slow)])
def test_a_photograph_that_follows_the_targets_is_refused(motion: str):
    assert_refused(judged(faces.flat_picture_frames(motion, fps=2.2)))


@pytest.mark.slow
@pytest.mark.parametrize("step", [Step.MOVE_AWAY_A_LOT, Step.MOVE_CLOSER_A_LOT])
def test_a_drawn_head_points_at_its_targets_from_every_distance(step: Step):
    scene = faces.head_scene(faces.framed_still(None, (480, 640), 0.33))
    straight = view(scene.render(Pose()))
    assert isinstance(straight, View)
    for aim in (Step.AIM_FAR_UP_RIGHT, Step.AIM_FAR_RIGHT, Step.AIM_FAR_DOWN_LEFT):
        there = view(scene.render(aimed_pose(scene, aim, faces.TARGETS[step].closer)))
        assert isinstance(there, View)
        assert baseline([straight]).aim(there).away(AIMS[aim]) <= 0.1, aim


@pytest.mark.parametrize("step", sorted(FAR_LEFT | FAR_RIGHT))
def test_whoever_the_page_has_led_to_a_far_target_is_turned_far_enough_to_be_judged(step: Step):
    """The page's circle is 0.12 rings wide, and one frame in ten is measured more than 1.4° beside."""
    assert abs(AIMS[step].yaw) - 0.12 * YAW_FAR - 1.4 >= RELIEF_FROM


def test_a_head_that_looks_down_may_be_slenderer_than_one_that_does_not():
    """As real heads are, who show more of the forehead (`benchmarks/turned_photographs.py`)."""
    level = Relief(turned=20.8, bulge=0.46, nose=0.7, width=0.822, likeness=0.85)
    assert has_relief(replace(level, nodded=-13.1))
    assert not has_relief(level)
    assert not has_relief(replace(level, nodded=13.1))


@pytest.mark.parametrize("closer", [1.0, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.8, 1.2))])
def test_a_face_that_a_program_turns_on_a_still_head_is_refused(closer: float):
    """Also where the picture was enlarged, or made smaller, for the distance that was asked for."""
    still = faces.framed_still(None, (360, 480))
    pose, found = Pose(yaw=31.5, pitch=-4.5, closer=closer), {}
    for name, actor in (("head", faces.head_scene(still)), ("face alone", FaceAlone(still))):
        straight, turned = view(actor.render(Pose())), view(actor.render(pose))
        assert isinstance(straight, View)
        assert isinstance(turned, View)
        found[name] = relief(straight, turned)
    assert has_relief(found["face alone"]), "its points move as those of a head"
    assert head_stands_still([found["face alone"]])
    assert not head_stands_still([found["head"]])


@pytest.mark.slow
def test_a_face_turned_alone_fails_a_whole_challenge_by_nothing_else():
    still = faces.framed_still(None, (360, 480))
    asked = (Step.LOOK_STRAIGHT, Step.AIM_FAR_LEFT, Step.AIM_FAR_RIGHT)
    for actor, passes in ((faces.head_scene(still), True), (FaceAlone(still), False)):
        recorded = sent(act(actor, asked, 1, 1))
        found = score_challenge(recorded, views_of(recorded), asked)
        assert found.signs == (() if passes else (LivenessSign.FLAT_MOTION,))


@pytest.mark.parametrize("larger", [1.0, pytest.param(1.25, marks=pytest.mark.slow)])
def test_a_hand_that_shakes_the_camera_does_not_hide_a_still_head(larger: float):
    """Nor does a program that moves its whole picture as a hand would, or sends some of them in another size."""
    still = faces.framed_still(None, (360, 480))
    shake = np.asarray(cv2.getRotationMatrix2D((180, 240), 1.8, 1.015 * larger), np.float64)
    shake[:, 2] += (9 + 180 * (larger - 1), -7 + 240 * (larger - 1))
    size = (round(360 * larger), round(480 * larger))
    for actor, stands in ((faces.head_scene(still), False), (FaceAlone(still), True)):
        aside = actor.render(Pose(yaw=31.5, pitch=-4.5))
        shaken = cv2.warpAffine(aside, shake, size, borderMode=cv2.BORDER_REFLECT)
        straight, turned = view(actor.render(Pose())), view(np.asarray(shaken, np.uint8))
        assert isinstance(straight, View)
        assert isinstance(turned, View)
        assert head_stands_still([relief(straight, turned)]) is stands


@pytest.mark.parametrize("factor", [0.705, 0.84])
def test_a_room_without_corners_that_shrinks_with_the_face_moves_along(factor: float):
    scene = faces.head_scene(faces.framed_still(None, (360, 480), 0.33))
    column, row = np.meshgrid(np.linspace(0, 1, 360), np.linspace(0, 1, 480))
    scene.background[:] = (110 + 60 * np.sin(6 * column) * np.cos(5 * row))[..., None]
    straight = view(scene.render(Pose()))
    away = view(scene.render(Pose(closer=factor)))
    middle = np.array([[factor, 0, 180 * (1 - factor)], [0, factor, 216 * (1 - factor)]])
    smaller = cv2.warpAffine(scene.render(Pose(yaw=1.0)), middle, (360, 480), borderMode=cv2.BORDER_REPLICATE)
    zoomed = view(np.asarray(smaller, np.uint8))
    assert isinstance(straight, View)
    assert isinstance(away, View)
    assert isinstance(zoomed, View)
    assert scene_growth(straight, zoomed) is None, "there are no corners to go by"
    assert scene_moves_along(straight, zoomed)
    assert not scene_moves_along(straight, away)


def test_one_turn_that_shows_little_of_the_nose_is_made_up_by_the_others():
    seen = [Relief(turned=-20.5, bulge=0.32, nose=nose, width=0.94, likeness=0.83) for nose in (0.11, 0.6)]
    assert all(has_relief(one) for one in seen)
    assert noses_stand_out(seen)
    assert not noses_stand_out(seen[:1])
    assert not noses_stand_out([])
    assert not has_relief(replace(seen[0], nose=-0.01))
