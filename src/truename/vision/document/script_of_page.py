"""In which script is the print of this document, and what does it say in it?"""

from dataclasses import replace
from datetime import date

from truename.vision.captures import Side
from truename.vision.document.barcode.payloads import Payload
from truename.vision.document.classify import Classified, from_print, names_issuer_or_kind
from truename.vision.document.folding import fold
from truename.vision.document.layouts.phrases import labels_in
from truename.vision.document.likeliest_script import (
    LONG_LABEL,
    READS_WELL,
    Guess,
    PrintReader,
    heading_lines,
    likeliest_reader,
    unread_lines,
)
from truename.vision.document.limits import ReadingLimits
from truename.vision.document.own_script import read_again, reader_for
from truename.vision.document.side import SideReading, of_one_document, sure_lines, turned_over
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
        may_be_over = what.type is None and not reading.is_upright
        guess = likeliest_reader(reading.page.picture, reading.found, thorough=not may_be_over)
        if may_be_over and guess is None:
            over = turned_over(reading)
            said = from_print(over.lines)
            if reader := reader_for(said.country, said.type):
                return {**sides, side: over}, reader  # its words in Latin letters tell which way is up
            other = _named_or_likeliest(over, reading)
            if other is not None:
                return {**sides, side: other[0]}, other[1]
        if guess:
            return sides, guess.reader
    return sides, None


def _named_or_likeliest(over: SideReading, side: SideReading) -> tuple[SideReading, PrintReader] | None:
    """The page, turned over or as it was, in which a script is found; what says something of documents goes first."""
    tries = [(over, False), (side, True), (over, True)]
    seen: list[tuple[SideReading, Guess]] = []
    for one, thorough in tries:
        guess = likeliest_reader(one.page.picture, one.found, thorough) if one.page else None
        if guess and guess.named:
            return one, guess.reader
        seen += [(one, guess)] if guess else []
    return (seen[0][0], seen[0][1].reader) if seen else None


def in_own_script(side: SideReading, reader: PrintReader, limits: ReadingLimits) -> SideReading:
    """The side with its lines read again in the script; as it was where its print was confirmed by the zone.

    A side that says nothing which documents say, and of which few lines are in Latin letters, is tried the other way
    up: a back without a heading tells little of which way that is.
    """
    if side.page is None or side.confirmed is not None:
        return side
    read = _read_in_script(side, reader, limits)
    unsure = sum(sure_in_latin(line) < READS_WELL for line in side.found)
    if side.is_upright or _says_something(read, reader) or 2 * unsure <= len(side.found):
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


def parted_in_script(read_again: Sides, sides: Sides, today: date, limits: ReadingLimits) -> Sides | None:
    """The sides, where one is a page with two documents of which that shows only in another script; None where none is.

    What was read in Latin letters alone was parted before.
    """
    alone = {
        side: one
        for side, reading in read_again.items()
        if reading is not sides[side] and (one := of_one_document(reading, side, today, limits)) is not None
    }
    return {**sides, **alone} if alone else None
