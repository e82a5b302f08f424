"""Draw the letters of OCR-B as the reader's strips show them: `python -m training.mrz.glyphs` writes the file anew.

The zone's type setting is held against them (`vision/document/mrz/type_setting.py`). Debian's `fonts-ocr-b` must be
installed; each line of the file is a character and its pixels, row by row, one hexadecimal digit each (F is ink).
"""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from truename.vision.document.mrz.layouts import ALPHABET
from truename.vision.document.mrz.type_setting import GLYPHS, TALL, WIDE

FONT = Path("/usr/share/fonts/opentype/ocr-b/OCRB.otf")
CAPITAL = 18
"""Pixels: 0.56 of a strip of 32, as the levelling of bands makes them."""
SOFT = 0.6
DRAWN = 200


def glyph(font: ImageFont.FreeTypeFont, character: str) -> np.ndarray:
    """One character, centred on its advance and on the height of capitals."""
    _, top, _, bottom = font.getbbox("H")
    scale = CAPITAL / (bottom - top)
    sheet = Image.new("L", (2 * DRAWN, 2 * DRAWN), 255)
    at = (DRAWN - font.getlength(character) / 2, DRAWN - (top + bottom) / 2)
    ImageDraw.Draw(sheet).text(at, character, font=font, fill=0)
    soft = cv2.GaussianBlur(np.asarray(sheet, np.float32), (0, 0), SOFT / scale)
    small = cv2.resize(soft, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    y, x = int(small.shape[0] / 2 - TALL / 2), int(small.shape[1] / 2 - WIDE / 2)
    return np.rint((255 - small[y : y + TALL, x : x + WIDE]) / 17).astype(int)


def main() -> None:
    font = ImageFont.truetype(str(FONT), DRAWN)
    lines = [f"{one} " + "".join(f"{ink:X}" for ink in glyph(font, one).ravel()) for one in ALPHABET]
    GLYPHS.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
