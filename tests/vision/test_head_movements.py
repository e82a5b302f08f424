"""Where each limit on a head's movements lies: what is told of the frames is judged, and nothing is drawn."""

from collections.abc import Sequence
from dataclasses import replace
from math import acos, cos, degrees, radians, sin

import pytest

from tests.support.told_views import at, frames_of, told
from truename.rules.evidence import QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.vision.captures import Step
from truename.vision.liveness.aimed import baseline, goes_straight_there, judge_aim, settled, ways_seen
from truename.vision.liveness.challenge import score_challenge
from truename.vision.liveness.parallax import Relief, has_relief, head_stands_still, noses_stand_out
from truename.vision.liveness.targets import AIMS, PITCH_FAR, YAW_FAR
from truename.vision.liveness.views import View, shows_another_person

STRAIGHT, LEFT = Step.LOOK_STRAIGHT, Step.AIM_FAR_LEFT
ASKED = (STRAIGHT, Step.AIM_NEAR_UP)
BASE = baseline([told()])


def at_rings(across: float, up: float = 0.0, step: Step = LEFT, at_ms: int = 0) -> View:
    """A head that looks there, in far rings."""
    return told(step, at_ms, across * YAW_FAR, up * PITCH_FAR)


def recording(*aims: tuple[float, float], ms: int = 400) -> list[View]:
    """A straight look of three frames, then a head that looks up by these degrees of yaw and pitch."""
    straight = [told(STRAIGHT, number * ms) for number in range(3)]
    return [*straight, *(told(ASKED[1], (3 + number) * ms, *aim) for number, aim in enumerate(aims))]


UP = (0.0, AIMS[ASKED[1]].pitch)
FOLLOWED = recording((0.0, 6.0), UP, UP)


def signs(views: Sequence[View | QualityReason], asked: tuple[Step, ...] = ASKED) -> tuple[LivenessSign, ...]:
    return score_challenge(frames_of([one for one in views if isinstance(one, View)]), views, asked).signs


# ── the ways between targets ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("part", "beside", "seen"),
    [
        (0.14, 0.0, True),
        (0.10, 0.0, False),
        (0.86, 0.0, True),
        (0.90, 0.0, False),
        (0.5, 0.42, True),
        (0.5, -0.42, True),
        (0.5, 0.48, False),
    ],
)
def test_a_head_is_seen_on_its_way_well_between_the_targets_and_near_the_straight_way(
    part: float, beside: float, seen: bool
):
    own = [at_rings(part, beside), at_rings(1.0), at_rings(1.0)]
    assert ways_seen((STRAIGHT, LEFT), [[told()], own], BASE) is seen


@pytest.mark.parametrize(("far", "asked"), [(0.57, False), (0.63, True)])
def test_short_ways_may_be_gone_between_two_frames(far: float, asked: bool):
    step = Step.AIM_NEAR_LEFT
    own = [at_rings(far, step=step), at_rings(far, step=step)]
    assert ways_seen((STRAIGHT, step), [[told()], own], BASE) is not asked


def test_no_way_may_be_missing_even_where_all_others_were_seen():
    right = Step.AIM_FAR_RIGHT
    there = [at_rings(0.5), at_rings(1), at_rings(1)]
    back = [at_rings(-1, step=right), at_rings(-1, step=right)]
    assert not ways_seen((STRAIGHT, LEFT, right), [[told()], there, back], BASE)
    seen = [at_rings(0, step=right), *back]
    assert ways_seen((STRAIGHT, LEFT, right), [[told()], there, seen], BASE)


@pytest.mark.parametrize(("off", "counts"), [(0.28, True), (0.32, False)])
def test_only_frames_near_the_end_of_a_step_tell_where_it_ended(off: float, counts: bool):
    there = settled([at_rings(0), at_rings(1 - off), at_rings(1)], BASE).aim.yaw / YAW_FAR
    assert there == pytest.approx(1 - off / 2 if counts else 1)


@pytest.mark.parametrize(("detour", "straight"), [(0.8, True), (0.9, False)])
def test_within_a_step_a_head_may_go_a_little_to_and_fro(detour: float, straight: bool):
    own = [at_rings(0), at_rings(0, detour / 2), at_rings(0), at_rings(1)]
    assert goes_straight_there(own, BASE) is straight


def test_a_head_that_ends_beside_its_target_has_missed_it():
    """The cells of two targets meet half-way."""
    for angle in range(0, 360, 45):
        near = Step.AIM_NEAR_UP
        aim = AIMS[near]
        for off, missed in ((0.19, False), (0.33, True)):
            there = (
                aim.yaw + off * YAW_FAR * cos(radians(angle)),
                aim.pitch + off * PITCH_FAR * sin(radians(angle)),
            )
            outcome = judge_aim(near, [told(near, 0, *there)] * 2, BASE, told())
            assert bool(outcome.signs) is missed, (angle, off)


