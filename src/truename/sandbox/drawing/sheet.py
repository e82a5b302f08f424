"""A page being drawn: paper with fine waves, print, portrait, machine-readable zone, barcode."""

import io
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont, features

from truename.bundled.drawing import DEVANAGARI, FONT, HAN, HANGUL, PORTRAIT, THAI
from truename.bundled.files import CarriedFile
from truename.vision.document.layouts.model import Script
from truename.vision.document.mrz.type_setting import glyphs

Picture = NDArray[np.uint8]
Rows = list[tuple[str, str]]

SCRIPT_FONTS: Final = (
    ("[\u0900-\u097f]", DEVANAGARI),
    ("[\u0e00-\u0e7f]", THAI),
    ("[\u3130-\u318f\uac00-\ud7af]", HANGUL),
    ("[\u3000-\u30ff\u3400-\u9fff]", HAN),
)
"""Letters that the font of everything else has not."""
SHAPED: Final = frozenset({Script.ARABIC, Script.HEBREW, Script.DEVANAGARI})
PIXELS_PER_MM = 12
PITCH_OF_GLYPHS = 19.0
"""Pixels from one character to the next at the size of the small drawings of OCR-B."""
_OCR_B = (
    Path("/usr/share/fonts/opentype/ocr-b/OCRB.otf"),
    Path("/usr/share/fonts/truetype/ocr-b/OCRB.ttf"),
)


class Sheet:
    """A page being drawn."""

    def __init__(self, size: tuple[int, int], seed: int, tint: tuple[int, int, int] = (232, 240, 226)) -> None:
        self._image = Image.fromarray(_paper(size, seed, tint))
        self._draw = ImageDraw.Draw(self._image)
        self._size = size

    def text(self, at: tuple[int, int], text: str, size: int, bold: bool = False, to_left: bool = False) -> None:
        """Print a line that begins at its top left corner; `to_left`: at its top right, where it is read from there."""
        x, y = float(at[0] - text_width(text, size) if to_left else at[0]), at[1]
        for run, font in _runs(text, size):
            self._draw.text((x, y), run, fill=(24, 26, 40), font=font, stroke_width=int(bold and size > 18))
            x += font.getlength(run)

    def upright(self, text: str, size: int) -> None:
        """Print a line along the right edge, turned by a quarter so that it is read from top to bottom."""
        line = Image.new("L", (text_width(text, size) + 8, round(1.4 * size)))
        ImageDraw.Draw(line).text((4, 2), text, fill=255, font=print_font(size), stroke_width=1)
        turned = line.rotate(-90, expand=True)
        at = (round(0.955 * self._size[0]) - turned.width // 2, round(0.48 * self._size[1]) - turned.height // 2)
        self._image.paste((170, 30, 40), at, turned)

    def rows(self, at: tuple[int, int], rows: Rows, step: int, label: int = 18, value: int = 28) -> None:
        """Labels with their values below."""
        for index, (name, content) in enumerate(rows):
            self.text((at[0], at[1] + index * step), name, label)
            self.text((at[0], at[1] + index * step + label + 6), content, value, bold=True)

    def portrait(self, box: tuple[int, int, int, int], of: Picture | None = None) -> None:
        """A photograph of a face, framed for the box; the still's own unless another is given."""
        framed = Image.fromarray(astronaut_portrait() if of is None else of)
        self._image.paste(framed.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.LANCZOS), box[:2])

    def mrz(self, lines: tuple[str, ...]) -> None:
        """Fixed pitch of 10 characters an inch at the foot of the page, on white as the standard asks."""
        pitch, line_height = 2.54 * PIXELS_PER_MM, 4.23 * 1.5 * PIXELS_PER_MM
        left = max((self._size[0] - pitch * len(lines[0])) / 2, 20)
        pitch = min(pitch, (self._size[0] - 2 * left) / len(lines[0]))
        top = self._size[1] - line_height * len(lines) - 34
        font = mrz_font(round(pitch / 2.54 * 3.6))
        for row, line in enumerate(lines):
            for column, character in enumerate(line):
                at = (left + column * pitch, top + row * line_height)
                if font is not None:
                    self._draw.text(at, character, (10, 10, 14), font)
                else:
                    self._letter(at, character, pitch)

    def _letter(self, at: tuple[float, float], character: str, pitch: float) -> None:
        """A letter of OCR-B without the font: from the small drawings that zones are compared with."""
        scale = pitch / PITCH_OF_GLYPHS
        ink = cv2.resize(glyphs()[character] * 17, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        crisp = Image.fromarray(np.clip(2.2 * (ink - 128) + 128, 0, 255).astype(np.uint8))
        self._image.paste((10, 10, 14), (round(at[0]), round(at[1])), crisp)

    def barcode(self, payload: bytes, box: tuple[int, int, int, int]) -> None:
        code = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.PDF417, ec_level="4")
        drawn = np.array(zxingcpp.write_barcode_to_image(code, scale=3, add_quiet_zones=True))
        image = Image.fromarray(drawn).convert("RGB")
        fit = min(box[2] / image.width, box[3] / image.height)
        size = (round(image.width * fit), round(image.height * fit))
        self._image.paste(image.resize(size, Image.Resampling.LANCZOS), box[:2])

    def picture(self) -> Picture:
        return np.asarray(self._image)


