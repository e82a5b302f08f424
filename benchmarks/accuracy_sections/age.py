"""Age and gender from one photograph: mean error at 18–65, and how many of those under 16 look 18.

The networks are others' and know none of these people; what was chosen here are the chips that an estimate is averaged
over (`LOOKS`). They are chosen anew by the people of other folds than those counted.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.accuracy_rows import LeftOut, Row, bounded, part, share
from benchmarks.accuracy_sections.embeddings import rows_of, the_subject
from truename.rules.evidence import SelfieEstimate
from truename.vision.decoding.pixels import decode
from truename.vision.face.attributes import LOOKS, estimate
from truename.vision.face.mesh import mesh

MOST_ERROR = 6.5
COLLECTIONS = ("utkface", "portrait26")
LOOKS_TRIED = (LOOKS, (1.0,), (0.9, 1.0, 1.1))
"""Scales of the chips, the shipped ones first."""
FOLDS = 5


@dataclass(frozen=True)
class _Labelled:
    age: float
    gender: str
    person: str
    estimates: tuple[SelfieEstimate, ...]
    """By the chips that were tried, the shipped ones first; empty when there is no face in the picture."""


@dataclass(frozen=True)
class _Seen:
    age: float
    gender: str
    guess: SelfieEstimate

    @property
    def is_grown(self) -> bool:
        return 18 <= self.age <= 65

    @property
    def has_label(self) -> bool:
        return self.is_grown and self.gender in ("F", "M")


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    rows: list[Row] = []
    for name in COLLECTIONS:
        if (data / name).is_dir():
            measure = partial(_collection, data / name, has_target=name == "utkface", plots=plots)
            rows += part("age", f"{name}: mean error at 18–65", measure)
        elif name == "utkface":
            rows.append(
                Row("age", "mean error at 18–65", None, target="≤ 6.5 years", note=f"there is no {data / name}")
            )
    return rows


def _collection(folder: Path, has_target: bool, plots: Path | None) -> list[Row]:
    left_out = LeftOut("age")
    labelled = [
        one
        for row in rows_of(folder / "labels.csv")
        if row["age"] and (one := left_out.measured(row["file"], partial(_estimated, folder / row["file"], row)))
    ]
    seen = [one for one in labelled if one.estimates]
    chosen = _by_other_people(seen)
    own = [_Seen(one.age, one.gender, one.estimates[choice]) for one, choice in zip(seen, chosen, strict=True)]
    shipped = [_Seen(one.age, one.gender, one.estimates[0]) for one in seen]
    missing = len(labelled) - len(seen)
    rows = list(_figures(folder.name, own, shipped, has_target, f"{missing} without a face" if missing else ""))
    if plots:
        ages, guesses = (np.array(listed) for listed in ([one.age for one in own], [one.guess.age for one in own]))
        _plot(plots / f"age_{folder.name}.png", ages, guesses)
    return rows + left_out.rows()


def _figures(name: str, own: Sequence[_Seen], shipped: Sequence[_Seen], has_target: bool, note: str) -> Iterator[Row]:
    """Each figure by what other people's pictures chose, with that of what is shipped beside it."""
    errors, inside = ([abs(one.guess.age - one.age) for one in listed if one.is_grown] for listed in (own, shipped))
    if not errors:
        yield Row("age", f"{name}: mean error at 18–65", None, target="a figure", note="no face of an adult was found")
        return
    low, high = _interval(np.array(errors))
    said = "; ".join(part for part in (f"in fold {np.mean(inside):.2f} years", note) if part)
    limit = {"at_most": MOST_ERROR} if has_target else {}
    yield bounded("age", f"{name}: mean error at 18–65", float(np.mean(errors)), low=low, high=high, n=len(errors),
                  unit="years", note=said, **limit)  # fmt: skip
    biases = [float(np.mean([one.guess.age - one.age for one in listed if one.is_grown])) for listed in (own, shipped)]
    yield bounded("age", f"{name}: bias at 18–65", biases[0], n=len(errors), unit="years",
                  note=f"in fold {biases[1]:.2f} years")  # fmt: skip
    for measure, among, is_so, words in _SHARES:
        part, same = ([one for one in listed if among(one)] for listed in (own, shipped))
        if part:
            in_fold = f"in fold {100 * sum(map(is_so, same)) / max(len(same), 1):.1f} %"
            hits = sum(map(is_so, part))
            yield share("age", f"{name}: {measure}", hits, len(part), note="; ".join(filter(None, (in_fold, words))))


Holds = Callable[[_Seen], bool]
_SHARES: Final[tuple[tuple[str, Holds, Holds, str], ...]] = (
    ("gender as labelled", lambda one: one.has_label and one.guess.gender is not None,
     lambda one: one.guess.gender is not None and one.guess.gender.value[0] == one.gender, "where it is sure"),
    ("gender not said", lambda one: one.has_label, lambda one: one.guess.gender is None, ""),
    ("under 16 taken for 18+", lambda one: one.age < 16, lambda one: one.guess.age >= 18, ""),
    ("25+ taken for under 18", lambda one: one.age >= 25, lambda one: one.guess.age < 18, ""),
)  # fmt: skip


def _estimated(file: Path, row: dict[str, str]) -> _Labelled:
    picture = decode(file.read_bytes())
    face = the_subject(picture)
    person = row["file"].partition("_photo")[0].partition("_portrait")[0]
    found = None if face is None else mesh(picture, face)
    estimates = () if found is None else tuple(estimate(picture, found, looks) for looks in LOOKS_TRIED)
    return _Labelled(float(row["age"]), row["gender"], person, estimates)


def _by_other_people(seen: Sequence[_Labelled]) -> list[int]:
    """For each picture the chips that err least on adults of the other folds; a person is in one fold only."""
    folds = np.array([zlib.crc32(one.person.encode()) % FOLDS for one in seen])
    errors = np.array([[abs(guess.age - one.age) for guess in one.estimates] for one in seen])
    grown = np.array([18 <= one.age <= 65 for one in seen])
    chosen = {fold: int(errors[(folds != fold) & grown].mean(0).argmin()) for fold in set(folds.tolist())}
    return [chosen[fold] for fold in folds.tolist()]


def _interval(errors: np.ndarray) -> tuple[float, float]:
    random = np.random.default_rng(0)
    means = [float(random.choice(errors, len(errors)).mean()) for _ in range(1000)]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def _plot(file: Path, age: np.ndarray, guess: np.ndarray) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 5), dpi=130)
    axes.scatter(age, guess, s=9, alpha=0.4, color="#6c3483")
    axes.plot([0, 90], [0, 90], color="black", lw=1)
    axes.fill_between([0, 90], [-MOST_ERROR, 90 - MOST_ERROR], [MOST_ERROR, 90 + MOST_ERROR], alpha=0.1, color="black")
    axes.set(
        xlabel="age as labelled", ylabel="age as estimated", xlim=(0, 90), ylim=(0, 90), title="Age from a photograph"
    )
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)
