"""A face answers the colours of the screen; a recording does not, and one under other colours contradicts.

The faces here are simulated (`benchmarks/light_simulation.py`): no photograph of anybody under such light is at hand.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from benchmarks.attack_lights import blended, contrasted, lit
from benchmarks.light_simulation import any_room, asked, filmed, tinted
from hypothesis import given
from hypothesis import strategies as st

from tests.support.faces import framed_still
from tests.support.told_views import frames_of, told
from truename.rules.liveness_signs import LivenessSign
from truename.vision.captures import Step
from truename.vision.face.detect import detect_faces
from truename.vision.liveness.challenge import score_challenge
from truename.vision.liveness.light import COLOURS, LightAnswer, _changes, _Rule, judge_light, judge_tints
from truename.vision.liveness.targets import AIMS
from truename.vision.liveness.views import View, view

SHOWN = (Step.LIGHT_RED, Step.LIGHT_CYAN, Step.LIGHT_BLUE, Step.LIGHT_YELLOW)
OTHERS = (Step.LIGHT_CYAN, Step.LIGHT_RED, Step.LIGHT_YELLOW, Step.LIGHT_BLUE)


def tints(shown: tuple[Step, ...], strength: float, noise: float, seed: int) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    expected = [np.array([red - green, blue - green], float) for red, green, blue in (COLOURS[one] for one in shown)]
    return [0.3 + strength * one + random.normal(0, noise, 2) for one in expected for _ in (0, 1)]


def named(measured: list[np.ndarray], steps: tuple[Step, ...] = SHOWN) -> list[tuple[Step, np.ndarray]]:
    return list(zip([step for step in steps for _ in (0, 1)], measured, strict=True))


@given(st.permutations(list(COLOURS)), st.floats(0.04, 1.2), st.integers(0, 1000))
def test_a_face_that_takes_on_the_colours_answers(order: list[Step], strength: float, seed: int):
    shown = tuple(order[:4])
    assert judge_tints(named(tints(shown, strength, 0.003, seed), shown)).answer is LightAnswer.ANSWERED


@given(st.floats(0, 0.02), st.integers(0, 1000))
def test_what_hardly_changes_says_nothing(noise: float, seed: int):
    """A bright room and a recording without colours look alike: neither is held against anybody."""
    assert judge_tints(named(tints(SHOWN, 0.0, noise, seed))).answer is LightAnswer.SILENT


@given(st.floats(0.1, 1.2), st.integers(0, 1000))
def test_a_face_under_the_opposite_colours_contradicts(strength: float, seed: int):
    assert judge_tints(named(tints(OTHERS, strength, 0.003, seed))).answer is LightAnswer.CONTRADICTED


@pytest.mark.parametrize(
    "seen",
    [
        (Step.LIGHT_RED, Step.LIGHT_CYAN, Step.LIGHT_BLUE, Step.LIGHT_GREEN),
        (Step.LIGHT_RED, Step.LIGHT_BLUE, Step.LIGHT_MAGENTA, Step.LIGHT_YELLOW),
        (Step.LIGHT_MAGENTA, Step.LIGHT_CYAN, Step.LIGHT_BLUE, Step.LIGHT_RED),
    ],
)
@pytest.mark.parametrize("strength", [0.1, 0.3])
def test_colours_that_are_right_for_the_most_part_contradict(seen: tuple[Step, ...], strength: float):
    """They agree with those that were asked for by 0.7 and more, but no light of the right ones explains them."""
    assert judge_tints(named(tints(seen, strength, 0.003, 1))).answer is LightAnswer.CONTRADICTED


def test_weak_colours_that_come_one_too_late_contradict():
    late = [np.full(2, 0.3)] * 2 + tints(SHOWN[:3], 0.06, 0.002, 4)
    assert judge_tints(named(late)).answer is LightAnswer.CONTRADICTED


def test_primaries_that_light_the_skin_unequally_answer():
    """Skin under a warm lamp takes on more blue than red: one gain for each primary, not one for all."""
    random, gains = np.random.default_rng(2), np.array([0.05, 0.12, 0.3])
    measured = []
    for step in SHOWN:
        red, green, blue = gains * COLOURS[step]
        measured += [(step, np.array([red - green, blue - green]) + random.normal(0, 0.003, 2)) for _ in (0, 1)]
    assert judge_tints(measured).answer is LightAnswer.ANSWERED


@pytest.mark.parametrize("strength", [0.2, 0.4])
@pytest.mark.parametrize("exposed", [0.1, 0.3, 0.6])
def test_other_colours_contradict_where_the_camera_exposed_them_otherwise_as_well(strength: float, exposed: float):
    """A camera's curve bends the colour of skin with the exposure, but by little of what these two colours do."""
    measured = named(tints((*SHOWN[1::-1], *SHOWN[2:]), strength, 0.003, 1))
    exposures = np.repeat((exposed, -exposed, 0.0, 0.0), 2).tolist()
    assert judge_tints(measured, exposures=exposures).answer is LightAnswer.CONTRADICTED


