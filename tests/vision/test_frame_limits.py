"""Where each limit on single frames lies, and what becomes of the score by what was found in them; all is told."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from math import cos, log, radians, sin

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.support.told_views import frames_of, told
from truename.rules.evidence import LivenessEvidence, QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.vision import models
from truename.vision.captures import FaceTemplate, Picture, Step
from truename.vision.face.detect import Face
from truename.vision.face.embed import mean_template
from truename.vision.face.mesh import CHIN, FOREHEAD, Mesh
from truename.vision.liveness import passive, score, views
from truename.vision.liveness.challenge import ChallengeScore
from truename.vision.liveness.frame_quality import measure_frame, quality_of
from truename.vision.liveness.passive import Measured, PassiveScore
from truename.vision.liveness.repeats import Repeats
from truename.vision.liveness.score import LivenessScore, score_views
from truename.vision.liveness.spoilt import what_is_left, without_spoilt
from truename.vision.liveness.views import View, view

SIDE = 160
SOFT, SHARP = 22.0, 11.0
"""Waves so many pixels long are less sharp than a face may be, and sharp."""


def waves(length: float, middle: float = 128.0) -> Picture:
    """Waves across the picture; how sharp they are goes with the square of how short they are."""
    values = middle * (1 + 0.45 * np.sin(2 * np.pi * np.arange(SIDE) / length))
    return np.repeat(np.tile(np.rint(values).astype(np.uint8), (SIDE, 1))[..., None], 3, axis=2)


def seen(picture: Picture, number: int = 0, eyes: float = 60.0, outside: float = 0.0, side: int = 0) -> View:
    """A face of 128 × 128 pixels, a share of its mesh beyond one side of the picture (left, right, up, down)."""
    one = told(picture=picture)
    points = np.full((478, 3), SIDE / 2, np.float32)
    beyond = round(outside * 478)
    points[:beyond, side // 2] = -1 if side % 2 == 0 else SIDE
    five = np.array([[40, 60], [40 + eyes, 60], [80, 80], [60, 110], [100, 110]], np.float32)
    face = replace(one.face, box=(16.0, 16.0, 128.0, 128.0), points=five)
    made = replace(one, number=number, face=face, mesh=replace(one.mesh, points=points))
    vars(made)["template"] = one.template
    return made


# ── is a frame good enough? ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "reasons"),
    [
        (seen(waves(SHARP)), ()),
        (seen(waves(SHARP), eyes=33), ()),
        (seen(waves(SHARP), eyes=31), (QualityReason.FACE_TOO_SMALL,)),
        (seen(waves(18.0)), ()),
        (seen(waves(21.0)), (QualityReason.BLURRED,)),
        (seen(waves(SHARP, 0.175 * 255)), ()),
        (seen(waves(SHARP, 0.145 * 255)), (QualityReason.TOO_DARK,)),
        (seen(waves(60.0, 0.145 * 255)), (QualityReason.TOO_DARK,)),
        *((seen(waves(SHARP), outside=0.07, side=side), ()) for side in range(4)),
        *((seen(waves(SHARP), outside=0.09, side=side), (QualityReason.CROPPED,)) for side in range(4)),
    ],
)
def test_each_reason_against_a_frame_has_its_limit(one: View, reasons: tuple[QualityReason, ...]):
    """What is dark is not called blurred as well: who turns on a lamp may see that it was not."""
    assert quality_of(one).reasons == reasons


def test_who_looks_into_a_frame_from_aside_is_told_at_once(monkeypatch: pytest.MonkeyPatch):
    perhaps = replace(seen(waves(SHARP)), maybe_another=True)
    monkeypatch.setattr("truename.vision.liveness.frame_quality.view", lambda _: perhaps)
    assert measure_frame(perhaps.picture).reasons == (QualityReason.SEVERAL_FACES,)


# ── whose face is it? ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("other", "presences", "found"),
    [
        (0.50, (0.9, 0.9), False),
        (0.60, (0.9, 0.4), True),
        (0.60, (0.9, 0.6), QualityReason.SEVERAL_FACES),
        (0.50, (0.4, 0.9), QualityReason.NO_FACE),
        (0.50, (0.6, 0.9), False),
    ],
)
def test_somebody_takes_part_whose_face_is_more_than_half_as_tall_and_can_be_followed(
    monkeypatch: pytest.MonkeyPatch, other: float, presences: tuple[float, float], found: bool | QualityReason
):
    """Of who is as tall, but no face to the mesh network, it is only noted."""
    one = seen(waves(SHARP))
    both = [one.face, replace(one.face, box=(0.0, 0.0, 128 * other, 128 * other))]

    def mesh(_: Picture, face: Face) -> Mesh:
        return replace(one.mesh, presence=presences[0 if face is one.face else 1])

    monkeypatch.setattr(views, "detect_faces", lambda _, persistent=True: both)
    monkeypatch.setattr(views, "mesh", mesh)
    made = view(one.picture)
    assert (made.maybe_another if isinstance(made, View) else made) == found


def test_a_face_that_is_not_seen_at_a_glance_is_looked_for_again(monkeypatch: pytest.MonkeyPatch):
    one = seen(waves(SHARP))
    monkeypatch.setattr(views, "detect_faces", lambda _, persistent=True: [one.face] if persistent else [])
    monkeypatch.setattr(views, "mesh", lambda *_: one.mesh)
    assert isinstance(view(one.picture), View)


def test_a_face_is_as_large_as_it_is_whichever_way_it_nods():
    """From forehead to chin, into the picture as well: who looks up is no smaller."""
    one = seen(waves(SHARP))
    points = one.mesh.points.copy()
    points[FOREHEAD], points[CHIN] = (50, 40, 0), (50, 70, 40)
    assert replace(one, mesh=replace(one.mesh, points=points)).size == pytest.approx(50)


# ── frames that are spoilt ─────────────────────────────────────────────────────────────────────────────────


def recording(*spoilt: View) -> list[View | QualityReason]:
    """Nine sharp frames, then these."""
    made = [seen(waves(SHARP)) for _ in range(9)]
    return [replace(one, number=number) for number, one in enumerate([*made, *spoilt])]


@pytest.mark.parametrize(
    ("one", "left_out"),
    [
        (seen(waves(15.0)), None),
        (seen(waves(16.5)), QualityReason.BLURRED),
        (seen(waves(SHARP), outside=0.07), None),
        (seen(waves(SHARP), outside=0.09), QualityReason.CROPPED),
        (seen(waves(SHARP), eyes=20), None),
        (seen(waves(SHARP, 20)), None),
    ],
)
def test_a_frame_is_spoilt_below_half_of_the_usual_sharpness_or_cut_off(one: View, left_out: QualityReason | None):
    """Half of the usual is at waves that are longer by a root of two: 15.6 pixels. Small and dark are not spoilt."""
    kept = without_spoilt(recording(one))
    assert all(isinstance(other, View) for other in kept[:9])
    assert (None if isinstance(kept[9], View) else kept[9]) is left_out


def test_what_is_usual_is_the_middle_frame_and_not_the_sharpest():
    kept = without_spoilt([*recording(seen(waves(4.0))), QualityReason.NO_FACE])
    assert all(isinstance(one, View) for one in kept[:10])
    assert kept[10] is QualityReason.NO_FACE


@pytest.mark.parametrize(("spoilt", "tries"), [(0, []), (1, [1]), (2, [1, 1, 2]), (6, [1] * 6 + [6]), (7, [7])])
def test_spoilt_frames_are_left_out_one_at_a_time_and_together_unless_they_are_many(spoilt: int, tries: list[int]):
    made = recording(*(seen(waves(SOFT)) for _ in range(spoilt)))
    lost = [[number for number, one in enumerate(left) if not isinstance(one, View)] for left in what_is_left(made)]
    assert [len(one) for one in lost] == tries
    assert all(number >= 9 for one in lost for number in one)


# ── one score of all ───────────────────────────────────────────────────────────────────────────────────────


def test_a_passed_challenge_adds_as_much_as_was_measured():
    """What it adds stands with the weights of the network that judged."""
    measured = Measured(2.7, -0.6, 0.1, 3.0, 6.0, 0.1)
    worth = tomllib.loads((models.HERE / "calibration" / "liveness.toml").read_text("utf-8"))["as_shipped"]["challenge"]
    before, after = (passive.score(measured, passed) for passed in (False, True))
    assert 0.1 < before < after < 0.9
    assert log(after / (1 - after)) - log(before / (1 - before)) == pytest.approx(worth, abs=0.01)


PASSED = ChallengeScore(0.93, (), (told(),))
FAILED = ChallengeScore(0.45, (LivenessSign.JUMP,), (told(),))
NEARLY = ChallengeScore(0.8, (LivenessSign.JUMP,), (told(),))


@pytest.mark.parametrize(
    ("followed", "single", "repeated", "several", "expected"),
    [
        (PASSED, 0.99, False, False, (0.93, None)),
        (PASSED, 0.5, False, False, (0.58, None)),
        (PASSED, 0.99, True, False, (0.6, "SPOOF_SIGNS")),
        (PASSED, 0.4, True, False, (0.4, "SPOOF_SIGNS")),
        (FAILED, 0.99, False, False, (0.45, "CHALLENGE_FAILED")),
        (NEARLY, 0.99, False, False, (0.6, "CHALLENGE_FAILED")),
        (FAILED, 0.2, False, False, (0.2, "CHALLENGE_FAILED")),
        (None, 0.9, False, False, (0.9, "NO_CHALLENGE")),
        (None, 0.9, True, False, (0.6, "SPOOF_SIGNS")),
        (None, 0.9, False, True, (0.6, "SEVERAL_FACES")),
        (None, 0.3, True, True, (0.3, "SPOOF_SIGNS")),
    ],
)
def test_challenge_copies_and_single_pictures_make_one_score(
    monkeypatch: pytest.MonkeyPatch,
    followed: ChallengeScore | None,
    single: float,
    repeated: bool,
    several: bool,
    expected: tuple[float, str | None],
):
    judged = PassiveScore(single, single + 0.08, (), Measured(0, 0, 0, None, None, 0.5))
    monkeypatch.setattr(score, "score_passive", lambda _: judged)
    monkeypatch.setattr(score, "score_challenge", lambda *_: followed)
    monkeypatch.setattr(score, "find_repeats", lambda *_: Repeats(((0, 1),) if repeated else ()))
    made = [replace(told(), maybe_another=several) for _ in range(2)]
    evidence = score_views(frames_of(made), [one.picture for one in made], made, (Step.TURN_LEFT,) if followed else ())
    assert (evidence.evidence.score, evidence.evidence.reason) == expected


def test_nobody_for_sure_is_told_from_several(monkeypatch: pytest.MonkeyPatch):
    for reason in (QualityReason.NO_FACE, QualityReason.SEVERAL_FACES):
        found = score_views([], [], [QualityReason.NO_FACE, reason])
        assert found.evidence.reason == reason.value
        assert (LivenessSign.SEVERAL_FACES in found.evidence.signs) is (reason is QualityReason.SEVERAL_FACES)


def test_single_pictures_are_the_three_straightest_and_none_under_a_colour(monkeypatch: pytest.MonkeyPatch):
    yaws = (9.0, 0.5, 7.0, 3.0, 5.0, 11.0, 8.0)
    made = [told(Step.LIGHT_RED, 0), *(told(Step.AIM_NEAR_UP, 100 * at, yaw) for at, yaw in enumerate(yaws, start=1))]
    looked: list[Picture] = []
    judged = PassiveScore(0.9, 0.95, (), Measured(0, 0, 0, None, None, 0.5))

    def score_passive(pictures: Sequence[tuple[Picture, Face]]) -> PassiveScore:
        looked.extend(picture for picture, _ in pictures)
        return judged

    made = [replace(one, picture=one.picture.copy(), number=number) for number, one in enumerate(made)]
    monkeypatch.setattr(score, "score_passive", score_passive)
    monkeypatch.setattr(score, "find_repeats", lambda *_: Repeats(()))
    found = score_views(frames_of(made), [one.picture for one in made], made)
    assert [one.number for one in found.views] == [2, 4, 5, 3, 7, 1]
    assert found.view is found.views[0]
    assert [picture is one.picture for picture, one in zip(looked, found.views[:3], strict=True)] == [True] * 3
    assert score_views([], [made[0].picture], made[:1]).view is made[0], "there is no other"


def test_the_live_face_is_the_mean_of_the_straightest_and_the_two_sharpest_that_are_like_it():
    """Of the others, one is nobody that it would match."""

    def one(length: float, away: float) -> View:
        made = seen(waves(length))
        vars(made)["template"] = FaceTemplate((cos(radians(away)), sin(radians(away))), "told")
        return made

    first, stranger = one(20.0, 0.0), one(8.0, 89.0)
    others = [one(12.0, 20.0), one(16.0, -20.0), stranger, one(10.0, 10.0)]
    made = LivenessScore(LivenessEvidence(score=0.9), first, (first, *others)).template()
    assert made is not None
    expected = mean_template([first.template, others[3].template, others[0].template])
    assert_allclose(made.vector, expected.vector)
