"""Draws pages with machine-readable zones, and print of all kinds: tinted paper, waves, boxes, portraits, words.

No picture of anything real is used; text is set in free fonts (Debian packages, see README.md).
"""

import math
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIDE = 512
FORMATS = ((2, 44), (2, 44), (3, 30), (3, 30), (2, 36))
"""Lines and characters of TD3, TD1 and TD2."""
ZONE_FONTS = (
    ("OCRB.otf", 8), ("OCRBS.otf", 3), ("OCRBL.otf", 3), ("LiberationMono-Regular.ttf", 1),
    ("LiberationMono-Bold.ttf", 1), ("DejaVuSansMono.ttf", 1), ("Inconsolata.otf", 1), ("FreeMonoBold.ttf", 1),
    ("Hack-Regular.ttf", 1), ("NotoSansMono-Regular.ttf", 1), ("Cousine-Regular.ttf", 1),
    ("JetBrainsMono-Regular.ttf", 1), ("Courier Prime.otf", 1),
)  # fmt: skip
"""Fonts of zones, and how often each is taken."""
PRINT_FONTS = (
    "LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf",
    "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "FreeSans.ttf", "FreeSerif.ttf", "LiberationSansNarrow-Regular.ttf",
    "LiberationMono-Regular.ttf", "OCRB.otf",
)  # fmt: skip
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FOLDERS = [Path(__file__).parents[2] / "build" / "fonts", Path("/usr/share/fonts"), Path("/usr/local/share/fonts")]

Points = np.ndarray


@dataclass
class Page:
    """A drawn page and, in its own pixels, the corners of each line of its zone and of the zone as a whole."""

    picture: Image.Image
    lines: list[Points]
    area: Points | None


def draw_page(
    chance: random.Random, noise: np.random.Generator, form: tuple[int, int], pitch: float, has_zone: bool
) -> Page:
    rows, length = form
    share = chance.uniform(0.8, 0.96)
    width = round(length * pitch / share)
    height = round(width / (chance.uniform(1.52, 1.64) if rows == 3 else chance.uniform(1.3, 1.5)))
    if chance.random() < 0.12:
        height = round(height * chance.uniform(0.45, 2.0))  # a strip cut out, or a whole opened booklet
    paper = _paper(chance, noise, width, height)
    ink = tuple(chance.randint(0, 90) for _ in range(3)) if chance.random() < 0.4 else (chance.randint(0, 60),) * 3
    draw = ImageDraw.Draw(paper)
    capital = pitch * 1.0
    for _ in range(chance.randint(0, 3)):
        draw_box(chance, draw, width, height)
    if chance.random() < 0.7:
        _portrait(chance, draw, width, height)
    spacing = capital * chance.uniform(1.7, 3.1)
    tall = spacing * (rows - 1) + capital
    bottom = height - capital * chance.uniform(0.6, 2.4)
    if chance.random() < 0.2:
        bottom = chance.uniform(min(tall + capital, height - 1), height)
    top = bottom - tall
    free = top - spacing * 0.6 if has_zone else height
    draw_print(chance, paper, ink, width, free, capital)
    if chance.random() < 0.3 and has_zone and bottom + capital < height:
        draw_print(chance, paper, ink, width, height - bottom, capital, below=bottom + 0.7 * capital)
    if not has_zone:
        if chance.random() < 0.5:
            _nearly_zone(chance, paper, ink, pitch, width, height)
        return Page(paper, [], None)
    if chance.random() < 0.35:
        shade = tuple(chance.randint(200, 255) for _ in range(3))
        draw.rectangle((0, top - capital * 0.8, width, min(height, bottom + capital * 0.8)), fill=shade)
    left = (width - length * pitch) * chance.uniform(0.2, 0.8)
    dark = (chance.randint(0, 50),) * 3 if chance.random() < 0.85 else tuple(chance.randint(0, 140) for _ in range(3))
    quads = []
    name = chance.choices([name for name, _ in ZONE_FONTS], [weight for _, weight in ZONE_FONTS])[0]
    font, above = _zone_font(name, round(pitch * 4) / 4)
    lean = chance.gauss(0, 0.02) * pitch
    for row, text in enumerate(zone(chance, rows, length)):
        middle = top + capital / 2 + row * spacing
        baseline = middle + above / 2
        for place, letter in enumerate(text):
            draw.text((left + (place + 0.5) * pitch, baseline + lean * place / 40), letter, dark, font, anchor="ms")
        half = max(above * 0.27, 0.8)
        quads.append(_rectangle(left + 0.1 * pitch, middle - half, left + (length - 0.1) * pitch, middle + half))
    area = _rectangle(left, top - 0.25 * capital, left + length * pitch, bottom + 0.25 * capital)
    if chance.random() < 0.15:
        _wear(chance, noise, paper)
    return Page(paper, quads, area)


