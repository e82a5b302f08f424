"""Invents pictures of pages with machine-readable zones, one at a time, on the CPU; many processes make many.

No picture of anything real is used: tables and what lies on them are noise, waves, boxes and blobs. A scene holds
one to three pages (cards, booklets, two sides of a card in one picture), in any rotation, with print of all kinds
beside the zone; one in seven holds no zone at all.
"""

import io
import math
import random
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from training.zones.pages import FORMATS, SIDE, Page, Points, draw_box, draw_page, draw_print


@dataclass
class Scene:
    """What a network is shown, and what it should mark: the cores of the zone's lines, and the zone."""

    picture: np.ndarray
    """SIDE × SIDE × 3, bytes."""
    marks: np.ndarray
    """2 × SIDE/2 × SIDE/2, bytes: cores of lines, area of the zone."""


def invent(seed: int) -> Scene:
    """The scene of this number: always the same."""
    chance = random.Random(seed)
    noise = np.random.default_rng(seed)
    lines, length = chance.choice(FORMATS)
    pitch = math.exp(chance.uniform(math.log(4.3), math.log(min(17.0, 500 / length))))
    drawn_at = min(max(1.8 * pitch, 9.0), 22.0)
    without = chance.random() < 0.14
    count = chance.choices((1, 2, 3), (0.62, 0.3, 0.08))[0]
    pages = []
    for index in range(count):
        has_zone = not without and (index == 0 or chance.random() < 0.4)
        scale = 1.0 if index == 0 else chance.uniform(0.6, 1.6)
        form = (lines, length) if index == 0 or chance.random() < 0.6 else chance.choice(FORMATS)
        pages.append(draw_page(chance, noise, form, drawn_at * scale, has_zone))
    plane, quads, areas = _lay_out(chance, pages)
    picture, matrix = _photograph_plane(chance, noise, plane, pitch / drawn_at, areas)
    quads, areas = [_moved(quad, matrix) for quad in quads], [_moved(area, matrix) for area in areas]
    picture = _overlays(chance, picture, areas)
    marks = np.stack([_drawn(quads), _drawn(areas)])
    return Scene(_camera(chance, noise, picture, pitch), marks)


def _lay_out(chance: random.Random, pages: list[Page]) -> tuple[Image.Image, list[Points], list[Points]]:
    """Pages side by side or one above the other on one transparent plane."""
    turned = [
        _turned(page, chance.choice((1, 2, 3))) if chance.random() < (0.15 if index else 0) else page
        for index, page in enumerate(pages)
    ]
    if len(pages) > 1 and chance.random() < 0.5:
        turned.reverse()
    upright = chance.random() < 0.6
    at, places = 0.0, []
    for page in turned:
        wide, tall = page.picture.size
        aside = chance.uniform(-0.15, 0.15) * (wide if upright else tall)
        places.append((aside, at) if upright else (at, aside))
        at += (tall if upright else wide) + chance.uniform(-0.01, 0.25) * min(wide, tall)
    least = np.min(places, 0)
    extent = (
        np.max([np.array(place) + page.picture.size for place, page in zip(places, turned, strict=True)], 0) - least
    )
    plane = Image.new("RGBA", (max(2, math.ceil(extent[0])), max(2, math.ceil(extent[1]))), (0, 0, 0, 0))
    quads, areas = [], []
    for place, page in zip(places, turned, strict=True):
        corner = np.round(np.array(place) - least).astype(int)
        round_corner = chance.uniform(0, 0.06) * min(page.picture.size) if chance.random() < 0.5 else 0
        mask = Image.new("L", page.picture.size, 0)
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, *page.picture.size), round_corner, fill=255)
        plane.paste(page.picture, (int(corner[0]), int(corner[1])), mask)
        quads += [quad + corner for quad in page.lines]
        areas += [page.area + corner] if page.area is not None else []
    return plane, quads, areas


def _turned(page: Page, quarters: int) -> Page:
    width, height = page.picture.size

    def move(points: Points) -> Points:
        x, y = points[:, 0], points[:, 1]
        return np.stack(((y, width - x), (width - x, height - y), (height - y, x))[quarters - 1], 1)

    area = move(page.area) if page.area is not None else None
    return Page(page.picture.rotate(90 * quarters, expand=True), [move(quad) for quad in page.lines], area)


