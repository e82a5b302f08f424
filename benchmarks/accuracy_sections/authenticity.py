"""Signs of authenticity: how often each speaks against a genuine document, and how often against a forged one.

Limits are chosen on other sources, so that at most one in fifty of their genuine pictures is beyond; limits that follow
from what a sign means (a wrong check digit is one too many) are chosen on nothing. Every picture is compressed as at
the upload. Specimens in `mrz` are partly made by programs: there an even page is no false alarm, and counts as one.
Visas are left out: no check judges them.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.accuracy_rows import LeftOut, Row, part, share
from benchmarks.accuracy_sections import two_sides
from benchmarks.accuracy_sections.documents import TODAY
from benchmarks.accuracy_sections.forged import Forged, every
from truename.rules.authenticity_signs import LIMITS, AuthenticitySign, SignLimit, speaking
from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.document.page.screen import hues_in_one_direction
from truename.vision.document.read import read_document
from truename.vision.images import encode_jpeg

SECTION = "authenticity"
BY_MEANING = frozenset(
    {
        AuthenticitySign.SOURCES_CONTRADICT,
        AuthenticitySign.CHECK_DIGITS_FAILED,
        AuthenticitySign.SIDES_DO_NOT_MATCH,
        AuthenticitySign.NUMBER_CONTRADICTS,
        AuthenticitySign.IMPOSSIBLE_DATES,
    }
)
"""Signs whose limit follows from what they mean."""
FALSE_ALARMS = 0.02
SETS = {"midv2020": "doc_type", "mrz": "repo"}
"""The collections of genuine documents, and the column that names the source of each picture."""
EVERY = 2
"""Every second picture is measured: the others would double the time and change little."""


@dataclass(frozen=True)
class Measured:
    """The signs of one genuine picture."""

    data_set: str
    source: str
    signs: dict[AuthenticitySign, float]


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """All rows of the section; there is no peer to run beside us."""
    left_out = LeftOut(SECTION)
    genuine = [one for name in SETS for one in _genuine(data / name, left_out)]
    rows = part(SECTION, "genuine", lambda: _false_alarms(genuine))
    pictures = [picture for file in _files(data / "midv2020") if (picture := _picture(file, left_out)) is not None]
    for one in every(pictures, left_out):
        rows += part(SECTION, one.words, partial(_found, one, left_out))
    rows += part(SECTION, "both sides", lambda: two_sides.rows(SECTION, left_out))
    rows += part(SECTION, "faces off real screens", lambda: _faces_off_screens(data / "pad_phone", left_out))
    return rows + left_out.rows()


def _faces_off_screens(folder: Path, left_out: LeftOut) -> Iterator[Row]:
    """How often a screen is told on pictures off real ones: of faces, as there are none of documents."""
    for words, is_one in (
        ("faces off real screens, frames of compressed videos", lambda row: row["attack"].startswith("replay")),
        ("living faces", lambda row: row["label"] == "live"),
    ):
        pictures = [_picture(folder / row["file"], left_out) for row in _labels(folder) if is_one(row)]
        told = [_whole_is_screen(picture) for picture in pictures if picture is not None]
        known = [one for one in told if one is not None]
        yield share(SECTION, f"{words}: SCREEN speaks", sum(known), len(known), note="limit chosen on other pictures")


def _whole_is_screen(picture: Picture) -> bool | None:
    height, width = picture.shape[:2]
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    found = hues_in_one_direction(picture, whole)
    return None if found is None else LIMITS[AuthenticitySign.SCREEN].speaks(found)


def _labels(folder: Path) -> list[dict[str, str]]:
    labels = folder / "labels.csv"
    if not labels.is_file():
        return []
    with labels.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _genuine(folder: Path, left_out: LeftOut) -> Iterator[Measured]:
    rows = [row for row in _labels(folder) if _is_accepted(row)][::EVERY]
    for row in rows:
        picture = _picture(folder / row["file"], left_out)
        signs = None if picture is None else left_out.measured(row["file"], partial(_signs, picture))
        if signs is not None:
            yield Measured(folder.name, row.get(SETS[folder.name]) or "", signs)


def _is_accepted(row: dict[str, str]) -> bool:
    """Is it a document that the check judges? Visas, and pictures without a zone among those with one, are not."""
    return "lines" not in row or bool(row["lines"] and not row["format"].startswith("MRV"))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*upright*.jpg"))[:: 2 * EVERY]


def _picture(file: Path, left_out: LeftOut) -> Picture | None:
    return left_out.measured(file.name, lambda: np.asarray(Image.open(file).convert("RGB"), np.uint8))


def _signs(picture: Picture) -> dict[AuthenticitySign, float]:
    return read_document(decode(encode_jpeg(picture)), None, TODAY).evidence.authenticity or {}


def _false_alarms(genuine: Sequence[Measured]) -> Iterator[Row]:
    """For each sign and collection: beyond a limit that other sources gave, and beyond the shipped one."""
    for sign, shipped in LIMITS.items():
        known = [one for one in genuine if sign in one.signs]
        limits = {source: _limit(sign, shipped, known, source) for source in {one.source for one in known}}
        for name in SETS:
            own = [one for one in known if one.data_set == name]
            if not own:
                continue
            out_of_fold = sum(limits[one.source].speaks(one.signs[sign]) for one in own)
            inside = sum(shipped.speaks(one.signs[sign]) for one in own)
            note = f"in fold {100 * inside / len(own):.1f} %; limit {shipped.limit:g}"
            note += "" if shipped.fails else "; shown, not counted"
            yield share(SECTION, f"{sign.value}: false alarms, {name}", out_of_fold, len(own), note=note)
    for name in SETS:
        every = [one for one in genuine if one.data_set == name]
        doubted = sum(next(speaking(one.signs), None) is not None for one in every)
        measure = f"any counted sign speaks against a genuine document, {name}"
        yield share(SECTION, measure, doubted, len(every), note="shipped limits")


def _limit(sign: AuthenticitySign, shipped: SignLimit, known: Sequence[Measured], source: str) -> SignLimit:
    others = [one.signs[sign] for one in known if one.source != source]
    if sign in BY_MEANING or not others:
        return shipped
    at = float(np.quantile(others, FALSE_ALARMS if shipped.low_speaks else 1 - FALSE_ALARMS))
    return SignLimit(at + (0 if shipped.low_speaks else 1e-6), shipped.low_speaks)


def _found(forged: Forged, left_out: LeftOut) -> Iterator[Row]:
    """How many of the pictures each sign speaks against, and how many any counted sign does.

    The sign that is there to tell this has a row also where it never speaks, of all pictures, measured or not.
    """
    words = forged.words
    found = [left_out.measured(words, partial(_signs, picture)) for picture in forged.make()]
    measured = [signs for signs in found if signs is not None]
    for sign, shipped in LIMITS.items():
        known = [signs[sign] for signs in measured if sign in signs]
        hits = sum(shipped.speaks(value) for value in known)
        if sign is forged.told_by:
            note = "the sign that is there to tell it" + ("" if known else "; it was never measured")
            yield share(SECTION, f"{words}: {sign.value} speaks", hits, len(measured), note=note)
        elif hits:
            yield share(SECTION, f"{words}: {sign.value} speaks", hits, len(known))
    hits = sum(next(speaking(signs), None) is not None for signs in measured)
    yield share(SECTION, f"{words}: any counted sign speaks", hits, len(measured), note="shipped limits")