@pytest.mark.parametrize(("yaw", "sign"), [(15.0, LivenessSign.STEP_NOT_DONE), (16.0, LivenessSign.FLAT_MOTION)])
@pytest.mark.parametrize(("step", "side"), [(Step.AIM_FAR_UP_LEFT, 1), (Step.AIM_FAR_UP_RIGHT, -1)])
def test_what_is_on_a_far_target_but_hardly_turned_shows_no_relief(
    yaw: float, sign: LivenessSign, step: Step, side: int
):
    """A flat picture, tilted, is read as turned by 14°; what is turned by more is judged, and these views are flat."""
    outcome = judge_aim(step, [told(step, 0, side * yaw, 17.0)] * 2, BASE, told())
    assert outcome.signs == (sign,)
    assert outcome.margin < 0.5


def test_relief_is_judged_where_the_head_is_turned_by_about_thirty_degrees():
    own = [told(LEFT, 0, yaw) for yaw in (17.0, 22.0, 29.0, 36.0)]
    found = judge_aim(LEFT, [*own, told(LEFT, 0, 28.0)], BASE, told()).reliefs
    assert [one.turned for one in found] == [29.0]


@pytest.mark.parametrize(
    ("step", "there", "sign"),
    [
        (LEFT, (-29.0, 0.0), LivenessSign.WRONG_SIDE),
        (LEFT, (-16.0, 0.0), LivenessSign.WRONG_SIDE),
        (LEFT, (16.0, 0.0), LivenessSign.STEP_NOT_DONE),
        (LEFT, (0.0, 20.0), LivenessSign.STEP_NOT_DONE),
        (LEFT, (-70.0, 0.0), LivenessSign.STEP_NOT_DONE),
        (Step.AIM_FAR_UP, (0.0, 11.2), LivenessSign.STEP_NOT_DONE),
    ],
)
def test_the_same_way_to_the_other_side_is_told_from_any_other(
    step: Step, there: tuple[float, float], sign: LivenessSign
):
    assert judge_aim(step, [told(step, 0, *there)] * 2, BASE, told()).signs == (sign,)


# ── pace, times, people ────────────────────────────────────────────────────────────────────────────────────


def test_what_is_told_of_a_head_that_looks_up_and_of_no_turn_lacks_relief_alone():
    """So that each sign below comes from what it is about."""
    assert signs(FOLLOWED) == (LivenessSign.FLAT_MOTION,)


@pytest.mark.parametrize(("turn", "jumps"), [(24.0, False), (28.0, True)])
def test_a_head_turns_at_most_280_degrees_a_second_beside_what_is_measured_wrong(turn: float, jumps: bool):
    """In 50 ms 14°, and 12° of error."""
    views = [told(STRAIGHT, 0, -turn / 2), told(STRAIGHT, 50, turn / 2), *recording(UP, UP)[2:]]
    assert (LivenessSign.JUMP in signs(views)) is jumps


@pytest.mark.parametrize(("ms", "jumps"), [(140, False), (100, True)])
def test_who_takes_longer_may_turn_farther(ms: int, jumps: bool):
    views = [told(STRAIGHT, 0, -22.5), told(STRAIGHT, ms, 22.5), *recording((11.0, 5.6), UP, UP)[3:]]
    assert (LivenessSign.JUMP in signs(views)) is jumps


@pytest.mark.parametrize(("size", "jumps"), [(1.22, False), (1.30, True), (1 / 1.22, False), (1 / 1.30, True)])
def test_a_face_grows_no_faster_than_a_head_comes_closer(size: float, jumps: bool):
    """In 50 ms by 0.08 (logarithm), and 0.15 of error."""
    views = list(FOLLOWED)
    views[1:3] = [told(STRAIGHT, 750), told(STRAIGHT, 800, size=size)]
    views[3:] = [at(one, 2000 + one.at_ms) for one in views[3:]]
    assert (LivenessSign.JUMP in signs(views)) is jumps


@pytest.mark.parametrize("times", [(0, 400, 400), (0, 400, 399), (-1, 400, 800)])
def test_times_that_stand_still_run_backwards_or_begin_before_the_challenge_are_refused(times: tuple[int, ...]):
    views = [at(one, ms) for one, ms in zip(FOLLOWED, (*times, 1200, 1600, 2000), strict=True)]
    assert LivenessSign.WRONG_ORDER in signs(views)


