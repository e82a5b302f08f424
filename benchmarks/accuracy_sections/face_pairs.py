"""Pairs of photographs with the cosine of their templates, and what is counted over them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_sections.embeddings import Vectors, rows_of
from truename.reviews.agreement import wilson
from truename.vision.face.calibrate import Pairs, cross_pairs

Values = NDArray[np.float64]
REPEATS = 300


@dataclass(frozen=True)
class Scored:
    """Listed pairs with their cosine; None where a face was missing on either side."""

    rows: list[dict[str, str]]
    cosines: Values
    """NaN where a face is missing."""
    same: NDArray[np.bool_]

    def where(self, **wanted: str) -> "Scored":
        keep = [all(row[name] == value for name, value in wanted.items()) for row in self.rows]
        chosen = np.array(keep, bool)
        return Scored(
            [row for row, kept in zip(self.rows, keep, strict=True) if kept], self.cosines[chosen], self.same[chosen]
        )


def scored_pairs(pairs: Path, vectors: Vectors) -> Scored:
    rows = rows_of(pairs)
    cosines = [_cosine(vectors.get(row["file1"]), vectors.get(row["file2"])) for row in rows]
    return Scored(rows, np.array(cosines), np.array([row["same"] == "1" for row in rows]))


def _cosine(one: Values | None, other: Values | None) -> float:
    return float("nan") if one is None or other is None else float(one @ other)


def refused(scored: Scored, threshold: float) -> tuple[int, int]:
    """Genuine pairs below the threshold; a missing face is a refusal."""
    genuine = scored.cosines[scored.same]
    return int(np.sum(~(genuine >= threshold))), len(genuine)


def passing_pairs(scored: Scored, threshold: float) -> tuple[int, int]:
    impostor = scored.cosines[~scored.same]
    return int(np.sum(impostor >= threshold)), len(impostor)


def crossed_pairs(folder: Path, vectors: Vectors) -> Pairs:
    identity = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
    names = [name for name in vectors if name in identity]
    return cross_pairs(np.stack([vectors[name] for name in names]), [identity[name] for name in names])


def accuracy(scored: Scored) -> tuple[int, int]:
    """Pairs judged rightly, each fold by the threshold that is best on the other folds."""
    folds = np.array([row["fold"] for row in scored.rows])
    cosines = np.nan_to_num(scored.cosines, nan=-9.0)
    right = 0
    for fold in sorted(set(folds)):
        inside = folds == fold
        learn = ~inside if np.any(~inside) else inside
        grid = np.unique(cosines[learn])
        hits = [np.mean((cosines[learn] >= t) == scored.same[learn]) for t in grid]
        # The middle of the best plateau, not its edge.
        best = float(np.median(grid[np.flatnonzero(np.array(hits) == max(hits))]))
        right += int(np.sum((cosines[inside] >= best) == scored.same[inside]))
    return right, len(cosines)


def people_interval(pairs: Pairs, threshold: float) -> tuple[float, float]:
    """95 % interval of the share that passes, by drawing people anew: pairs that share a person are not independent."""
    people = int(pairs.people.max()) + 1
    of = pairs.people[pairs.impostor >= threshold]
    if not len(of):
        return wilson(0, len(pairs.impostor))
    random = np.random.default_rng(0)
    rates = []
    for _ in range(REPEATS):
        counts = np.bincount(random.integers(0, people, people), minlength=people)
        rates.append(float((counts[of[:, 0]] * counts[of[:, 1]]).sum()) / len(pairs.impostor))
    return float(np.quantile(rates, 0.025)), float(np.quantile(rates, 0.975))