def _photograph_plane(
    chance: random.Random, noise: np.random.Generator, plane: Image.Image, scale: float, areas: list[Points]
) -> tuple[Image.Image, np.ndarray]:
    """The plane seen by a camera above a table; answers the picture and the matrix from plane to picture."""
    small = plane.resize(
        (max(2, round(plane.width * scale)), max(2, round(plane.height * scale))), Image.Resampling.LANCZOS
    )
    width, height = small.size
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    middle = (areas[0].mean(0) * scale) if areas else corners.mean(0)
    style = chance.random()
    if style < 0.3:
        angle = 0.0
    elif style < 0.75:
        angle = chance.gauss(0, 0.1) + chance.choice((0, 0, 0, 1, 2, 3)) * math.pi / 2
    else:
        angle = chance.uniform(0, 2 * math.pi)
    tilt = 0.0 if style < 0.2 else chance.uniform(0, 0.1)
    bent = corners + np.array([[chance.gauss(0, 1), chance.gauss(0, 1)] for _ in range(4)]) * tilt * min(width, height)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    quad = (bent - middle) @ turn.T
    reach = np.abs((areas[0] * scale - middle) @ turn.T).max(0) if areas else np.array([60.0, 60.0])
    spare = np.maximum(SIDE / 2 - reach * chance.uniform(0.9, 1.06), 0)
    quad = quad + SIDE / 2 + np.array([chance.uniform(-1, 1), chance.uniform(-1, 1)]) * spare
    matrix = _homography(corners, quad)
    back = np.linalg.inv(matrix)
    back /= back[2, 2]
    seen = small.transform(
        (SIDE, SIDE), Image.Transform.PERSPECTIVE, back.ravel()[:8].tolist(), Image.Resampling.BICUBIC
    )
    table = _table(chance, noise)
    if chance.random() < 0.6:
        shadow = seen.getchannel("A").filter(ImageFilter.GaussianBlur(chance.uniform(1, 9)))
        strong = chance.uniform(0.1, 0.6)
        dark = Image.eval(shadow, lambda value: round(value * strong))
        table.paste((0, 0, 0), (chance.randint(-4, 4), chance.randint(-4, 4)), dark)
    table.paste(seen, (0, 0), seen)
    return table, matrix @ np.diag([scale, scale, 1.0])


