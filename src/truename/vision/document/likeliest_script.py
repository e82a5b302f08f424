"""In which script is a page of which nothing is known? A few of its lines are tried in every one.

The readers of the scripts take their time. So the largest line, which mostly says whose document this is, is shown to
all of them first, and the first that reads in it something that documents say ends the search. Further lines are shown
to those that found letters of theirs; what is left is tried only where nothing of this tells the script.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from rapidfuzz import fuzz, process

from truename.vision.captures import Picture
from truename.vision.document.classify import names_issuer_or_kind
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import Script
from truename.vision.document.layouts.phrases import labels_in
from truename.vision.document.print.read import TextLine, crop_line
from truename.vision.document.print.scripts import READERS, letters_of, read_in
from truename.vision.document.two_readings import SURE, aspect, digits, sure_in_latin

ALIKE: Final = 85
LONG_LABEL: Final = 5
"""How alike (0–100) a label must be to one that is known; a shorter one must be read to the letter."""
TRIED_LINES: Final = 5
TRIED_ASPECT: Final = (2.5, 25.0)
"""Length over height of lines that are tried: shorter ones tell too little."""
FILLED: Final = 1.2
"""Figures in a piece of line as long as it is high, where they are all that stands in it: between those of `2030年10月`
are signs that the reader of Latin does not see."""
READS_WELL: Final = 0.97
"""How sure the reader of Latin is of lines that are in Latin letters."""
UNREAD: Final = 0.3
"""The share of lines that it must be less sure of before other scripts are tried."""
MOSTLY: Final = 0.8
LEAST_OWN: Final = 2
"""So many lines must be read for sure, and mostly in letters of the script, before the page is believed to be in it."""
ONLY_GREEK: Final = frozenset("ΣΩΞΨ")
SURE_OF_CAPITALS: Final = 0.9
HEADING: Final = 0.3
"""The part of a page, from its top, in which it says whose it is and what it is."""
TRIED: Final = (
    Script.HAN, Script.HEBREW, Script.GREEK, Script.CYRILLIC, Script.ARMENIAN, Script.GEORGIAN, Script.ARABIC,
    Script.THAI, Script.HANGUL, Script.DEVANAGARI,
)  # fmt: skip
"""The quickest reader first. Not Vietnamese: the reader of Latin reads enough of it to tell the document."""


@dataclass(frozen=True)
class PrintReader:
    """A script and the row of the model table that reads it."""

    script: Script
    model: str


@dataclass(frozen=True)
class Guess:
    """What the letters of a page seem to be."""

    reader: PrintReader
    named: bool
    """Read so, the page says who issued it, what it is, or a label that is known: it is no guess."""


@dataclass
class _Tried:
    """A reader, the lines that it was shown, and how sure it was of those that are in its letters."""

    reader: PrintReader
    shown: set[int] = field(default_factory=set)
    sure: list[float] = field(default_factory=list)

    def names(self, crops: Sequence[Picture], at: int) -> bool:
        """Show it one line that it has not seen: does it say what documents say?"""
        if at in self.shown:
            return False
        self.shown.add(at)
        [one] = read_in(self.reader.model, [crops[at]])
        if one.confidence < SURE or not is_mostly_in(self.reader.script, one.text):
            return False
        self.sure.append(one.confidence)
        return names_issuer_or_kind(one.text) or is_known_label(one.text, self.reader.script)


def likeliest_reader(page: Picture, lines: Sequence[TextLine], thorough: bool = True) -> Guess | None:
    """The reader that knows the letters of a page of which nothing is known; None where they are Latin or nobody's.

    A script in which the page says something that documents say goes before one that only seems to fit: the reader of
    Thai finds letters in Armenian and in Hebrew that stands on its head. Where only the heading is in other letters,
    no script is believed that does not read it so. Not `thorough`: nor is it elsewhere, and not every line is shown to
    every reader.
    """
    unread = unread_lines(lines)
    told = sorted(unread or heading_lines(lines), key=lambda line: -line.height)[:TRIED_LINES]
    crops = [crop_line(page, line.quad) for line in told]
    tried = [_Tried(PrintReader(script, READERS[script])) for script in TRIED]
    likely = tried
    for at in range(len(crops)):
        for one in likely:
            if one.names(crops, at):
                return Guess(one.reader, named=True)
        likely = [one for one in tried if one.sure] or tried
    if not thorough:
        return None
    for one in tried:
        if any(one.names(crops, at) for at in range(len(crops))):
            return Guess(one.reader, named=True)
    best = max(tried, key=lambda one: sum(one.sure))
    if _shows_greek(lines):
        return Guess(PrintReader(Script.GREEK, READERS[Script.GREEK]), named=False)
    return Guess(best.reader, named=False) if unread and len(best.sure) >= LEAST_OWN else None


def _shows_greek(lines: Sequence[TextLine]) -> bool:
    """Did the reader of Latin, which knows Greek capitals, see some that no other script has, in lines it is sure of?

    Of capitals alone the reader of Cyrillic is as sure as that of Greek.
    """
    telling = [line for line in lines if line.confidence >= SURE_OF_CAPITALS and not ONLY_GREEK.isdisjoint(line.text)]
    return len(telling) >= LEAST_OWN


def is_mostly_in(script: Script, text: str) -> bool:
    """Are the letters of the script's own? Of a label in two languages those before the stroke count."""
    return letters_of(script, text.partition("/")[0]) >= MOSTLY


def is_known_label(text: str, script: Script) -> bool:
    """Is it the label of a document that is printed in this script? One letter of a longer one may be misread."""
    folded, known = fold(text), labels_in(script)
    if folded in known:
        return True
    if len(folded) < LONG_LABEL:
        return False
    best = process.extractOne(folded, known, scorer=fuzz.ratio, score_cutoff=ALIKE)
    # A label with its value behind it is longer than the label alone.
    return best is not None and len(folded) <= len(best[0]) + 2


def unread_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that the reader of Latin is not sure of; none where they are too few for a page in another script."""
    telling = [line for line in lines if _is_telling(line)]
    unread = [line for line in telling if sure_in_latin(line) < READS_WELL or _has_gaps(line)]
    return unread if len(unread) >= max(LEAST_OWN, UNREAD * len(telling)) else []


def heading_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines at the top of the page that the reader of Latin is not sure of."""
    foot = max((line.bottom for line in lines), default=0.0)
    unsure = (line for line in lines if _is_telling(line) and sure_in_latin(line) < READS_WELL)
    return [line for line in unsure if line.bottom <= HEADING * foot]


def _is_telling(line: TextLine) -> bool:
    """Is it long enough, and no number?"""
    shortest, longest = TRIED_ASPECT
    if 2 * digits(line.text) > len(line.text) and not _has_gaps(line):
        return False
    return shortest <= aspect(line) <= longest


def _has_gaps(line: TextLine) -> bool:
    """Is it figures that do not fill it?"""
    return 2 * digits(line.text) > len(line.text) and len(line.text) < FILLED * aspect(line)