def zone(chance: random.Random, rows: int, length: int) -> list[str]:
    """Lines such as a zone bears; their check digits do not matter here."""
    code = chance.choice(("D<<", "UTO", "".join(chance.choices(LETTERS, k=3))))
    number = "".join(
        chance.choices("0123456789" if chance.random() < 0.6 else LETTERS + "0123456789", k=chance.randint(6, 9))
    )
    digits = lambda count: "".join(chance.choices("0123456789", k=count))  # noqa: E731
    names = "<".join(_word(chance).upper() for _ in range(chance.randint(1, 2)))
    names += "<<" + "<".join(_word(chance).upper() for _ in range(chance.randint(1, 3)))
    optional = "".join(chance.choices(LETTERS + "0123456789", k=chance.choice((0, 0, 8, 13))))
    dates = digits(7) + chance.choice("MF<") + digits(7)
    if rows == 3:
        first = "I" + chance.choice("D<RP") + code + number.ljust(9, "<") + digits(1) + optional
        found = [first, dates + code + chance.choice(("", optional)), names]
        found[1] = found[1].ljust(29, "<")[:29] + digits(1)
    else:
        kind = chance.choice(("P<", "PD", "I<", "V<", "ID", "PO"))
        found = [kind + code + names, number.ljust(9, "<") + digits(1) + code + dates + optional]
        found[1] = found[1].ljust(length - 2, "<")[: length - 2] + digits(2)
    return [line.ljust(length, "<")[:length] for line in found]


def _paper(chance: random.Random, noise: np.random.Generator, width: int, height: int) -> Image.Image:
    """Tinted paper with waves such as security print has."""
    tint = np.array([chance.randint(150, 255) for _ in range(3)], np.float32)
    if chance.random() < 0.5:
        tint = tint.mean() + (tint - tint.mean()) * 0.25
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    sheet = np.broadcast_to(tint, (height, width, 3)).copy()
    for _ in range(chance.randint(0, 3)):
        bend = chance.uniform(0, 5) * np.sin(x * chance.uniform(0.005, 0.08) + y * chance.uniform(-0.08, 0.08))
        wave = np.sin(x * chance.uniform(-1.2, 1.2) + y * chance.uniform(-1.2, 1.2) + bend)
        sheet += wave[..., None] * np.array([chance.uniform(-22, 22) for _ in range(3)], np.float32)
    patch = Image.fromarray(noise.integers(0, 256, (6, 8, 3), np.uint8)).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    sheet += (np.asarray(patch, np.float32) - 128) * chance.uniform(0, 0.3)
    return Image.fromarray(np.clip(sheet, 0, 255).astype(np.uint8))


