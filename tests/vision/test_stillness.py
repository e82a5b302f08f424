"""A head that has not moved between two frames: copies, whatever was laid over them, and how far others moved."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from tests.support import faces
from truename.vision.captures import Frame, Picture
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.repeats import STANDS_STILL, find_repeats
from truename.vision.liveness.stillness import movement
from truename.vision.liveness.views import View, view, view_all


def under_noise(levels: float, softened: float, seed: int = 1) -> Callable[[Picture], Picture]:
    """So many grey levels of noise, softened by so many pixels."""
    noise = cv2.GaussianBlur(
        np.random.default_rng(seed).normal(0, 1, (640, 480, 3)).astype(np.float32), (0, 0), softened
    )
    return lambda picture: np.clip(picture + noise * (levels / noise.std()), 0, 255).astype(np.uint8)


def lit_from_one_side(picture: Picture) -> Picture:
    return np.clip(picture * np.linspace(0.9, 1.2, picture.shape[1])[None, :, None], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("change", [under_noise(3, 1.5), under_noise(3, 3.0), lit_from_one_side])
def test_a_frame_repeated_under_softened_noise_or_another_light_is_a_copy(change: Callable[[Picture], Picture]):
    frames = faces.a_live_sequence(faces.TURNS)[:4]
    copied = [*frames[:2], replace(frames[2], image=encode_jpeg(change(decode(frames[1].image)), 90)), frames[3]]
    for sent, found in ((copied, ((1, 2),)), (frames, ())):
        pictures = [decode(frame.image) for frame in sent]
        assert find_repeats(sent, pictures, view_all(sent, pictures)).pairs == found


@lru_cache(maxsize=1)
def held() -> View:
    found = view(faces.framed_still(None, (360, 480), 0.38))
    assert isinstance(found, View)
    return found


def moved(right: float, picture: Picture | None = None) -> View:
    """The same, all of it farther to the right by a part of a pixel."""
    still = held().picture if picture is None else picture
    made = (1 - right) * still + right * np.roll(still, 1, axis=1)
    return replace(held(), picture=np.rint(made).astype(np.uint8))


@pytest.mark.parametrize("pixels", [0.0, 0.1, 0.4, 1.0])
def test_small_movements_are_measured(pixels: float):
    measured = movement(held(), moved(pixels))
    assert measured is not None
    assert measured * held().face.box[2] == pytest.approx(pixels, rel=0.05, abs=0.01)


@pytest.mark.parametrize(("share", "stands"), [(0.8, True), (1.2, False)])
def test_a_head_stands_still_below_a_limit(share: float, stands: bool):
    """Whichever light falls on it in the second frame."""
    there = moved(share * STANDS_STILL * held().face.box[2], lit_from_one_side(held().picture))
    frames = [Frame(encode_jpeg(one.picture, 95), one.step, at) for at, one in enumerate((held(), there))]
    found = find_repeats(frames, [held().picture, there.picture], [held(), there])
    assert found.found is stands


def test_nothing_is_said_of_faces_that_plainly_moved_or_are_too_small_or_in_pictures_of_other_sizes():
    one = held()
    left, top, wide, tall = one.face.box
    far = replace(one, face=replace(one.face, box=(left + 0.07 * wide, top, wide, tall)))
    small = replace(one, face=replace(one.face, box=(left, top, 30.0, 40.0)))
    other_size = replace(one, picture=one.picture[:-1])
    assert movement(one, far) is movement(small, small) is movement(one, other_size) is None
