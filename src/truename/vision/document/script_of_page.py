"""In which script is the print of this document, and what does it say in it?"""

from dataclasses import replace

from truename.vision.captures import Side
from truename.vision.document.barcode.payloads import Payload
from truename.vision.document.classify import Classified, from_print, names_issuer_or_kind
from truename.vision.document.folding import fold
from truename.vision.document.layouts.phrases import labels_in
from truename.vision.document.limits import ReadingLimits
from truename.vision.document.own_script import (
    LONG_LABEL,
    READS_WELL,
    PrintReader,
    heading_lines,
    likeliest_reader,
    read_again,
    reader_for,
    unread_lines,
)
from truename.vision.document.side import SideReading, sure_lines, turned_over
from truename.vision.document.two_readings import sure_in_latin

Sides = dict[Side, SideReading]


def own_reader(sides: Sides, what: Classified, payload: Payload | None) -> tuple[Sides, PrintReader | None]:
    """The reader of the document's own script; where nothing tells the country, of what its letters seem to be.

    The sides come back as they were, or with the page turned over when its letters can be read so.
    """
    if what.country is not None or payload is not None:
        return sides, reader_for(what.country, what.type)
    for side, reading in sides.items():
        if reading.page is None or not (unread_lines(reading.found) or (what.type and heading_lines(reading.found))):
            continue
        guess = likeliest_reader(reading.page.picture, reading.found)
        if what.type is None and not (guess and guess.named):
            over = turned_over(reading)
            said = from_print(over.lines)
            if reader := reader_for(said.country, said.type):
                return {**sides, side: over}, reader  # its words in Latin letters tell which way is up
            other = likeliest_reader(over.page.picture, over.found) if over.page else None
            if other and (other.named or guess is None):
                return {**sides, side: over}, other.reader
        if guess:
            return sides, guess.reader
    return sides, None


def in_own_script(side: SideReading, reader: PrintReader, limits: ReadingLimits) -> SideReading:
    """The side with its lines read again in the script; as it was where its print was confirmed by the zone.

    A side that says nothing which documents say, and of which few lines are in Latin letters, is tried the other way
    up: a back without a heading tells little of which way that is.
    """
    if side.page is None or side.confirmed is not None:
        return side
    read = _read_in_script(side, reader, limits)
    unsure = sum(sure_in_latin(line) < READS_WELL for line in side.found)
    if _says_something(read, reader) or 2 * unsure <= len(side.found):
        return read
    over = _read_in_script(turned_over(side), reader, limits)
    return over if _says_something(over, reader) else read


def _read_in_script(side: SideReading, reader: PrintReader, limits: ReadingLimits) -> SideReading:
    if side.page is None:
        return side
    return replace(side, lines=sure_lines(read_again(side.page.picture, side.found, reader), limits.line_sure))


def _says_something(side: SideReading, reader: PrintReader) -> bool:
    """Does a line of it say whose document it is, what it is, or a label of the script?"""
    labels = [label for label in labels_in(reader.script) if len(label) >= LONG_LABEL]
    texts = [(line.text, fold(line.text)) for line in side.lines]
    return any(names_issuer_or_kind(text) or any(label in folded for label in labels) for text, folded in texts)