@pytest.mark.parametrize("strength", [0.2, 0.5])
def test_a_picture_that_is_tinted_as_a_whole_was_lit_by_no_screen(strength: float):
    """A recording without colours, on a screen that is tinted itself: the room behind answers as much as the skin."""
    random = np.random.default_rng(5)
    plain = filmed(any_room(200, random), [None] * 4, random)
    assert asked(plain, SHOWN).answer is LightAnswer.SILENT
    assert asked(tinted(plain, SHOWN, strength), SHOWN).answer is LightAnswer.CONTRADICTED


def test_a_lamp_on_the_face_before_a_dark_wall_is_held_against_nobody():
    """There the screen adds more to the wall than to the face: the room has the colours, and so the light was there."""
    random = np.random.default_rng(0)
    lamp = replace(any_room(200, random), wall_light=0.03, wall_metres=0.5, adapts=0.0, wall=np.full(3, 0.6))
    found = asked(filmed(lamp, SHOWN, random), SHOWN)
    assert found.correlation < 0
    assert found.answer is LightAnswer.SILENT


@pytest.mark.parametrize(
    ("beyond", "answer"),
    [(0.55, LightAnswer.SILENT), (0.45, LightAnswer.CONTRADICTED), (0.15, LightAnswer.CONTRADICTED)],
)
def test_skin_that_changes_as_little_as_it_may_before_a_room_that_answers_is_told_by_each_part_of_the_face(
    beyond: float, answer: LightAnswer
):
    """A lamp on the face before a dark wall: its mean hardly changes, its parts do by more than half of the room's."""
    room = named(tints(SHOWN, 0.3, 0.003, 1))
    levels = [(step, 20 * tint) for step, tint in room]
    rule = _Rule(
        _changes(levels),
        _changes([(step, 0 * tint) for step, tint in room]),
        _changes([(s, beyond * t) for s, t in levels]),
    )
    assert judge_tints(named(tints(SHOWN, 0.0, 0.003, 2)), room, rule).answer is answer


def test_too_few_frames_say_nothing():
    assert judge_tints(named(tints(SHOWN[:2], 0.5, 0.001, 0), SHOWN[:2])).answer is LightAnswer.SILENT
    assert judge_tints([]).answer is LightAnswer.SILENT


@pytest.mark.slow
@pytest.mark.parametrize("lux", [60, 300])
def test_a_simulated_face_in_a_room_answers_and_its_recordings_do_not(lux: float):
    random = np.random.default_rng(int(lux))
    room = any_room(lux, random)
    lit = filmed(room, SHOWN, random)
    assert asked(lit, SHOWN).answer is LightAnswer.ANSWERED
    assert asked(lit, OTHERS).answer is LightAnswer.CONTRADICTED
    assert asked(filmed(room, [None] * 4, random), SHOWN).answer is LightAnswer.SILENT


def test_a_camera_that_exposes_anew_with_a_colour_does_not_contradict():
    """More light clips the brightest skin, and what is left of a face has another colour than the whole of it."""
    still, random = framed_still(None, (360, 480)), np.random.default_rng(3)
    straight, light = view(still), (still / 255) ** 2.2
    assert isinstance(straight, View)
    for exposed in ((1.0, 1.0, 1.33, 1.33), (1.33, 1.0, 1.0, 1.33), (1.0, 1.33, 1.0, 0.75)):
        views = []
        for step, gain in zip(SHOWN, exposed, strict=True):
            for _ in range(2):
                lit = 255 * np.clip(light * gain, 0, 1) ** (1 / 2.2) + random.normal(0, 2, still.shape)
                views.append(replace(straight, step=step, picture=np.clip(lit, 0, 255).astype(np.uint8)))
        assert judge_light(views).answer is LightAnswer.SILENT, exposed