def draw_box(chance: random.Random, draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    left, top = chance.uniform(-0.1, 0.9) * width, chance.uniform(-0.1, 0.9) * height
    right, bottom = left + chance.uniform(0.05, 0.9) * width, top + chance.uniform(0.02, 0.5) * height
    colour = tuple(chance.randint(30, 255) for _ in range(3))
    if chance.random() < 0.4:
        draw.rectangle((left, top, right, bottom), outline=colour, width=chance.randint(1, 4))
    else:
        draw.rectangle((left, top, right, bottom), fill=colour)


def _portrait(chance: random.Random, draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    left = chance.choice((chance.uniform(0.02, 0.1), chance.uniform(0.6, 0.74))) * width
    top, wide, tall = (
        chance.uniform(0.1, 0.3) * height,
        chance.uniform(0.16, 0.3) * width,
        chance.uniform(0.35, 0.55) * height,
    )
    draw.rectangle((left, top, left + wide, top + tall), fill=tuple(chance.randint(120, 250) for _ in range(3)))
    skin = tuple(round(chance.uniform(0.4, 1) * part) for part in (235, 190, 165))
    draw.ellipse((left + wide * 0.25, top + tall * 0.14, left + wide * 0.75, top + tall * 0.7), fill=skin)
    draw.ellipse(
        (left, top + tall * 0.72, left + wide, top + tall * 1.3), fill=tuple(chance.randint(0, 160) for _ in range(3))
    )


def draw_print(
    chance: random.Random,
    paper: Image.Image,
    ink: tuple[int, ...],
    width: int,
    height: float,
    capital: float,
    below: float = 0,
) -> None:
    """Labels, values and small print, some of it turned."""
    for _ in range(chance.choice((0, 3, 8, 14, 24, 40))):
        size = capital * math.exp(chance.uniform(math.log(0.45), math.log(1.9))) * 1.35
        if size < 4 or height < size:
            continue
        font = _font(chance.choice(PRINT_FONTS), max(4, round(size)))
        words = " ".join(_word(chance) for _ in range(chance.choice((1, 1, 2, 2, 3, 5, 9))))
        style = chance.random()
        words = words.upper() if style < 0.45 else words.title() if style < 0.7 else words
        if chance.random() < 0.25:
            words = chance.choice(("{}.{}.{}", "{} {} {}", "{}/{}/{}")).format(
                *(chance.randint(10, 99) for _ in range(3))
            )
        at = (chance.uniform(-0.05, 0.8) * width, below + chance.uniform(0, max(1.0, height - size)))
        if chance.random() < 0.07:
            across = Image.new("L", (max(1, round(font.getlength(words))), round(size * 1.4)), 0)
            ImageDraw.Draw(across).text((0, 0), words, 255, font)
            turned = across.rotate(chance.choice((90, 270, 180, chance.uniform(0, 360))), expand=True)
            paper.paste(Image.new("RGB", turned.size, ink), (round(at[0]), round(at[1] - size)), turned)
        else:
            ImageDraw.Draw(paper).text(at, words, ink, font)


def _nearly_zone(
    chance: random.Random, paper: Image.Image, ink: tuple[int, ...], pitch: float, width: int, height: int
) -> None:
    """Long rows of capitals and figures, dashes, dots or bars: what is no zone but looks like one from afar."""
    draw = ImageDraw.Draw(paper)
    top = chance.uniform(0.3, 0.85) * height
    kind = chance.choice(("words", "figures", "dashes", "bars"))
    if kind == "bars":
        x = 0.05 * width
        while x < 0.95 * width:
            wide = chance.uniform(0.5, 4)
            draw.rectangle((x, top, x + wide, top + chance.uniform(0.1, 0.12) * height), fill=ink)
            x += wide + chance.uniform(0.8, 5)
        return
    font, _ = _zone_font(chance.choice([name for name, _ in ZONE_FONTS]), round(pitch * 4) / 4)
    for row in range(chance.randint(1, 4)):
        count = int(0.9 * width / pitch)
        if kind == "words":
            text = " ".join(_word(chance).upper() for _ in range(count))[:count]
        elif kind == "figures":
            text = "".join(chance.choice("0123456789 ") for _ in range(count))
        else:
            text = chance.choice("-._=*") * count
        for place, letter in enumerate(text):
            at = (0.05 * width + place * pitch, top + row * pitch * 2.2)
            if letter != " ":
                draw.text(at, letter, ink, font, anchor="ms")


def _wear(chance: random.Random, noise: np.random.Generator, paper: Image.Image) -> None:
    """Print that has gone in places."""
    width, height = paper.size
    rough = Image.fromarray(noise.integers(0, 256, (max(2, height // 14), max(2, width // 14)), np.uint8))
    mask = np.asarray(rough.resize((width, height), Image.Resampling.BICUBIC), np.float32)
    mask = np.clip((mask - chance.uniform(130, 190)) / 60, 0, 0.75)
    pixels = np.asarray(paper, np.float32)
    light = pixels.reshape(-1, 3).mean(0) * 1.05
    paper.paste(
        Image.fromarray(np.clip(pixels * (1 - mask[..., None]) + light * mask[..., None], 0, 255).astype(np.uint8))
    )


def _rectangle(left: float, top: float, right: float, bottom: float) -> Points:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)


def _word(chance: random.Random) -> str:
    syllables = (
        chance.choice("bcdfghjklmnprstvz") + chance.choice("aeiou") + chance.choice(("", "", "n", "r", "s", "t"))
        for _ in range(5)
    )
    return "".join(syllables)[: chance.randint(2, 11)]


@cache
def _path(name: str) -> str:
    for folder in FOLDERS:
        for found in sorted(folder.rglob(name)) if folder.is_dir() else ():
            return str(found)
    raise SystemExit(f"font not found: {name} (see README.md)")


@cache
def _font(name: str, size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_path(name), size)


@cache
def _zone_font(name: str, pitch: float) -> tuple[ImageFont.FreeTypeFont, float]:
    """The font at the size where its letters advance by the pitch, and the height of its capitals."""
    trial = ImageFont.truetype(_path(name), 100)
    font = ImageFont.truetype(_path(name), max(3.0, 100 * pitch / trial.getlength("0")))
    return font, -float(font.getbbox("H", anchor="ls")[1])
