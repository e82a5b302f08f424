"""The figures that a stranger will meet: thresholds and weights are fitted to other people than those counted here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_rows import CHOSEN_HERE, Row, part, share
from benchmarks.accuracy_sections.embeddings import our_vectors, rows_of
from benchmarks.accuracy_sections.face_pairs import people_interval
from benchmarks.accuracy_sections.face_populations import (
    WEIGHTS,
    People,
    out_of_fold,
    population,
    threshold_of,
    utkface_adults,
    with_weight,
)
from truename.rules.strangers import ANCHOR_SCORE
from truename.vision.captures import FaceTemplate
from truename.vision.configuration import FaceRecipe, configuration
from truename.vision.face.compare import curve
from truename.vision.face.embed import mean_template

Values = NDArray[np.float64]
SELFIES = 3
"""So many selfies make one template, as so many frames of the challenge do in the service."""
STRICTER = (0.88, 0.91)
"""Scores that an integrator may ask for instead; the second means one stranger in 100,000."""
GOALS = {
    FaceRecipe.SFACE_AND_MOBILEFACENET: {"selfie_id": 0.10, "portrait26": 0.10, "lfw": 0.015},
    FaceRecipe.EDGEFACE: {"selfie_id": 0.02, "portrait26": 0.08, "lfw": 0.015},
}


def out_of_fold_rows(data: Path) -> list[Row]:
    """False matches and refusals of every population, each counted at a threshold that other people gave."""
    populations: dict[str, People] = {}
    told_by, groups = "", list[tuple[str, str]]()

    def named(name: str) -> list[Row]:
        populations[name] = population(data / name)
        return []

    def adults() -> list[Row]:
        nonlocal groups, told_by
        populations["utkface_adults"], groups, told_by = utkface_adults(data / "utkface")
        return []

    there = [name for name in ("lfw", "selfie_id", "portrait26") if (data / name).is_dir()]
    rows = [row for name in there for row in part("faces", name, partial(named, name))]
    if (data / "utkface").is_dir():
        rows += part("faces", "utkface adults", adults)
    if not populations:
        return rows
    rows += part("faces", "strangers passing at 0.85", lambda: _false_matches(populations, groups, told_by))
    if groups:
        rows += part("faces", "stricter scores", lambda: _stricter(data, populations["utkface_adults"], groups))
    for name in ("lfw", "portrait26", "selfie_id"):
        if name in populations:
            rows += part("faces", f"{name}: refused", partial(_refusals, data / name, populations))
    return rows


# ── false matches ──────────────────────────────────────────────────────────────────────────────────────────


def _false_matches(populations: Mapping[str, People], groups: list[tuple[str, str]], told_by: str) -> Iterator[Row]:
    """Strangers who pass, of each population and of each group of sex and origin among the adults of UTKFace."""
    shipped = curve().cosine_at(ANCHOR_SCORE)
    counts: dict[str, list[int]] = {}
    alike = [f"utkface adults, {' '.join(group)}: strangers passing" for group in sorted(set(groups))]
    for pairs, threshold in out_of_fold(populations):
        for name, strangers in pairs.items():
            passing = strangers.cosines >= threshold
            _count(counts, name, passing)
            if name == "utkface_adults":
                for number, group in enumerate(sorted(set(groups))):
                    inside = np.array([one == group for one in groups])
                    _count(counts, alike[number], passing[inside[strangers.first] & inside[strangers.second]])
    for name, people in populations.items():
        whole = people.pairs()
        low, high = people_interval(whole, shipped)
        in_fold = float(np.mean(whole.impostor >= shipped))
        note = f"in fold {100 * in_fold:.4f} % ({100 * low:.4f}–{100 * high:.4f}) of {len(whole.impostor):,} pairs"
        note += f"; repeats told by {told_by}" if name == "utkface_adults" else ""
        yield share("faces", f"{name}: strangers passing at 0.85", *counts[name], at_most=1e-4, note=note)
    if groups:
        yield from (share("faces", measure, *counts[measure]) for measure in alike)
        hits, tried = (sum(counts[measure][place] for measure in alike) for place in (0, 1))
        yield share("faces", "utkface adults, one sex and origin: strangers passing", hits, tried, note="all groups")


def _count(counts: dict[str, list[int]], measure: str, passing: NDArray[np.bool_]) -> None:
    hits, tried = counts.setdefault(measure, [0, 0])
    counts[measure] = [hits + int(passing.sum()), tried + len(passing)]


def _stricter(data: Path, adults: People, groups: list[tuple[str, str]]) -> Iterator[Row]:
    """What an integrator gets who asks for more than 0.85: strangers who resemble the victim, and who is refused."""
    everybody = np.ones(len(groups), bool)
    strangers = adults.strangers(everybody, everybody)
    group = np.array([" ".join(one) for one in groups])
    alike = strangers.cosines[group[strangers.first] == group[strangers.second]]
    for score in STRICTER:
        threshold = curve().cosine_at(score)
        measure = f"asked for {score}: utkface adults of one sex and origin passing"
        yield share("faces", measure, int(np.sum(alike >= threshold)), len(alike), note=CHOSEN_HERE)
        for name, selfies in (("lfw", 1), ("portrait26", 1), ("selfie_id", SELFIES)):
            if (data / name).is_dir():
                genuine = _genuine(data / name, selfies)
                hits, n = genuine.refused(threshold, None) + genuine.lost, len(genuine.identities) + genuine.lost
                against = f" (portrait against the mean of {selfies} selfies)" if selfies > 1 else ""
                yield share("faces", f"asked for {score}: {name} refused{against}", hits, n, note=CHOSEN_HERE)


# ── refusals ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Genuine:
    """Pairs of one person each: their templates, and whose they are."""

    first: Values
    second: Values
    identities: tuple[str, ...]
    lost: int
    """Pairs in which a face was not found: refused, whatever the threshold."""

    def refused(self, threshold: float, weight: float | None, who: str | None = None) -> int:
        """How many are refused; of one person, or of everybody."""
        one, other = (part if weight is None else with_weight(part, weight) for part in (self.first, self.second))
        wrong = (one * other).sum(1) < threshold
        return int(np.sum(wrong & np.array([who is None or name == who for name in self.identities])))


def _genuine(folder: Path, selfies: int = 1) -> Genuine:
    """The genuine pairs that a collection lists; with several selfies, the portrait against their mean."""
    vectors = our_vectors(folder)
    identity = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
    listed = [
        (row["file1"], row["file2"])
        for row in rows_of(folder / "pairs.csv")
        if row["same"] == "1" and row.get("kind", "id-selfie") == "id-selfie"
    ]
    found = [(one, other) for one, other in listed if one in vectors and other in vectors]
    seconds = [vectors[other] for _, other in found]
    if selfies > 1:
        of = {one: [other for first, other in found if first == one] for one, _ in found}
        seconds = [_mean(vectors, _around(of[one], other, selfies)) for one, other in found]
    first = np.stack([vectors[one] for one, _ in found])
    return Genuine(first, np.stack(seconds), tuple(identity[one] for one, _ in found), len(listed) - len(found))


def _around(files: list[str], first: str, count: int) -> list[str]:
    """So many files, from the first one on and around."""
    start = files.index(first)
    return [files[(start + step) % len(files)] for step in range(min(count, len(files)))]


def _mean(vectors: Mapping[str, Values], files: list[str]) -> Values:
    return np.array(mean_template([FaceTemplate(tuple(vectors[file].tolist()), "") for file in files]).vector)


def _refusals(folder: Path, populations: Mapping[str, People]) -> Iterator[Row]:
    goal = GOALS[configuration().face_recipe][folder.name]
    others = {name: people for name, people in populations.items() if name != folder.name}
    yield _refusal(folder, f"{folder.name}: genuine pairs refused at 0.85", _genuine(folder), others, goal)
    if folder.name == "selfie_id":
        measure = f"selfie_id: portrait against the mean of {SELFIES} selfies, refused at 0.85"
        yield _refusal(folder, measure, _genuine(folder, SELFIES), others, goal)


def _refusal(folder: Path, measure: str, genuine: Genuine, others: Mapping[str, People], goal: float) -> Row:
    """Each person by the threshold and the weight that other people gave."""
    shipped = curve().cosine_at(ANCHOR_SCORE)
    inside = genuine.refused(shipped, None) + genuine.lost
    n = len(genuine.identities) + genuine.lost
    note = f"in fold {100 * inside / n:.1f} %; {len(set(genuine.identities))} people"
    if configuration().face_recipe is not FaceRecipe.SFACE_AND_MOBILEFACENET:
        threshold = threshold_of(others)
        return share("faces", measure, genuine.refused(threshold, None) + genuine.lost, n, at_most=goal, note=note)
    thresholds = {weight: threshold_of(others, weight) for weight in WEIGHTS}
    total = {weight: genuine.refused(thresholds[weight], weight) for weight in WEIGHTS}
    hits = genuine.lost
    for person in sorted(set(genuine.identities)):
        own = {weight: genuine.refused(thresholds[weight], weight, person) for weight in WEIGHTS}
        best = min(WEIGHTS, key=lambda weight: (total[weight] - own[weight], abs(weight - 0.3)))
        hits += own[best]
    return share("faces", measure, hits, n, at_most=goal, note=note)
