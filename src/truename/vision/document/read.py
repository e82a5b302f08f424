"""Read a document from the photos of its sides: the pipeline, from top to bottom.

For each side: find the page → find its lines of text → read the zone → read the print.
For both together: read the barcode → agree on country and kind → assign the print to fields → reconcile the sources →
measure the quality.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from truename.rules import documents
from truename.rules.evidence import (
    DocumentEvidence,
    DocumentField,
    DocumentType,
    FieldName,
    QualityReason,
    ReadValue,
    SideEvidence,
    Source,
)
from truename.vision.captures import Picture, Side
from truename.vision.document import classify
from truename.vision.document.authenticity.measure import signs_of_text
from truename.vision.document.barcode.payloads import Payload
from truename.vision.document.days_by_sight import as_machine_says
from truename.vision.document.layouts.model import LayoutField, Script
from truename.vision.document.layouts.phrases import documents_of, numbered_fields
from truename.vision.document.layouts_seen import (
    as_its_title_says,
    from_labels,
    from_numbers,
    from_places,
    from_titles,
)
from truename.vision.document.likeliest_script import PrintReader
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.own_script import heading_in, reader_of_permits
from truename.vision.document.places import field_places
from truename.vision.document.preview import fractions
from truename.vision.document.print.behind_label import whole_names
from truename.vision.document.print.beside_zone import CONFIRMED
from truename.vision.document.print.date_forms import DateForms, date_forms
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.from_right import from_the_right
from truename.vision.document.print.marked_names import with_marks
from truename.vision.document.print.numbers import prints_both_numbers
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.scripts import FROM_RIGHT
from truename.vision.document.print.upright import upright_line
from truename.vision.document.reconcile import reconcile
from truename.vision.document.script_of_page import Sides, in_own_script, own_reader, parted_in_script
from truename.vision.document.side import SideReading, may_bear_barcode, read_sides, with_barcode, without_doubts
from truename.vision.document.sides import of_another_zone, page_of_holder, side_of_zone, zone_on
from truename.vision.document.zone_by_print import born_in_printed_century, settled_by_print

BARCODE_CONFIDENCE: Final = 0.97
GUESSED: Final = 0.6
"""What print is less sure of has no label of its own."""


@dataclass(frozen=True)
class DocumentReading:
    """The evidence, and the pictures that are kept beside it."""

    evidence: DocumentEvidence
    portrait: Picture | None = None
    front_rectified: Picture | None = None
    second_portrait: Picture | None = None
    """The portrait again, where the document repeats it."""


def read_document(
    front: Picture | None, back: Picture | None, today: date, limits: ReadingLimits = CHOSEN
) -> DocumentReading:
    """Everything the document says about itself and its holder; what cannot be read is missing, never guessed.

    `today`, the day of the capture, settles the centuries of years written with two digits.
    """
    sides: Sides = read_sides(front, back, today, limits)
    zone_side = side_of_zone(sides)
    if may_bear_barcode(zone_on(sides, zone_side)):
        sides = {side: with_barcode(reading) for side, reading in sides.items()}
    payload = next((side.payload for side in sides.values() if side.payload), None)
    settled = _settle(sides, zone_side, payload, today, limits)
    if parted := parted_in_script(settled.sides, sides, today, limits):
        sides, zone_side = parted, side_of_zone(parted)
        settled = _settle(sides, zone_side, payload, today, limits)
    # A page in another script was read without doubts already, to tell its letters from Latin ones.
    if _lacks(settled, payload) and any(line.in_doubt for one in settled.sides.values() for line in one.found):
        surer = {side: without_doubts(reading, limits) for side, reading in sides.items()}
        settled = _settle(surer, zone_side, payload, today, limits)
    sides, what, mrz, fields = settled.sides, settled.what, settled.mrz, settled.fields
    recognised = what.type is not None and (what.country is not None or what.issuer_code is not None)
    forms = date_forms(documents_of(what.country, what.type))
    stated = {name: field for name, field in fields.items() if name in settled.stated or not settled.stated}
    portrait, signs = page_of_holder(sides, zone_side, what, stated, forms)
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
        front=_side_evidence(sides.get(Side.FRONT), _missing_back(what, sides, mrz, payload), fields, forms),
        back=_side_evidence(sides.get(Side.BACK), (), fields, forms),
        has_portrait=portrait is not None,
        own_kind=documents.own_kind(what.country, what.type),
        authenticity={**signs_of_text(fields, mrz, what.country, what.type, today), **signs},
    )
    page = _page_of(sides.get(Side.FRONT))
    pictures = (portrait.picture, page, portrait.second) if portrait else (None, page, None)
    return DocumentReading(evidence, *pictures)


@dataclass(frozen=True)
class _Settled:
    """What both sides and all sources come to."""

    sides: Sides
    what: classify.Classified
    mrz: MrzRead | None
    fields: dict[FieldName, DocumentField]
    stated: frozenset[FieldName]
    """What zone or barcode say."""


def _settle(
    sides: Sides, zone_side: Side | None, payload: Payload | None, today: date, limits: ReadingLimits
) -> _Settled:
    mrz = zone_on(sides, zone_side)
    what = _classify(list(sides.values()), mrz, payload)
    reader = None
    if mrz is None or not mrz.reading.valid:
        sides, reader = own_reader(sides, what, payload)
    elif what.type is DocumentType.NATIONAL_ID and (of_permits := reader_of_permits(what.country)):
        # The title says what it is, in the country's letters.
        pages = [(one.page.picture, one.found) for one in sides.values() if one.page is not None]
        what = as_its_title_says(what, [heading_in(*page, of_permits) for page in pages])
    if reader is not None:
        # Which of two readings a line is kept in was settled beside the careful reader.
        sides = {side: in_own_script(without_doubts(one, limits), reader, limits) for side, one in sides.items()}
        what = classify.combine(what, _classify(list(sides.values()), mrz, payload))
    printed = _printed_values(list(sides.values()), what, today, mrz is not None, reader)
    machine = [mrz.values(today) if mrz is not None else {}, _barcode_values(payload)]
    printed = as_machine_says(printed, machine, documents_of(what.country, what.type))
    mrz = settled_by_print(mrz, printed) if mrz is not None else None
    of_zone, of_barcode = _zone_values(mrz, what, printed, today) if mrz is not None else {}, _barcode_values(payload)
    fields = reconcile(
        of_zone,
        of_barcode,
        printed,
        names_cut=mrz is not None and mrz.mrz.names_truncated,
        other_zone=of_another_zone(sides, zone_side, today),
    )
    return _Settled(sides, what, mrz, fields, frozenset((*of_zone, *of_barcode)))


def _zone_values(
    mrz: MrzRead, what: classify.Classified, printed: Mapping[FieldName, Sequence[ReadValue]], today: date
) -> dict[FieldName, ReadValue]:
    """What the zone says; not the number by which it counts the card, where the one that people know was read."""
    values = mrz.values(today, documents.may_be_without_end(what.country, what.type))
    if printed.get(FieldName.DOCUMENT_NUMBER) and prints_both_numbers(documents_of(what.country, what.type)):
        values.pop(FieldName.DOCUMENT_NUMBER, None)
    if born := values.get(FieldName.DATE_OF_BIRTH):
        values[FieldName.DATE_OF_BIRTH] = born_in_printed_century(born, printed.get(FieldName.DATE_OF_BIRTH, ()))
    return values


def _lacks(settled: _Settled, payload: Payload | None) -> bool:
    """Is something missing that the print should say, where neither a valid zone nor a barcode says it?"""
    if payload is not None or (settled.mrz is not None and settled.mrz.reading.valid):
        return False
    what = settled.what
    known = documents_of(what.country, what.type)
    bears = {name for layout in known for name in layout.fields}
    names = bears if LayoutField.FULL_NAME not in bears else bears | {LayoutField.SURNAMES, LayoutField.GIVEN_NAMES}
    wanted = [name for name in CONFIRMED if not known or LayoutField(name.value) in names]
    return what.country is None or what.type is None or any(name not in settled.fields for name in wanted)


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
        return as_its_title_says(said, [side.lines for side in sides]) if mrz is not None else said
    seen = [opinion for side in sides for opinion in _by_layouts(side, said.country)]
    # What the words of the page name is not overruled: a layout fills what they leave open.
    fitting = [one for one in seen if said.country in (None, one.country) and said.type in (None, one.type)]
    return classify.combine(*opinions, *fitting)


def _by_layouts(side: SideReading, country: str | None) -> list[classify.Classified]:
    if side.page is None:
        return []
    height, width = side.page.picture.shape[:2]
    by_words = [seen_by(side.lines, country) for seen_by in (from_labels, from_titles, from_numbers)]
    return [from_places(side.lines, (width, height)), *by_words]


def _barcode_values(payload: Payload | None) -> Mapping[FieldName, ReadValue]:
    if payload is None:
        return {}
    return {
        name: ReadValue(value=value, source=Source.BARCODE, confidence=BARCODE_CONFIDENCE)
        for name, value in payload.fields.items()
    }


def _printed_values(
    sides: Sequence[SideReading],
    what: classify.Classified,
    today: date,
    with_zone: bool,
    reader: PrintReader | None,
) -> dict[FieldName, list[ReadValue]]:
    """Candidates of the front before those of the back, but guesses behind what a label names on either side."""
    merged: dict[FieldName, list[ReadValue]] = {}
    for side in sides:
        lines, size = (
            [*side.lines, *_along_the_edge(side, what)],
            (side.page.picture.shape[1], side.page.picture.shape[0]) if side.page else None,
        )
        if side.page is not None and reader is None and not with_zone:
            lines = whole_names(side.page.picture, lines, what.country, what.type)
        if size is not None and reader is not None and reader.script in FROM_RIGHT:
            lines, size = from_the_right(lines, size[0], numbered_fields(what.country, what.type)), None
        found = side.confirmed or read_fields(lines, what.country, what.type, today, size, with_zone)
        if side.page is not None and not with_zone and not side.confirmed:
            script = reader.script if reader is not None else Script.LATIN
            found = with_marks(side.page.picture, lines, found, what.country, what.type, script)
        for name, values in found.items():
            merged.setdefault(name, []).extend(values)
    return {name: sorted(values, key=lambda value: value.confidence < GUESSED) for name, values in merged.items()}


def _along_the_edge(side: SideReading, what: classify.Classified) -> list[TextLine]:
    """The number that stands upright at the edge, where this document has one."""
    if side.page is None or not any(one.upright_number for one in documents_of(what.country, what.type)):
        return []
    line = upright_line(side.page.picture, side.found)
    return [line] if line is not None else []


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
    side: SideReading | None,
    further: tuple[QualityReason, ...],
    fields: Mapping[FieldName, DocumentField],
    forms: DateForms,
) -> SideEvidence | None:
    if side is None:
        return None
    quality = side.quality.model_copy(update={"reasons": side.quality.reasons + further})
    if side.page is None:
        return SideEvidence(quality=quality)
    places = field_places(side.page.picture, side.lines, side.mrz, fields, forms)
    return SideEvidence(quad=fractions(side.page, side.photo), quality=quality, places=places)


def _page_of(side: SideReading | None) -> Picture | None:
    return side.page.picture if side is not None and side.page is not None else None
