"""Print in the script of its country: which one it is, and its lines read again by a reader that knows the letters.

The reader of Latin letters sees every page first. Where the layout of the document says another script, its lines are
read once more; where nothing tells what document this is and the letters were hard to read, a few lines are tried in
every script, and the page is read in the one that fits best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rapidfuzz import fuzz, process

from truename.rules.evidence import DocumentType
from truename.vision.captures import Picture
from truename.vision.document.classify import names_issuer_or_kind
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import Script
from truename.vision.document.layouts.phrases import english_labels, labels_in
from truename.vision.document.print.figure_lines import LEAST_FIGURES, FigureRun, figure_runs, widest_gap
from truename.vision.document.print.figures import plain_figures
from truename.vision.document.print.hard_lines import cut_across, parted_lines, with_margin
from truename.vision.document.print.read import Recognised, TextLine, crop_line, recognise
from truename.vision.document.print.scripts import FROM_RIGHT, READERS, letters_of, read_in, reader_of
from truename.vision.document.two_readings import (
    FIELD_NUMBER,
    LIKELY,
    OWN_LETTERS,
    SURE,
    aspect,
    digits,
    settled,
    sure_in_latin,
)

BEYOND_DOUBT: Final = 0.98
"""Lines that the reader of Latin is so sure of are read only once in the other script."""
ALIKE: Final = 85
LONG_LABEL: Final = 5
"""How alike (0–100) a label must be to one that is known; a shorter one must be read to the letter."""
SHORTEST_HALF: Final = 3
"""Letters of a label behind its stroke."""
GAP_OF_WORDS: Final = 0.2
"""Of the height of a line: what is so far apart are at least two words."""
TRIED_LINES: Final = 5
TRIED_ASPECT: Final = (2.5, 25.0)
"""Length over height of lines that are tried: shorter ones tell too little."""
READS_WELL: Final = 0.97
"""How sure the reader of Latin is of lines that are in Latin letters."""
UNREAD: Final = 0.3
"""The share of lines that it must be less sure of before other scripts are tried."""
MOSTLY: Final = 0.8
LEAST_OWN: Final = 2
"""So many lines must be read for sure, and mostly in letters of the script, before the page is believed to be in it."""
NAMED: Final = 100.0
"""What it counts for, beside the confidence of lines, that a page says what documents say."""
HEADING: Final = 0.3
"""The part of a page, from its top, in which it says whose it is and what it is."""
NOT_TRIED: Final = frozenset({Script.VIETNAMESE})
"""Its letters are Latin ones: the reader of Latin reads enough of them to tell the document."""


@dataclass(frozen=True)
class PrintReader:
    """A script and the row of the model table that reads it."""

    script: Script
    model: str


def reader_for(country: str | None, kind: DocumentType | None) -> PrintReader | None:
    """The reader of the script that this document's layout names; of the country's first such where the kind is
    unknown; None where all is in Latin letters."""
    known = countries().get(country or "")
    if known is None:
        return None
    for document in known.documents:
        if kind in (None, document.kind) and (name := reader_of(document.script, known.languages)):
            return PrintReader(document.script, name)
    return None


@dataclass(frozen=True)
class Guess:
    """What the letters of a page seem to be."""

    reader: PrintReader
    named: bool
    """Read so, the page says who issued it, what it is, or a label that is known: it is no guess."""


def likeliest_reader(page: Picture, lines: Sequence[TextLine]) -> Guess | None:
    """The reader that knows the letters of a page of which nothing is known; None where they are Latin or nobody's.

    A script in which the page says something that documents say goes before one that only seems to fit: the reader of
    Thai finds letters in Armenian and in Hebrew that stands on its head. Where only the heading is in other letters,
    no script is believed that does not read it so.
    """
    unread = unread_lines(lines)
    told = sorted(unread or heading_lines(lines), key=lambda line: -line.height)[:TRIED_LINES]
    crops = [crop_line(page, line.quad) for line in told]
    best, most = None, 0.0
    for script, name in READERS.items() if crops else ():
        if script in NOT_TRIED:
            continue
        own = [one for one in read_in(name, crops) if one.confidence >= SURE and _is_mostly_in(script, one.text)]
        named = any(names_issuer_or_kind(one.text) or _is_known_label(one.text, script) for one in own)
        score = sum(one.confidence for one in own) + (NAMED if named else 0.0)
        if score > most and (named or (unread and len(own) >= LEAST_OWN)):
            best, most = Guess(PrintReader(script, name), named), score
    return best


def _is_mostly_in(script: Script, text: str) -> bool:
    """Are the letters of the script's own? Of a label in two languages those before the stroke count."""
    return letters_of(script, text.partition("/")[0]) >= MOSTLY


