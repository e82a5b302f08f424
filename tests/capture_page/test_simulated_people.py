"""Simulated people before the page's own guidance; `python -m benchmarks.guidance` has more people and phones."""

import pytest
from benchmarks.guidance import visits

from truename.capture.challenge import FRAMES_MAX, FRAMES_MIN


@pytest.mark.parametrize("phone", [40, 350, 700])
def test_people_are_led_through_a_challenge_and_not_sent_back(phone: int) -> None:
    """Before pictures were taken while one is measured, a phone that takes 350 ms sent every second one back."""
    told = visits(40, 7, [phone])[phone]
    assert all(one.finished for one in told)
    assert sum(one.sent_back for one in told) <= 2
    assert all(FRAMES_MIN <= one.frames <= FRAMES_MAX for one in told)
