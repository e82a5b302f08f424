"""Read lines of print in scripts that the reader of Latin letters does not know: Tesseract, one language for each, and
for Chinese that reader itself with all its outputs.

A reader is loaded when a document first needs it. Tesseract sees the pixels of one line, cut out and levelled; it finds
no lines and opens no pictures of its own.
"""

import gzip
import re
import tempfile
import threading
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.folding import ARABIC_VOWELS
from truename.vision.document.layouts.model import Script
from truename.vision.document.print.ideographs import read_ideographs
from truename.vision.document.print.read import RECOGNISER, Recognised
from truename.vision.models import Model, ModelUnavailable, weights
from truename.vision.runtime import once

READERS: Final = {
    Script.CYRILLIC: "print_cyrillic",
    Script.GREEK: "print_greek",
    Script.ARABIC: "print_arabic",
    Script.HEBREW: "print_hebrew",
    Script.DEVANAGARI: "print_devanagari",
    Script.THAI: "print_thai",
    Script.HANGUL: "print_hangul",
    Script.HAN: RECOGNISER,
    Script.GEORGIAN: "print_georgian",
    Script.ARMENIAN: "print_armenian",
    Script.VIETNAMESE: "print_vietnamese",
}
BY_LANGUAGE: Final = {"uk": "print_ukrainian"}
"""Languages whose letters the reader of their script does not know."""
LETTERS: Final = {
    Script.LATIN: "A-Za-z\u00c0-\u024f",
    Script.CYRILLIC: "\u0400-\u052f",
    Script.GREEK: "\u0370-\u03ff\u1f00-\u1fff",
    Script.ARABIC: "\u0600-\u06ff\u0750-\u077f",
    Script.HEBREW: "\u0590-\u05ff",
    Script.DEVANAGARI: "\u0900-\u097f",
    Script.THAI: "\u0e00-\u0e7f",
    Script.HANGUL: "\u1100-\u11ff\uac00-\ud7af",
    Script.HAN: "\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff",
    Script.GEORGIAN: "\u10a0-\u10ff\u1c90-\u1cbf",
    Script.ARMENIAN: "\u0530-\u058f",
    Script.VIETNAMESE: "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}
"""The letters of each script, as a range of a regular expression."""
FROM_RIGHT: Final = frozenset({Script.ARABIC, Script.HEBREW})

LINE_HEIGHT: Final = 48
WAYS: Final = ((LINE_HEIGHT, False), (36, False), (64, False), (64, True))
"""The height that a line is brought to, and whether all of it is taken for the line; the likeliest to do first."""
READ_WELL: Final = 0.86
AROUND: Final = 10
"""Pixels of ground that are added at both ends of a line: Tesseract loses a letter that touches the edge."""
WIDEST: Final = 4096
GROUND: Final = 90
"""Per cent of the points of a column that are no lighter than its ground: letters fill three fifths of a line's box."""
_STRAY: Final = " \t'\"`‘’“”„|«»_~"
"""What specks and edges of boxes are read as, at the ends of a line."""
_UNPRINTED: Final = dict.fromkeys((0x200E, 0x200F, 0x202A, 0x202B, 0x202C, *map(ord, ARABIC_VOWELS)))
"""Marks without ink that say from where a text is read, and those that no document prints."""
_THAI_AM: Final = ("\u0e4d\u0e32", "\u0e33")
"""Tesseract writes this vowel in two parts, people in one."""
_ALEF: Final = re.compile("[|]+ ?(?=\u0644)")
"""The article's first letter, which is an upright stroke, and often nothing else to Tesseract."""
_POLYTONIC: Final = re.compile("[\u1f00-\u1fff]")
_BREATHINGS: Final = re.compile("[\u0300\u0313\u0314\u0342\u0345]")
_MICRO: Final = ("\u00b5", "\u03bc")
"""Marks upon Greek letters that were given up in 1982: the reader sees them in the pattern of the paper. And the sign
of a millionth, which it takes for the letter."""


Enough = Callable[[str], bool]


class LineReader:
    """Tesseract with one language; it holds state, so calls wait for each other."""

    def __init__(self, data: bytes) -> None:
        import tesserocr

        with tempfile.TemporaryDirectory(prefix="truename-print-") as folder:
            (Path(folder) / "line.traineddata").write_bytes(gzip.decompress(data))
            self._one_line, self._whole_line = tesserocr.PSM.SINGLE_LINE, tesserocr.PSM.RAW_LINE
            self._tesseract = tesserocr.PyTessBaseAPI(
                path=folder, lang="line", psm=self._one_line, oem=tesserocr.OEM.LSTM_ONLY
            )
        self._lock = threading.Lock()

    def read(self, grey: NDArray[np.uint8], whole: bool = False) -> Recognised:
        """What one level line says; nothing, without confidence, where Tesseract finds no letter.

        `whole`: all of the picture is taken for the line, where Tesseract does not find it by itself.
        """
        height, width = grey.shape
        with self._lock:
            self._tesseract.SetPageSegMode(self._whole_line if whole else self._one_line)
            self._tesseract.SetImageBytes(grey.tobytes(), width, height, 1, width)
            text = tidy(self._tesseract.GetUTF8Text())
            # So read, the margin makes a full stop at the end.
            text = text.strip(".: ") if whole else text
            return Recognised(text, self._tesseract.MeanTextConf() / 100 if text else 0.0)


def read_in(
    reader: str, crops: Sequence[Picture], persistent: bool = False, enough: Enough | None = None
) -> list[Recognised]:
    """Read level crops of one line each by a reader of the model table; raises ModelUnavailable.

    `persistent`: what is not read for sure is tried in other sizes, and the surest reading counts. `enough` tells of a
    text that was not read for sure that no more need be known of it.
    """
    if reader == RECOGNISER:
        return [replace(one, text=tidy(one.text)) for one in read_ideographs(crops)]
    tesseract = once(reader, _load)
    return [_best(tesseract, crop, enough) if persistent else tesseract.read(_prepared(crop)) for crop in crops]


def _best(tesseract: LineReader, crop: Picture, enough: Enough | None) -> Recognised:
    best = Recognised("", 0.0)
    for height, whole in WAYS:
        found = tesseract.read(_prepared(crop, height), whole)
        if enough is not None and enough(found.text):
            return found
        best = found if found.confidence > best.confidence else best
        if best.confidence >= READ_WELL:
            break
    return best


def reader_of(script: Script, languages: Sequence[str]) -> str | None:
    """The row of the model table that reads this script where these languages are printed; None for Latin."""
    if script is Script.LATIN:
        return None
    return next((BY_LANGUAGE[code] for code in languages if code in BY_LANGUAGE), READERS[script])


def letters_of(script: Script, text: str) -> float:
    """The share of a text's letters that belong to the script; 0 when it has none."""
    letters = [character for character in text if unicodedata.category(character)[0] in "LM"]
    own = re.findall(f"[{LETTERS[script]}]", "".join(letters))
    return len(own) / len(letters) if letters else 0.0


def tidy(text: str) -> str:
    """One line, composed, without what stray ink at its ends was read as; nothing where no letter or digit is left."""
    joined = _ALEF.sub("\u0627", " ".join(text.translate(_UNPRINTED).split())).strip(_STRAY)
    if not any(character.isalnum() for character in joined):
        return ""
    composed = _POLYTONIC.sub(_without_breathings, unicodedata.normalize("NFC", joined))
    return composed.replace(*_THAI_AM).replace(*_MICRO)


def _without_breathings(letter: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", _BREATHINGS.sub("", unicodedata.normalize("NFD", letter[0])))


def _load(row: Model) -> LineReader:
    data = weights(row)
    try:
        return LineReader(data)
    except (RuntimeError, OSError, ImportError) as fault:
        raise ModelUnavailable(f"{row.name}: Tesseract cannot load it ({fault}).") from fault


def _prepared(crop: Picture, height: int = LINE_HEIGHT) -> NDArray[np.uint8]:
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    width = min(WIDEST, max(8, round(grey.shape[1] * height / grey.shape[0])))
    level = cv2.resize(evenly_lit(np.asarray(grey, np.uint8)), (width, height), interpolation=cv2.INTER_CUBIC)
    framed = cv2.copyMakeBorder(level, AROUND // 2, AROUND // 2, AROUND, AROUND, cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(framed).astype(np.uint8, copy=False)


def evenly_lit(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The line without the shadow that falls upon a part of it, where Tesseract would take that part for ink.

    It parts ink and ground of the whole line by one threshold, that of Otsu: ground in a shadow that lies below it is
    black, with all letters in it. Any other line stays as it is.
    """
    ground = np.percentile(grey, GROUND, axis=0).astype(np.float32)[None]
    threshold, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    if ground.min() > threshold:
        return grey
    even = cv2.blur(ground, (grey.shape[0] // 2 * 2 + 1, 1), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(np.clip(grey * (even.max() / np.maximum(even, 1.0)), 0, 255), np.uint8)
