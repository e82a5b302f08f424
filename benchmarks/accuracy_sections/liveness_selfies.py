"""Selfies that had no say in any passive weight or line: how many of these living people single pictures refuse.

The people of `selfie_id` and `portrait26` photographed themselves or were photographed in everyday life, before shelves
and doors. The sets of attacks have few such pictures: a network that refused 3 of 101 living people of those sets
refused a quarter of these.
"""

import csv
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.accuracy_rows import LeftOut, Row, share
from benchmarks.accuracy_sections.liveness_folds import ACCEPTED, SECTION
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.passive import Measured, measure, score
from truename.vision.liveness.score import lifted_by_challenge
from truename.vision.liveness.views import View, view

SELFIES = {"selfie_id": ("selfie",), "portrait26": ("life", "portrait")}
"""By set: what its column `type` says of pictures that a camera took of a living person."""
NOTE = "never fitted to; sold as data, so some were made smaller or touched up, and one is a print"


def selfies(data: Path, left_out: LeftOut) -> dict[str, list[Measured]]:
    """What is measured on each picture in which a single face was found, by set; a set that is not there is not told.

    A picture that cannot be read costs itself and is told with those left out.
    """
    found: dict[str, list[Measured]] = {}
    for name, types in SELFIES.items():
        if not (data / name / "labels.csv").is_file():
            continue
        with (data / name / "labels.csv").open(encoding="utf-8") as file:
            files = [data / name / row["file"] for row in csv.DictReader(file) if row["type"] in types]
        measured = [left_out.measured(one.name, partial(_measured, one)) for one in files]
        found[name] = [one for one in measured if one is not None]
    return found


def refused(measured: dict[str, list[Measured]]) -> Iterator[Row]:
    """Per set, by the classical signs and with the passive networks where there are any, after a passed challenge."""
    for name, pictures in measured.items():
        for with_network in (False, True):
            if with_network and any(one.network is None for one in pictures):
                continue
            scores = [score(one if with_network else replace(one, network=None)) for one in pictures]
            lost = sum(lifted_by_challenge(one, with_network) < ACCEPTED for one in scores)
            words = "with the passive networks" if with_network else "classical signs alone"
            measure = f"after a passed challenge, {words}: living people of {name} refused"
            yield share(SECTION, measure, lost, len(scores), at_most=0.05, note=NOTE)


def _measured(file: Path) -> Measured | None:
    picture = decode(file.read_bytes())
    seen = view(picture)
    return measure(picture, seen.face) if isinstance(seen, View) else None
