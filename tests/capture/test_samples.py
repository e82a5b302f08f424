"""Can an integrator's test draw a person who does what is asked, as often as it likes?"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.samples import head_frames

from truename.capture.fingerprints import are_replayed, fingerprint
from truename.vision.captures import Step
from truename.vision.decoding.pixels import decode

ASKED = (Step.LOOK_STRAIGHT, Step.MOVE_AWAY)


@pytest.mark.slow
def test_another_take_is_another_recording_and_the_same_take_is_a_replay() -> None:
    first, second = ([fingerprint(decode(frame.image)) for frame in head_frames(ASKED, take)[::3]] for take in (1, 2))
    assert not are_replayed(second, first)
    assert are_replayed(first, first)


@pytest.mark.slow
def test_a_challenge_of_the_service_is_drawn_step_by_step_and_ready_to_send(tmp_path: Path) -> None:
    challenge = {"nonce": "abc", "steps": [str(step) for step in ASKED], "seconds": 90}
    subprocess.run(
        [sys.executable, "-m", "benchmarks.samples", str(tmp_path), "--challenge", json.dumps(challenge)], check=True
    )
    body = json.loads((tmp_path / "liveness.json").read_text())
    assert body["nonce"] == "abc"
    steps = [frame["step"] for frame in body["frames"]]
    assert sorted(set(steps), key=steps.index) == challenge["steps"]
    assert min(steps.count(step) for step in challenge["steps"]) >= 2
    times = [frame["at_ms"] for frame in body["frames"]]
    assert times == sorted(set(times))


@pytest.mark.slow
def test_other_steps_than_the_service_asked_for_can_be_drawn_to_see_them_refused(tmp_path: Path) -> None:
    """As the page on testing says: the two options were not allowed together, so there was nothing to send."""
    challenge = json.dumps({"nonce": "abc", "steps": [str(step) for step in ASKED]})
    others = ["LOOK_STRAIGHT", "TURN_LEFT"]
    words = [sys.executable, "-m", "benchmarks.samples", str(tmp_path), "--challenge", challenge, "--steps", *others]
    subprocess.run(words, check=True)
    body = json.loads((tmp_path / "liveness.json").read_text())
    assert body["nonce"] == "abc"
    assert {frame["step"] for frame in body["frames"]} == set(others)
