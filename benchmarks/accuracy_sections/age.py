"""Age and gender from one photograph: mean error at 18–65, and how many of those under 16 look 18."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.accuracy_rows import LeftOut, Row, bounded, part, share
from benchmarks.accuracy_sections.embeddings import rows_of, the_subject
from truename.rules.evidence import SelfieEstimate
from truename.vision.decoding.pixels import decode
from truename.vision.face.attributes import estimate
from truename.vision.face.mesh import mesh

MOST_ERROR = 6.5
COLLECTIONS = ("utkface", "portrait26")


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
    true, seen, genders, missing = [], [], [], 0
    left_out = LeftOut("age")
    for row in rows_of(folder / "labels.csv"):
        if not row["age"]:
            continue
        labelled = left_out.measured(row["file"], partial(_estimated, folder / row["file"], row))
        if labelled is None:
            continue
        found = labelled.found
        if found is None:
            missing += 1
            continue
        true.append(labelled.age)
        seen.append(found.age)
        genders.append((row["gender"], found.gender.value[0] if found.gender else None))
    age, guess = np.array(true), np.array(seen)
    adult = (age >= 18) & (age <= 65)
    errors = np.abs(guess - age)[adult]
    low, high = _interval(errors)
    known = [
        (label, said) for (label, said), grown in zip(genders, adult, strict=True) if grown and label in ("F", "M")
    ]
    sure = [(label, said) for label, said in known if said]
    young, grown_up = age < 16, age >= 25
    limit = {"at_most": MOST_ERROR} if has_target else {}
    note = f"{missing} without a face" if missing else ""
    rows = [
        bounded(
            "age",
            f"{folder.name}: mean error at 18–65",
            float(errors.mean()),
            low=low,
            high=high,
            n=len(errors),
            unit="years",
            note=note,
            **limit,
        ),
        bounded(
            "age", f"{folder.name}: bias at 18–65", float((guess - age)[adult].mean()), n=len(errors), unit="years"
        ),
        share(
            "age",
            f"{folder.name}: gender as labelled",
            sum(a == b for a, b in sure),
            len(sure),
            note="where it is sure",
        ),
        share("age", f"{folder.name}: gender not said", len(known) - len(sure), len(known)),
    ]
    if young.any():
        rows.append(
            share("age", f"{folder.name}: under 16 taken for 18+", int((guess[young] >= 18).sum()), int(young.sum()))
        )
    if grown_up.any():
        taken = int((guess[grown_up] < 18).sum())
        rows.append(share("age", f"{folder.name}: 25+ taken for under 18", taken, int(grown_up.sum())))
    if plots:
        _plot(plots / f"age_{folder.name}.png", age, guess)
    return rows + left_out.rows()


@dataclass(frozen=True)
class _Labelled:
    age: float
    found: SelfieEstimate | None
    """None when there is no face in the picture."""


def _estimated(file: Path, row: dict[str, str]) -> _Labelled:
    picture = decode(file.read_bytes())
    face = the_subject(picture)
    return _Labelled(float(row["age"]), estimate(picture, mesh(picture, face)) if face else None)


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