@pytest.mark.parametrize(("last", "late"), [(120_000, False), (120_001, True)])
def test_a_recording_lasts_two_minutes_at_most(last: int, late: bool):
    views = [*FOLLOWED[:-1], at(FOLLOWED[-1], last)]
    assert (LivenessSign.WRONG_ORDER in signs(views)) is late


def with_people(*angles: float) -> list[View]:
    """The recording of somebody whose template is turned by these degrees, frame by frame."""
    people = [(cos(radians(angle)), sin(radians(angle))) for angle in angles]
    return [
        told(one.step, one.at_ms, one.yaw, one.mesh.pose.pitch, 1, person)
        for one, person in zip(FOLLOWED, people, strict=True)
    ]


@pytest.mark.parametrize(("alike", "other"), [(0.5, False), (0.33, False), (0.27, True), (-0.5, True)])
def test_every_frame_shows_the_person_who_looked_straight(alike: float, other: bool):
    """Each frame is like the one before; how like the straight one they are is what changes."""
    angle = degrees(acos(alike))
    assert (LivenessSign.IDENTITY_CHANGE in signs(with_people(0, 0, 0, angle / 2, angle, angle))) is other


@pytest.mark.parametrize(("alike", "other"), [(0.44, False), (0.40, True)])
def test_nobody_takes_over_from_somebody_who_is_a_little_like_them(alike: float, other: bool):
    """From the third frame on somebody else: all have neighbours, and are more like the first one than most."""
    angle = degrees(acos(alike))
    assert (LivenessSign.IDENTITY_CHANGE in signs(with_people(0, 0, *[angle] * 4))) is other
    assert (LivenessSign.IDENTITY_CHANGE in signs(with_people(0, 0, 0, 0, angle, angle))) is other


def test_one_frame_that_is_hardly_like_the_one_before_takes_nothing_over():
    """It is turned far, or smeared; the next one is like both."""
    assert LivenessSign.IDENTITY_CHANGE not in signs(with_people(0, 0, 66, 33, 0, 0))


@pytest.mark.parametrize(("alike", "other"), [(0.44, False), (0.40, True)])
def test_a_frame_is_liker_to_one_beside_it_than_to_one_far_away(alike: float, other: bool):
    one = FOLLOWED[4]
    person = (alike, (1 - alike**2) ** 0.5)
    views = [*FOLLOWED[:4], told(one.step, one.at_ms, one.yaw, one.mesh.pose.pitch, 1, person), FOLLOWED[5]]
    assert (LivenessSign.IDENTITY_CHANGE in signs(views)) is other


@pytest.mark.parametrize(("lost", "too_many"), [(2, False), (3, True)])
def test_seven_frames_in_ten_show_a_face(lost: int, too_many: bool):
    seen: list[View | QualityReason] = [*FOLLOWED[:5], *[QualityReason.NO_FACE] * lost, FOLLOWED[5]]
    assert (LivenessSign.FACE_LOST in signs(seen)) is too_many


def test_somebody_else_counts_once_for_sure_or_twice_perhaps():
    perhaps = replace(told(), maybe_another=True)
    assert not shows_another_person([told(), perhaps, told()])
    assert shows_another_person([told(), perhaps, perhaps])
    assert shows_another_person([told(), QualityReason.SEVERAL_FACES, told()])
    assert shows_another_person([perhaps]), "there is no other picture that could say otherwise"


@pytest.mark.parametrize(("yaw", "done"), [(14.0, True), (16.0, False), (-14.0, True), (-16.0, False)])
def test_looking_straight_is_within_fifteen_degrees_of_the_camera(yaw: float, done: bool):
    moved = [told(one.step, one.at_ms, one.yaw + yaw, one.mesh.pose.pitch) for one in FOLLOWED]
    assert (LivenessSign.STEP_NOT_DONE not in signs(moved)) is done


@pytest.mark.parametrize(("yaw", "done"), [(14.0, True), (16.0, False)])
def test_under_colours_the_head_looks_on(yaw: float, done: bool):
    asked = (STRAIGHT, Step.LIGHT_RED, ASKED[1])
    lit = [told(Step.LIGHT_RED, 1000, 0), told(Step.LIGHT_RED, 1150, yaw)]
    assert (LivenessSign.STEP_NOT_DONE not in signs([*FOLLOWED[:3], *lit, *FOLLOWED[3:]], asked)) is done


def test_a_head_that_goes_to_and_fro_within_a_step_jumps_however_slowly():
    to_and_fro = recording(UP, (0.0, 2.0), UP, (0.0, 2.0), UP, ms=900)
    assert signs(recording((0.0, 2.0), (0.0, 6.0), UP, UP, UP, ms=900)) == (LivenessSign.FLAT_MOTION,)
    assert LivenessSign.JUMP in signs(to_and_fro)