def _table(chance: random.Random, noise: np.random.Generator) -> Image.Image:
    """Scanner glass, wood, cloth, a desk with things, or the page of a web site."""
    base = np.array([chance.randint(10, 255) for _ in range(3)], np.float32)
    base = base.mean() + (base - base.mean()) * chance.uniform(0, 0.8)
    if chance.random() < 0.3:
        base = np.full(3, chance.randint(225, 255), np.float32)
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    ground = np.broadcast_to(base, (SIDE, SIDE, 3)).copy()
    rough = Image.fromarray(noise.integers(0, 256, (chance.randint(3, 60),) * 2 + (3,), np.uint8)).resize(
        (SIDE, SIDE), Image.Resampling.BICUBIC
    )
    ground += (np.asarray(rough, np.float32) - 128) * (chance.uniform(0, 0.5) if chance.random() < 0.6 else 0)
    if chance.random() < 0.35:
        angle = chance.uniform(0, math.pi)
        across = x * math.cos(angle) + y * math.sin(angle)
        ground += (
            np.sin(across * chance.uniform(0.05, 1.4) + np.asarray(rough, np.float32)[..., 0] / 40)
            * chance.uniform(3, 26)
        )[..., None]
    table = Image.fromarray(np.clip(ground, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(table)
    for _ in range(chance.choice((0, 0, 1, 3, 6))):
        draw_box(chance, draw, SIDE, SIDE)
    if chance.random() < 0.25:
        draw_print(chance, table, tuple(chance.randint(0, 120) for _ in range(3)), SIDE, SIDE, chance.uniform(6, 16))
    return table


def _overlays(chance: random.Random, picture: Image.Image, areas: list[Points]) -> Image.Image:
    """Frames that a program drew around the zone, strokes, fingers, reflections."""
    draw = ImageDraw.Draw(picture)
    for area in areas:
        if chance.random() < 0.12:
            grown = area.mean(0) + (area - area.mean(0)) * np.array(
                [chance.uniform(0.97, 1.08), chance.uniform(0.97, 1.5)]
            )
            colour = chance.choice(((255, 0, 0), (0, 255, 0), (0, 120, 255), (255, 160, 0), (255, 0, 255)))
            draw.line([tuple(point) for point in (*grown, grown[0])], fill=colour, width=chance.randint(1, 5))
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        ends = [chance.uniform(0, SIDE) for _ in range(4)]
        draw.line(ends, fill=tuple(chance.randint(0, 255) for _ in range(3)), width=chance.randint(1, 3))
    for _ in range(chance.choice((0, 0, 0, 0, 1, 2))):
        side, at, wide = chance.randrange(4), chance.uniform(0, SIDE), chance.uniform(15, 45)
        far = chance.uniform(10, 90)
        x, y = ((at, far), (at, SIDE - far), (far, at), (SIDE - far, at))[side]
        skin = tuple(round(chance.uniform(0.5, 1) * part) for part in (235, 190, 165))
        draw.ellipse((x - wide, y - wide, x + wide, y + wide), fill=skin)
    return picture


def _camera(chance: random.Random, noise: np.random.Generator, picture: Image.Image, pitch: float) -> np.ndarray:
    """Light, blur, noise and compression; the smaller the letters, the milder, or nothing would be left to see."""
    harm = min(1.0, max(0.15, (pitch - 4) / 9))
    if chance.random() < 0.6:
        picture = picture.filter(ImageFilter.GaussianBlur(chance.uniform(0.2, 0.5 + 1.6 * harm)))
    if chance.random() < 0.3:
        # A small picture that was enlarged: at least four pixels a letter were there once.
        least = min(1.0, 4.0 / pitch)
        once = max(16, round(SIDE * chance.uniform(least, 1.0)))
        way = chance.choice((Image.Resampling.BILINEAR, Image.Resampling.BICUBIC))
        picture = picture.resize((once, once), Image.Resampling.BOX).resize((SIDE, SIDE), way)
    pixels = np.asarray(picture, np.float32)
    y, x = np.mgrid[-0.5 : 0.5 : SIDE * 1j, -0.5 : 0.5 : SIDE * 1j].astype(np.float32)
    light = 1 + x * chance.uniform(-0.6, 0.6) + y * chance.uniform(-0.6, 0.6) + chance.uniform(-0.35, 0.1)
    pixels = pixels * light[..., None] * np.array([chance.uniform(0.88, 1.1) for _ in range(3)], np.float32)
    if chance.random() < 0.2:
        far = ((x - chance.uniform(-0.5, 0.5)) / chance.uniform(0.04, 0.25)) ** 2 + (
            (y - chance.uniform(-0.5, 0.5)) / chance.uniform(0.04, 0.25)
        ) ** 2
        pixels += (np.exp(-far) * chance.uniform(30, 190))[..., None]
    pixels += noise.standard_normal(pixels.shape, np.float32) * (chance.random() ** 2 * 20 * harm)
    pixels = 255 * np.clip(pixels / 255, 0, 1) ** math.exp(chance.uniform(-0.35, 0.35))
    if chance.random() < 0.2:
        pixels = np.broadcast_to(pixels.mean(2, keepdims=True), pixels.shape)
    found = Image.fromarray(pixels.astype(np.uint8))
    if chance.random() < 0.65:
        packed = io.BytesIO()
        found.save(packed, "JPEG", quality=round(chance.uniform(92 - 72 * harm, 96)))
        found = Image.open(packed).convert("RGB")
    return np.asarray(found)


def _drawn(quads: list[Points]) -> np.ndarray:
    """Polygons as a mask at half the picture's size, their edges soft."""
    fine = Image.new("L", (SIDE * 2, SIDE * 2), 0)
    draw = ImageDraw.Draw(fine)
    for quad in quads:
        draw.polygon([(float(x) * 2, float(y) * 2) for x, y in quad], fill=255)
    return np.asarray(fine.reduce(4))


def _moved(points: Points, matrix: np.ndarray) -> Points:
    lifted = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return lifted[:, :2] / lifted[:, 2:]


def _homography(source: Points, target: Points) -> np.ndarray:
    rows = []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    return np.append(np.linalg.solve(np.array(rows), target.ravel()), 1).reshape(3, 3)