def unread_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that the reader of Latin is not sure of; none where they are too few for a page in another script."""
    telling = [line for line in lines if _is_telling(line)]
    unread = [line for line in telling if sure_in_latin(line) < READS_WELL]
    return unread if len(unread) >= max(LEAST_OWN, UNREAD * len(telling)) else []


def heading_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines at the top of the page that the reader of Latin is not sure of."""
    foot = max((line.bottom for line in lines), default=0.0)
    unsure = (line for line in lines if _is_telling(line) and sure_in_latin(line) < READS_WELL)
    return [line for line in unsure if line.bottom <= HEADING * foot]


def heading_in(page: Picture, lines: Sequence[TextLine], reader: PrintReader) -> list[TextLine]:
    """The same lines as the reader of the script reads them, where they are of its letters."""
    heading = heading_lines(lines)
    read = read_in(reader.model, [crop_line(page, line.quad) for line in heading]) if heading else []
    return [
        replace(line, text=one.text, confidence=one.confidence)
        for line, one in zip(heading, read, strict=True)
        if one.confidence >= SURE and _is_mostly_in(reader.script, one.text)
    ]


def reader_of_permits(country: str | None) -> PrintReader | None:
    """The reader of the script in which this country's residence permits are printed; None where it is Latin."""
    return reader_for(country, DocumentType.RESIDENT_PERMIT) or reader_for(country, DocumentType.TEMP_PERMIT_ID)


def read_again(page: Picture, lines: Sequence[TextLine], reader: PrintReader) -> list[TextLine]:
    """Every line in the script, where its letters are of it; the others as they were.

    A label and the value beside it are two lines where the label is known.
    """
    again: list[TextLine] = []
    for line in parted_lines(page, lines):
        crop = crop_line(page, line.quad)
        [own] = read_in(reader.model, [crop], persistent=sure_in_latin(line) < BEYOND_DOUBT)
        if own.confidence < LIKELY and sure_in_latin(line) < READS_WELL:
            [own] = read_in(reader.model, [crop_line(page, with_margin(line.quad))], persistent=True)
        both = None
        if reader.script in FROM_RIGHT:
            both = _beside_its_label(crop, line, own, reader) or _beside_its_number(crop, line, own, reader)
        one = both or settled(line, own, reader.script)
        if reader.script not in FROM_RIGHT and (apart := _label_and_value(crop, one, reader)):
            again += [replace(part, text=plain_figures(part.text)) for part in apart]
            continue
        if reader.script is Script.ARABIC and both is None:
            one = _with_figures(one, figure_runs(crop), reader.script)
        again.append(replace(one, text=plain_figures(one.text)))
    return again


def _label_and_value(crop: Picture, line: TextLine, reader: PrintReader) -> list[TextLine] | None:
    """A label and the value to its right, each read alone: beside larger letters a label is misread or not seen at all.

    None where the line is one word, or what stands before its widest gap is no label of a document in this script.
    """
    is_level = line.right - line.left > line.bottom - line.top
    # A label in three languages may be read as two of them.
    is_label = _is_known_label(line.text, reader.script) or fold(line.text.rpartition("/")[2]) in english_labels()
    if not is_level or is_label:
        return None
    if (cut := widest_gap(crop, GAP_OF_WORDS)) is None:
        return None
    before, behind = crop[:, :cut], crop[:, cut:]
    [own] = read_in(reader.model, [before], persistent=True)
    in_two = "/" in line.text
    if not (in_two or _may_be_label(own.text, reader.script)):
        return None
    label, value = cut_across(line, cut / crop.shape[1])
    [seen, of_value] = recognise([before, behind])
    # Its own letters may be unreadable beside English ones: of `TH/Name:` the half behind the stroke says enough.
    in_english = in_two and seen.confidence >= READS_WELL and _ends_label(seen.text.partition("/")[2], reader.script)
    if of_value.text.startswith("/") or not (in_english or _may_be_label(own.text, reader.script)):
        return None
    label = settled(replace(label, text=seen.text, confidence=seen.confidence), own, reader.script)
    if not (in_english or _is_known_label(label.text, reader.script)):
        return None
    value = replace(value, text=of_value.text, confidence=of_value.confidence)
    [own] = read_in(reader.model, [behind], persistent=sure_in_latin(value) < BEYOND_DOUBT)
    return [replace(label, confidence=max(label.confidence, LIKELY)), settled(value, own, reader.script)]


