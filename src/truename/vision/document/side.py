"""One photo of a document, as far as it can be read alone: its page, lines, zone, barcode, portrait, quality."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

import cv2
import numpy as np

from truename.rules.evidence import FieldName, MrzFormat, Quality, ReadValue
from truename.vision.captures import Picture, Side
from truename.vision.configuration import configuration
from truename.vision.document.authenticity.measure import Signs, signs_of_front
from truename.vision.document.barcode.payloads import ISSUERS, Payload, understand
from truename.vision.document.barcode.read import read_barcode
from truename.vision.document.classify import may_be_another_book
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.mrz.read import MrzRead, read_mrz
from truename.vision.document.page.locate import Page, find_page, turned_level
from truename.vision.document.page.portrait import Portrait, find_portrait
from truename.vision.document.page.quality import measure, measure_quality
from truename.vision.document.page.sheet import card_on_sheet, is_card_shaped
from truename.vision.document.print.beside_zone import Beside, Read, is_confirmed, read_until_confirmed
from truename.vision.document.print.read import Quad, TextLine, detect_lines, tallest
from truename.vision.document.printed_lines import Enough, read_carefully, read_line
from truename.vision.document.two_documents import page_of_one

TELLING_LETTERS: Final = 6
TELLING_LINES: Final = 3
"""So many lines of so many letters, each read for sure, tell which way a page is up."""
LONG_LINE: Final = 2.0
"""Length over height of lines that tell whether they are level."""
NEARLY_ALL: Final = 0.8


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
    found: list[TextLine] = field(default_factory=list)
    """Every line, also those of which nothing was read for sure."""

    @property
    def is_upright(self) -> bool:
        """Does a face on the page say which way is up, beyond doubt, and is it up?"""
        return self.portrait is not None and self.portrait.is_sure and self.portrait.is_upright


def read_sides(
    front: Picture | None, back: Picture | None, today: date, limits: ReadingLimits = CHOSEN
) -> dict[Side, SideReading]:
    """Each side alone, front first. The back is looked at first: where it bears a card's zone, the front has none."""
    behind = None if back is None else read_side(back, Side.BACK, today, limits)
    if front is None:
        return {} if behind is None else {Side.BACK: behind}
    before = read_side(front, Side.FRONT, today, limits, behind is not None and bears_zone_of_card(behind))
    return {Side.FRONT: before} if behind is None else {Side.FRONT: before, Side.BACK: behind}


def read_side(
    photo: Picture, side: Side, today: date, limits: ReadingLimits = CHOSEN, zone_behind: bool = False
) -> SideReading:
    """One photo, as far as it can be read alone; without a page nothing but its quality is known.

    `zone_behind`: the other side bears the zone of a card (`bears_zone_of_card`). What has a card's shape is then the
    side without it. The barcode is left to `with_barcode`, which asks first whose document this is.
    """
    page = find_page(photo, limits)
    if page is None:
        return SideReading(photo, None, measure_quality(photo, None))
    quads = detect_lines(page.picture)
    if _stand_on_end(quads):
        page = turned_level(page)
        quads = detect_lines(page.picture)
    if (card := card_on_sheet(photo, page, quads, limits)) is not None:
        page, quads = card, detect_lines(card.picture)
    seek_zone = not (zone_behind and is_card_shaped(page.picture))
    reading = _read_page(photo, page, quads, side, today, limits, seek_zone)
    alone = of_one_document(reading, side, today, limits, seek_zone)
    return _right_way_up(reading, quads, side, today, limits) if alone is None else alone


def of_one_document(
    reading: SideReading, side: Side, today: date, limits: ReadingLimits, seek_zone: bool = True
) -> SideReading | None:
    """One of the two documents that were taken for one page, read anew alone; None where the page is one document."""
    if reading.page is None:
        return None
    zone = reading.mrz.corners if reading.mrz else None
    one = page_of_one(reading.photo, reading.page, reading.lines, zone, limits)
    if one is None:
        return None
    quads = detect_lines(one.picture)
    read = _read_page(reading.photo, one, quads, side, today, limits, seek_zone)
    return _right_way_up(read, quads, side, today, limits)


def _right_way_up(
    reading: SideReading, quads: Sequence[Quad], side: Side, today: date, limits: ReadingLimits
) -> SideReading:
    """The page turned over and read anew where it lies on its head; as it was where it does not."""
    if reading.page is None or not _is_on_its_head(reading, limits):
        return reading
    over = [_quad_over(quad, reading.page) for quad in quads]
    # A zone is sought both ways up: where none was seen, there is none.
    return _read_page(reading.photo, _over(reading.page), over, side, today, limits, reading.mrz is not None)


def _read_page(
    photo: Picture,
    page: Page,
    quads: Sequence[Quad],
    side: Side,
    today: date,
    limits: ReadingLimits,
    seek_zone: bool,
) -> SideReading:
    """The page as it lies, with its lines where they were found."""
    flat = page.picture
    measured = measure(photo, page)
    quality = measure_quality(photo, page, side is Side.FRONT, measured)
    mrz = read_mrz(flat, [TextLine("", 0.0, quad) for quad in quads], limits) if seek_zone else None
    # The zone's own lines need not be read again by the reader of plain print.
    printed = tallest([quad for quad in quads if mrz is None or not _inside(quad, mrz.corners)])
    zone = mrz.values(today) if mrz is not None and _is_trusted(mrz) else {}

    def read(quad: Quad, enough: Enough | None = None) -> TextLine:
        return read_line(flat, quad, limits, enough)

    beside = _beside_zone(printed, mrz, zone, read, today)
    rest = [quad for index, quad in enumerate(printed) if index not in beside.lines]
    unread = rest if beside.values is None else []
    lines = [*beside.lines.values(), *(read(quad, lambda text: is_confirmed(text, zone)) for quad in unread)]
    portrait = find_portrait(flat, persistent=side is Side.FRONT, is_upright=_is_upright(lines, limits))
    return SideReading(
        photo,
        page,
        quality,
        sure_lines(lines, limits.line_sure),
        mrz,
        portrait=portrait,
        signs=signs_of_front(photo, page, measured, portrait) if side is Side.FRONT else {},
        confirmed=beside.values,
        found=lines,
    )


