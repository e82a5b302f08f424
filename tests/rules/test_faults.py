"""Is each thing that is wrong with an input told once, and nothing that is not?"""

import pytest
from pydantic import ValidationError

from truename.capture.challenge import FRAMES_MAX, FRAMES_MIN
from truename.capture.model import SentFrames
from truename.rules.faults import faults_of
from truename.vision.captures import Step

GOOD = {"step": Step.LOOK_STRAIGHT.value, "at_ms": 1, "image": "QUJD"}
FAULTY = {**GOOD, "at_ms": -1}


def told(frames: list[dict[str, object]]) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        SentFrames.model_validate({"nonce": "n", "frames": frames})
    return [(fault.pointer, fault.code) for fault in faults_of(caught.value, SentFrames)]


def test_a_list_with_faulty_items_is_called_too_short_only_where_it_is():
    every = [(f"/frames/{number}/at_ms", "number_out_of_range") for number in range(FRAMES_MIN)]
    assert told([FAULTY] * FRAMES_MIN) == every
    assert told([GOOD] * (FRAMES_MIN - 1) + [FAULTY]) == every[-1:]
    assert told([FAULTY]) == [*every[:1], ("/frames", "list_too_short")]
    assert told([GOOD] * (FRAMES_MIN - 1)) == [("/frames", "list_too_short")]


def test_a_list_with_faulty_items_is_called_too_long_beside_them():
    long = ("/frames", "list_too_long")
    assert told([GOOD] * (FRAMES_MAX + 1)) == [long]
    assert told([FAULTY] + [GOOD] * FRAMES_MAX) == [("/frames/0/at_ms", "number_out_of_range"), long]
    assert told([FAULTY] * (FRAMES_MAX + 1))[FRAMES_MAX - 1 :] == [
        (f"/frames/{FRAMES_MAX - 1}/at_ms", "number_out_of_range"),
        long,
    ]
    assert told([FAULTY] * FRAMES_MAX)[-1] != long