@cache
def still() -> Picture:
    """The one photograph of a person that there is, in the public domain: everybody has this face."""
    return np.asarray(Image.open(io.BytesIO(PORTRAIT.bundled.read())).convert("RGB"))


@cache
def astronaut_portrait() -> Picture:
    """The face of the still, framed as a passport photo."""
    return np.ascontiguousarray(still()[0:290, 110:340])


@cache
def print_font(size: int) -> ImageFont.FreeTypeFont:
    """The font of everything but the machine-readable zone."""
    return ImageFont.truetype(io.BytesIO(FONT.bundled.read()), size)


@cache
def _script_font(carried: CarriedFile, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(io.BytesIO(carried.bundled.read()), size)


def _runs(text: str, size: int) -> Iterator[tuple[str, ImageFont.FreeTypeFont]]:
    """Parts of a text, each with a font that has its letters; all but three scripts are in the one font."""
    for script, part in groupby(text, _font_of):
        yield "".join(part), print_font(size) if script is None else _script_font(script, size)


def _font_of(letter: str) -> CarriedFile | None:
    return next((font for letters, font in SCRIPT_FONTS if re.match(letters, letter)), None)


def text_width(text: str, size: int) -> int:
    """How many pixels a printed line takes."""
    return round(sum(font.getlength(run) for run, font in _runs(text, size)))


def can_print(script: Script) -> bool:
    """Can this machine set the script? What is read from the right, and Devanagari, need a library for it."""
    return script not in SHAPED or bool(features.check("raqm") and features.check("fribidi"))


@cache
def mrz_font(size: int) -> ImageFont.FreeTypeFont | None:
    """OCR-B where Debian's fonts-ocr-b is installed; None elsewhere."""
    for path in _OCR_B:
        if path.exists():
            return ImageFont.truetype(str(path), size)
    return None


def _paper(size: tuple[int, int], seed: int, tint: tuple[int, int, int]) -> Picture:
    """A pale page with fine wavy lines, as security printing has."""
    width, height = size
    random = np.random.default_rng(seed)
    y, x = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)
    waves = np.zeros((height, width), np.float32)
    for _ in range(3):
        period, phase = random.uniform(9, 16), random.uniform(0, 6)
        crests = 14 * np.sin(x / random.uniform(60, 160) + phase)  # of one row: it is that of all
        waves += np.maximum(0, np.sin((y + crests) / period * 6.283) - 0.75)
    page = np.empty((height, width, 3), np.float32)
    page[:] = tint
    page -= cv2.GaussianBlur(waves, (0, 0), 0.8)[..., None] * random.uniform(10, 60, 3).astype(np.float32)
    return np.clip(page, 0, 255).astype(np.uint8)
