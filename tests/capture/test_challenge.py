"""The server chooses the movements; frames answer them in order and in time, or not at all."""

import cv2
import numpy as np
import pytest

from truename.capture.challenge import (
    DRAWS_IN_ONE_DAY,
    Given,
    are_fit,
    choose_colours,
    choose_steps,
    new_nonce,
    next_steps,
    nonce_hash,
    number_of_challenges,
    refuse_disorder,
    with_colours,
)
from truename.capture.fingerprints import are_replayed, differing_bits, fingerprint
from truename.plumbing.errors import Invalid
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import AIMS, SIZES

ASKED = (Step.LOOK_STRAIGHT, Step.TURN_LEFT, Step.MOVE_CLOSER, Step.TURN_RIGHT)


def frames(*steps: Step, every: int = 300) -> list[tuple[Step, int]]:
    return [(step, number * every) for number, step in enumerate(steps)]


def refused(asked, answered, elapsed=60_000) -> str:
    with pytest.raises(Invalid) as refusal:
        refuse_disorder(asked, answered, elapsed)
    return refusal.value.code


def test_every_challenge_begins_straight_and_holds_four_targets_and_a_distance():
    drawn = [choose_steps() for _ in range(2000)]
    assert len(set(drawn)) > 1950, "two of two thousand are seldom alike"
    assert {step for steps in drawn for step in steps[1:]} == {*AIMS, *SIZES}
    assert {steps.index(step) for steps in drawn for step in steps if step in SIZES} == {1, 2, 3, 4, 5}
    for steps in drawn:
        assert steps[0] is Step.LOOK_STRAIGHT
        assert len(set(steps)) == 6
        assert are_fit([step for step in steps if step in AIMS])


def test_there_are_far_more_than_ten_thousand_challenges():
    assert number_of_challenges() == 233_280
    assert DRAWS_IN_ONE_DAY / number_of_challenges() < 1 / 70_000


def test_the_same_steps_are_asked_for_until_they_are_answered():
    steps = choose_steps()
    given = [Given(steps, answered=False)]
    assert {next_steps(given * count) for count in (1, 2, 11) for _ in range(20)} == {steps}


def test_an_answer_brings_other_steps_but_only_so_many_times_a_day():
    for _ in range(30):
        given: list[Given] = []
        for _ in range(10):
            given.append(Given(next_steps(given), answered=True))
        drawn = list(dict.fromkeys(one.steps for one in given))
        assert len(drawn) == DRAWS_IN_ONE_DAY
        assert [one.steps for one in given[DRAWS_IN_ONE_DAY - 1 :]] == [drawn[-1]] * (11 - DRAWS_IN_ONE_DAY)


def test_colours_are_drawn_afresh_and_are_no_new_draw():
    steps = choose_steps()
    shown = [with_colours(steps, choose_colours()) for _ in range(40)]
    assert len(set(shown)) > 20
    for one in shown:
        assert [step in COLOURS for step in one] == [False, *[True] * 4, *[False] * 5]
        assert len(set(one)) == len(one)
    assert next_steps([Given(one, answered=False) for one in shown]) == steps
    assert with_colours(shown[0], ()) == steps


def test_a_challenge_from_before_an_update_is_not_asked_for_again():
    assert next_steps([Given(ASKED, answered=False)])[1:] != ASKED[1:]


def test_nonces_do_not_repeat_and_only_their_hash_is_kept():
    nonces = {new_nonce() for _ in range(100)}
    assert len(nonces) == 100
    assert all(nonce.encode() not in nonce_hash(nonce) for nonce in nonces)


def test_frames_in_order_with_several_to_a_step_are_accepted():
    refuse_disorder(ASKED, frames(*[step for step in ASKED for _ in range(3)]), 60_000)


def test_a_step_without_a_frame_is_refused():
    assert refused(ASKED, frames(*ASKED[:3])) == "frames_missing_step"


def test_steps_in_another_order_are_refused():
    other = (Step.LOOK_STRAIGHT, Step.MOVE_CLOSER, Step.TURN_LEFT, Step.TURN_RIGHT)
    assert refused(ASKED, frames(*other)) == "frames_out_of_order"
    assert refused(ASKED, frames(*ASKED, Step.LOOK_STRAIGHT)) == "frames_out_of_order"


def test_times_that_do_not_rise_or_lie_in_the_future_are_refused():
    backwards = [(step, 900 - at) for step, at in frames(*ASKED)]
    assert refused(ASKED, backwards) == "frames_out_of_order"
    assert refused(ASKED, [(step, 5) for step in ASKED]) == "frames_out_of_order"
    assert refused(ASKED, frames(*ASKED, every=20_000), elapsed=10_000) == "frames_out_of_order"


def test_a_refusal_names_the_frame_and_the_step():
    with pytest.raises(Invalid) as late:
        refuse_disorder(ASKED, frames(*[step for step in ASKED for _ in range(2)], every=2000), 11_000)
    assert [fault.pointer for fault in late.value.faults] == ["/frames/7/at_ms"]
    with pytest.raises(Invalid) as missing:
        refuse_disorder(ASKED, frames(*ASKED[:2], ASKED[3]), 60_000)
    assert "MOVE_CLOSER" in missing.value.faults[0].detail
    with pytest.raises(Invalid) as disorder:
        refuse_disorder(ASKED, frames(ASKED[0], ASKED[2], ASKED[1], ASKED[3]), 60_000)
    assert [fault.pointer for fault in disorder.value.faults] == ["/frames/1/step"]


def a_picture(seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).integers(0, 255, (12, 12, 3), dtype=np.uint8)
    return cv2.resize(noise, (480, 640), interpolation=cv2.INTER_CUBIC)


def test_a_copy_is_known_again_after_resizing_and_re_encoding():
    picture = a_picture(1)
    _, packed = cv2.imencode(".jpg", cv2.resize(picture, (333, 444)), [cv2.IMWRITE_JPEG_QUALITY, 40])
    copy = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert copy is not None
    assert are_replayed([fingerprint(copy.astype(np.uint8))], [fingerprint(a_picture(2)), fingerprint(picture)])


def test_another_picture_is_not_taken_for_a_copy():
    assert differing_bits(fingerprint(a_picture(1)), fingerprint(a_picture(2))) > 60
    assert not are_replayed([fingerprint(a_picture(1))], [fingerprint(a_picture(2))])


def test_one_look_alike_among_many_frames_is_no_replay():
    earlier = [fingerprint(a_picture(seed)) for seed in range(4)]
    fresh = [fingerprint(a_picture(seed)) for seed in range(10, 14)]
    assert not are_replayed([earlier[0], *fresh], earlier)
    assert are_replayed([*earlier, fresh[0]], earlier)
