"""How many real heads that turn would be refused for want of relief, and what a nod does to a face's width.

python -m benchmarks.turned_photographs --data FOLDER

Two photographs of one person of FOLDER/lfw, one straight and one aside by 15.5 to 42°, however they nod. The effect of
a nod is fitted in five folds by people; each pair is judged by what was fitted to other people. Then turns on video
(FOLDER/pad_phone, live): how alike what is around the face stays, which nothing was fitted to.
"""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truename.reviews.agreement import wilson
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.aimed import RELIEF_FROM
from truename.vision.liveness.parallax import LOSS_BY_NOD, Relief, has_relief, head_stands_still, relief
from truename.vision.liveness.views import View, view

FOLDS = 5
MOST = 42.0
NODS = {"level": (-8.0, 8.0), "looking down": (-30.0, -8.0), "looking up": (8.0, 30.0)}


@dataclass(frozen=True)
class Turn:
    """Two photographs of one person."""

    person: str
    relief: Relief

    @property
    def loss(self) -> float:
        """By how much the face is wider than a turned plane would be."""
        return self.relief.width - float(np.cos(np.radians(self.relief.turned)))


def turns(data: Path) -> Iterator[Turn]:
    """Every pair of a straight photograph and one that looks aside."""
    by_name: dict[str, list[Path]] = {}
    for file in sorted((data / "lfw").glob("*.jpg")):
        by_name.setdefault(file.stem.rsplit("_", 1)[0], []).append(file)
    for name, files in by_name.items():
        seen = [view(decode(file.read_bytes())) for file in files[:8]] if len(files) > 1 else []
        views = [one for one in seen if isinstance(one, View)]
        for straight in views:
            if abs(straight.yaw) <= 9 and abs(straight.mesh.pose.pitch) <= 14:
                for other in views:
                    if RELIEF_FROM <= abs(other.yaw - straight.yaw) <= MOST:
                        yield Turn(name, relief(straight, other))


def on_video(data: Path) -> Iterator[Turn]:
    """Turns of one person on one video: what is around the face was the same throughout."""
    by_name: dict[str, list[str]] = {}
    with (data / "pad_phone" / "labels.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["label"] == "live" and row["source"].endswith("live_video"):
                by_name.setdefault(row["subject"], []).append(row["file"])
    for name, files in by_name.items():
        seen = [view(decode((data / "pad_phone" / file).read_bytes())) for file in files]
        views = [one for one in seen if isinstance(one, View)]
        for straight in (one for one in views if abs(one.yaw) <= 10):
            for other in views:
                if RELIEF_FROM <= abs(other.yaw - straight.yaw) <= MOST + 3:
                    yield Turn(name, relief(straight, other))


def by_nod(found: list[Turn]) -> float:
    """The slope of the width by the nod."""
    known = np.array([(1.0, one.relief.nodded) for one in found])
    return float(np.linalg.lstsq(known, np.array([one.loss for one in found]), rcond=None)[0][1])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    found = list(turns(data))
    people = np.random.default_rng(1).permutation(sorted({one.person for one in found}))
    fold = {name: place % FOLDS for place, name in enumerate(people)}
    slopes = [by_nod([one for one in found if fold[one.person] != number]) for number in range(FOLDS)]
    print(f"width by degree of nod: {by_nod(found):.4f}; by fold {', '.join(f'{one:.4f}' for one in slopes)}")
    # What is judged scales the nod by LOSS_BY_NOD: a nod that is scaled itself is judged by another slope.
    others = np.array(
        [
            has_relief(replace(one.relief, nodded=one.relief.nodded * slopes[fold[one.person]] / LOSS_BY_NOD))
            for one in found
        ]
    )
    as_shipped = np.array([has_relief(one.relief) for one in found])
    without = np.array([has_relief(replace(one.relief, nodded=0.0)) for one in found])
    print("| real heads | refused, slope of other people | as shipped | nods left out |\n|-|-|-|-|")
    for name, (low, high) in {"all": (-90.0, 90.0), **NODS}.items():
        own = np.array([low <= one.relief.nodded < high for one in found])
        print(f"| {name} | {_words(~others, own)} | {_words(~as_shipped, own)} | {_words(~without, own)} |")

    filmed = list(on_video(data))
    around = [one.relief.around for one in filmed]
    still = sum(head_stands_still([one.relief]) for one in filmed)
    lost = sum(not has_relief(one.relief) for one in filmed)
    who = f"{len(filmed)} turns of {len({one.person for one in filmed})} people"
    print(f"on video: {who}; likeness around the face at most {max(around):.3f}, taken for a still head {still};")
    print(f"refused for want of relief {lost}")


def _words(refused: NDArray[np.bool_], own: NDArray[np.bool_]) -> str:
    hits, n = int(refused[own].sum()), int(own.sum())
    low, high = wilson(hits, n)
    return f"{hits} of {n} ({100 * low:.1f}–{100 * high:.1f} %)"


if __name__ == "__main__":
    main()