def film(still: np.ndarray, change: Callable[[np.ndarray, Step, int], np.ndarray]) -> list[View]:
    """Two frames for each colour of a face that holds still, in linear light, changed by colour and frame."""
    straight, random, views = view(still), np.random.default_rng(3), []
    assert isinstance(straight, View)
    light = (still / 255) ** 2.2
    light.setflags(write=False)
    for number in range(2 * len(SHOWN)):
        lit = np.clip(change(light, SHOWN[number // 2], number), 0, 1)
        picture = 255 * lit ** (1 / 2.2) + random.normal(0, 2, still.shape)
        views.append(replace(straight, step=SHOWN[number // 2], picture=np.clip(picture, 0, 255).astype(np.uint8)))
    return views


@pytest.mark.parametrize("part", [0.04, pytest.param(0.15, marks=pytest.mark.slow)])
@pytest.mark.parametrize("colours", [SHOWN, OTHERS])
def test_a_colour_that_a_program_lays_over_the_picture_was_lit_by_no_screen(part: float, colours: tuple[Step, ...]):
    """It adds as much to what is dark as to what is bright, to the room as to the face."""
    views = film(framed_still(None, (360, 480)), lambda light, _, number: blended(light, colours[number // 2], part))
    assert judge_light(views).answer is LightAnswer.CONTRADICTED


@pytest.mark.parametrize("colours", [OTHERS, pytest.param(SHOWN, marks=pytest.mark.slow)])
def test_pictures_of_several_sizes_do_not_hide_a_colour_that_a_program_lays_over_them(colours: tuple[Step, ...]):
    """The page's own change their size where a browser's bars come and go; the room is still the same room."""
    views = film(framed_still(None, (360, 480)), lambda light, _, number: blended(light, colours[number // 2], 0.1))
    cut = [replace(one, picture=one.picture[: 480 - 3 * at, : 360 - 2 * at]) for at, one in enumerate(views)]
    assert judge_light(cut).answer is LightAnswer.CONTRADICTED


@pytest.mark.parametrize("strength", [0.3, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.15, 0.6))])
def test_a_tinted_screen_before_a_camera_with_a_bent_curve_was_lit_by_no_screen(strength: float):
    """The curve makes more of the tint on the skin than on the room, which would be an answer; but it is one rule."""

    def change(light: np.ndarray, colour: Step, _: int) -> np.ndarray:
        return contrasted(lit(light, colour, 1.0, strength), 0.5)

    assert judge_light(film(framed_still(None, (360, 480)), change)).answer is LightAnswer.CONTRADICTED


def test_a_camera_with_a_bent_curve_that_takes_another_white_does_not_contradict():
    """What it does to face and room alike goes with the frames, but it adds nothing, and is no other sequence."""
    gains = np.array([1.1, 0.8, 1.25, 0.95])[:, None] * np.exp(np.outer([0.1, -0.1, -0.05, 0.1], [1, 0, -1]))
    views = film(framed_still(None, (360, 480)), lambda light, _, number: contrasted(light * gains[number // 2], 0.5))
    assert judge_light(views).answer is LightAnswer.SILENT


@pytest.mark.parametrize("warmth", [(0.1, -0.1, 0.0, 0.0), (0.12, 0.04, -0.04, -0.12)])
def test_a_camera_that_takes_another_white_a_little_as_the_colours_do_does_not_contradict(warmth: tuple[float, ...]):
    """Face and room change alike, and in part as they were asked to; a tint over the picture would wholly do so."""
    whites = 0.8 * np.exp(np.outer(warmth, [1, 0, -1]))
    views = film(framed_still(None, (360, 480)), lambda light, _, number: light * whites[number // 2])
    assert judge_light(views).answer is LightAnswer.SILENT


@pytest.mark.slow
@pytest.mark.parametrize("strength", [0.03, 0.08])
@pytest.mark.parametrize("seed", range(6))
def test_a_camera_that_bends_what_it_exposes_anew_does_not_contradict_the_right_colours(strength: float, seed: int):
    """A curve bends each primary by its own: skin changes its colour with the exposure, and a grey wall does not."""
    assert judge_light(exposed_film(SHOWN, strength, seed)).answer is not LightAnswer.CONTRADICTED


@pytest.mark.parametrize("seed", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 2))])
def test_a_camera_that_bends_what_it_exposes_anew_does_not_hide_other_colours(seed: int):
    assert judge_light(exposed_film(OTHERS, 0.2, seed)).answer is LightAnswer.CONTRADICTED


def exposed_film(colours: tuple[Step, ...], strength: float, seed: int) -> list[View]:
    """A face under these colours, before a grey wall and a camera that exposes each by half to twice as much."""
    still, gains = framed_still(None, (360, 480)), np.random.default_rng(seed).uniform(-1, 1, 4)
    mask = np.zeros((480, 360, 1), np.float32)
    left, top, wide, tall = detect_faces(still)[0].box
    cv2.ellipse(mask, (int(left + wide / 2), int(top + tall / 2)), (int(0.8 * wide), int(tall)), 0, 0, 360, 1.0, -1)

    def change(light: np.ndarray, _: Step, number: int) -> np.ndarray:
        before_a_wall = np.asarray(mask * light + (1 - mask) * 0.3, np.float32)
        return contrasted(lit(before_a_wall, colours[number // 2], mask, strength) * 2 ** gains[number // 2], 1.0)

    return film(still, change)


def test_a_hand_that_moves_does_not_hide_other_colours():
    """A bright thing at the edge of the picture comes and goes with the hand; the rest of the room is as it was."""
    still = framed_still(None, (360, 480))
    mask = np.zeros((480, 360, 1), np.float32)
    left, top, wide, tall = detect_faces(still)[0].box
    cv2.ellipse(mask, (int(left + wide / 2), int(top + tall / 2)), (int(0.8 * wide), int(tall)), 0, 0, 360, 1.0, -1)
    room = np.full(3, 0.05) * np.ones_like(still)

    def change(light: np.ndarray, _: Step, number: int) -> np.ndarray:
        behind = room.copy()
        behind[:, : 4 + 8 * (number % 2)] = (0.85, 0.5, 0.2)
        return mask * lit(light, OTHERS[number // 2], mask, 0.15) + (1 - mask) * behind

    assert judge_light(film(still, change)).answer is LightAnswer.CONTRADICTED


def lit_views(colours: Sequence[Step], shown: Mapping[Step, Step], strength: float = 0.3) -> list[View]:
    """A straight look, two views under each colour and a head that looks up; the skin takes on what is shown."""
    random = np.random.default_rng(5)
    views = [told(Step.LOOK_STRAIGHT, 400 * number) for number in range(2)]
    left, top, wide, tall = (int(value) for value in views[0].face.box)
    for number, colour in enumerate(colour for colour in colours for _ in range(2)):
        picture = np.full(views[0].picture.shape, 140.0)
        light = 1 + strength * np.array(COLOURS[shown[colour]] if colour in shown else (0, 0, 0))
        picture[top : top + tall, left : left + wide] = np.array([170, 130, 110]) * light ** (1 / 2.2)
        noisy = np.clip(picture + random.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
        views.append(told(colour, 800 + 400 * number, picture=noisy))
    up = AIMS[Step.AIM_NEAR_UP].pitch
    return [*views, *(told(Step.AIM_NEAR_UP, 4400 + 400 * number, 0.0, up) for number in range(2))]


@pytest.mark.parametrize(
    ("shown", "answer"),
    [("right", LightAnswer.ANSWERED), ("opposite", LightAnswer.CONTRADICTED), ("none", LightAnswer.SILENT)],
)
def test_light_that_contradicts_fails_the_challenge_and_silence_does_not(shown: str, answer: LightAnswer):
    order: dict[str, tuple[Step, ...]] = {"right": SHOWN, "opposite": OTHERS, "none": ()}
    views = lit_views(SHOWN, dict(zip(SHOWN, order[shown], strict=False)))
    found = score_challenge(frames_of(views), views, (Step.LOOK_STRAIGHT, *SHOWN, Step.AIM_NEAR_UP))
    assert found.light is not None
    assert found.light.answer is answer
    assert (LivenessSign.WRONG_LIGHT in found.signs) is (answer is LightAnswer.CONTRADICTED)
    assert set(found.signs) <= {LivenessSign.WRONG_LIGHT, LivenessSign.FLAT_MOTION}, "and by nothing else"
