"""A recording that was cut, shifted or compressed again is known; another take of the same person is not."""

from functools import cache
from itertools import permutations

import cv2
import numpy as np
import pytest

from tests.support import faces
from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.replay import Grey, is_replay, small_grey

TAKES = 3


@cache
def take(seed: int) -> list[Picture]:
    """Before a background that never moves, by a head that makes for the same poses: as like as takes can be."""
    return [decode(frame.image) for frame in faces.a_live_sequence(faces.TURNS, seed)]


def greys(pictures: list[Picture], quality: int = 85) -> list[Grey]:
    return [small_grey(decode(encode_jpeg(picture, quality))) for picture in pictures]


def cut(left: int, top: int, right: int, bottom: int):
    return lambda picture: np.ascontiguousarray(
        picture[top : picture.shape[0] - bottom, left : picture.shape[1] - right]
    )


def warped(matrix: list[list[float]]):
    def warp(picture: Picture) -> Picture:
        size = picture.shape[1], picture.shape[0]
        return np.asarray(
            cv2.warpAffine(picture, np.array(matrix, np.float32), size, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    return warp


def noisy(picture: Picture) -> Picture:
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


CHANGES = {
    "compressed again": lambda picture: picture,
    "cut by 4 pixels": cut(4, 4, 4, 4),
    "cut by 20 pixels": cut(20, 20, 20, 20),
    "cut at one corner": cut(16, 8, 0, 0),
    "shifted": warped([[1, 0, 6], [0, 1, 6]]),
    "turned by two degrees": warped(cv2.getRotationMatrix2D((240, 320), 2, 1).tolist()),
    "made smaller": lambda picture: cv2.resize(picture, (360, 480), interpolation=cv2.INTER_AREA),
    "softer and darker": lambda picture: cv2.GaussianBlur((picture * 0.85).astype(np.uint8), (0, 0), 1.5),
    "its shades bent": lambda picture: (255 * (picture / 255.0) ** 0.7).astype(np.uint8),
    "cut, and noise added": lambda picture: noisy(cut(4, 4, 4, 4)(picture)),
    "shifted, what leaves at one edge coming in at the other": lambda picture: np.roll(picture, (40, 120), axis=(0, 1)),
    "mirrored, and cut": lambda picture: np.ascontiguousarray(cut(8, 4, 4, 4)(picture)[:, ::-1]),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.slow
def test_a_recording_is_known_whatever_was_done_to_it(name):
    changed = greys([CHANGES[name](picture) for picture in take(0)], 70)
    assert is_replay(changed, greys(take(0)))


@pytest.mark.slow
def test_no_take_of_the_same_person_is_taken_for_another():
    seen = [greys(take(seed)) for seed in range(TAKES)]
    assert [pair for pair in permutations(range(TAKES), 2) if is_replay(seen[pair[0]], seen[pair[1]])] == []


@pytest.mark.slow
def test_another_take_is_another_take():
    assert not is_replay(greys(take(1)), greys(take(0)))


def test_nothing_is_no_replay():
    assert not is_replay([], greys(take(0)))
    assert not is_replay(greys(take(0)[:2]), [])
    assert not is_replay([np.zeros((3, 3), np.float32)], [np.zeros((3, 3), np.float32)])
