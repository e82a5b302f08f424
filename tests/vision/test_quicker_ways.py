"""What is worked out in a quicker way comes out as it does in the plain one."""

import itertools
from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.support.faces import a_live_sequence
from truename.vision.captures import FaceTemplate
from truename.vision.decoding.pixels import decode
from truename.vision.document.authenticity.pixels import _grain
from truename.vision.document.mrz.rows import _means_of_parts
from truename.vision.document.page.outline import _slopes
from truename.vision.face.embed import cosine, cosines_in_turn
from truename.vision.images import (
    averaged,
    median_of,
    percentile_of_bytes,
    percentiles_of_bytes,
    strengths_of_waves,
)
from truename.vision.liveness.best_plane import ROUNDS, best_plane
from truename.vision.liveness.parallax import MAX_LIKENESS, _inside
from truename.vision.liveness.texture import _power
from truename.vision.liveness.views import View

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize("side", [64, 100, 256])
def test_the_strength_of_waves_is_that_of_the_whole_transform(side: int):
    part = RANDOM.normal(size=(side, side))

    whole = np.fft.fftshift(np.fft.fft2(part))

    assert_allclose(_power(part), whole.real**2 + whole.imag**2, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", [(8, 8), (64, 96), (512, 512)])
def test_the_strength_of_waves_is_that_of_half_a_transform(shape: tuple[int, int]) -> None:
    part = RANDOM.normal(size=shape)
    few = part.astype(np.float32)

    assert_allclose(strengths_of_waves(part), np.abs(np.fft.rfft2(part)), rtol=1e-9, atol=1e-9)
    assert_allclose(strengths_of_waves(few), np.abs(np.fft.rfft2(few)), rtol=1e-5, atol=1e-3)


def test_the_best_plane_is_on_the_same_side_of_the_limit_as_after_all_rounds() -> None:
    frames = [cv2.cvtColor(decode(frame.image), cv2.COLOR_RGB2GRAY) for frame in a_live_sequence()]
    first, *others = (
        np.asarray(cv2.resize(one, (96, 128), interpolation=cv2.INTER_AREA), np.float32) for one in frames
    )
    ways = [np.array([[1, 0.01, by], [0, 1.01, -by], [2e-5 * by, 0, 1]]) for by in (0.5, 1.0, 2.0)]
    flat = [np.asarray(cv2.warpPerspective(first, way, (96, 128), borderMode=cv2.BORDER_REPLICATE)) for way in ways]
    mask, stop = np.ones(first.shape, np.uint8), (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, ROUNDS, 1e-4)

    for second in [*flat, *others]:
        start = np.eye(3, dtype=np.float32)
        whole, _ = cv2.findTransformECC(first, second, start, cv2.MOTION_HOMOGRAPHY, stop, mask, 3)
        assert (best_plane(first, np.asarray(second, np.float32), mask, MAX_LIKENESS) > MAX_LIKENESS) == (
            whole > MAX_LIKENESS
        )


def test_cosines_in_turn_are_those_of_each_pair() -> None:
    made = [FaceTemplate(tuple(vector / np.linalg.norm(vector)), "one") for vector in RANDOM.normal(size=(5, 40))]

    to_first, to_next = cosines_in_turn(made[0], made)

    assert_allclose(to_first, [cosine(made[0], one) for one in made])
    assert_allclose(to_next, [cosine(one, other) for one, other in itertools.pairwise(made)])
    with pytest.raises(ValueError, match="different models"):
        cosines_in_turn(made[0], [FaceTemplate(made[1].vector, "another")])


def test_what_lies_inside_is_what_a_warp_of_the_whole_picture_shows():
    for _ in range(60):
        height, width = (int(side) for side in RANDOM.integers(60, 700, 2))
        size = (int(RANDOM.integers(50, 240)), int(RANDOM.integers(50, 240)))
        scale, shift = RANDOM.uniform(0.3, 2), RANDOM.uniform(-100, 150, 2)
        matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1]])
        seen = cast(View, SimpleNamespace(picture=np.zeros((height, width, 3), np.uint8)))  # nothing else is looked at

        shown = cv2.warpPerspective(np.ones((height, width), np.uint8), matrix, size, flags=cv2.INTER_NEAREST)

        assert_array_equal(_inside(seen, matrix, size), cv2.erode(shown, np.ones((5, 5), np.uint8)) > 0)


def test_grain_is_that_of_the_whole_operator():
    grey = RANDOM.integers(0, 256, (60, 80), np.uint8)
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6

    assert_allclose(_grain(grey), np.abs(cv2.filter2D(grey, cv2.CV_32F, kernel)), atol=1e-4)


def test_slopes_in_whole_numbers_are_those_in_floats():
    lab = RANDOM.integers(0, 256, (60, 80, 3), np.uint8)
    for channel, scale in ((0, 1 / 8), (2, 2 / 8)):
        x, y, steep = _slopes(lab, channel, scale)

        plane = np.ascontiguousarray(lab[..., channel])
        assert_array_equal(x, cv2.Sobel(plane, cv2.CV_32F, 1, 0, ksize=3, scale=scale))
        assert_array_equal(y, cv2.Sobel(plane, cv2.CV_32F, 0, 1, ksize=3, scale=scale))
        assert_array_equal(steep, x * x + y * y)


def test_means_of_parts_are_those_of_each_part_by_itself():
    ink = RANDOM.uniform(0, 90, (20, 173)).astype(np.float32)

    alone = [part.mean(1) for part in np.array_split(ink, 8, axis=1)]

    assert_allclose(_means_of_parts(ink, 8), alone, rtol=1e-5)


@given(
    st.integers(0, 2**32 - 1), st.tuples(st.integers(3, 90), st.integers(3, 90)), st.tuples(*[st.integers(1, 90)] * 2)
)
def test_an_averaged_picture_is_the_mean_of_what_each_pixel_covers(
    seed: int, shape: tuple[int, int], size: tuple[int, int]
) -> None:
    for colours in ((), (3,)):
        picture = np.random.default_rng(seed).integers(0, 256, (*shape, *colours), np.uint8)
        wanted = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        found = averaged(picture, size)
        assert found.shape == wanted.shape
        assert np.abs(found.astype(int) - wanted).max() <= 1
    assert not cv2.ipp.useIPP_NotExact()


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60))
def test_the_median_by_sorting_is_that_of_numpy(values: list[float]) -> None:
    of = np.array(values, np.float32)
    assert median_of(of) == float(np.median(of))
    assert median_of(of[:, None]) == float(np.median(of))


@given(st.binary(min_size=1, max_size=80), st.floats(0, 100))
def test_percentiles_by_counting_are_those_of_numpy(data: bytes, percent: float) -> None:
    of = np.frombuffer(data, np.uint8)
    wanted = np.percentile(of, [percent, 50])
    assert np.allclose(percentiles_of_bytes(of, percent, 50), wanted)
    assert percentile_of_bytes(of, percent) == percentiles_of_bytes(of, percent)[0]
