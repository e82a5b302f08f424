"""Pictures of documents taken again, simulated: off a screen, off a print in black, off a print in colours.

The simulation knows what a screen is made of (stripes of red, green and blue, or dots in diamonds; rows, black that
glows) and what a camera does to it (distance, angle, lens, one colour a pixel, noise). It is none of a certain screen
or printer: what is told here is how often a regular screen can be told at all, not how often one's own is.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.sandbox.drawing.photography import photograph
from truename.vision.captures import Picture

Light = NDArray[np.float32]
Dots = Callable[[Light, Light, Light, np.random.Generator], None]

SENSOR: Final = (2000, 1500)
"""Width and height of the simulated camera."""
FINE: Final = 2
"""The light is computed at so many places of each pixel, both ways."""
GAMMA: Final = 2.2


def off_striped_screens(pictures: Sequence[Picture]) -> Iterator[Picture]:
    """Each picture shown on a screen of stripes and photographed: every one by another screen, distance and angle.

    The sign was made while looking at screens of the seeds 1000 to 1015 and 5000 to 5015.
    """
    for seed, picture in enumerate(pictures):
        yield _off_a_screen(picture, np.random.default_rng(7000 + seed), _stripes)


def off_diamond_screens(pictures: Sequence[Picture]) -> Iterator[Picture]:
    """The same off screens on which every pixel has a green dot, and every other a red or a blue one, as on phones."""
    for seed, picture in enumerate(pictures):
        yield _off_a_screen(picture, np.random.default_rng(8000 + seed), _diamonds)


def off_black_prints(pictures: Sequence[Picture]) -> Iterator[Picture]:
    """Each picture printed in black and photographed on a desk."""
    for seed, picture in enumerate(pictures):
        random = np.random.default_rng(2000 + seed)
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)
        paper = _printed(np.repeat(grey[..., None], 3, axis=2), random)
        yield photograph(paper, seed=seed)[0]


def off_colour_prints(pictures: Sequence[Picture]) -> Iterator[Picture]:
    """Each picture printed in colours and photographed on a desk: no sign claims to tell that."""
    for seed, picture in enumerate(pictures):
        yield photograph(_printed(picture, np.random.default_rng(3000 + seed)), seed=seed)[0]


def _printed(picture: Picture, random: np.random.Generator) -> Picture:
    """What a printer puts on paper: softer, of less contrast, with ink that is not even."""
    soft = cv2.GaussianBlur(picture, (0, 0), random.uniform(0.6, 1.1)).astype(np.float32)
    ink = cv2.GaussianBlur(random.normal(0, 1, picture.shape[:2]).astype(np.float32), (0, 0), 0.7)
    white, black = random.uniform(228, 246), random.uniform(20, 45)
    paper = black + (white - black) * soft / 255 + 14 * ink[..., None]
    return np.clip(paper, 0, 255).astype(np.uint8)


def _off_a_screen(picture: Picture, random: np.random.Generator, dots: Dots) -> Picture:
    wide = int(random.uniform(700, 1500))
    shown = cv2.resize(picture, (wide, round(wide * picture.shape[0] / picture.shape[1])), interpolation=cv2.INTER_AREA)
    glow = random.uniform(0.004, 0.03)
    light = np.asarray((shown.astype(np.float32) / 255) ** GAMMA * (1 - glow) + glow, np.float32)
    seen = _before_the_lens(light, random, dots)
    return _developed(seen, random)


def _before_the_lens(light: Light, random: np.random.Generator, dots: Dots) -> Light:
    """The light of the screen's dots at each fine place before the camera; the room around the screen is dark."""
    rows, columns = light.shape[:2]
    width, height = SENSOR[0] * FINE, SENSOR[1] * FINE
    scale = random.uniform(0.72, 0.9) * min(width / columns, height / rows)
    reach = np.array([columns, rows]) * scale / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach
    turn = np.deg2rad(random.uniform(-6, 6))
    corners = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners += random.uniform(-0.03, 0.03, (4, 2)) * reach + np.array([width, height]) / 2
    source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    back = cv2.getPerspectiveTransform(corners.astype(np.float32), source)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    depth = back[2, 0] * x + back[2, 1] * y + back[2, 2]
    across = ((back[0, 0] * x + back[0, 1] * y + back[0, 2]) / depth).astype(np.float32)
    down = ((back[1, 0] * x + back[1, 1] * y + back[1, 2]) / depth).astype(np.float32)
    del x, y, depth
    places = np.floor(across), np.floor(down)
    rim = cv2.BORDER_CONSTANT
    seen = np.asarray(cv2.remap(light, *places, cv2.INTER_NEAREST, borderMode=rim, borderValue=(0,) * 3), np.float32)
    dots(seen, across, down, random)
    return seen


def _stripes(seen: Light, across: Light, down: Light, random: np.random.Generator) -> None:
    """Leave the light of each colour where its stripe is: a third of a pixel wide, black between the rows."""
    gap, order = random.uniform(0.05, 0.3), random.choice([-1, 1])
    between_rows = 1 - random.uniform(0.3, 1.0) * _gap(down, gap)
    for colour in range(3):
        at = (across - (1 + order * (colour - 1)) / 3) % 1
        stripe = np.clip((1 / 3 - np.abs(at - 1 / 6) * 2) * 12, 0, 1) * 3
        seen[..., colour] *= stripe * between_rows


def _gap(places: Light, share: float) -> Light:
    return ((places % 1) > 1 - share).astype(np.float32)


def _diamonds(seen: Light, across: Light, down: Light, random: np.random.Generator) -> None:
    """Leave the light of each colour where its dots are."""
    reach = random.uniform(0.9, 1.1)
    x, y = across % 1, down % 1
    green = _dot(x, y, 0.25, 0.24 * reach)
    other = _dot(x, y, 0.75, 0.30 * reach)
    red = ((np.floor(across) + np.floor(down)) % 2 < 1).astype(np.float32)
    for colour, lit in enumerate((other * red, green, other * (1 - red))):
        seen[..., colour] *= lit / lit.mean()


def _dot(x: Light, y: Light, at: float, radius: float) -> Light:
    """A round dot on the diagonal of its pixel, with a soft rim."""
    return np.clip((radius - np.hypot(x - at, y - at)) * 12 + 0.5, 0, 1).astype(np.float32)


def _developed(seen: Light, random: np.random.Generator) -> Picture:
    """Lens, one colour a pixel, noise, the missing colours interpolated, brightness."""
    lens = cv2.GaussianBlur(seen, (0, 0), FINE * random.uniform(0.45, 0.9))
    caught = cv2.resize(lens, SENSOR, interpolation=cv2.INTER_AREA)
    room = random.uniform(0.01, 0.04)
    exposed = (caught + room) * 0.8 / max(float(np.quantile(caught, 0.97)), 0.05)
    mosaic = np.empty(exposed.shape[:2], np.float32)
    for row, column, colour in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)):
        mosaic[row::2, column::2] = exposed[row::2, column::2, colour]
    noise = random.normal(0, 1, mosaic.shape).astype(np.float32)
    mosaic += noise * np.sqrt(np.maximum(mosaic, 0) * random.uniform(2e-4, 1.5e-3) + 1e-5)
    raw = np.clip(mosaic * 40000, 0, 65535).astype(np.uint16)
    linear = cv2.cvtColor(raw, cv2.COLOR_BayerBG2RGB).astype(np.float32) / 40000
    return (255 * np.clip(linear, 0, 1) ** (1 / GAMMA)).astype(np.uint8)
