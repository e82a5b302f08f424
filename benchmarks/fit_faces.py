"""Fit the face calibrations that ship: for both networks together, and for SFace alone.

python -m benchmarks.fit_faces --data FOLDER
"""

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.accuracy_sections.embeddings import Vectors, our_vectors, rows_of
from truename.vision import models
from truename.vision.face import sface
from truename.vision.face.calibrate import Pairs, as_toml, cross_pairs, fit
from truename.vision.face.compare import ALONE
from truename.vision.face.embed import has_second_opinion, template_sha256

SFACE_NUMBERS = 128
CAUTION = 0.995
"""The upper end of where the anchor may lie: with other people fewer than 1 in 10,000 should pass, not more."""
FOLDER = Path(models.__file__).parent / "calibration"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--caution", type=float, default=CAUTION)
    given = parser.parse_args()
    if not has_second_opinion():
        parser.error("the calibration needs the recipe sface+mobilefacenet")
    vectors = our_vectors(given.data / "lfw")
    sole = {name: vector[:SFACE_NUMBERS] / np.linalg.norm(vector[:SFACE_NUMBERS]) for name, vector in vectors.items()}
    alone_sha256 = models.model(sface.MODEL).sha256
    for file, made_by, known in (("sface.toml", template_sha256(), vectors), (ALONE, alone_sha256, sole)):
        pairs = _pairs(given.data / "lfw", known)
        fitted = fit(pairs, given.caution)
        people = fitted.measured.people
        data = f"LFW, half of its people: all cross pairs of {len(known)} photographs of {people} people; "
        data += f"{len(pairs.genuine)} official genuine pairs; fitted {datetime.now(UTC).date()}"
        (FOLDER / file).write_text(as_toml(fitted, data, made_by), encoding="utf-8")
        print(file, fitted.anchor, fitted.measured, sep="\n  ")


def _pairs(folder: Path, vectors: Vectors) -> Pairs:
    """All cross pairs as impostors; as genuine ones the official list, which was checked more than the rest."""
    identity = {row["file"]: row["identity"] for row in rows_of(folder / "labels.csv")}
    names = [name for name in vectors if name in identity]
    crossed = cross_pairs(np.stack([vectors[name] for name in names]), [identity[name] for name in names])
    listed = [row for row in rows_of(folder / "pairs.csv") if row["same"] == "1"]
    cosines = [float(vectors[row["file1"]] @ vectors[row["file2"]]) for row in listed]
    return replace(crossed, genuine=np.array(cosines))


if __name__ == "__main__":
    main()