def test_a_step_with_one_frame_was_not_done_even_where_there_are_frames_enough():
    assert LivenessSign.STEP_NOT_DONE in signs([*FOLLOWED[:3], *FOLLOWED[5:]])
    assert signs(FOLLOWED[2:5]) == (LivenessSign.TOO_FEW_FRAMES,)


def test_frames_that_name_other_steps_than_were_asked_for_are_in_the_wrong_order():
    asked = (STRAIGHT, ASKED[1], Step.MOVE_CLOSER_A_LITTLE)
    assert LivenessSign.WRONG_ORDER in signs(FOLLOWED, asked)
    assert LivenessSign.WRONG_ORDER in signs([*FOLLOWED, told(STRAIGHT, 2400), told(STRAIGHT, 2800)])


# ── turns, as they were asked for ──────────────────────────────────────────────────────────────────────────


def turned(*yaws: float) -> tuple[LivenessSign, ...]:
    views = [*FOLLOWED[:3], *(told(Step.TURN_LEFT, 1200 + 400 * at, yaw) for at, yaw in enumerate(yaws))]
    return signs(views, (STRAIGHT, Step.TURN_LEFT))


def test_a_turn_is_eighteen_degrees_and_held_to_most_of_that():
    """What was turned far enough is judged, and these views are flat."""
    assert LivenessSign.STEP_NOT_DONE in turned(8.0, 17.0, 17.0)
    assert turned(8.0, 19.0, 19.0) == (LivenessSign.FLAT_MOTION,)
    assert turned(8.0, 19.0, 14.0) == (LivenessSign.FLAT_MOTION,)
    assert LivenessSign.STEP_NOT_DONE in turned(8.0, 19.0, 11.0)
    assert LivenessSign.WRONG_SIDE in turned(-8.0, -19.0, -19.0)
    assert LivenessSign.WRONG_SIDE not in turned(-8.0, -17.0, -17.0)


def test_a_turn_goes_one_way_but_for_what_is_measured_wrong():
    assert LivenessSign.JUMP not in turned(20.0, 9.0, 20.0)
    assert LivenessSign.JUMP in turned(20.0, 6.0, 20.0)


@pytest.mark.parametrize(
    ("step", "size", "done"),
    [
        (Step.MOVE_CLOSER, 1.19, True),
        (Step.MOVE_CLOSER, 1.15, False),
        (Step.MOVE_AWAY, 0.85, True),
        (Step.MOVE_AWAY, 0.89, False),
    ],
)
def test_a_distance_without_targets_is_measured_from_the_step_before(step: Step, size: float, done: bool):
    views = [*FOLLOWED[:3], *(told(step, 1200 + 400 * at, size=size) for at in range(2))]
    assert (LivenessSign.STEP_NOT_DONE not in signs(views, (STRAIGHT, step))) is done


# ── relief ─────────────────────────────────────────────────────────────────────────────────────────────────

HEAD = Relief(turned=21.0, bulge=0.4, nose=0.6, width=0.95, likeness=0.8)


@pytest.mark.parametrize(
    ("found", "is_head"),
    [
        (HEAD, True),
        (replace(HEAD, bulge=0.26), True),
        (replace(HEAD, bulge=0.24), False),
        (replace(HEAD, likeness=0.971), True),
        (replace(HEAD, likeness=0.974), False),
        (replace(HEAD, nose=0.01), True),
        (replace(HEAD, width=cos(radians(21)) - 0.07), True),
        (replace(HEAD, width=cos(radians(21)) - 0.08), False),
        (replace(HEAD, turned=-21.0, width=cos(radians(21)) - 0.08), False),
        (replace(HEAD, turned=32.0, width=cos(radians(32)) - 0.17), True),
        (replace(HEAD, turned=32.0, width=cos(radians(32)) - 0.18), False),
        (replace(HEAD, turned=-32.0, width=cos(radians(32)) - 0.17), True),
        (replace(HEAD, nodded=-10, width=cos(radians(21)) - 0.105), True),
        (replace(HEAD, nodded=-10, width=cos(radians(21)) - 0.12), False),
    ],
)
def test_each_sign_of_relief_has_its_limit(found: Relief, is_head: bool):
    assert has_relief(found) is is_head


def test_noses_stand_out_in_the_mean_and_one_still_head_is_enough():
    noses = [replace(HEAD, nose=0.02), replace(HEAD, nose=0.30)]
    assert noses_stand_out(noses)
    assert not noses_stand_out([replace(HEAD, nose=0.02), replace(HEAD, nose=0.26)])
    assert not head_stands_still([HEAD, replace(HEAD, around=0.984)])
    assert head_stands_still([HEAD, replace(HEAD, around=0.986)])
