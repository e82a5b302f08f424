"""Documents that are not genuine, made for measuring: swapped portraits, typed zones, pages that no camera saw."""

from collections.abc import Iterator, Sequence
from functools import partial, partialmethod
from pathlib import Path

import cv2
import numpy as np
from PIL import ImageFont

from benchmarks.accuracy_rows import LeftOut
from truename.sandbox.drawing import documents, sheet
from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.document.page.locate import Page, find_page
from truename.vision.document.page.portrait import find_portrait
from truename.vision.images import encode_jpeg

FONTS = Path("/usr/share/fonts/truetype")
OTHER_FONTS = (
    "liberation/LiberationMono-Regular.ttf",
    "liberation/LiberationSans-Regular.ttf",
    "dejavu/DejaVuSansMono.ttf",
    "dejavu/DejaVuSerif.ttf",
    "freefont/FreeMono.ttf",
    "noto/NotoSansMono-Regular.ttf",
)
DRAWN = 4


def swapped(pictures: list[Picture]) -> Iterator[Picture]:
    """Each picture with the portrait of the one before it pasted over its own, scaled and compressed by a program."""
    random = np.random.default_rng(0)
    before: Picture | None = None
    for picture in pictures:
        page = find_page(picture)
        portrait = find_portrait(page.picture) if page else None
        if page is None or portrait is None:
            continue
        left, top, width, height = portrait.face.box
        x, y = max(0, round(left - 0.3 * width)), max(0, round(top - 0.4 * height))
        own = page.picture[y : round(top + 1.3 * height), x : round(left + 1.3 * width)].copy()
        if before is not None:
            size, quality = (own.shape[1], own.shape[0]), int(random.integers(60, 92))
            if random.random() < 0.5:
                other = decode(encode_jpeg(_resized(before, size), quality))
            else:
                other = _resized(decode(encode_jpeg(before, quality)), size)
            yield _pasted(picture, page, other, (x, y))
        before = own


def _resized(picture: Picture, size: tuple[int, int]) -> Picture:
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def _pasted(photo: Picture, page: Page, part: Picture, at: tuple[int, int]) -> Picture:
    """The photo with a part laid over its page, in the page's perspective."""
    height, width = page.picture.shape[:2]
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, page.located.quad.astype(np.float32))
    place = (slice(at[1], at[1] + part.shape[0]), slice(at[0], at[0] + part.shape[1]))
    layer, mask = np.zeros_like(page.picture), np.zeros((height, width), np.uint8)
    layer[place], mask[place] = part, 255
    size = (photo.shape[1], photo.shape[0])
    over, where = cv2.warpPerspective(layer, matrix, size), cv2.warpPerspective(mask, matrix, size)
    return np.where(where[..., None] > 127, over, photo).astype(np.uint8)


def installed_fonts(left_out: LeftOut, names: Sequence[str] = OTHER_FONTS) -> list[Path]:
    """Those of the common fonts that this machine has; the others are samples left out (`fonts-*` of Debian)."""
    fonts = [FONTS / name for name in names]
    return [font for font in fonts if left_out.measured(font.name, partial(ImageFont.truetype, str(font), 10))]


def typed_zones(fonts: Sequence[Path]) -> Iterator[Picture]:
    """Photographs of drawn passports whose zone was typed in one of these fonts instead of OCR-B."""
    usual = sheet.Sheet.mrz
    for font in fonts:
        sheet.Sheet.mrz = partialmethod(_type, font)  # type: ignore[method-assign, assignment]
        try:
            for seed in range(2):
                yield documents.photograph(documents.passport(seed=seed).front, seed=seed)[0]
        finally:
            sheet.Sheet.mrz = usual  # type: ignore[method-assign]


def _type(page: sheet.Sheet, font: Path, lines: tuple[str, ...]) -> None:
    """Type the lines as a word processor does, as wide as the page allows."""
    width, height = page._size
    longest = max(ImageFont.truetype(str(font), 100).getlength(line) for line in lines)
    size = round(100 * 0.9 * width / longest)
    for row, line in enumerate(lines):
        at = (0.05 * width, height - 34 - 76 * (len(lines) - row))
        page._draw.text(at, line, (10, 10, 14), ImageFont.truetype(str(font), size))


def drawn_and_photographed() -> Iterator[Picture]:
    """Drawn passports as a camera sees them: genuine as far as pixels and zones go."""
    for seed in range(DRAWN):
        yield documents.photograph(documents.passport(seed=seed).front, seed=seed)[0]


def drawn() -> Iterator[Picture]:
    """The same pages as the program made them."""
    for seed in range(DRAWN):
        yield documents.passport(seed=seed).front
