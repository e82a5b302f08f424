"""Faces: is it the same person? Each recipe on LFW, selfies against ID portraits, groups; dlib beside it."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.accuracy_rows import CHOSEN_HERE, Row, part, share
from benchmarks.accuracy_sections import face_plots
from benchmarks.accuracy_sections.embeddings import Vectors, broken_pictures, our_vectors, rows_of
from benchmarks.accuracy_sections.face_dlib import dlib_rows
from benchmarks.accuracy_sections.face_folds import out_of_fold_rows
from benchmarks.accuracy_sections.face_pairs import (
    accuracy,
    crossed_pairs,
    passing_pairs,
    people_interval,
    refused,
    scored_pairs,
)
from truename.rules.strangers import ANCHOR_SCORE
from truename.vision import models
from truename.vision.configuration import FaceRecipe, configuration, configured
from truename.vision.face.calibrate import Pairs, cross_pairs
from truename.vision.face.compare import curve

OTHERS = ("cfp", "fgnet", "deepface_pairs")
LIKELY_ONE_PERSON = 0.6
"""Above this cosine not one of 1.47 million LFW pairs of different people lies."""


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """All rows of the section, for each recipe whose networks are here. A collection costs its own rows only."""
    rows = _by_recipe(data)
    if models.model("edgeface").available:
        with configured(replace(configuration(), face_recipe=FaceRecipe.EDGEFACE)):
            rows += [replace(row, measure=f"edgeface: {row.measure}") for row in _by_recipe(data)]
    else:
        rows.append(Row("faces", "recipe edgeface", None, note="not measured: `truename models add edgeface`"))
    if peers and (data / "lfw").is_dir():
        threshold = curve().cosine_at(ANCHOR_SCORE)
        rows += part("faces", "dlib (face_recognition)", lambda: dlib_rows(data, threshold, _lfw_crossed(data / "lfw")))
    if plots and (data / "lfw").is_dir():
        rows += part("faces", "plots", lambda: _plots(data, plots))
    return rows + _broken_rows(data)


def _by_recipe(data: Path) -> list[Row]:
    """What the configured recipe does in every collection that is there."""
    threshold = curve().cosine_at(ANCHOR_SCORE)
    rows: list[Row] = []
    if (data / "lfw").is_dir():
        rows += part("faces", "LFW", lambda: _lfw(data / "lfw", threshold))
    else:
        rows.append(Row("faces", "LFW", None, target="≥ 99.6 %", note=f"there is no {data / 'lfw'}"))
    rows += part("faces", "out of fold", lambda: out_of_fold_rows(data))
    for name in OTHERS:
        if (data / name).is_dir():
            rows += part("faces", name, partial(_others, data / name, threshold))
    if (data / "utkface").is_dir():
        rows += part("faces", "utkface", lambda: _groups(data / "utkface", threshold))
    return rows


def _broken_rows(data: Path) -> list[Row]:
    """Pictures that cannot be read count as pictures without a face; here they are named."""
    broken = [
        f"{name}/{file}"
        for name in ("lfw", "selfie_id", "portrait26", *OTHERS, "utkface")
        if (data / name).is_dir()
        for file in broken_pictures(data / name)
    ]
    if not broken:
        return []
    shown = ", ".join(broken[:3]) + (", …" if len(broken) > 3 else "")
    return [Row("faces", "pictures that cannot be read", len(broken), note=shown)]


def _plots(data: Path, plots: Path) -> list[Row]:
    genuine = scored_pairs(data / "lfw" / "pairs.csv", our_vectors(data / "lfw"))
    selfies = scored_pairs(data / "selfie_id" / "pairs.csv", our_vectors(data / "selfie_id"))
    face_plots.draw(plots, _lfw_crossed(data / "lfw"), genuine, selfies.where(kind="id-selfie"))
    return []


def _lfw_crossed(folder: Path) -> Pairs:
    return crossed_pairs(folder, our_vectors(folder))


# ── LFW ────────────────────────────────────────────────────────────────────────────────────────────────────


def _lfw(folder: Path, threshold: float) -> list[Row]:
    crossed = _lfw_crossed(folder)
    vectors = our_vectors(folder)
    scored = scored_pairs(folder / "pairs.csv", vectors)
    right, n = accuracy(scored)
    identity = {row["file"]: row["gender"] for row in rows_of(folder / "labels.csv")}
    rows = [
        share("faces", "LFW accuracy", right, n, at_least=0.996, note="threshold from the other folds"),
        share(
            "faces",
            "LFW all genuine pairs: refused at 0.85",
            int(np.sum(crossed.genuine < threshold)),
            len(crossed.genuine),
            note=f"includes LFW's mislabelled pictures; threshold {CHOSEN_HERE}",
        ),
    ]
    for gender, words in (("M", "men"), ("F", "women")):
        names = [name for name in vectors if identity.get(name) == gender]
        people = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
        group = cross_pairs(np.stack([vectors[name] for name in names]), [people[name] for name in names])
        hits = int(np.sum(group.impostor >= threshold))
        low, high = people_interval(group, threshold)
        rows.append(
            Row(
                "faces",
                f"LFW cross pairs among {words}: passing at 0.85",
                hits / len(group.impostor),
                low,
                high,
                n=len(group.impostor),
                note=f"interval over people; threshold {CHOSEN_HERE}",
                unit="%",
            )
        )
    return rows


# ── the other collections ──────────────────────────────────────────────────────────────────────────────────


def _others(folder: Path, threshold: float) -> list[Row]:
    scored = scored_pairs(folder / "pairs.csv", our_vectors(folder))
    parts = {folder.name: scored}
    if folder.name == "cfp":
        parts = {"cfp frontal–frontal": scored.where(protocol="FF"), "cfp frontal–profile": scored.where(protocol="FP")}
    if folder.name == "fgnet":
        parts = {"fgnet across ages, both adult": scored.where(both_adult="1")}
    rows = []
    for name, chosen in parts.items():
        rows.append(share("faces", f"{name}: refused at 0.85", *refused(chosen, threshold)))
        rows.append(share("faces", f"{name}: impostors passing", *passing_pairs(chosen, threshold)))
    return rows


def _groups(folder: Path, threshold: float) -> list[Row]:
    """False matches within a group: strangers of one race and gender, as the labels have it.

    The collection names no identities, so a person who is in it twice counts as two; children look alike to every
    network and are counted apart.
    """
    vectors = our_vectors(folder)
    listed = scored_pairs(folder / "impostor_pairs.csv", vectors)
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
            "faces",
            "false matches at 0.85, listed pairs within groups",
            *passing_pairs(listed, threshold),
            note="all ages",
        )
    )
    return rows


def _group(name: str, files: list[str], vectors: Vectors, threshold: float) -> Row:
    measure = f"false matches at 0.85, {name}"
    if len(files) < 2:
        return Row("faces", measure, None, note="fewer than two photographs", unit="%")
    group = cross_pairs(np.stack([vectors[file] for file in files]), files)
    hits = int(np.sum(group.impostor >= threshold))
    low, high = people_interval(group, threshold)
    likely = int(np.sum(group.impostor >= LIKELY_ONE_PERSON))
    note = f"{hits} pairs, {likely} of them so alike that it is likely one person twice"
    return Row("faces", measure, hits / len(group.impostor), low, high, n=len(group.impostor), note=note, unit="%")
