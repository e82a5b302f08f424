"""Tell what the trained networks do on real pictures that they never saw, out of fold, set by set.

    python -m training.recapture.judge --data FOLDER --patches PATCHES.onnx … --views VIEWS.onnx …

FOLDER is that of `benchmarks.accuracy`. What each sign weighs is fitted to the other sources each time, and the line is
drawn where 5 % of the living of those others are refused by weights that were fitted without them: the source that is
judged chose nothing. Of several networks of one kind the mean counts. At the end, the selfies of `selfie_id` and
`portrait26`, living people of whom no source of attacks knows anything, by what all full frames together would ship.
"""

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from benchmarks.accuracy_sections.liveness_selfies import SELFIES
from benchmarks.calibrate_liveness import Judges, by_other_sources, features, fit
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.face.detect import Face
from truename.vision.liveness.passive import measure
from truename.vision.liveness.views import View, view

SETS = {"full frames": ("nuaa", "pad_phone"), "with tight crops": ("nuaa", "pad_phone", "pad_replay_crops")}
PATCH, VIEW = 112, 160
REACH = 3.0
"""A view spans this many times the longer side of the face's box, which is taller than the face is wide."""
REFUSED = 0.05
CLASSICAL, PATCHES, VIEWS = [0, 1, 2, 3, 4], 5, 6
SIGNS = {
    "classical signs": CLASSICAL,
    "the networks": [PATCHES, VIEWS],
    "classical signs and patches": [*CLASSICAL, PATCHES],
    "classical signs and views": [*CLASSICAL, VIEWS],
    "classical signs and both networks": [*CLASSICAL, PATCHES, VIEWS],
}

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """One picture in which a face was found, and all that was measured on it."""

    data_set: str
    source: str
    live: bool
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Networks:
    """The trained networks that are judged, of each kind one or more."""

    patches: list[onnxruntime.InferenceSession]
    views: list[onnxruntime.InferenceSession]


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--data", type=Path, required=True)
    for name in ("patches", "views"):
        ask.add_argument(f"--{name}", type=Path, required=True, nargs="+")
    args = ask.parse_args()
    networks = Networks(
        *([onnxruntime.InferenceSession(str(one)) for one in kind] for kind in (args.patches, args.views))
    )
    judged = [one for name in SETS["with tight crops"] for one in _read(args.data / name, networks)]
    for name in SETS["with tight crops"]:
        own = [one for one in judged if one.data_set == name]
        print(
            f"{name}: AUC patches {_auc(own, PATCHES):.3f}, views {_auc(own, VIEWS):.3f}, lost grain {_auc(own, 1):.3f}"
        )
    for words, names in SETS.items():
        for signs, columns in SIGNS.items():
            print(f"{words}, {signs}: {_out_of_fold([one for one in judged if one.data_set in names], columns, names)}")
    elsewhere = [one for name in SELFIES for one in _read(args.data / name, networks)]
    full = [one for one in judged if one.data_set in SETS["full frames"]]
    for signs, columns in SIGNS.items():
        print(f"selfies, {signs}: {_refused_elsewhere(full, elsewhere, columns)}")


