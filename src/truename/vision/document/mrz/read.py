"""Read the machine-readable zone of a picture: find its lines, read them twice, decide by grammar and check digits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.rules.documents import WITHOUT_END
from truename.rules.evidence import FieldName, MrzFormat, MrzReading, ReadValue, Source
from truename.vision.captures import Picture
from truename.vision.document.limits import CHOSEN, ReadingLimits
from truename.vision.document.mrz.band import Band, find_bands
from truename.vision.document.mrz.certainty import certainty, certainty_at, confidence, fuse, whole
from truename.vision.document.mrz.decode import DecodedLine, Scores, decode_line, free_text
from truename.vision.document.mrz.fields import (
    Mrz,
    birth_date,
    country_of,
    expiry_date,
    is_known_issuer,
    is_without_end,
    parse,
)
from truename.vision.document.mrz.finder import line_candidates
from truename.vision.document.mrz.hold import hold_to_rules
from truename.vision.document.mrz.layouts import FILLER, LAYOUTS, Layout, verify
from truename.vision.document.mrz.readers import read_own, read_second, read_second_at_a_glance
from truename.vision.document.mrz.repair import DecodedZone, decode_zone, unrepaired
from truename.vision.document.mrz.rows import Grey
from truename.vision.document.mrz.strips import (
    crowded,
    is_clear,
    is_like_a_zone,
    own_scores,
    spread_out,
    ways_up,
    widened,
)
from truename.vision.document.mrz.type_setting import uneven_spacing, unlike_ocr_b
from truename.vision.document.print.read import TextLine

Quad = NDArray[np.float32]


@dataclass(frozen=True)
class MrzRead:
    """The reading as evidence, its fields, and where the zone lies."""

    reading: MrzReading
    mrz: Mrz
    corners: Quad
    """Clockwise from the zone's own top left, in pixels of the picture."""
    names_confidence: float
    spacing: float
    """How far the characters stand from even spacing, in character widths."""
    unlike_ocr_b: float | None
    """How unlike OCR-B the characters are, from 0 to 1; None where none of them could be seen whole."""
    characters: tuple[Scores, ...] = ()
    """What may stand at each place of each line, by both readers together; kept where they doubt something."""

    def values(self, today: date, may_be_without_end: bool = False) -> dict[FieldName, ReadValue]:
        """The fields as the document's evidence wants them; a field that is empty or impossible is left out.

        `may_be_without_end`: documents of this kind may say that they have no end.
        """
        mrz = self.mrz
        endless = may_be_without_end and mrz.valid and is_without_end(mrz.date_of_expiry or "")
        expiry = WITHOUT_END if endless else expiry_date(mrz.date_of_expiry or "", today, mrz.issuer)
        texts = {
            FieldName.SURNAMES: mrz.surnames,
            FieldName.GIVEN_NAMES: mrz.given_names,
            FieldName.GENDER: mrz.sex,
            FieldName.DOCUMENT_NUMBER: mrz.document_number,
            FieldName.PERSONAL_NUMBER: mrz.personal_number,
            FieldName.NATIONALITY: country_of(mrz.nationality),
            FieldName.DATE_OF_BIRTH: _iso(birth_date(mrz.date_of_birth, today)),
            FieldName.DATE_OF_EXPIRY: _iso(expiry),
            FieldName.DATE_OF_ISSUE: _iso(birth_date(mrz.date_of_issue or "", today)),
            FieldName.ISSUING_AUTHORITY: mrz.issuing_authority,
        }
        return {
            name: ReadValue(
                value=text,
                source=Source.MRZ,
                confidence=self._confidence(name),
                repaired=_ZONE_FIELD.get(name, name.value) in self.reading.repaired_fields,
            )
            for name, text in texts.items()
            if text
        }

    def _confidence(self, name: FieldName) -> float:
        """A right check digit speaks for its field, where its characters were seen; names have none."""
        if name in (FieldName.SURNAMES, FieldName.GIVEN_NAMES):
            return self.names_confidence
        places = LAYOUTS[self.reading.format].fields.get(name.value, ())
        seen = certainty_at(self.characters, self.reading.lines, places) if self.characters else 1.0
        if self.reading.check_digits.get(name.value) and seen >= CHOSEN.zone_believed:
            return max(self.reading.confidence, 0.95)
        return self.reading.confidence


