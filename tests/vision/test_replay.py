"""A recording that was sent before is known whatever was done to it; another take of the same person is not.

Measured by `python -m benchmarks.replays`, in hundredths of the face's width: replays lie at most 0.22 from one warp,
other takes of the same head, which follows the same steps before a wall that never moves, at least 0.58.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from tests.support import faces
from tests.support.replay_changes import CHANGES, shaken
from truename.sandbox.drawing.heads import head_recording
from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.replay import (
    NOTHING_TO_COMPARE,
    SAME_ROOM,
    SAME_WARP,
    Difference,
    Grey,
    difference,
    is_replay,
    small_grey,
)

TAKES = 3
REPLAYS_AT_MOST, OTHERS_AT_LEAST = 0.3, 0.5
TRIED = (
    ("compressed again",),
    ("cut by 12 % all around", "lit from one side"),
    ("shifted, what leaves at one edge coming in at the other", "softer and darker"),
    ("turned by fifteen degrees", "through a poor lens"),
    ("upside down", "in a drawn frame"),
    ("mirrored, and cut", "gamma 1.6"),
    ("with a sticker", "seen from aside"),
    ("all at once",),
)
"""Two at a time, to draw less; the benchmark tries each, and more of them."""


@cache
def take(seed: int) -> list[Picture]:
    """Before a background that never moves, by a head that makes for the same poses: as like as takes can be."""
    return [decode(frame.image) for frame in head_recording(faces.TURNS, seed, 0.38, size=(300, 400))]


def greys(pictures: list[Picture], quality: int) -> list[Grey]:
    return [small_grey(decode(encode_jpeg(picture, quality))) for picture in pictures]


@cache
def sent(seed: int) -> list[Grey]:
    return [small_grey(picture) for picture in take(seed)]


@pytest.mark.parametrize("names", TRIED, ids=" and ".join)
@pytest.mark.slow
def test_a_recording_is_known_whatever_was_done_to_it(names):
    pictures = take(0)
    for name in names:
        pictures = [CHANGES[name](picture) for picture in pictures]
    assert difference(greys(pictures, 70), sent(0)).from_warp < REPLAYS_AT_MOST < SAME_WARP


@pytest.mark.slow
def test_a_recording_is_known_when_each_frame_was_shifted_by_itself_or_half_of_them_left_out():
    for pictures in (shaken(take(0)), take(0)[::2]):
        assert difference(greys(pictures, 70), sent(0)).from_room < SAME_ROOM


@pytest.mark.slow
def test_a_recording_is_known_in_whichever_order_it_is_sent_and_among_frames_of_another_take():
    """A challenge begins with a straight look, and so does whatever is sent for it."""
    first, second = take(0), take(1)
    backwards = [*first[:3], *first[:2:-1]]
    half = [*first[: len(first) // 2], *second[len(second) // 2 :]]
    for pictures in (backwards, [picture[9:-14, 11:-6] for picture in backwards], half):
        assert is_replay(greys(pictures, 70), sent(0))


@pytest.mark.slow
def test_no_take_of_the_same_person_is_taken_for_another():
    found = [difference(sent(one), sent(other)) for one, other in combinations(range(TAKES), 2)]
    assert min(one.from_warp for one in found) > OTHERS_AT_LEAST > SAME_WARP
    assert not any(one.is_replay for one in found)


def test_nothing_is_no_replay():
    nothing, noise = np.zeros((3, 3), np.uint8), np.random.default_rng(0).integers(0, 255, (96, 128), np.uint8)
    for new, earlier in (([], [noise]), ([noise], []), ([nothing], [nothing]), ([noise], [noise] * 8)):
        assert not is_replay(new, earlier)


def test_a_replay_lies_near_one_warp_or_near_its_room():
    far = float("inf")
    assert Difference(0.39, far).is_replay
    assert Difference(far, 0.24).is_replay
    assert not Difference(0.41, 0.26).is_replay


@pytest.mark.slow
def test_of_fewer_than_four_earlier_frames_nothing_is_said():
    """For any two pictures of a face some warp can be found."""
    assert difference(sent(0), sent(0)[:3]) == NOTHING_TO_COMPARE
    assert is_replay(sent(0), sent(0)[:4])
