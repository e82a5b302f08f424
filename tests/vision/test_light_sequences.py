"""Every sequence of colours is tried; the one that was shown leaves nothing over."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.light_sequences import SHOWABLE, possible_sequences, unexplained

Sequence = tuple[tuple[int, int, int], ...]
sequences = st.permutations(list(COLOURS.values())).map(lambda order: tuple(order[:4]))
gains = st.lists(st.floats(0.02, 1), min_size=3, max_size=3).map(np.array)


def tints(shown: Sequence, by: np.ndarray) -> np.ndarray:
    return np.array([[red - green, blue - green] for red, green, blue in np.array(shown) * by]) + 0.4


@given(sequences, gains)
def test_the_sequence_that_was_shown_explains_every_change(shown: Sequence, by: np.ndarray):
    left = unexplained(tints(shown, by), shown)
    assert left.asked < 1e-9
    assert left.best < 1e-9


@given(sequences, sequences, gains)
def test_no_sequence_explains_less_than_one_of_all(shown: Sequence, asked: Sequence, by: np.ndarray):
    left = unexplained(tints(shown, by), asked)
    assert left.best <= left.asked + 1e-12
    assert left.best < 1e-9


@given(sequences, gains)
def test_light_that_is_taken_away_is_explained_only_where_the_room_may_have_more_of_it(shown: Sequence, by: np.ndarray):
    assert unexplained(tints(shown, -by), shown).asked > 1e-5
    assert unexplained(tints(shown, -by), shown, either_way=True).asked < 1e-9


def test_every_colour_of_the_page_and_none_can_be_shown_in_any_step():
    assert {*SHOWABLE} == {*COLOURS.values(), (0, 0, 0)}
    assert possible_sequences(3) == len(list(product(SHOWABLE, repeat=3)))
