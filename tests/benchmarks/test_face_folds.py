"""Are strangers counted by thresholds in which they had no say, and each pair of them once?"""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from benchmarks.accuracy_sections.face_populations import (
    FOLDS,
    People,
    Strangers,
    folds_of,
    out_of_fold,
    threshold_of,
)

pytestmark = pytest.mark.slow

NUMBERS = 32


@pytest.fixture(scope="module")
def populations() -> dict[str, People]:
    """Invented people of two populations, two templates each."""
    random = np.random.default_rng(5)
    return {name: _invented(random, count) for name, count in (("many", 220), ("few", 23))}


def _invented(random: np.random.Generator, count: int) -> People:
    middles = random.normal(size=(count, NUMBERS)).repeat(2, axis=0)
    vectors = middles + 0.3 * random.normal(size=middles.shape)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return People(units, tuple(str(number) for number in np.arange(count).repeat(2)))


@pytest.fixture(scope="module")
def counted(populations: dict[str, People]) -> list[tuple[dict[str, Strangers], float]]:
    """All of it, once: each of the 55 thresholds is fitted to tens of thousands of pairs."""
    return list(out_of_fold(populations))


def test_every_pair_of_strangers_is_counted_once_with_its_own_likeness(populations, counted):
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in populations}
    for pairs, _ in counted:
        for name, strangers in pairs.items():
            found[name] += zip(
                np.minimum(strangers.first, strangers.second).tolist(),
                np.maximum(strangers.first, strangers.second).tolist(),
                strict=True,
            )
            vectors = populations[name].vectors
            assert np.allclose(strangers.cosines, (vectors[strangers.first] * vectors[strangers.second]).sum(1))
    for name, people in populations.items():
        apart = (
            pair
            for pair in combinations(range(len(people.identities)), 2)
            if people.identities[pair[0]] != people.identities[pair[1]]
        )
        assert sorted(found[name]) == list(apart)


def test_neither_of_two_strangers_has_a_say_in_their_threshold(populations, counted):
    folds = {name: folds_of(people.identities) for name, people in populations.items()}
    assert len(counted) == len(list(combinations_with_replacement(range(FOLDS), 2)))
    for pairs, threshold in counted[::11]:
        strangers = pairs["many"]
        theirs = set(folds["many"][strangers.first]) | set(folds["many"][strangers.second])
        others = {
            name: people.where([fold not in theirs for fold in folds[name]]) for name, people in populations.items()
        }
        assert threshold == threshold_of(others)
