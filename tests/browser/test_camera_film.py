"""The film before the camera of the browser tests must not be what the service is right to refuse."""

import numpy as np

from tests.support.camera import FPS, LOOP, hand_at


def test_the_hand_is_nowhere_twice_and_never_leaps() -> None:
    """Of two minutes, and where the film is written anew: nearer than by a fifth of a pixel it is one picture twice."""
    places = np.array([hand_at(index) for index in range(120 * FPS)])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    apart[np.diag_indices(len(places))] = np.inf
    assert apart.min() > 0.2
    assert max(apart[index, index + 1] for index in range(len(places) - 1)) < 1.0
    assert max(apart[index, index + LOOP] for index in range(len(places) - LOOP)) < 6.0
