"""Print in the script of its country, its lines read again by a reader that knows the letters.

The reader of Latin letters sees every page first. Where the layout of the document says another script, its lines are
read once more; where nothing tells what document this is, in the likeliest script (`likeliest_script.py`).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from truename.rules.evidence import DocumentType
from truename.vision.captures import Picture
from truename.vision.document.classify import names_issuer_or_kind
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import Script
from truename.vision.document.layouts.phrases import english_labels, labels_in
from truename.vision.document.likeliest_script import (
    READS_WELL,
    PrintReader,
    heading_lines,
    is_known_label,
    is_mostly_in,
)
from truename.vision.document.print.chinese import with_names_in_one
from truename.vision.document.print.chinese_signs import in_signs
from truename.vision.document.print.figure_lines import LEAST_FIGURES, FigureRun, figure_runs, widest_gap
from truename.vision.document.print.figures import OWN_FIGURES, own_figures, plain_figures
from truename.vision.document.print.hard_lines import cut_across, parted_lines, with_margin
from truename.vision.document.print.read import Recognised, TextLine, crop_line, recognise
from truename.vision.document.print.scripts import FROM_RIGHT, letters_of, read_in, reader_of
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
SHORTEST_HALF: Final = 3
"""Letters of a label behind its stroke."""
FIGURES: Final = re.compile(r"[\d ./\-]+")
FILLED: Final = 1.7
"""Characters in a piece of line as long as it is high, where they fill the line."""
SURE_BESIDE_LABEL: Final = 0.9
"""A value in words that was read less surely than this beside its label is read alone: a smaller label tears it."""
LEAST_UNTOLD: Final = 2
"""So many Thai figures are a number or a date. Of 130 drawn ones in three typefaces the reader of Thai read none: 4, 8
and 9 are a 5 to it, at 0.94. One alone is a speck in a word."""
ROOM: Final = 0.4
"""Of the height of a line: what lies between a surname and a given name in signs."""
GAP_OF_WORDS: Final = 0.2
"""Of the height of a line: what is so far apart are at least two words."""


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


def heading_in(page: Picture, lines: Sequence[TextLine], reader: PrintReader) -> list[TextLine]:
    """The same lines as the reader of the script reads them, where they are of its letters."""
    heading = heading_lines(lines)
    crops = [crop_line(page, line.quad) for line in heading]
    read = read_in(reader.model, crops, persistent=True) if crops else []
    return [
        replace(line, text=one.text, confidence=one.confidence)
        for line, one in zip(heading, read, strict=True)
        if one.confidence >= SURE and is_mostly_in(reader.script, one.text)
    ]


def reader_of_permits(country: str | None) -> PrintReader | None:
    """The reader of the script in which this country's residence permits are printed; None where it is Latin."""
    return reader_for(country, DocumentType.RESIDENT_PERMIT) or reader_for(country, DocumentType.TEMP_PERMIT_ID)


def read_again(page: Picture, lines: Sequence[TextLine], reader: PrintReader) -> list[TextLine]:
    """Every line in the script, where its letters are of it; the others as they were.

    A label and the value beside it are two lines where the label is known; in Chinese one, with a colon.
    """
    again: list[TextLine] = []
    for line in parted_lines(page, lines):
        crop = crop_line(page, line.quad)
        if reader.script is Script.HAN:
            again.append(settled(line, _in_signs(crop, reader), reader.script))
            continue
        if _is_all_figures(line, reader.script):
            again.append(line)
            continue
        # Beside its label a number is read at once; all else as well as it can be.
        both = _number_and_label(crop, line, reader) if reader.script in FROM_RIGHT else None
        own = Recognised("", 0.0) if both else _in_script(page, line, crop, reader)
        if reader.script in FROM_RIGHT and both is None:
            both = _beside_its_label(crop, line, own, reader) or _beside_its_number(crop, line, own, reader)
        one = both or settled(line, own, reader.script)
        if reader.script not in FROM_RIGHT and (apart := _label_and_value(crop, one, reader)):
            again += [
                replace(part, text=plain_figures(part.text), confidence=_sure_of_figures(part, reader.script))
                for part in apart
            ]
            continue
        if reader.script is Script.ARABIC and both is None:
            one = _with_figures(one, figure_runs(crop), reader.script)
        again.append(replace(one, text=plain_figures(one.text), confidence=_sure_of_figures(one, reader.script)))
    return with_names_in_one(again) if reader.script is Script.HAN else again


def _sure_of_figures(line: TextLine, script: Script) -> float:
    """How sure a line is; not at all where it bears figures that the script's reader is sure of and cannot tell."""
    is_told = script is not Script.THAI or own_figures(script, line.text) < LEAST_UNTOLD
    return line.confidence if is_told else 0.0