def with_barcode(side: SideReading) -> SideReading:
    """The same with what its barcode says, where there is one that can be read and is understood."""
    if side.page is None:
        return side
    zone = side.mrz.corners if side.mrz and side.mrz.reading.valid else None
    barcode = read_barcode(side.page.picture, persistent=False, zone=zone)
    return side if barcode is None else replace(side, payload=understand(barcode.payload))


def _beside_zone(
    quads: Sequence[Quad], mrz: MrzRead | None, zone: Mapping[FieldName, ReadValue], read: Read, today: date
) -> Beside:
    """Read as much of the print as confirms the zone of a passport; nothing where the zone cannot be trusted alone.

    Nor where the title may say that it is another book.
    """
    if mrz is None or not _is_passport(mrz) or may_be_another_book(mrz.mrz.issuer) or configuration().read_all_print:
        return Beside({}, None)
    return read_until_confirmed(quads, zone, read, today)


def bears_zone_of_card(side: SideReading) -> bool:
    """Is there beyond doubt a zone of three lines, which cards of that size bear, on one side only?"""
    return (
        side.mrz is not None
        and side.mrz.reading.format in (MrzFormat.TD1, MrzFormat.KENYAN_ID)
        and _is_trusted(side.mrz)
    )


def may_bear_barcode(mrz: MrzRead | None) -> bool:
    """May this document bear a barcode that we understand? A trusted zone, on either side, tells whose it is."""
    if mrz is None or not _is_trusted(mrz):
        return True
    return mrz.mrz.issuer in ISSUERS and not _is_passport(mrz)


def _is_passport(mrz: MrzRead) -> bool:
    """Is this beyond doubt the zone of a passport, whose title adds nothing and which bears no barcode?"""
    is_book = mrz.reading.format is MrzFormat.TD3 and mrz.mrz.document_code.startswith("P")
    return _is_trusted(mrz) and is_book and not mrz.mrz.names_truncated


def _is_trusted(mrz: MrzRead) -> bool:
    """Are all check digits right, by both readers alike, with nothing repaired?"""
    reading = mrz.reading
    return reading.valid and reading.readers_agree and not reading.repaired_fields


def without_doubts(side: SideReading, limits: ReadingLimits) -> SideReading:
    """The same with every line read carefully that was in doubt; the very same where none was."""
    if side.page is None or not any(line.in_doubt for line in side.found):
        return side
    lines = [read_carefully(side.page.picture, line) for line in side.found]
    return replace(side, lines=sure_lines(lines, limits.line_sure), found=lines)


def turned_over(side: SideReading) -> SideReading:
    """The same photo with its page the other way up: which way is up is guessed, and Arabic pages are guessed wrong."""
    if side.page is None:
        return side
    page = _over(side.page)
    lines = [read_line(page.picture, _quad_over(line.quad, page)) for line in side.found]
    return replace(
        side,
        page=page,
        lines=sure_lines(lines, CHOSEN.line_sure),
        found=lines,
        portrait=find_portrait(page.picture, persistent=True),
    )


def _over(page: Page) -> Page:
    located = replace(page.located, quad=np.roll(page.located.quad, 2, axis=0))
    return Page(np.ascontiguousarray(np.rot90(page.picture, 2)), located)


def _quad_over(quad: Quad, page: Page) -> Quad:
    """Where a line stands when its page is turned over."""
    height, width = page.picture.shape[:2]
    return np.asarray(np.roll(np.array([width, height], np.float32) - quad, 2, axis=0), np.float32)


def _is_on_its_head(side: SideReading, limits: ReadingLimits) -> bool:
    """Does the holder's face stand on its head, and neither print nor a zone say that the page does not?"""
    if side.portrait is None or not side.portrait.is_sure or side.portrait.is_upright:
        return False
    zone_is_level = side.mrz is not None and side.mrz.corners[0, 1] < side.mrz.corners[3, 1]
    return not (_is_upright(side.found, limits) or zone_is_level)


def sure_lines(lines: Sequence[TextLine], sure: float) -> list[TextLine]:
    """Those of which something was read for sure, from top to bottom."""
    said = [line for line in lines if line.text.strip() and line.confidence >= sure]
    return sorted(said, key=lambda line: (line.top, line.left))


def _is_upright(lines: Sequence[TextLine], limits: ReadingLimits) -> bool:
    """Was enough read in level lines to know which way the page is up?"""
    read = [line for line in lines if len(line.text) >= TELLING_LETTERS and line.confidence >= limits.glance_sure]
    return sum(line.right - line.left > line.bottom - line.top for line in read) >= TELLING_LINES


def _stand_on_end(quads: Sequence[Quad]) -> bool:
    """Are nearly all lines upright? Then the page lies on its side: one with an empty middle tells little of itself."""
    sides = [(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])) for quad in quads]
    long = [tall > wide for wide, tall in sides if max(wide, tall) >= LONG_LINE * min(wide, tall)]
    return len(long) >= TELLING_LINES and sum(long) >= NEARLY_ALL * len(long)


def _inside(quad: Quad, zone: Quad) -> bool:
    x, y = quad.mean(0)
    return cv2.pointPolygonTest(np.asarray(zone, np.float32), (float(x), float(y)), False) >= 0
