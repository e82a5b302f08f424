"""In which script is the print of this document, and what does it say in it?"""

from dataclasses import replace

from truename.vision.captures import Side
from truename.vision.document.barcode.payloads import Payload
from truename.vision.document.classify import Classified, from_print
from truename.vision.document.limits import ReadingLimits
from truename.vision.document.own_script import (
    PrintReader,
    heading_lines,
    likeliest_reader,
    read_again,
    reader_for,
    unread_lines,
)
from truename.vision.document.side import SideReading, sure_lines, turned_over

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
    """The side with its lines read again in the script; as it was where its print was confirmed by the zone."""
    if side.page is None or side.confirmed is not None:
        return side
    return replace(side, lines=sure_lines(read_again(side.page.picture, side.found, reader), limits.line_sure))
