"""People whom the sandbox draws are people: nothing that it films of them is taken for an attack."""

import numpy as np
import pytest

from truename.sandbox.drawing.heads import SENT_MS, STEP_MS, head_recording
from truename.sandbox.drawing.sway import SEEN, UNLIKE, swayed, unlike_drift
from truename.vision.captures import Step
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.repeats import find_repeats
from truename.vision.liveness.views import view_all


@pytest.mark.slow
def test_no_two_pictures_of_a_head_that_holds_still_are_taken_for_copies() -> None:
    """`truename simulate` of the scenario "approved" ended REJECTED with REPEATED_FRAMES, once in about fifty runs."""
    frames = head_recording([Step.LOOK_STRAIGHT], 1125, 0.41)
    pictures = [decode(frame.image) for frame in frames]
    assert find_repeats(frames, pictures, view_all(frames, pictures)).pairs == ()


@pytest.mark.parametrize("steps", [1, 6, 11])
def test_whoever_is_drawn_sways_between_the_pictures_of_each_step(steps: int) -> None:
    moments = (np.arange(steps)[:, None] * STEP_MS + np.array(SENT_MS)) / 1000
    for seed in range(100):
        seen = swayed(moments, unlike_drift(moments, seed)) @ SEEN
        for one, other in ((0, 1), (0, 2), (1, 2)):
            assert np.linalg.norm(seen[:, one] - seen[:, other], axis=-1).min() >= UNLIKE, seed