def _may_be_label(text: str, script: Script) -> bool:
    """Is it a label in letters of the script, or the half of one before the stroke?"""
    is_own = letters_of(script, text.partition("/")[0]) >= OWN_LETTERS and not text.endswith("/")
    return is_own and ("/" in text or _is_known_label(text, script))


def _ends_label(text: str, script: Script) -> bool:
    """Does a label of a document in this script end so, in Latin letters?"""
    half = fold(text)
    return len(half) >= SHORTEST_HALF and any(label.endswith(half) for label in labels_in(script))


def _is_known_label(text: str, script: Script) -> bool:
    """Is it the label of a document that is printed in this script? One letter of a longer one may be misread."""
    folded, known = fold(text), labels_in(script)
    if folded in known:
        return True
    if len(folded) < LONG_LABEL:
        return False
    best = process.extractOne(folded, known, scorer=fuzz.ratio, score_cutoff=ALIKE)
    # A label with its value behind it is longer than the label alone.
    return best is not None and len(folded) <= len(best[0]) + 2


def _beside_its_label(crop: Picture, line: TextLine, own: Recognised, reader: PrintReader) -> TextLine | None:
    """A value and its label to the right, each read alone: beside letters of another size figures are lost.

    None where the line is not of this kind, or one of both is not read for sure.
    """
    wide = widest_gap(crop)
    if (cut := wide or widest_gap(crop, GAP_OF_WORDS)) is None:
        return None
    [label] = read_in(reader.model, [crop[:, cut:]], persistent=True)
    if label.confidence < SURE or digits(label.text) or letters_of(reader.script, label.text) < OWN_LETTERS:
        return None
    is_known = fold(label.text) in labels_in(reader.script)
    if wide is None and not is_known:
        return None
    if is_known and not own.text.startswith(label.text):
        own = replace(own, confidence=0.0)  # beside its value the label was misread
    value = _value_alone(crop[:, :cut], line, own, reader)
    if value is None or value.confidence < SURE:
        return None
    return replace(line, text=f"{label.text} {value.text}", confidence=min(value.confidence, label.confidence))


def _beside_its_number(crop: Picture, line: TextLine, own: Recognised, reader: PrintReader) -> TextLine | None:
    """A value in words and the number of its field to the right, each read alone: beside letters it was not seen.

    None where no such number stands there, or one of both is not read for sure.
    """
    if digits(own.text) or (cut := widest_gap(crop, GAP_OF_WORDS)) is None:
        return None
    [number] = recognise([crop[:, cut:]])
    if number.confidence < SURE or not FIELD_NUMBER.fullmatch(f"{number.text.strip().rstrip('.')}. "):
        return None
    [value] = read_in(reader.model, [crop[:, :cut]], persistent=True)
    if value.confidence < SURE or letters_of(reader.script, value.text) < 1.0 or digits(value.text):
        return None
    text = f"{value.text} {number.text.strip()}"
    return replace(line, text=text, confidence=min(value.confidence, number.confidence))


def _value_alone(crop: Picture, line: TextLine, own: Recognised, reader: PrintReader) -> Recognised | None:
    """What is left of a line without its label: a number in Arabic figures or in ours, or words that were in doubt."""
    runs = figure_runs(crop) if reader.script is Script.ARABIC else []
    if runs:
        return Recognised(" ".join(run.text for run in runs), min(run.confidence for run in runs))
    if digits(line.text) >= LEAST_FIGURES:
        [number] = recognise([crop])
        if number.confidence >= SURE:
            return number if digits(number.text) >= digits(line.text) else None
        # The reader of Latin saw figures in Hebrew letters.
    if own.confidence >= SURE:
        return None
    [words] = read_in(reader.model, [crop], persistent=True)
    return words if letters_of(reader.script, words.text) == 1.0 and not digits(words.text) else None


def _with_figures(line: TextLine, runs: Sequence[FigureRun], script: Script) -> TextLine:
    """The line with its numbers as they were read figure by figure, behind its words, if it has any."""
    if not runs:
        return line
    words = [word for word in line.text.split() if not digits(word) and letters_of(script, word) == 1.0]
    # A line of figures alone is read as a word or two by a reader of letters.
    words = words if sum(map(len, words)) > sum(len(run.text) for run in runs) else []
    text = " ".join([*words, *(run.text for run in runs)])
    return replace(line, text=text, confidence=min(run.confidence for run in runs))


def _is_telling(line: TextLine) -> bool:
    """Is it long enough, and no number?"""
    shortest, longest = TRIED_ASPECT
    if 2 * digits(line.text) > len(line.text):
        return False
    return shortest <= aspect(line) <= longest
