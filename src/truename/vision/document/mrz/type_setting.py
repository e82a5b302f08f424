"""How the zone is set: on an even pitch, in OCR-B. A zone that was typed over has neither the one nor the other."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.decode import DecodedLine
from truename.vision.document.mrz.layouts import FILLER
from truename.vision.document.mrz.rows import Grey
from truename.vision.document.mrz.strips import STEP

GLYPHS: Final = Path(__file__).parents[2] / "weights" / "ocr_b_glyphs.txt"
"""The letters of OCR-B as strips show them; `training/mrz/glyphs.py` draws them."""
WIDE, TALL = 20, 24
_PLAY: Final = (5, 4)
"""Pixels by which a letter may stand beside, above or below its place."""
_PITCH: Final = 16.0
_SMALLEST: Final = 14.0
"""Pixels from one letter to the next where letters are as large as those that they are held against, and the least at
which they are so: in the strip of a tilted page smaller ones, set in OCR-B, looked like another font's."""
_BENT: Final = 2
"""Degree of the curve that even spacing may follow: a page that is not quite flat stretches it a little."""
SEEN: Final = (0.8, 0.5)
"""How sure the reader must be of a character, of 1, to have seen where it stands; and where it is so of too few."""
ENOUGH: Final = 0.5
"""Share of a line that must be seen so; of one that is hidden or blurred for the most part all places count."""

Values = NDArray[np.float32]


def uneven_spacing(lines: Sequence[DecodedLine]) -> float:
    """How far characters stand from even spacing, in character widths: the worst line's upper tenth.

    A character under a finger or in glare stands nowhere: the grammar alone says that there is one.
    """
    return max(_unevenness(line.middles, _are_seen(line)) for line in lines)


def unlike_ocr_b(strips: Sequence[Grey], lines: Sequence[DecodedLine]) -> float | None:
    """How unlike OCR-B the middle one of all letters and digits is, from 0 to 1; None when there are none to see."""
    alike = [found for strip, line in zip(strips, lines, strict=True) for found in _likeness(strip, line)]
    return float(np.clip(1 - np.median(alike), 0, 1)) if alike else None


def _likeness(strip: Grey, line: DecodedLine) -> list[float]:
    """The correlation of each letter with its like in OCR-B, wherever it fits best around its place."""
    x_play, y_play = _PLAY
    strip, middles = _as_large_as_glyphs(strip, line.middles)
    ink = 255 - cv2.copyMakeBorder(strip, TALL, TALL, 2 * WIDE, 2 * WIDE, cv2.BORDER_REPLICATE).astype(np.float32)
    top = TALL + strip.shape[0] // 2 - TALL // 2 - y_play
    found = []
    for character, middle in zip(line.text, middles, strict=True):
        left = 2 * WIDE + round((float(middle) + 0.5) * STEP) - WIDE // 2 - x_play
        window = ink[top : top + TALL + 2 * y_play, left : left + WIDE + 2 * x_play]
        if character != FILLER and window.shape == (TALL + 2 * y_play, WIDE + 2 * x_play):
            found.append(float(cv2.matchTemplate(window, glyphs()[character], cv2.TM_CCOEFF_NORMED).max()))
    return found


def _as_large_as_glyphs(strip: Grey, middles: Values) -> tuple[Grey, Values]:
    """The strip, and where its characters stand, brought to the size of the glyphs where its letters are smaller."""
    pitch = float(middles[-1] - middles[0]) * STEP / max(len(middles) - 1, 1)
    if not 0 < pitch < _SMALLEST:
        return strip, middles
    larger = _PITCH / pitch
    size = round(strip.shape[1] * larger), round(strip.shape[0] * larger)
    grown = np.asarray(cv2.resize(strip, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    return grown, np.asarray((middles + 0.5) * larger - 0.5, np.float32)


@cache
def glyphs() -> Mapping[str, Values]:
    """The characters of a zone as OCR-B draws them, `TALL` × `WIDE`, from 0 (paper) to 15 (ink)."""
    lines = (line.split(" ") for line in GLYPHS.read_text(encoding="ascii").splitlines())
    return {
        character: np.array([int(ink, 16) for ink in pixels], np.float32).reshape(TALL, WIDE)
        for character, pixels in lines
    }


def _are_seen(line: DecodedLine) -> NDArray[np.bool_]:
    """Which characters of a line were seen for sure; all of it where too few were."""
    sure = line.characters.max(1)
    seen = (np.asarray(sure >= np.log(least)) for least in SEEN)
    return next((some for some in seen if some.mean() >= ENOUGH), np.ones(len(sure), np.bool_))


def _unevenness(middles: Values, seen: NDArray[np.bool_]) -> float:
    places = np.arange(len(middles), dtype=np.float64)[seen]
    stand = middles[seen].astype(np.float64)
    curve = np.polynomial.Polynomial.fit(places, stand, _BENT)
    pitch = max(float(np.median(np.diff(middles))), 1e-6)
    return float(np.percentile(np.abs(stand - curve(places)), 90) / pitch)
