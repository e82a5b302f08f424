"""Pictures that are compared under many shifts at once come out as if they were compared one by one."""

import numpy as np
from numpy.testing import assert_allclose

from truename.vision.liveness.shifted import compare

SHIFTS = [(down, right) for down in (-2, 0, 1) for right in (-1, 0, 2)]
RANDOM = np.random.default_rng(4)
STILL = RANDOM.uniform(0, 255, (30, 40)).astype(np.float32)
WHERE = np.zeros((30, 40), bool)
WHERE[3:20, 4:30] = RANDOM.uniform(size=(17, 26)) < 0.6


def test_each_shift_has_the_correlation_that_numpy_finds_for_it():
    moved = (STILL + RANDOM.normal(0, 60, STILL.shape)).astype(np.float32)

    found = compare(STILL, WHERE, moved, SHIFTS)

    wanted = [np.corrcoef(STILL[WHERE], np.roll(moved, shift, (0, 1))[WHERE])[0, 1] for shift in SHIFTS]
    assert_allclose(found.likeness, wanted, atol=1e-9)
    assert (found.count == WHERE.sum()).all()


def test_what_a_larger_picture_does_not_show_is_not_compared():
    rim = 2
    moved = RANDOM.uniform(0, 255, (30 + 2 * rim, 40 + 2 * rim)).astype(np.float32)
    seen = RANDOM.uniform(size=moved.shape) < 0.5

    found = compare(STILL, WHERE, moved, SHIFTS, seen)

    for number, (down, right) in enumerate(SHIFTS):
        part = np.s_[rim - down : rim - down + 30, rim - right : rim - right + 40]
        both = WHERE & seen[part]
        one, other = STILL[both], moved[part][both]
        assert found.count[number] == both.sum()
        assert_allclose(found.likeness[number], np.corrcoef(one, other)[0, 1], atol=1e-9)
        assert_allclose(found.contrast[number], min(one.std(), other.std()), rtol=1e-5)


def test_a_picture_of_one_colour_is_like_nothing():
    assert (compare(STILL, WHERE, np.full_like(STILL, 90), SHIFTS).likeness == 0).all()


def test_where_there_is_nothing_to_compare_nothing_is_alike():
    nowhere = np.zeros_like(WHERE)
    for found in (
        compare(STILL, nowhere, STILL, SHIFTS),
        compare(STILL, nowhere, STILL, SHIFTS, np.ones_like(WHERE)),
    ):
        assert (found.likeness == 0).all()
        assert (found.count == 0).all()
