"""What a drawn examination is made of: colours, text, cards, columns."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]

GAP: Final = 28
PAPER: Final[Colour] = (246, 247, 250)
CARD: Final[Colour] = (255, 255, 255)
LINE: Final[Colour] = (223, 227, 235)
INK: Final[Colour] = (24, 28, 40)
MUTED: Final[Colour] = (112, 120, 138)
ACCENT: Final[Colour] = (79, 70, 229)
GOOD: Final[Colour] = (16, 149, 96)
DOUBT: Final[Colour] = (202, 138, 4)
BAD: Final[Colour] = (206, 45, 60)


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The one font of the sheet, in this size."""
    return ImageFont.load_default(size)


def write(pen: ImageDraw.ImageDraw, at: tuple[float, float], words: str, size: int, fill: Colour = INK) -> float:
    """Write the words; answers how wide they are."""
    pen.text(at, words, font=font(size), fill=fill)
    return pen.textlength(words, font=font(size))


def fitting(pen: ImageDraw.ImageDraw, words: str, size: int, width: float) -> str:
    """The words, cut with an ellipsis when they are too long."""
    while words and pen.textlength(words, font=font(size)) > width:
        words = words[:-4].rstrip() + "..." if len(words) > 4 else ""
    return words


def new_card(width: int, height: int, title: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """An empty card with its title, and the pen to draw on it."""
    card = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(card)
    pen.rounded_rectangle((0, 0, width - 1, height - 1), 18, fill=CARD, outline=LINE, width=2)
    write(pen, (24, 18), title.upper(), 17, MUTED)
    return card, pen


def stack(cards: Sequence[Image.Image]) -> Image.Image:
    """Cards below each other, as wide as the widest."""
    width = max((card.width for card in cards), default=1)
    height = sum(card.height for card in cards) + GAP * max(len(cards) - 1, 0)
    column = Image.new("RGB", (width, max(height, 1)), PAPER)
    top = 0
    for card in cards:
        column.paste(card, (0, top))
        top += card.height + GAP
    return column


def rounded(picture: Image.Image, radius: int = 12) -> Image.Image:
    """The picture with round corners, on the ground of a card."""
    mask = Image.new("L", picture.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, picture.width - 1, picture.height - 1), radius, fill=255)
    ground = Image.new("RGB", picture.size, CARD)
    ground.paste(picture, (0, 0), mask)
    return ground