_ZONE_FIELD: Final = {
    FieldName.SURNAMES: "names",
    FieldName.GIVEN_NAMES: "names",
    FieldName.GENDER: "sex",
    FieldName.PERSONAL_NUMBER: "optional",
}


def read_mrz(page: Picture, lines: Sequence[TextLine] | None = None, limits: ReadingLimits = CHOSEN) -> MrzRead | None:
    """The zone in a page or an unrectified photo, in any orientation; None when there is none that can be read.

    `lines` are the page's lines of text where they are already known, so that they need not be found again.
    A reading whose check digits are right ends the search. One whose digits are wrong is kept while the other ways to
    find the zone are tried, and given up only for one that is right.
    """
    grey = np.asarray(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), np.uint8)
    first: MrzRead | None = None
    for number, quads in enumerate(line_candidates(page, lines)):
        best: MrzRead | None = None
        # A page that was made level was turned upright too: only where that failed does its zone stand on its head.
        either_way = lines is None or number > 0
        for band in find_bands(grey, quads):
            found = _read_band(band, limits, either_way)
            if found is not None and (best is None or _rank(found) > _rank(best)):
                best = found
            if best is not None and best.reading.valid:
                return best
        first = first or best
    return first


def _rank(read: MrzRead) -> tuple[bool, float]:
    return read.reading.valid, read.reading.confidence


def _read_band(band: Band, limits: ReadingLimits, either_way: bool) -> MrzRead | None:
    for strips, corners in ways_up(band, either_way):
        seen, found = _read_strips(strips, corners, limits)
        if (found is None or not found.reading.valid) and any(map(is_like_a_zone, seen)):
            # Letters that are seen from the side, or stand beside taller ones, are too narrow for the reader.
            _, wider = _read_strips([widened(strip) for strip in strips], corners, limits)
            if wider is not None and (found is None or wider.reading.valid):
                return wider
        if found is not None:
            return found
    return None


def _read_strips(
    strips: Sequence[Grey], corners: Quad, limits: ReadingLimits
) -> tuple[Sequence[Scores], MrzRead | None]:
    """What our own reader sees in the strips, as far as they were read, and the zone that they are, if any."""
    seen, worth_it = own_scores(strips, limits.zone_clear)
    choice = _choose(strips, seen, limits) if worth_it else None
    if choice is not None and any(map(crowded, choice.lines)):
        choice = _spread_out(choice, limits)
    return seen, _reading_of(choice, corners, limits) if choice is not None else None


@dataclass(frozen=True)
class _Choice:
    """The format that fits the strips best, and its lines."""

    layout: Layout
    strips: tuple[Grey, ...]
    lines: tuple[DecodedLine, ...]
    cost: float
    """Per character."""
    is_spread: bool = False
    """The strips were stretched to part crowded characters: these show no font any more."""


def _choose(strips: Sequence[Grey], scores: Sequence[Scores], limits: ReadingLimits) -> _Choice | None:
    """Neighbouring strips that together fit a format, at the least cost."""
    texts = [free_text(one) for one in scores]
    clear = [is_clear(one, limits.zone_clear) for one in scores]
    known: dict[tuple[int, tuple[str, ...]], DecodedLine | None] = {}

    def decoded(strip: int, classes: tuple[str, ...]) -> DecodedLine | None:
        if (strip, classes) not in known:
            known[strip, classes] = decode_line(scores[strip], classes)
        return known[strip, classes]

    options = []
    for layout in LAYOUTS.values():
        for first in range(len(strips) - layout.rows + 1):
            window = slice(first, first + layout.rows)
            if not all(clear[window]) or any(abs(len(text) - layout.length) > 6 for text in texts[window]):
                continue
            top = decoded(first, layout.classes[0])
            if top is None or (layout.format in _VISAS) != top.text.startswith("V"):
                continue
            if layout.format in _OF_ONE_COUNTRY and top.cost > limits.zone_dearest_line * layout.length:
                continue
            lines = [top, *(decoded(first + row, layout.classes[row]) for row in range(1, layout.rows))]
            read = tuple(line for line in lines if line is not None)
            if len(read) == layout.rows:
                cost = sum(line.cost for line in read) / (layout.rows * layout.length)
                options.append(_Choice(layout, tuple(strips[window]), read, cost))
    best = min(options, key=lambda option: option.cost - 0.02 * _right(option), default=None)
    return best if best is not None and best.cost <= limits.zone_dearest_line else None


