"""People whom the sandbox draws are people: nothing that it films of them is taken for an attack."""

import numpy as np
import pytest

from truename.sandbox.drawing.heads import SENT_MS, STEP_MS, head_recording
from truename.sandbox.drawing.sway import SEEN, swayed, unlike_drift
from truename.vision.captures import Step
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.repeats import find_repeats
from truename.vision.liveness.views import view_all

TAKEN_FOR_COPIES = 0.42
"""The farthest apart, in hundredths of the face's width, at which frames were taken for copies of each other."""


@pytest.mark.slow
def test_no_two_pictures_of_a_head_that_holds_still_are_taken_for_copies() -> None:
    """`truename simulate` of the scenario "approved" ended REJECTED with REPEATED_FRAMES, once in about fifty runs."""
    frames = head_recording([Step.LOOK_STRAIGHT], 1125, 0.41)
    pictures = [decode(frame.image) for frame in frames]
    assert find_repeats(frames, pictures, view_all(frames, pictures)).pairs == ()


@pytest.mark.slow
def test_nor_are_those_of_one_that_has_come_close() -> None:
    steps = [Step.LOOK_STRAIGHT, Step.AIM_FAR_UP_LEFT, Step.MOVE_CLOSER_A_LITTLE, Step.AIM_FAR_LEFT]
    frames = head_recording([*steps, Step.AIM_FAR_UP_RIGHT, Step.AIM_NEAR_UP], 100034, 0.4)[7:10]
    pictures = [decode(frame.image) for frame in frames]
    assert {frame.step for frame in frames} == {Step.MOVE_CLOSER_A_LITTLE}
    assert find_repeats(frames, pictures, view_all(frames, pictures)).pairs == ()


@pytest.mark.parametrize("steps", [1, 6, 11])
def test_whoever_is_drawn_sways_between_the_pictures_of_each_step(steps: int) -> None:
    moments = (np.arange(steps)[:, None] * STEP_MS + np.array(SENT_MS)) / 1000
    for seed in range(40):
        seen = swayed(moments, unlike_drift(moments, seed)) @ SEEN
        for one, other in ((0, 1), (0, 2), (1, 2)):
            assert np.linalg.norm(seen[:, one] - seen[:, other], axis=-1).min() > TAKEN_FOR_COPIES, seed