def _read(folder: Path, networks: Networks) -> list[Judged]:
    """Every picture of a set in which a face was found; of a set of selfies those of living people."""
    found = []
    types = SELFIES.get(folder.name)
    with (folder / "labels.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if types is not None and row["type"] not in types:
                continue
            picture = decode((folder / row["file"]).read_bytes())
            seen = view(picture)
            if isinstance(seen, View):
                texture = _asked(networks.patches, _patches(picture, seen.face))
                around = _view(picture, seen.face)
                framed = _asked(networks.views, np.stack([around, around[:, ::-1]]))
                numbers = (*features(measure(picture, seen.face), Judges.CLASSICAL), texture, framed)
                source = f"{folder.name}/{row.get('source') or ''}"
                found.append(Judged(folder.name, source, types is not None or row["label"] == "live", numbers))
    return found


def _asked(networks: list[onnxruntime.InferenceSession], pictures: NDArray[np.uint8]) -> float:
    """The mean answer over all networks and pictures."""
    batch = np.ascontiguousarray((pictures.astype(np.float32) / 127.5 - 1).transpose(0, 3, 1, 2))
    return float(np.mean([one.run(None, {"picture": batch})[0] for one in networks]))


def _patches(picture: Picture, face: Face) -> NDArray[np.uint8]:
    """Nine squares of the face at the picture's own scale."""
    height, width = picture.shape[:2]
    missing = ((0, max(0, PATCH - height)), (0, max(0, PATCH - width)), (0, 0))
    padded = np.pad(picture, missing, "reflect")
    left, top, wide, tall = face.box
    cut = []
    for down in (0.2, 0.5, 0.8):
        for across in (0.2, 0.5, 0.8):
            x = int(np.clip(left + across * wide - PATCH / 2, 0, padded.shape[1] - PATCH))
            y = int(np.clip(top + down * tall - PATCH / 2, 0, padded.shape[0] - PATCH))
            cut.append(padded[y : y + PATCH, x : x + PATCH])
    return np.stack(cut)


def _view(picture: Picture, face: Face) -> NDArray[np.uint8]:
    """The face with its surroundings, black beyond the picture."""
    left, top, wide, tall = face.box
    scale = VIEW / (max(wide, tall) * REACH)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.4 / scale) if scale < 1 / 1.3 else picture
    shift = [VIEW / 2 - (left + wide / 2) * scale, VIEW / 2 - (top + tall / 2) * scale]
    place = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]])
    return np.asarray(cv2.warpAffine(soft, place, (VIEW, VIEW)), np.uint8)


def _auc(judged: list[Judged], column: int) -> float:
    """The chance that an attack looks more like one than a living person does; grain is less where it is lost."""
    sign = -1 if column == 1 else 1
    attacks = np.array([sign * one.numbers[column] for one in judged if not one.live])
    living = np.array([sign * one.numbers[column] for one in judged if one.live])
    return float((attacks[:, None] > living[None]).mean())


def _out_of_fold(judged: list[Judged], columns: list[int], names: tuple[str, ...]) -> str:
    x = np.array([[one.numbers[column] for column in columns] for one in judged])
    live = np.array([one.live for one in judged])
    sources = np.array([one.source for one in judged])
    accepted = np.zeros(len(judged), bool)
    for source in sorted(set(sources)):
        own, others = sources == source, sources != source
        unseen = by_other_sources(x[others], live[others], sources[others].tolist())
        line = np.quantile(unseen[live[others]], REFUSED)
        weights = fit(x[others], live[others])
        accepted[own] = weights[0] + x[own] @ weights[1:] >= line
    told = [_errors(accepted, live, np.ones(len(judged), bool))]
    told += [f"{name} {_errors(accepted, live, np.array([one.data_set == name for one in judged]))}" for name in names]
    return "; ".join(told)


def _refused_elsewhere(judged: list[Judged], elsewhere: list[Judged], columns: list[int]) -> str:
    """Living people of sets without attacks who are refused by weights and a line of all the judged ones, by set."""
    x, others = (np.array([[one.numbers[column] for column in columns] for one in of]) for of in (judged, elsewhere))
    live = np.array([one.live for one in judged])
    line = np.quantile(by_other_sources(x, live, [one.source for one in judged])[live], REFUSED)
    weights = fit(x, live)
    lost = weights[0] + others @ weights[1:] < line
    of = np.array([one.data_set for one in elsewhere])
    return "; ".join(f"{name} {lost[of == name].sum()} of {(of == name).sum()} living refused" for name in SELFIES)


def _errors(accepted: NDArray[np.bool_], live: NDArray[np.bool_], own: NDArray[np.bool_]) -> str:
    attacks, living = accepted[own & ~live], ~accepted[own & live]
    return f"{attacks.sum()} of {len(attacks)} attacks accepted, {living.sum()} of {len(living)} living refused"


if __name__ == "__main__":
    main()