def _spread_out(choice: _Choice, limits: ReadingLimits) -> _Choice:
    """The same lines read again with room between their characters, where they fit a format then at least as well."""
    wider = [spread_out(strip, line) for strip, line in zip(choice.strips, choice.lines, strict=True)]
    again = _choose(wider, read_own(wider), limits)
    return replace(again, is_spread=True) if again is not None and again.cost <= choice.cost + _AS_WELL else choice


_AS_WELL: Final = 0.01
"""Nats per character that are no difference."""
_VISAS: Final = (MrzFormat.MRV_A, MrzFormat.MRV_B)
_OF_ONE_COUNTRY: Final = (MrzFormat.FRENCH_ID, MrzFormat.RUSSIAN_ID, MrzFormat.KENYAN_ID)


def _right(option: _Choice) -> int:
    return sum(verify(option.layout, tuple(line.text for line in option.lines)).values())


def _reading_of(choice: _Choice, corners: Quad, limits: ReadingLimits) -> MrzRead | None:
    layout = choice.layout
    seen = [line.characters for line in choice.lines]
    second = _second(choice)
    weight = limits.zone_second_weight
    fused = seen if second is None else [fuse(*both, weight) for both in zip(seen, second, strict=True)]
    fused, own = hold_to_rules(layout, fused), hold_to_rules(layout, seen)
    decoded = decode_zone(layout, fused)
    if decoded.repaired_fields and whole(fused, decoded.lines) < limits.zone_least_for_repair:
        # Where most characters are in doubt, some change makes any check digit right: that proves nothing.
        decoded = unrepaired(fused)
    mrz = parse(decoded.lines)
    if mrz is None or not _believable(choice, decoded, mrz):
        return None
    agree = second is not None and all(decode_zone(layout, one).lines == decoded.lines for one in (own, second))
    sure = [certainty(line, text) for line, text in zip(fused, decoded.lines, strict=True)]
    sure_of_all = confidence(float(np.prod(sure)), mrz.valid, agree, bool(decoded.repaired_fields))
    reading = MrzReading(
        format=mrz.format,
        lines=decoded.lines,
        check_digits=mrz.check_digits,
        valid=mrz.valid and sure_of_all >= limits.zone_believed,
        readers_agree=agree,
        confidence=sure_of_all,
        repaired_fields=decoded.repaired_fields,
    )
    names = confidence(sure[_names_line(layout)], mrz.valid, agree, False)
    doubts = () if mrz.valid and agree else tuple(fused)
    font = None if choice.is_spread else unlike_ocr_b(choice.strips, choice.lines)
    return MrzRead(reading, mrz, corners, names, uneven_spacing(choice.lines), font, doubts)


def _names_line(layout: Layout) -> int:
    """The line that bears the names, and with them fillers: the first of a card may be full of numbers."""
    return layout.fields.get("names", layout.fields.get("surnames", ()))[0][0]


def _second(choice: _Choice) -> list[Scores] | None:
    """The second reader's characters under the same grammar; None when it sees no such lines.

    A glance is enough where it agrees with our own reader on a zone whose check digits are right.
    """
    own = decode_zone(choice.layout, hold_to_rules(choice.layout, [line.characters for line in choice.lines]))
    if own.valid and not own.repaired_fields:
        seen = _by(read_second_at_a_glance, choice)
        if seen is not None and decode_zone(choice.layout, seen).lines == own.lines:
            return seen
    return _by(read_second, choice)


def _by(reader: Callable[[Sequence[Grey]], list[Scores]], choice: _Choice) -> list[Scores] | None:
    steps = reader(choice.strips)
    if len(steps) < len(choice.strips):
        return None
    lines = [decode_line(one, classes) for one, classes in zip(steps, choice.layout.classes, strict=True)]
    if any(line is None or line.cost > 1.5 * choice.layout.length for line in lines):
        return None
    return hold_to_rules(choice.layout, [line.characters for line in lines if line is not None])


def _believable(choice: _Choice, decoded: DecodedZone, mrz: Mrz) -> bool:
    """Chance also makes check digits right now and then: only lines that look like a zone count as one."""
    right = sum(mrz.check_digits.values())
    beginning = mrz.document_code[:1] in ("P", "I", "A", "C", "V", "D", "R", "T")
    if not beginning or FILLER not in decoded.lines[_names_line(choice.layout)]:
        return False
    if decoded.valid:
        return is_known_issuer(mrz.issuer) or choice.cost < 0.1
    return right >= 2 or (choice.cost < 0.1 and is_known_issuer(mrz.issuer))


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
