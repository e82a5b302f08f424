"""What drawn cards of benchmarks have in common: a ground of waves, a portrait, what is printed on them."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.sheet import astronaut_portrait
from truename.vision.captures import Picture

WIDE, HIGH = 1016, 640
"""A bank card at 12 pixels a millimetre."""
WAVES: Final = 6


@dataclass(frozen=True)
class Card:
    """A drawn card and what is printed on it."""

    country: str
    kind: DocumentType
    printed: dict[FieldName, str]
    front: Picture
    back: Picture | None = None


def on_paper(chance: Random, tint: tuple[int, int, int], draw: Callable[[ImageDraw.ImageDraw], None]) -> Picture:
    """A side of a card."""
    rows, columns = np.mgrid[:HIGH, :WIDE]
    shade = np.zeros((HIGH, WIDE))
    for _ in range(WAVES):
        along, across = chance.uniform(0.01, 0.06), chance.uniform(0.01, 0.06)
        shade += chance.uniform(2, 5) * np.sin(along * columns + across * rows + 3 * np.sin(0.01 * columns))
    page = Image.fromarray(np.clip(np.array(tint) + shade[..., None], 0, 255).astype(np.uint8))
    draw(ImageDraw.Draw(page))
    return np.asarray(page)[..., ::-1].copy()


def with_portrait(side: Picture, box: tuple[int, int, int, int]) -> Picture:
    """The same with a portrait at left, top, of width and height."""
    left, top, width, height = box
    portrait = np.asarray(Image.fromarray(astronaut_portrait()).resize((width, height)))[..., ::-1]
    pasted = side.copy()
    pasted[top : top + height, left : left + width] = portrait
    return pasted
