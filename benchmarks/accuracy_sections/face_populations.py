"""Groups of people in whom false matches are counted, and thresholds that are fitted to some and tried on others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_sections.embeddings import Vectors, our_vectors, rows_of
from truename.vision import models
from truename.vision.configuration import FaceRecipe, configuration, configured
from truename.vision.face import sface
from truename.vision.face.calibrate import Pairs, cross_pairs, fit_strictest
from truename.vision.face.embed import SECOND_OPINIONS

Values = NDArray[np.float64]
FOLDS = 10
"""Two of them are left out at a time, so that eight in ten people fit each threshold."""
WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""What the second network may count, of which a fold chooses the best on the other people."""
LIKELY_REPEATS = {FaceRecipe.EDGEFACE: 0.4, FaceRecipe.SFACE_AND_MOBILEFACENET: 0.62}
"""From this cosine on the second network alone takes two adults of UTKFace for one person."""
ALIKE_TO_ITSELF = 0.54
"""The same by the recipe that is judged, where no other network is at hand: this hides false matches above it."""
YOUNGEST, OLDEST = 18, 70


@dataclass(frozen=True)
class Strangers:
    """Pairs of different people: the numbers of their templates, and how alike these are."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    cosines: Values


@dataclass(frozen=True)
class People:
    """Templates with the person that each shows."""

    vectors: Values
    identities: tuple[str, ...]

    def where(self, keep: Sequence[bool]) -> "People":
        """Those for which it holds."""
        chosen = np.asarray(keep, bool)
        kept = tuple(name for name, one in zip(self.identities, chosen, strict=True) if one)
        return People(self.vectors[chosen], kept)

    def pairs(self) -> Pairs:
        """All pairs of them."""
        return cross_pairs(self.vectors, self.identities)

    def strangers(self, some: NDArray[np.bool_], others: NDArray[np.bool_]) -> Strangers:
        """Every pair of different people, one of `some` and one of `others` (who are the same ones or none of them)."""
        names = np.array(self.identities)
        rows, columns = np.flatnonzero(some), np.flatnonzero(others)
        apart = names[rows][:, None] != names[columns][None]
        if np.array_equal(rows, columns):
            apart = np.triu(apart, 1)
        first, second = np.nonzero(apart)
        cosines = (self.vectors[rows] @ self.vectors[columns].T)[first, second]
        return Strangers(rows[first], columns[second], cosines)


def with_weight(vectors: Values, weight: float) -> Values:
    """The same templates, had the second network counted so much."""
    parts = [vectors[:, : sface.NUMBERS], vectors[:, sface.NUMBERS :]]
    units = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in parts]
    return np.hstack([np.sqrt(1 - weight) * units[0], np.sqrt(weight) * units[1]])


def population(folder: Path) -> People:
    """Everybody in a collection that names its people."""
    vectors = our_vectors(folder)
    identity = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
    names = [name for name in vectors if name in identity]
    return People(np.stack([vectors[name] for name in names]), tuple(identity[name] for name in names))


def utkface_adults(folder: Path) -> tuple[People, list[tuple[str, str]], str]:
    """Adults of UTKFace with group (origin, sex) each, likely repeats taken for one person, and who told them.

    The collection names nobody. Pictures that a network outside of the recipe takes for one person count as one, and so
    do pictures that are linked by a third.
    """
    ages = {row["file"]: int(row["age"]) for row in rows_of(folder / "labels.csv")}
    groups = {row["file"]: (row["race"], row["gender"]) for row in rows_of(folder / "labels.csv")}
    vectors = our_vectors(folder)
    names = [name for name in vectors if name in ages and YOUNGEST <= ages[name] <= OLDEST]
    told_by, told, limit = _repeat_finder(folder)
    alike = np.stack([told[name] for name in names])
    people = tuple(str(number) for number in _linked(alike @ alike.T >= limit))
    return People(np.stack([vectors[name] for name in names]), people), [groups[name] for name in names], told_by


def _repeat_finder(folder: Path) -> tuple[str, Vectors, float]:
    """The network that tells repeats: its name, its vectors, and from which cosine on."""
    recipe = configuration().face_recipe
    other = FaceRecipe.SFACE_AND_MOBILEFACENET if recipe is FaceRecipe.EDGEFACE else FaceRecipe.EDGEFACE
    name = SECOND_OPINIONS[other].model
    if not models.model(name).available:
        return "the recipe itself (edgeface is not added)", our_vectors(folder), ALIKE_TO_ITSELF
    with configured(replace(configuration(), face_recipe=other)):
        whole = our_vectors(folder)
    second = {file: vector[sface.NUMBERS :] for file, vector in whole.items()}
    return name, {file: one / np.linalg.norm(one) for file, one in second.items()}, LIKELY_REPEATS[other]


def _linked(same: NDArray[np.bool_]) -> list[int]:
    """A number for each row, the same for rows that are linked, also through others."""
    owner = list(range(len(same)))
    for one, other in zip(*np.nonzero(np.triu(same, 1)), strict=True):
        old, new = owner[int(other)], owner[int(one)]
        owner = [new if number == old else number for number in owner]
    return owner


# ── folds ──────────────────────────────────────────────────────────────────────────────────────────────────


def folds_of(identities: Sequence[str]) -> NDArray[np.int64]:
    """Which fold each picture is in; all pictures of a person are in one."""
    order = {name: number for number, name in enumerate(sorted(set(identities)))}
    shuffled = np.random.default_rng(0).permutation(len(order))
    return np.array([shuffled[order[name]] % FOLDS for name in identities])


def threshold_of(populations: Mapping[str, People], weight: float | None = None) -> float:
    """The cosine of 0.85, fitted to these people as the shipped curve is."""
    shown = {
        name: (people if weight is None else replace(people, vectors=with_weight(people.vectors, weight))).pairs()
        for name, people in populations.items()
    }
    return fit_strictest(shown).anchor.cosine


def out_of_fold(populations: Mapping[str, People]) -> Iterator[tuple[dict[str, Strangers], float]]:
    """Every pair of strangers once, by population, with a threshold in which neither had a say, nor their folds."""
    folds = {name: folds_of(people.identities) for name, people in populations.items()}
    for one, other in combinations_with_replacement(range(FOLDS), 2):
        left = {name: (folds[name] != one) & (folds[name] != other) for name in populations}
        learn = {name: people.where(left[name].tolist()) for name, people in populations.items()}
        tried = {
            name: people.strangers(folds[name] == one, folds[name] == other) for name, people in populations.items()
        }
        yield tried, threshold_of(learn)
