"""Read a document from the photos of its sides: the pipeline, from top to bottom.

For each side: find the page → find its lines of text → read the zone → read the barcode → read the print.
For both together: agree on country and kind → assign the print to fields → reconcile the sources → measure the quality.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import cv2
import numpy as np

from truename.rules import documents
from truename.rules.evidence import (
    DocumentEvidence,
    DocumentField,
    DocumentType,
    FieldName,
    MrzFormat,
    Quality,
    QualityReason,
    ReadValue,
    SideEvidence,
    Source,
)
from truename.vision.captures import Picture, Side
from truename.vision.configuration import configuration
from truename.vision.document import classify
from truename.vision.document.authenticity.measure import Signs, signs_of_front, signs_of_text
from truename.vision.document.barcode.payloads import Payload, understand
from truename.vision.document.barcode.read import read_barcode
from truename.vision.document.layouts_seen import from_labels, from_places
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.mrz.read import MrzRead, read_mrz
from truename.vision.document.page.locate import Page, find_page
from truename.vision.document.page.portrait import Portrait, find_portrait
from truename.vision.document.page.quality import measure, measure_quality
from truename.vision.document.places import field_places
from truename.vision.document.preview import fractions
from truename.vision.document.print.beside_zone import Beside, read_until_confirmed
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.read import Quad, TextLine, crop_line, detect_lines, recognise
from truename.vision.document.reconcile import reconcile

BARCODE_CONFIDENCE: Final = 0.97


@dataclass(frozen=True)
class DocumentReading:
    """The evidence, and the pictures that are kept beside it."""

    evidence: DocumentEvidence
    portrait: Picture | None = None
    front_rectified: Picture | None = None
    second_portrait: Picture | None = None
    """The portrait again, where the document repeats it."""


@dataclass(frozen=True)
class SideReading:
    """All that one photo shows."""

    photo: Picture
    page: Page | None
    quality: Quality
    lines: list[TextLine] = field(default_factory=list)
    mrz: MrzRead | None = None
    payload: Payload | None = None
    portrait: Portrait | None = None
    signs: Signs = field(default_factory=dict)
    confirmed: Mapping[FieldName, list[ReadValue]] | None = None
    """What the print says, where it confirms a trusted zone and was read no further."""


def read_document(
    front: Picture | None, back: Picture | None, today: date, limits: ReadingLimits = CHOSEN
) -> DocumentReading:
    """Everything the document says about itself and its holder; what cannot be read is missing, never guessed.

    `today`, the day of the capture, settles the centuries of years written with two digits.
    """
    sides = {
        side: read_side(photo, side, today, limits)
        for side, photo in ((Side.FRONT, front), (Side.BACK, back))
        if photo is not None
    }
    mrz = _best_mrz([side.mrz for side in sides.values() if side.mrz])
    payload = next((side.payload for side in sides.values() if side.payload), None)
    what = _classify(list(sides.values()), mrz, payload)
    fields = reconcile(
        mrz.values(today, documents.may_be_without_end(what.country, what.type)) if mrz else {},
        _barcode_values(payload),
        _printed_values(list(sides.values()), what, today, mrz is not None),
        names_cut=mrz is not None and mrz.mrz.names_truncated,
    )
    recognised = what.type is not None and (what.country is not None or what.issuer_code is not None)
    portrait = next((side.portrait for side in sides.values() if side.portrait), None)
    evidence = DocumentEvidence(
        recognised=recognised,
        reason=None if recognised else _why_not(list(sides.values())),
        country=what.country,
        issuer_code=what.issuer_code,
        type=what.type,
        type_confidence=round(what.confidence, 3),
        fields=fields,
        mrz=mrz.reading if mrz else None,
        barcode_kind=payload.kind if payload else None,
        front=_side_evidence(sides.get(Side.FRONT), _missing_back(what, sides, mrz, payload), fields),
        back=_side_evidence(sides.get(Side.BACK), (), fields),
        has_portrait=portrait is not None,
        authenticity={
            **signs_of_text(fields, mrz, what.country, what.type, today),
            **(sides[Side.FRONT].signs if Side.FRONT in sides else {}),
        },
    )
    rectified = _page_of(sides.get(Side.FRONT))
    if portrait is None:
        return DocumentReading(evidence, None, rectified)
    return DocumentReading(evidence, portrait.picture, rectified, portrait.second)


def read_side(photo: Picture, side: Side, today: date, limits: ReadingLimits = CHOSEN) -> SideReading:
    """One photo, as far as it can be read alone; without a page nothing but its quality is known."""
    page = find_page(photo, limits)
    if page is None:
        return SideReading(photo, None, measure_quality(photo, None))
    flat = page.picture
    measured = measure(flat)
    quality = measure_quality(photo, page, side is Side.FRONT, measured)
    quads = detect_lines(flat)
    mrz = read_mrz(flat, [TextLine("", 0.0, quad) for quad in quads], limits)
    # The zone's own lines need not be read again by the reader of plain print.
    printed = [quad for quad in quads if mrz is None or not _inside(quad, mrz.corners)]
    beside = _beside_zone(flat, printed, mrz, today)
    rest = [quad for index, quad in enumerate(printed) if index not in beside.lines]
    lines = [*beside.lines.values(), *(_read_line(flat, quad) for quad in rest if beside.values is None)]
    barcode = None
    if mrz is None or not _is_passport(mrz):
        barcode = read_barcode(flat, persistent=False, zone=mrz.corners if mrz and mrz.reading.valid else None)
    portrait = find_portrait(flat, persistent=side is Side.FRONT)
    return SideReading(
        photo,
        page,
        quality,
        _sure_lines(lines, limits.line_sure),
        mrz,
        understand(barcode.payload) if barcode else None,
        portrait,
        signs_of_front(photo, page, measured, portrait) if side is Side.FRONT else {},
        beside.values,
    )


def _beside_zone(page: Picture, quads: Sequence[Quad], mrz: MrzRead | None, today: date) -> Beside:
    """Read as much of the print as confirms the zone of a passport; nothing where the zone cannot be trusted alone."""
    if mrz is None or not _is_passport(mrz) or configuration().read_all_print:
        return Beside({}, None)
    return read_until_confirmed(quads, mrz.values(today), lambda quad: _read_line(page, quad), today)


def _is_passport(mrz: MrzRead) -> bool:
    """Is this beyond doubt the zone of a passport, whose title adds nothing and which bears no barcode?"""
    reading = mrz.reading
    trusted = reading.valid and reading.readers_agree and not reading.repaired_fields
    is_book = reading.format is MrzFormat.TD3 and mrz.mrz.document_code.startswith("P")
    return trusted and is_book and not mrz.mrz.names_truncated


def _read_line(page: Picture, quad: Quad) -> TextLine:
    [word] = recognise([crop_line(page, quad)])
    return TextLine(word.text, word.confidence, quad)


def _sure_lines(lines: Sequence[TextLine], sure: float) -> list[TextLine]:
    said = [line for line in lines if line.text.strip() and line.confidence >= sure]
    return sorted(said, key=lambda line: (line.top, line.left))


def _inside(quad: Quad, zone: Quad) -> bool:
    x, y = quad.mean(0)
    return cv2.pointPolygonTest(np.asarray(zone, np.float32), (float(x), float(y)), False) >= 0


def _best_mrz(found: Sequence[MrzRead]) -> MrzRead | None:
    return max(found, key=lambda mrz: (mrz.reading.valid, mrz.reading.confidence), default=None)


def _classify(sides: Sequence[SideReading], mrz: MrzRead | None, payload: Payload | None) -> classify.Classified:
    opinions = []
    if payload is not None:
        opinions.append(classify.Classified(payload.country, payload.type, 0.98))
    if mrz is not None:
        opinions.append(classify.from_mrz(mrz.reading.lines, mrz.reading.valid))
        if classify.is_foreign_to_us(mrz.mrz.document_code):
            # Its own zone says what it is: no title on the page makes an identity card of it.
            return opinions[-1]
    for side in sides:
        opinions += [classify.from_print(side.lines), classify.from_layout(side.lines)]
    said = classify.combine(*opinions)
    if said.country is not None and said.type is not None:
        return said
    seen = [opinion for side in sides for opinion in _by_layouts(side, said.country)]
    # What the words of the page name is not overruled: a layout fills what they leave open.
    fitting = [one for one in seen if said.country in (None, one.country) and said.type in (None, one.type)]
    return classify.combine(*opinions, *fitting)


def _by_layouts(side: SideReading, country: str | None) -> list[classify.Classified]:
    if side.page is None:
        return []
    height, width = side.page.picture.shape[:2]
    return [from_places(side.lines, (width, height)), from_labels(side.lines, country)]


def _barcode_values(payload: Payload | None) -> Mapping[FieldName, ReadValue]:
    if payload is None:
        return {}
    return {
        name: ReadValue(value=value, source=Source.BARCODE, confidence=BARCODE_CONFIDENCE)
        for name, value in payload.fields.items()
    }


def _printed_values(
    sides: Sequence[SideReading], what: classify.Classified, today: date, with_zone: bool
) -> dict[FieldName, list[ReadValue]]:
    """Candidates of the front before those of the back."""
    merged: dict[FieldName, list[ReadValue]] = {}
    for side in sides:
        size = (side.page.picture.shape[1], side.page.picture.shape[0]) if side.page else None
        found = side.confirmed or read_fields(side.lines, what.country, what.type, today, size, with_zone)
        for name, values in found.items():
            merged.setdefault(name, []).extend(values)
    return merged


def _missing_back(
    what: classify.Classified, sides: Mapping[Side, SideReading], mrz: MrzRead | None, payload: Payload | None
) -> tuple[QualityReason, ...]:
    """The other side is called for when the document bears its zone or barcode there and nothing of it was seen."""
    if Side.BACK in sides or mrz is not None or payload is not None:
        return ()
    if what.country is None or what.type is None or what.type is DocumentType.PASSPORT:
        return ()
    return (QualityReason.BACK_NEEDED,) if documents.needs_back(what.country, what.type) else ()


def _why_not(sides: Sequence[SideReading]) -> str:
    if all(side.page is None for side in sides):
        return "NO_DOCUMENT"
    if not any(side.lines or side.mrz or side.payload for side in sides):
        return "UNREADABLE"
    return "UNKNOWN_LAYOUT"


def _side_evidence(
    side: SideReading | None, further: tuple[QualityReason, ...], fields: Mapping[FieldName, DocumentField]
) -> SideEvidence | None:
    if side is None:
        return None
    quality = side.quality.model_copy(update={"reasons": side.quality.reasons + further})
    if side.page is None:
        return SideEvidence(quality=quality)
    places = field_places(side.page.picture, side.lines, side.mrz, fields)
    return SideEvidence(quad=fractions(side.page, side.photo), quality=quality, places=places)


def _page_of(side: SideReading | None) -> Picture | None:
    return side.page.picture if side is not None and side.page is not None else None
