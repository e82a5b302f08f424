"""Where targets and distances end: beyond them a head points at nothing, and a face stands nowhere."""

import pytest

from truename.vision.captures import Step
from truename.vision.liveness.targets import YAW_FAR, Aim, aimed_at, size_meant


@pytest.mark.parametrize(("rings", "target"), [(1.74, Step.AIM_FAR_LEFT), (1.76, None), (-1.74, Step.AIM_FAR_RIGHT)])
def test_a_nose_far_beyond_the_far_ring_points_at_no_target(rings: float, target: Step | None) -> None:
    assert aimed_at(Aim(rings * YAW_FAR, 0.0)) is target


@pytest.mark.parametrize(
    ("size", "step"),
    [(0.0, None), (-1.0, None), (0.01, Step.MOVE_AWAY_A_LOT), (9.9, Step.MOVE_CLOSER_A_LOT), (10.0, None)],
)
def test_a_size_that_no_face_can_have_is_no_distance(size: float, step: Step | None) -> None:
    assert size_meant(size) is step
