"""Selfies that had no say in any passive weight or line: how many of these living people single pictures refuse.

The people of `selfie_id` and `portrait26` photographed themselves or were photographed in everyday life, before shelves
and doors. The sets of attacks have few such pictures: a network that refused 3 of 101 living people of those sets
refused a quarter of these.
"""

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.accuracy_rows import LeftOut, Row, share
from benchmarks.accuracy_sections.liveness_folds import ACCEPTED, SECTION
from benchmarks.calibrate_liveness import Judges
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.passive import PassiveScore, score_picture
from truename.vision.liveness.views import View, view

SELFIES = {"selfie_id": ("selfie",), "portrait26": ("life", "portrait")}
"""By set: what its column `type` says of pictures that a camera took of a living person."""
GROUPS = "utkface"
OF_A_GROUP = 80
YOUNGEST = 18
NOTE = "never fitted to; sold as data, so some were made smaller or touched up, and one is a print"


def selfies(data: Path, left_out: LeftOut) -> dict[str, list[PassiveScore]]:
    """How each picture is judged in which a single face was found, by set; a set that is not there is not told.

    A picture that cannot be read costs itself and is told with those left out.
    """
    found: dict[str, list[PassiveScore]] = {}
    for name, types in SELFIES.items():
        if not (data / name / "labels.csv").is_file():
            continue
        with (data / name / "labels.csv").open(encoding="utf-8") as file:
            files = [data / name / row["file"] for row in csv.DictReader(file) if row["type"] in types]
        judged = [left_out.measured(one.name, partial(_judged, one)) for one in files]
        found[name] = [one for one in judged if one is not None]
    return found


def groups(data: Path, left_out: LeftOut) -> dict[str, list[PassiveScore]]:
    """The same of as many adults of each group of UTKFace, spread over its files; nothing where it is not there."""
    if not (data / GROUPS / "labels.csv").is_file():
        return {}
    files: dict[str, list[Path]] = {}
    with (data / GROUPS / "labels.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if int(row["age"]) >= YOUNGEST:
                files.setdefault(f"{GROUPS}, {row['race']}", []).append(data / GROUPS / row["file"])
    found = {}
    for name, every in sorted(files.items()):
        some = sorted(every)[:: max(1, len(every) // OF_A_GROUP)][:OF_A_GROUP]
        judged = [left_out.measured(one.name, partial(_judged, one)) for one in some]
        found[name] = [one for one in judged if one is not None]
    return found


def refused(judges: Judges, judged: dict[str, list[PassiveScore]]) -> Iterator[Row]:
    """Per set, after a passed challenge."""
    for name, pictures in judged.items():
        lost = sum(one.after_challenge < ACCEPTED for one in pictures)
        measure = f"after a passed challenge, {judges}: living people of {name} refused"
        note = NOTE if name in SELFIES else "never fitted to; closer crops than a selfie's, groups as labelled"
        yield share(SECTION, measure, lost, len(pictures), at_most=0.05, note=note)


def _judged(file: Path) -> PassiveScore | None:
    picture = decode(file.read_bytes())
    seen = view(picture)
    return score_picture(picture, seen.face) if isinstance(seen, View) else None
