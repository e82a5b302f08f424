"""Draws lines of Arabic and Persian figures, and of words, and cuts them into pieces as the reader does.

Words stand for "no figure"; they are letters in no order, so that no language is learnt. Fonts are Debian packages (see
README.md); a folder that holds them is searched by file name.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from truename.vision.document.print.figure_lines import CLASSES, features, pieces_of

LEARNT = (
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSansCondensed", "DejaVuSansMono", "FreeMono", "FreeSerif",
    "FreeSerifBold", "KacstBook", "KacstFarsi", "KacstLetter", "KacstNaskh", "KacstPen", "KacstPoster",
    "KacstQurn", "KacstScreen", "KacstTitle", "KacstTitleL", "NotoKufiArabic-Bold", "NotoKufiArabic-Regular",
    "NotoSansArabic-Bold", "NotoSansArabic-Regular", "Scheherazade-Bold", "Scheherazade-Regular", "Amiri-Bold",
    "Amiri-Slanted", "nazlib", "titr",
)  # fmt: skip
HELD_OUT = ("Amiri-Regular", "NotoNaskhArabic-Regular", "NotoNaskhArabic-Bold", "KacstOffice", "nazli")
"""What is read is measured in these."""
STROKES = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "LiberationSans-Regular", "FreeSerif", "FreeSansBold")
"""Where Latin figures and the stroke of a date come from: many Arabic fonts have none."""
ARABIC, PERSIAN = "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹"
JOINING = [0xFE8F, 0xFE95, 0xFE99, 0xFE9D, 0xFEA1, 0xFEA5, 0xFEB1, 0xFEB5, 0xFEB9, 0xFEBD, 0xFEC1, 0xFEC9, 0xFED1,
           0xFED5, 0xFED9, 0xFEDD, 0xFEE1, 0xFEE5, 0xFEE9, 0xFEF1]  # fmt: skip
"""Letters with four forms, which follow each other: alone, at the end, at the beginning, in the middle."""
ENDING = [0xFE8D, 0xFEA9, 0xFEAB, 0xFEAD, 0xFEAF, 0xFEED]
SIZE, BASELINE = 60, 90
OTHER = len(CLASSES) - 1

Sample = tuple[np.ndarray, list[int], bool]
"""What the network sees of each piece, what each is, and whether the line is one number."""


def samples(folder: Path, count: int, seed: int, held_out: bool = False) -> Iterator[Sample]:
    """So many photographed lines; those whose pieces cannot be told apart, because figures touch, are left out."""
    chance, fonts = random.Random(seed), {}

    def font(name: str) -> ImageFont.FreeTypeFont:
        if name not in fonts:
            path = next(Path(folder).rglob(f"{name}.ttf"))
            fonts[name] = ImageFont.truetype(str(path), SIZE, layout_engine=ImageFont.Layout.BASIC)
        return fonts[name]

    while count:
        face = font(chance.choice(HELD_OUT if held_out else LEARNT))
        text, is_number = _text(chance, face)
        ink, top, bottom = _drawn(chance, text, face, font(chance.choice(STROKES)))
        picture = _photographed(chance, ink, top, bottom)
        pieces = pieces_of(picture)
        if len(pieces) < 3 or (is_number and len(pieces) != len(text)):
            continue
        truth = [_class(one) for one in text] if is_number else [OTHER] * len(pieces)
        if not is_number and len(pieces) == len(text):
            # The strokes of a date in Latin figures are strokes; its figures are none of ours.
            truth = [_class(one) if one in "/-" else OTHER for one in text]
        yield features(pieces, pieces), truth, is_number
        count -= 1


def _text(chance: random.Random, face: ImageFont.FreeTypeFont) -> tuple[str, bool]:
    if chance.random() < 0.3:
        if chance.random() < 0.5:
            return chance.choice(
                ["RIVERA", "Name No", "SURNAME", _number(chance), _number(chance), _number(chance)]
            ), False
        return " ".join(_word(chance) for _ in range(chance.randint(2, 5))), False
    has_persian = face.getmask(PERSIAN[4]).getbbox() != face.getmask("\uffff").getbbox()
    figures = PERSIAN if has_persian and chance.random() < 0.35 else ARABIC
    return _number(chance).translate(str.maketrans("0123456789", figures)), True


def _number(chance: random.Random) -> str:
    """A number or a date, in Latin figures."""
    if chance.random() < 0.5:
        return "".join(chance.choice("0123456789") for _ in range(chance.choice([4, 6, 8, 10, 14, 14])))
    year = str(chance.choice([chance.randint(1930, 2060), chance.randint(1300, 1460)]))
    parts = [year, f"{chance.randint(1, 12):02d}", f"{chance.randint(1, 31):02d}"]
    return chance.choice(["/", "/", "/", "-"]).join(parts if chance.random() < 0.6 else parts[::-1])


def _class(character: str) -> int:
    for figures in (ARABIC, PERSIAN):
        if character in figures:
            return figures.index(character)
    return CLASSES.index(character)


def _word(chance: random.Random) -> str:
    """A joined piece of Arabic as it is seen from left to right: the end first."""
    middle = [chance.choice(JOINING) + 3 for _ in range(chance.randint(0, 3))]
    end = chance.choice(JOINING) + 1 if chance.random() < 0.5 else chance.choice(ENDING) + 1
    alone = [chance.choice(ENDING)] if chance.random() < 0.5 else []
    return "".join(map(chr, [*alone, end, *middle, chance.choice(JOINING) + 2]))


def _drawn(
    chance: random.Random, text: str, face: ImageFont.FreeTypeFont, strokes: ImageFont.FreeTypeFont
) -> tuple[np.ndarray, int, int]:
    """Ink from 0 to 1, and the rows between which it stands."""
    sheet = Image.new("L", (1800, 150), 0)
    pen, x = ImageDraw.Draw(sheet), 20.0
    apart, bold = chance.choice([0, 0, 4, 14]), chance.choice([0, 0, 1, 2])
    letters = list(text) if text[0].isdecimal() else [text]
    for one in letters:
        own = strokes if one in "/-" or one.isascii() else face
        pen.text((x, BASELINE), one, 255, own, anchor="ls", stroke_width=bold)
        x += max(own.getlength(one), 10) + apart
    pixels = np.asarray(sheet, np.float32)[:, : min(1800, round(x) + 20)] / 255
    rows = np.flatnonzero(pixels.max(1) > 0.5)
    return pixels, int(rows[0]), int(rows[-1]) + 1


def _photographed(chance: random.Random, ink: np.ndarray, top: int, bottom: int) -> np.ndarray:
    """Paper with waves, light, a little slope, the resolution, blur, noise and compression of a camera."""
    random_numbers = np.random.default_rng(chance.getrandbits(32))
    height, width = ink.shape
    lean = cv2.getRotationMatrix2D((width / 2, BASELINE - 20), chance.uniform(-1.2, 1.2), 1.0)
    lean[0, 1] += chance.uniform(-0.15, 0.15)
    lean[0, 2] -= lean[0, 1] * (BASELINE - 20)
    ink = cv2.warpAffine(ink, lean, (width, height))
    tall = bottom - top
    first = max(0, top - round(chance.uniform(0.1, 0.5) * tall))
    ink = ink[first : min(height, bottom + round(chance.uniform(0.1, 0.5) * tall))]
    y, x = np.mgrid[0 : ink.shape[0], 0:width].astype(np.float32)
    waves = sum(
        np.maximum(0, np.sin((y + 20 * np.sin(x / chance.uniform(90, 240))) / chance.uniform(13, 24) * 6.28) - 0.7)
        for _ in range(3)
    )
    paper = chance.uniform(150, 245) - waves * chance.uniform(0, 50) + (x / width - 0.5) * chance.uniform(-40, 40)
    dark = chance.uniform(0.45, 1.0)
    picture = paper * (1 - ink * dark) + chance.uniform(0, 60) * ink * dark
    scale = np.exp(chance.uniform(np.log(10), np.log(44))) / tall
    picture = cv2.resize(picture.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    picture = cv2.GaussianBlur(picture, (0, 0), chance.uniform(0.3, 1.0))
    picture = picture + random_numbers.normal(0, chance.uniform(0, 7), picture.shape)
    coded = cv2.imencode(".jpg", np.clip(picture, 0, 255).astype(np.uint8), [1, chance.randint(60, 95)])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))
