"""A page being drawn: paper with fine waves, print, portrait, machine-readable zone, barcode."""

import io
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from truename.bundled.drawing import FONT, PORTRAIT
from truename.vision.document.mrz.type_setting import glyphs

Picture = NDArray[np.uint8]
Rows = list[tuple[str, str]]

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

    def text(self, at: tuple[int, int], text: str, size: int, bold: bool = False) -> None:
        self._draw.text(at, text, fill=(24, 26, 40), font=print_font(size), stroke_width=int(bold and size > 18))

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
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    waves = np.zeros((height, width), np.float32)
    for _ in range(3):
        period, phase = random.uniform(9, 16), random.uniform(0, 6)
        waves += np.maximum(0, np.sin((y + 14 * np.sin(x / random.uniform(60, 160) + phase)) / period * 6.283) - 0.75)
    page = np.empty((height, width, 3), np.float32)
    page[:] = tint
    page -= cv2.GaussianBlur(waves, (0, 0), 0.8)[..., None] * random.uniform(10, 60, 3).astype(np.float32)
    return np.clip(page, 0, 255).astype(np.uint8)
