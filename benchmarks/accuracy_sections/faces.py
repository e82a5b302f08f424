"""Faces: is it the same person? LFW, selfies against ID portraits, groups, and dlib beside it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_sections import Row, share, wilson
from benchmarks.accuracy_sections.embeddings import PeerMissing, Vectors, dlib_vectors, our_vectors, rows_of
from truename.vision.face.calibrate import Pairs, cross_pairs
from truename.vision.face.compare import ANCHOR_SCORE, curve

Values = NDArray[np.float64]
REPEATS = 300
LIKELY_ONE_PERSON = 0.6
"""Above this cosine not one of 1.47 million LFW pairs of different people lies."""


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


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    threshold = curve().cosine_at(ANCHOR_SCORE)
    rows: list[Row] = []
    crossed: Pairs | None = None
    if (data / "lfw").is_dir():
        crossed = _crossed(data / "lfw", our_vectors(data / "lfw"))
        rows += _lfw(data / "lfw", threshold, crossed)
    else:
        rows.append(Row("faces", "LFW", None, target="≥ 99.6 %", note=f"there is no {data / 'lfw'}"))
    if (data / "selfie_id").is_dir():
        rows += _selfie_id(data / "selfie_id", threshold)
    else:
        rows.append(Row("faces", "selfie against ID", None, target="≤ 8 %", note=f"there is no {data / 'selfie_id'}"))
    for name in ("cfp", "fgnet", "portrait26", "deepface_pairs"):
        if (data / name).is_dir():
            rows += _others(data / name, threshold)
    if (data / "utkface").is_dir():
        rows += _groups(data / "utkface", threshold)
    if peers and crossed is not None:
        rows += _dlib(data, threshold, crossed)
    if plots and crossed is not None:
        from benchmarks.accuracy_sections import face_plots

        genuine = _scored(data / "lfw" / "pairs.csv", our_vectors(data / "lfw"))
        selfies = _scored(data / "selfie_id" / "pairs.csv", our_vectors(data / "selfie_id"))
        face_plots.draw(plots, crossed, genuine, selfies.where(kind="id-selfie"))
    return rows


def _scored(pairs: Path, vectors: Vectors) -> Scored:
    rows = rows_of(pairs)
    cosines = [_cosine(vectors.get(row["file1"]), vectors.get(row["file2"])) for row in rows]
    return Scored(rows, np.array(cosines), np.array([row["same"] == "1" for row in rows]))


def _cosine(one: Values | None, other: Values | None) -> float:
    return float("nan") if one is None or other is None else float(one @ other)


def _refused(scored: Scored, threshold: float) -> tuple[int, int]:
    """Genuine pairs below the threshold; a missing face is a refusal."""
    genuine = scored.cosines[scored.same]
    return int(np.sum(~(genuine >= threshold))), len(genuine)


def _passing(scored: Scored, threshold: float) -> tuple[int, int]:
    impostor = scored.cosines[~scored.same]
    return int(np.sum(impostor >= threshold)), len(impostor)


# ── LFW ────────────────────────────────────────────────────────────────────────────────────────────────────


def _crossed(folder: Path, vectors: Vectors) -> Pairs:
    identity = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
    names = [name for name in vectors if name in identity]
    return cross_pairs(np.stack([vectors[name] for name in names]), [identity[name] for name in names])


def _lfw(folder: Path, threshold: float, crossed: Pairs) -> list[Row]:
    vectors = our_vectors(folder)
    scored = _scored(folder / "pairs.csv", vectors)
    right, n = _accuracy(scored)
    low, high = _people_interval(crossed, threshold)
    passing = int(np.sum(crossed.impostor >= threshold))
    rate = passing / len(crossed.impostor)
    identity = {row["file"]: row["gender"] for row in rows_of(folder / "labels.csv")}
    rows = [
        share("faces", "LFW accuracy", right, n, at_least=0.996, note="threshold from the other folds"),
        Row(
            "faces",
            "LFW all cross pairs: passing at 0.85",
            rate,
            low,
            high,
            "≤ 0.01 %",
            rate <= 1e-4,
            len(crossed.impostor),
            f"{passing} pairs; interval over people",
            "%",
        ),
        share(
            "faces",
            "LFW genuine pairs: refused at 0.85",
            *_refused(scored, threshold),
            at_most=0.02,
            note=f"cosine {threshold:.3f}",
        ),
        share(
            "faces",
            "LFW all genuine pairs: refused at 0.85",
            int(np.sum(crossed.genuine < threshold)),
            len(crossed.genuine),
            note="includes LFW's mislabelled pictures",
        ),
    ]
    for gender, words in (("M", "men"), ("F", "women")):
        names = [name for name in vectors if identity.get(name) == gender]
        people = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
        group = cross_pairs(np.stack([vectors[name] for name in names]), [people[name] for name in names])
        hits = int(np.sum(group.impostor >= threshold))
        low, high = _people_interval(group, threshold)
        rows.append(
            Row(
                "faces",
                f"LFW cross pairs among {words}: passing at 0.85",
                hits / len(group.impostor),
                low,
                high,
                n=len(group.impostor),
                note="interval over people",
                unit="%",
            )
        )
    return rows


def _accuracy(scored: Scored) -> tuple[int, int]:
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


def _people_interval(pairs: Pairs, threshold: float) -> tuple[float, float]:
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


# ── the other collections ──────────────────────────────────────────────────────────────────────────────────


def _selfie_id(folder: Path, threshold: float) -> list[Row]:
    vectors = our_vectors(folder)
    scored = _scored(folder / "pairs.csv", vectors)
    identity = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
    names = [name for name in vectors if name in identity]
    crossed = cross_pairs(np.stack([vectors[name] for name in names]), [identity[name] for name in names])
    hits = int(np.sum(crossed.impostor >= threshold))
    return [
        share(
            "faces",
            "selfie against ID portrait: refused at 0.85",
            *_refused(scored.where(kind="id-selfie"), threshold),
            at_most=0.08,
            note=f"{len(set(identity.values()))} people",
        ),
        share(
            "faces",
            "selfie against another's ID: passing at 0.85",
            *_passing(scored.where(kind="id-selfie"), threshold),
        ),
        Row(
            "faces",
            "selfie_id all cross pairs: passing at 0.85",
            hits / len(crossed.impostor),
            *_people_interval(crossed, threshold),
            n=len(crossed.impostor),
            note="few people: wide interval",
            unit="%",
        ),
    ]


def _others(folder: Path, threshold: float) -> list[Row]:
    scored = _scored(folder / "pairs.csv", our_vectors(folder))
    parts = {folder.name: scored}
    if folder.name == "cfp":
        parts = {"cfp frontal–frontal": scored.where(protocol="FF"), "cfp frontal–profile": scored.where(protocol="FP")}
    if folder.name == "fgnet":
        parts = {"fgnet across ages, both adult": scored.where(both_adult="1")}
    rows = []
    for name, part in parts.items():
        rows.append(share("faces", f"{name}: refused at 0.85", *_refused(part, threshold)))
        rows.append(share("faces", f"{name}: impostors passing", *_passing(part, threshold)))
    return rows


def _groups(folder: Path, threshold: float) -> list[Row]:
    """False matches within a group: strangers of one race and gender, as the labels have it.

    The collection names no identities, so a person who is in it twice counts as two; children look alike to every
    network and are counted apart.
    """
    vectors = our_vectors(folder)
    listed = _scored(folder / "impostor_pairs.csv", vectors)
    labels = [row for row in rows_of(folder / "labels.csv") if row["file"] in vectors]
    groups = [
        (f"{race} {gender}, 16+", [row for row in labels if (row["race"], row["gender"]) == (race, gender)])
        for race in sorted({row["race"] for row in labels})
        for gender in ("F", "M")
    ]
    rows = [
        _group(name, [row["file"] for row in found if int(row["age"]) >= 16], vectors, threshold)
        for name, found in groups
    ]
    rows.append(_group("all under 16", [row["file"] for row in labels if int(row["age"]) < 16], vectors, threshold))
    rows.append(
        share(
            "faces", "false matches at 0.85, listed pairs within groups", *_passing(listed, threshold), note="all ages"
        )
    )
    return rows


def _group(name: str, files: list[str], vectors: Vectors, threshold: float) -> Row:
    measure = f"false matches at 0.85, {name}"
    if len(files) < 2:
        return Row("faces", measure, None, note="fewer than two photographs", unit="%")
    group = cross_pairs(np.stack([vectors[file] for file in files]), files)
    hits = int(np.sum(group.impostor >= threshold))
    low, high = _people_interval(group, threshold)
    likely = int(np.sum(group.impostor >= LIKELY_ONE_PERSON))
    note = f"{hits} pairs, {likely} of them so alike that it is likely one person twice"
    return Row("faces", measure, hits / len(group.impostor), low, high, n=len(group.impostor), note=note, unit="%")


# ── dlib ───────────────────────────────────────────────────────────────────────────────────────────────────


def _dlib(data: Path, threshold: float, ours: Pairs) -> list[Row]:
    """dlib at the threshold where it lets as many LFW cross pairs pass as we do."""
    try:
        lfw, selfies = dlib_vectors(data / "lfw"), dlib_vectors(data / "selfie_id")
    except PeerMissing as missing:
        return [Row("faces", "dlib (face_recognition)", None, target="≥ 20 points ahead", note=str(missing))]
    identity = {row["file"]: row["identity"] for row in rows_of(data / "lfw" / "labels.csv")}
    rate = max(float(np.mean(ours.impostor >= threshold)), 1e-6)
    their_threshold = float(np.quantile(_near_impostors(lfw, identity), 1 - rate))
    theirs = _near_listed(data / "lfw" / "pairs.csv", lfw)
    cards = _near_listed(data / "selfie_id" / "pairs.csv", selfies).where(kind="id-selfie")
    right, n = _accuracy(theirs)
    our_cards = _scored(data / "selfie_id" / "pairs.csv", our_vectors(data / "selfie_id")).where(kind="id-selfie")
    ours_refused, m = _refused(our_cards, threshold)
    their_refused, _ = _refused(cards, their_threshold)
    ahead = (their_refused - ours_refused) / m
    return [
        share("faces", "dlib: LFW accuracy", right, n, note="peer"),
        share(
            "faces", "dlib: LFW genuine refused at equal false matches", *_refused(theirs, their_threshold), note="peer"
        ),
        share("faces", "dlib: selfie against ID refused at equal false matches", their_refused, m, note="peer"),
        Row(
            "faces",
            "ahead of dlib on selfie against ID",
            ahead,
            target="≥ 20 points",
            meets=ahead >= 0.2,
            n=m,
            note="share of genuine pairs",
            unit="%",
        ),
    ]


def _near_impostors(vectors: Vectors, identity: dict[str, str]) -> Values:
    """dlib's cross pairs of different people, by minus the distance, so that more is more alike."""
    names = [name for name in vectors if name in identity]
    stacked = np.stack([vectors[name] for name in names])
    lengths = (stacked**2).sum(1)
    squares = lengths[:, None] + lengths[None] - 2 * stacked @ stacked.T
    first, second = np.triu_indices(len(names), k=1)
    who = np.array([identity[name] for name in names])
    strangers = who[first] != who[second]
    return -np.sqrt(np.maximum(squares[first[strangers], second[strangers]], 0))


def _near_listed(pairs: Path, vectors: Vectors) -> Scored:
    rows = rows_of(pairs)
    values = [
        float("nan")
        if row["file1"] not in vectors or row["file2"] not in vectors
        else -float(np.linalg.norm(vectors[row["file1"]] - vectors[row["file2"]]))
        for row in rows
    ]
    return Scored(rows, np.array(values), np.array([row["same"] == "1" for row in rows]))
