"""Fit the face calibrations that ship, one for each recipe: on the stricter of several populations.

    python -m benchmarks.fit_faces --data FOLDER --added-models FOLDER

FOLDER of the models is where `truename models add edgeface` has put its file (data/models): EdgeFace has a curve of its
own, and tells which adults of UTKFace are likely to be in it twice.
"""

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.accuracy_sections.embeddings import our_vectors, rows_of
from benchmarks.accuracy_sections.face_populations import People, population, utkface_adults
from truename.vision import models
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configure
from truename.vision.face.calibrate import as_toml, fit_strictest
from truename.vision.face.embed import template_sha256

FOLDER = Path(models.__file__).parent / "calibration"
FILES = {
    FaceRecipe.SFACE_AND_MOBILEFACENET: "sface.toml",
    FaceRecipe.SFACE: "sface_alone.toml",
    FaceRecipe.EDGEFACE: "edgeface.toml",
}


def main() -> None:
    """Write each recipe's file, and print what it rests on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--added-models", type=Path, required=True)
    given = parser.parse_args()
    for recipe, file in FILES.items():
        configure(VisionConfiguration(face_recipe=recipe, added_models=given.added_models))
        populations, told_by = fitted_populations(given.data)
        fitted = fit_strictest({name: people.pairs() for name, people in populations.items()})
        listed = [row for row in rows_of(given.data / "lfw" / "pairs.csv") if row["same"] == "1"]
        vectors = our_vectors(given.data / "lfw")
        genuine = np.array([float(vectors[row["file1"]] @ vectors[row["file2"]]) for row in listed])
        refused = float(np.mean(genuine < fitted.anchor.cosine))
        measured = replace(fitted.measured, genuine_pairs=len(genuine), genuine_refused_at_anchor=refused)
        data = f"the strictest of {', '.join(populations)}; likely repeats in UTKFace told by {told_by}; "
        data += f"genuine pairs are LFW's official ones; fitted {datetime.now(UTC).date()}"
        (FOLDER / file).write_text(as_toml(replace(fitted, measured=measured), data, template_sha256()), "utf-8")
        print(file, fitted.anchor, measured, *fitted.populations, sep="\n  ")


def fitted_populations(data: Path) -> tuple[dict[str, People], str]:
    """Every population in which false matches can be counted, and which network told repeats."""
    adults, _, told_by = utkface_adults(data / "utkface")
    named = {name: population(data / name) for name in ("lfw", "selfie_id", "portrait26")}
    return {**named, "utkface_adults": adults}, told_by


if __name__ == "__main__":
    main()
