"""Templates of whole folders of photographs, ours and the peers', each computed once per run."""

import csv
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.pixels import decode
from truename.vision.face import align, detect, embed, mesh
from truename.vision.face.detect import Face, detect_faces
from truename.vision.face.embed import template_of, template_sha256

Vectors = dict[str, NDArray[np.float64]]
CODE = "".join(
    hashlib.sha256(Path(module.__file__ or "").read_bytes()).hexdigest() for module in (align, detect, embed, mesh)
)
"""What is kept belongs to the code that made it."""


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def pictures_of(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.suffix.lower() in (".jpg", ".jpeg", ".png"))


CACHE = "TRUENAME_BENCH_CACHE"
"""A folder in which vectors are kept between runs, by model and pictures; nothing is kept when it is not set."""


def _kept(kind: str, folder: Path, names: Sequence[str], compute: Callable[[], Vectors]) -> Vectors:
    """What was computed before for the same model and the same pictures, or computed now and kept."""
    if CACHE not in os.environ:
        return compute()
    listing = "".join(f"{name} {(folder / name).stat().st_size}\n" for name in names)
    digest = hashlib.sha256(f"{kind}\n{listing}".encode()).hexdigest()[:16]
    file = Path(os.environ[CACHE]) / f"{folder.name}-{digest}.npz"
    if file.exists():
        with np.load(file) as stored:
            return {name: stored[name] for name in stored.files}
    vectors = compute()
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez(file, allow_pickle=False, **vectors)
    return vectors


def our_vectors(folder: Path) -> Vectors:
    """One vector a photograph; a photograph in which no face is found, or that cannot be read, has none."""
    return {name: vector for name, vector in _all_vectors(folder, template_sha256()).items() if vector.size}


def broken_pictures(folder: Path) -> list[str]:
    """The photographs that cannot be read."""
    return [name for name, vector in _all_vectors(folder, template_sha256()).items() if not vector.size]


@cache
def _all_vectors(folder: Path, made_by: str) -> Vectors:
    names = pictures_of(folder)
    return _kept(made_by + CODE, folder, names, lambda: _our_vectors(folder, names))


def _our_vectors(folder: Path, names: Sequence[str]) -> Vectors:
    """Vectors by name; an empty one stands for a picture that cannot be read."""
    vectors: Vectors = {}
    for name in names:
        try:
            picture = decode((folder / name).read_bytes())
        except ImageRefused:
            vectors[name] = np.empty(0)
            continue
        face = the_subject(picture)
        if face is not None:
            vectors[name] = np.array(template_of(picture, face).vector)
    return vectors


def the_subject(picture: Picture) -> Face | None:
    """The face these collections mean: large and near the middle. (The product refuses pictures of several people.)"""
    middle = np.array([picture.shape[1], picture.shape[0]]) / 2

    def weight(face: Face) -> float:
        centre = np.array([face.box[0] + face.box[2] / 2, face.box[1] + face.box[3] / 2])
        return face.box[2] * face.box[3] / (1 + (np.linalg.norm(centre - middle) / max(picture.shape[:2]) * 4) ** 2)

    return max(detect_faces(picture), key=weight, default=None)


# ── dlib ───────────────────────────────────────────────────────────────────────────────────────────────────

PEERS_PYTHON = "TRUENAME_PEERS_PYTHON"
"""The interpreter of an environment with requirements/peers.txt; this one when it is not set."""

DLIB_SCRIPT = """
import json, sys
import numpy as np
from PIL import Image, ImageOps
import face_recognition
out = {}
for path in sys.stdin.read().splitlines():
    image = np.array(ImageOps.exif_transpose(Image.open(path)).convert("RGB"))
    places = face_recognition.face_locations(image)
    if not places:
        # Its own advice for small faces; a picture without any face it can find stays without a vector.
        places = face_recognition.face_locations(image, number_of_times_to_upsample=2)
    if places:
        place = max(places, key=lambda p: (p[2] - p[0]) * (p[1] - p[3]))
        out[path] = face_recognition.face_encodings(image, [place])[0].tolist()
json.dump(out, sys.stdout)
"""


class PeerMissing(Exception):
    """A peer cannot be run here; the message says why."""


@cache
def dlib_vectors(folder: Path) -> Vectors:
    """face_recognition's encodings of the photographs."""
    names = pictures_of(folder)
    return _kept(DLIB_SCRIPT, folder, names, lambda: _dlib_vectors(folder, names))


def _dlib_vectors(folder: Path, names: Sequence[str]) -> Vectors:
    python = os.environ.get(PEERS_PYTHON, sys.executable)
    paths = "\n".join(str(folder / name) for name in names)
    run = subprocess.run([python, "-c", DLIB_SCRIPT], input=paths, capture_output=True, text=True, check=False)
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise PeerMissing(f"face_recognition could not be run by {python}: {last}")
    return {Path(path).name: np.array(vector) for path, vector in json.loads(run.stdout).items()}
