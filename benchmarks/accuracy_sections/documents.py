"""Documents: outline, country and kind, fields, portrait, barcodes, on scans, specimens, photos with a zone, PDF417.

Limits are chosen by other sources than those counted (`folds.py`); each figure by the shipped limits stands beside it.
"""

import csv
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.accuracy_rows import NOTHING_FITTED, LeftOut, Row, bounded, share
from benchmarks.accuracy_sections.document_plots import plot_kinds
from benchmarks.accuracy_sections.folds import PAGE_LIMITS, by_other_sources, counted, remembered_networks
from benchmarks.accuracy_sections.unknown_layouts import read_without_layouts, rows_without_layouts
from truename.rules.countries import COUNTRIES
from truename.rules.documents import is_supported
from truename.rules.evidence import DocumentEvidence, DocumentType, FieldName
from truename.vision.captures import Picture
from truename.vision.document.barcode.read import read_barcode
from truename.vision.document.classify import from_mrz
from truename.vision.document.folding import fold
from truename.vision.document.layouts.formats import settle
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.phrases import documents_of
from truename.vision.document.mrz.fields import birth_date, expiry_date, parse
from truename.vision.document.read import DocumentReading, read_document
from truename.vision.memory import keep_freed_memory

SECTION = "documents"
TODAY = date(2026, 11, 15)
ALPHA_2 = {country.alpha_3: country.alpha_2 for country in COUNTRIES.values()}
KINDS = {
    "id": DocumentType.NATIONAL_ID,
    "id_card": DocumentType.NATIONAL_ID,
    "internalpassport": DocumentType.NATIONAL_ID,
    "passport": DocumentType.PASSPORT,
    "driver_license": DocumentType.DRIVER_LICENSE,
    "residence_permit": DocumentType.RESIDENT_PERMIT,
}
MAIN = (
    FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY, FieldName.SURNAMES,
    FieldName.GIVEN_NAMES,
)  # fmt: skip
PRINT_GOALS = (FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_EXPIRY, FieldName.SURNAMES, FieldName.GIVEN_NAMES)
FURTHER = (FieldName.GENDER, FieldName.DATE_OF_ISSUE, FieldName.NATIONALITY, FieldName.PERSONAL_NUMBER)
COLUMNS = {
    FieldName.DOCUMENT_NUMBER: "document_number", FieldName.DATE_OF_BIRTH: "birth_date",
    FieldName.DATE_OF_EXPIRY: "expiry_date", FieldName.SURNAMES: "surname", FieldName.GIVEN_NAMES: "given_names",
    FieldName.GENDER: "sex", FieldName.DATE_OF_ISSUE: "issue_date", FieldName.NATIONALITY: "nationality",
    FieldName.PERSONAL_NUMBER: "personal_number",
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """One photo, its truth, and what was read."""

    set: str
    file: str
    source: str
    """The repository, or the kind of document, that it comes from."""
    kind: tuple[str | None, DocumentType | None]
    fields: dict[FieldName, str]
    has_zone: bool
    readings: tuple[DocumentReading, ...]
    """By the limits that were tried, the shipped ones first."""
    seconds: float
    quad: NDArray[np.float32] | None = None
    face: NDArray[np.float32] | None = None
    size: tuple[int, int] = (1, 1)
    upright: bool = True
    choice: int = 0
    """Which of the limits the other sources chose."""
    without_layout: DocumentEvidence | None = None
    """What is read of print alone when its country has no layout file."""

    @property
    def reading(self) -> DocumentReading:
        """What was read by the limits that other sources chose."""
        return self.readings[self.choice]

    def by(self, choice: int) -> "Sample":
        """The same, read by other limits."""
        return replace(self, choice=choice)


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    keep_freed_memory()  # as a worker does
    left_out = LeftOut(SECTION)
    samples = [
        sample
        for name, read in (("midv2020", _scan), ("specimens", _specimen), ("mrz", _zone))
        for row in _rows_of(data / name)
        if (sample := left_out.measured(row.get("file", "?"), partial(read, data / name, row))) is not None
    ]
    samples = _in_folds(samples)
    rows = [*_outline_rows(samples), *_kind_rows(samples), *_field_rows(samples)]
    rows += rows_without_layouts(SECTION, [one for one in samples if not one.has_zone], PRINT_GOALS)
    portraits = [one for one in samples if one.face is not None]
    rows.append(_counted("portrait found", portraits, lambda one: one.reading.portrait is not None))
    rows.append(_barcode_row(data / "pdf417", left_out))
    rows += left_out.rows()
    seconds = [sample.seconds for sample in samples]
    if seconds:
        rows.append(
            bounded(
                SECTION,
                "reading one side, CPU",
                float(np.median(seconds)),
                at_most=0.6,
                n=len(seconds),
                unit="s",
                note=f"median; mean {np.mean(seconds):.2f} s",
            )
        )
    if plots is not None:
        said = [(one.kind[1], one.reading.evidence.type) for one in samples if one.kind[1]]
        plot_kinds(plots / "documents_confusion.png", said)
    return rows


def _in_folds(samples: list[Sample]) -> list[Sample]:
    """Each sample with the limits under which the other sources have most fields, kinds and outlines right."""
    if not samples:
        return []
    right = [[_all_right(one.by(choice)) for choice in range(len(PAGE_LIMITS))] for one in samples]
    chosen = by_other_sources(right, [one.source for one in samples])
    return [one.by(choice) for one, choice in zip(samples, chosen, strict=True)]


def _all_right(sample: Sample) -> bool:
    fields = all(_exact(sample, field) for field in MAIN if field in sample.fields)
    return fields and _said(sample) == sample.kind and (sample.quad is None or overlap(sample) >= 0.95)


def _counted(
    measure: str,
    samples: list[Sample],
    is_right: Callable[[Sample], bool],
    at_least: float | None = None,
    note: str = "",
) -> Row:
    """The share that holds by the limits that other sources chose, with that of the shipped limits beside it."""
    right = [[is_right(one.by(choice)) for choice in range(len(one.readings))] for one in samples]
    return counted(right, [one.choice for one in samples]).row(SECTION, measure, at_least=at_least, note=note)


# ── the sets ───────────────────────────────────────────────────────────────────────────────────────────────


def _rows_of(folder: Path) -> list[dict[str, str]]:
    file = folder / "labels.csv"
    return list(csv.DictReader(file.open(encoding="utf-8"))) if file.is_file() else []


def _picture(file: Path) -> Picture:
    return np.asarray(Image.open(file).convert("RGB"), np.uint8)


Read = tuple[tuple[DocumentReading, ...], float, tuple[int, int], DocumentEvidence | None]


def _read(file: Path, country: str | None = None) -> Read:
    """What is read under each of the limits, how long the first took, the picture's size.

    Last what is read when this country has no layout file, where one is given.
    """
    picture = _picture(file)
    with remembered_networks() as remembering:
        started = time.process_time()
        shipped = read_document(picture, None, TODAY)
        seconds = time.process_time() - started - remembering.seconds
        others = (read_document(picture, None, TODAY, limits) for limits in PAGE_LIMITS[1:])
        alone = None if country is None else read_without_layouts(picture, country, TODAY)
        return (shipped, *others), seconds, (picture.shape[1], picture.shape[0]), alone


def _kind(country: str, kind: str) -> tuple[str, DocumentType]:
    """The labels' words in ours; raises LookupError for a country or kind that we have no word for."""
    if country not in ALPHA_2:
        raise LookupError(f"unknown country {country}")
    if kind not in KINDS:
        raise LookupError(f"unknown kind {kind}")
    return ALPHA_2[country], KINDS[kind]


def _scan(folder: Path, row: dict[str, str]) -> Sample:
    kind = _kind(row["country"], row["doc_type"].partition("_")[2])
    readings, seconds, size, alone = _read(folder / row["file"], None if row["mrz1"] else kind[0])
    quad, face = (np.array(json.loads(row[key]), np.float32) if row[key] else None for key in ("doc_quad", "face_quad"))
    upright = not row["capture"].endswith("rotated")
    truth = _without_card_number(_truth(row), kind)
    what = (folder.name, row["file"], row["doc_type"], kind, truth, bool(row["mrz1"]))
    return Sample(*what, readings, seconds, quad, face, size, upright, without_layout=alone)


def _specimen(folder: Path, row: dict[str, str]) -> Sample:
    kind = _kind(row["country"], row["doc_type"])
    readings, seconds, size, alone = _read(folder / row["file"], None if row["mrz1"] else kind[0])
    what = (folder.name, row["file"], row["file"], kind, _truth(row), bool(row["mrz1"]))
    return Sample(*what, readings, seconds, size=size, without_layout=alone)


def _zone(folder: Path, row: dict[str, str]) -> Sample | None:
    """Country and kind as the zone's true text says; visas are no documents that are accepted."""
    lines = tuple(row["lines"].split("\n")) if row["lines"] else ()
    if not lines or row["format"].startswith("MRV"):
        return None
    what = from_mrz(lines, valid=True)
    readings, seconds, size, _ = _read(folder / row["file"])
    truth = _zone_truth(lines) if row["checks_valid"] == "1" else {}
    source = row.get("repo") or row["file"]
    return Sample(
        folder.name, row["file"], source, (what.country, what.type), truth, True, readings, seconds, size=size
    )


def _truth(row: dict[str, str]) -> dict[FieldName, str]:
    truth = {field: row[column] for field, column in COLUMNS.items() if row.get(column)}
    if FieldName.NATIONALITY in truth:
        truth[FieldName.NATIONALITY] = ALPHA_2.get(truth[FieldName.NATIONALITY], truth[FieldName.NATIONALITY])
    return truth


def _without_card_number(truth: dict[FieldName, str], kind: tuple[str, DocumentType]) -> dict[FieldName, str]:
    """The labels without a "personal number" that, by the layout files, counts the card and is nobody's number.

    MIDV-2020 labels the IDESP of Spanish cards so; the holder's own number, the DNI, is their document number.
    """
    named = truth.get(FieldName.PERSONAL_NUMBER)
    cards = [field for layout in documents_of(*kind) if (field := layout.fields.get(LayoutField.CARD_NUMBER))]
    if named is None or not any(settle(named, card.formats) for card in cards if card.formats):
        return truth
    return {name: value for name, value in truth.items() if name is not FieldName.PERSONAL_NUMBER}


def _zone_truth(lines: tuple[str, ...]) -> dict[FieldName, str]:
    zone = parse(lines)
    if zone is None:
        return {}
    born, expires = birth_date(zone.date_of_birth, TODAY), None
    if zone.date_of_expiry:
        expires = expiry_date(zone.date_of_expiry, TODAY)
    truth = {
        FieldName.DOCUMENT_NUMBER: zone.document_number,
        FieldName.SURNAMES: zone.surnames,
        FieldName.GIVEN_NAMES: zone.given_names,
        FieldName.DATE_OF_BIRTH: born.isoformat() if born else "",
        FieldName.DATE_OF_EXPIRY: expires.isoformat() if expires else "",
    }
    return {field: value for field, value in truth.items() if value}


# ── the figures ────────────────────────────────────────────────────────────────────────────────────────────


def _outline_rows(samples: list[Sample]) -> list[Row]:
    rows = []
    for label, wanted in (("all", None), ("upright", True), ("rotated", False)):
        chosen = [one for one in samples if one.quad is not None and (wanted is None or one.upright is wanted)]
        goal = 0.95 if wanted is None else None
        rows.append(_counted(f"outline IoU ≥ 0.95, {label}", chosen, lambda one: overlap(one) >= 0.95, goal))
    placed = [one for one in samples if one.quad is not None]
    rows.append(_counted("turned the right way up", placed, _right_way_up))
    return rows


def overlap(sample: Sample) -> float:
    """Common area over joint area of the true and the found outline."""
    front = sample.reading.evidence.front
    if front is None or not front.quad or sample.quad is None:
        return 0.0
    found = np.array(front.quad, np.float32) * np.array(sample.size, np.float32)
    common = cv2.intersectConvexConvex(found, sample.quad)[0]
    return float(common / (cv2.contourArea(found) + cv2.contourArea(sample.quad) - common))


def _right_way_up(sample: Sample) -> bool:
    front = sample.reading.evidence.front
    if front is None or not front.quad or sample.quad is None:
        return False
    found = np.array(front.quad, np.float32) * np.array(sample.size, np.float32)
    return int(np.linalg.norm(found[0] - sample.quad, axis=1).argmin()) == 0


def _kind_rows(samples: list[Sample]) -> list[Row]:
    chosen = [one for one in samples if one.kind[0] and one.kind[1] and is_supported(one.kind[0], one.kind[1])]
    rows = [_counted("country and kind right", chosen, _kind_right, 0.97, "supported documents")]
    sets = {name: [one for one in chosen if one.set == name] for name in ("midv2020", "specimens", "mrz")}
    rows += [_counted(f"country and kind right, {name}", part, _kind_right) for name, part in sets.items()]
    rows.append(_counted("country or kind said, but wrong", chosen, _said_wrong))
    return rows


def _kind_right(sample: Sample) -> bool:
    return _said(sample) == sample.kind


def _said_wrong(sample: Sample) -> bool:
    return sample.reading.evidence.recognised and not _kind_right(sample)


def _said(sample: Sample) -> tuple[str | None, DocumentType | None]:
    return sample.reading.evidence.country, sample.reading.evidence.type


def _field_rows(samples: list[Sample]) -> list[Row]:
    rows = []
    zoned = [one for one in samples if one.has_zone and one.fields]
    rows.append(_counted("number, dates and names all exact, with zone", zoned, _complete, 0.92))
    large = [one for one in zoned if one.size[0] * one.size[1] >= 640 * 480]
    rows.append(_counted("the same, pictures of at least 640×480", large, _complete))
    for title, chosen in (("with zone", zoned), ("print only", [one for one in samples if not one.has_zone])):
        for field in (*MAIN, *FURTHER):
            part = [one for one in chosen if field in one.fields]
            if part:
                goal = 0.9 if title == "print only" and field in PRINT_GOALS else None
                rows.append(_counted(f"{field.value} exact, {title}", part, partial(_exact, field=field), goal))
    return rows


def _complete(sample: Sample) -> bool:
    return all(_exact(sample, field) for field in MAIN if field in sample.fields)


def _exact(sample: Sample, field: FieldName) -> bool:
    """Every letter and digit right; accents, spaces and hyphens aside."""
    value = sample.reading.evidence.value(field)
    return value is not None and fold(value) == fold(sample.fields[field])


def _barcode_row(folder: Path, left_out: LeftOut) -> Row:
    def exact(row: dict[str, str]) -> bool:
        found = read_barcode(_picture(folder / row["file"]))
        return found is not None and found.payload.hex() == row["truth_hex"]

    results = [left_out.measured(row.get("file", "?"), partial(exact, row)) for row in _rows_of(folder)]
    known = [result for result in results if result is not None]
    return share(SECTION, "PDF417 byte-exact", sum(known), len(known), at_least=0.95, note=NOTHING_FITTED)