def _in_script(page: Picture, line: TextLine, crop: Picture, reader: PrintReader) -> Recognised:
    """The line by the reader of the script, tried in several ways where nobody is sure of it."""

    def enough(text: str) -> bool:
        return "/" in line.text and _begins_label(text, reader.script)

    [own] = read_in(reader.model, [crop], persistent=sure_in_latin(line) < BEYOND_DOUBT, enough=enough)
    if own.confidence < LIKELY and sure_in_latin(line) < READS_WELL and not enough(own.text):
        [own] = read_in(reader.model, [crop_line(page, with_margin(line.quad))], persistent=True)
    return own


def _in_signs(crop: Picture, reader: PrintReader) -> Recognised:
    """A line of Chinese; room between two words of signs alone, which is read as nothing, is a space."""
    [whole] = read_in(reader.model, [crop])
    if not in_signs(whole.text) or " " in whole.text or (cut := widest_gap(crop, ROOM)) is None:
        return whole
    parts = read_in(reader.model, [crop[:, :cut], crop[:, cut:]])
    texts = [part.text for part in parts]
    return replace(whole, text=" ".join(texts)) if "".join(texts) == whole.text and all(texts) else whole


def _number_and_label(crop: Picture, line: TextLine, reader: PrintReader) -> TextLine | None:
    """A number in Arabic figures with a known label to its right; None where the line is not of this kind."""
    if reader.script is not Script.ARABIC or (cut := widest_gap(crop) or widest_gap(crop, GAP_OF_WORDS)) is None:
        return None
    if not (runs := figure_runs(crop[:, :cut])):
        return None
    [label] = read_in(reader.model, [crop[:, cut:]], persistent=True)
    value = Recognised(" ".join(run.text for run in runs), min(run.confidence for run in runs))
    if min(label.confidence, value.confidence) < SURE or fold(label.text) not in labels_in(reader.script):
        return None
    return replace(line, text=f"{label.text} {value.text}", confidence=min(value.confidence, label.confidence))


def _label_and_value(crop: Picture, line: TextLine, reader: PrintReader) -> list[TextLine] | None:
    """A label and the value to its right, each read alone: beside larger letters a label is misread or not seen at all.

    None where the line is one word, or what stands before its widest gap is no label of a document in this script.
    """
    is_level = line.right - line.left > line.bottom - line.top
    # A label in three languages may be read as two of them.
    is_label = is_known_label(line.text, reader.script) or fold(line.text.rpartition("/")[2]) in english_labels()
    is_heading = sure_in_latin(line) >= READS_WELL and names_issuer_or_kind(line.text)
    if not is_level or is_label or is_heading:
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
    if label.text[-1:].isdigit() or not (in_english or is_known_label(label.text, reader.script)):
        return None  # glare may tear a number: of `12/08/1985` the first figure stood with the label
    value = replace(value, text=of_value.text, confidence=of_value.confidence)
    [own] = read_in(reader.model, [behind], persistent=sure_in_latin(value) < BEYOND_DOUBT)
    return [replace(label, confidence=max(label.confidence, LIKELY)), settled(value, own, reader.script)]


def _may_be_label(text: str, script: Script) -> bool:
    """Is it a label in letters of the script, or the half of one before the stroke?"""
    is_own = letters_of(script, text.partition("/")[0]) >= OWN_LETTERS and not text.endswith("/")
    return is_own and ("/" in text or is_known_label(text, script))


def _is_all_figures(line: TextLine, script: Script) -> bool:
    """Is it a number or a date, of which the reader of Latin is certain and beside which nothing else stands?"""
    if script in OWN_FIGURES or sure_in_latin(line) < BEYOND_DOUBT or digits(line.text) < LEAST_FIGURES:
        return False
    return FIGURES.fullmatch(line.text) is not None and len(line.text) >= FILLED * aspect(line)


def _begins_label(text: str, script: Script) -> bool:
    """Does a label of a document in this script begin as this one does before its stroke?"""
    half, stroke, _ = text.partition("/")
    folded = fold(half)
    return bool(stroke) and len(folded) >= SHORTEST_HALF and any(one.startswith(folded) for one in labels_in(script))


def _ends_label(text: str, script: Script) -> bool:
    """Does a label of a document in this script end so, in Latin letters?"""
    half = fold(text)
    return len(half) >= SHORTEST_HALF and any(label.endswith(half) for label in labels_in(script))


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
    if own.confidence >= SURE_BESIDE_LABEL:
        return None
    [words] = read_in(reader.model, [crop], persistent=True)
    is_word = letters_of(reader.script, words.text) == 1.0 and not digits(words.text)
    return words if is_word and words.confidence >= own.confidence else None


def _with_figures(line: TextLine, runs: Sequence[FigureRun], script: Script) -> TextLine:
    """The line with its numbers as they were read figure by figure, behind its words, if it has any."""
    if not runs:
        return line
    words = [word for word in line.text.split() if not digits(word) and letters_of(script, word) == 1.0]
    # A line of figures alone is read as a word or two by a reader of letters.
    words = words if sum(map(len, words)) > sum(len(run.text) for run in runs) else []
    text = " ".join([*words, *(run.text for run in runs)])
    return replace(line, text=text, confidence=min(run.confidence for run in runs))
