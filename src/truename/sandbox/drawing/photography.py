"""Photograph a flat page: perspective, blur, glare, noise, a background, any rotation."""

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Quad = NDArray[np.float32]

BACKGROUNDS = ("desk", "wood", "cloth", "clutter", "white", "dark")


def photograph(
    page: Picture,
    seed: int = 0,
    rotation: float = 0.0,
    perspective: float = 0.3,
    blur: float = 0.0,
    glare: float = 0.0,
    noise: float = 3.0,
    background: str = "desk",
    size: tuple[int, int] = (1600, 1200),
    fill: float = 0.72,
    light: float = 1.0,
) -> tuple[Picture, Quad]:
    """The page as a phone would see it, and its true corners (clockwise from the page's own top left, in pixels).

    `rotation` is in degrees clockwise; `perspective` 0 is seen from straight above, 1 is strongly tilted;
    `fill` is the share of the picture's smaller fit that the page takes up.
    """
    random = np.random.default_rng(seed)
    width, height = size
    quad = _corners(page, random, rotation, perspective, size, fill)
    source = np.array([[0, 0], [page.shape[1], 0], [page.shape[1], page.shape[0]], [0, page.shape[0]]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, quad)
    photo = make_background(background, size, random)
    covered = cv2.warpPerspective(np.full(page.shape[:2], 255, np.uint8), matrix, size)
    shadow = cv2.GaussianBlur(np.roll(covered, (6, 4), (0, 1)), (0, 0), 6)
    photo *= _three(1 - 0.35 * (shadow.astype(np.float32) / 255))
    shrink = float(np.sqrt(cv2.contourArea(quad) / (page.shape[0] * page.shape[1])))
    smooth = cv2.GaussianBlur(page, (0, 0), 0.45 / shrink) if shrink < 0.8 else page
    warped = cv2.warpPerspective(smooth, matrix, size, flags=cv2.INTER_CUBIC).astype(np.float32)
    alpha = covered.astype(np.float32) / 255
    photo *= _three(1 - alpha)
    warped *= _three(alpha)
    photo += warped
    ramp = np.linspace(-0.08, 0.08, width, dtype=np.float32) * random.choice([-1, 1])
    photo *= _three(np.broadcast_to((1 + ramp).astype(np.float32), (height, width)))
    photo *= light
    if glare:
        centre = quad.mean(0) + random.uniform(-0.18, 0.18, 2) * size
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        radius = 0.16 * np.sqrt(cv2.contourArea(quad))
        spot = np.exp(-(((x - centre[0]) / radius) ** 2 + ((y - centre[1]) / (0.6 * radius)) ** 2))
        photo = photo + (spot * 900 * glare)[..., None]
    if blur:
        photo = np.asarray(cv2.GaussianBlur(photo, (0, 0), blur), np.float32)
    if noise:
        photo += random.normal(0, noise, photo.shape)
    return np.clip(photo, 0, 255, out=photo).astype(np.uint8), quad


def _three(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """The same for each of three colours, in the layout of a picture: numpy multiplies so three times as fast."""
    return np.asarray(cv2.merge((values, values, values)), np.float32)


def make_background(kind: str, size: tuple[int, int], random: np.random.Generator) -> NDArray[np.float32]:
    """A surface for the page to lie on."""
    width, height = size
    base = {
        "desk": (120, 92, 70), "wood": (150, 110, 70), "cloth": (70, 90, 120), "clutter": (110, 110, 105),
        "white": (228, 228, 224), "dark": (28, 28, 32),
    }[kind]  # fmt: skip
    grain = random.normal(0, 1, (height // 8 + 1, width // 8 + 1)).astype(np.float32)
    if kind == "wood":
        grain = np.repeat(grain[:, :1], grain.shape[1], 1) + 0.3 * grain
    strength = {"cloth": 12, "wood": 14}.get(kind, 5)
    shade = cv2.resize(grain, size, interpolation=cv2.INTER_CUBIC) * strength
    scene = np.asarray(cv2.merge([shade + colour for colour in base]), np.float32)
    if kind == "clutter":
        for _ in range(14):
            x, y = random.integers(0, width), random.integers(0, height)
            w, h = random.integers(width // 10, width // 3), random.integers(height // 12, height // 4)
            box = cv2.boxPoints(((float(x), float(y)), (float(w), float(h)), float(random.uniform(0, 180))))
            cv2.fillPoly(scene, [box.astype(np.int32)], tuple(float(c) for c in random.uniform(20, 235, 3)))
    return scene


def _corners(
    page: Picture, random: np.random.Generator, rotation: float, perspective: float, size: tuple[int, int], fill: float
) -> Quad:
    height, width = page.shape[:2]
    points = np.array([[-width, -height], [width, -height], [width, height], [-width, height]], np.float64) / 2
    angle = np.deg2rad(rotation)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    tilt_x, tilt_y = random.uniform(-0.45, 0.45, 2) * perspective
    depth = 1 + points @ np.array([tilt_y / width, tilt_x / height])
    points = (points / depth[:, None]) @ turn.T
    extent = np.ptp(points, axis=0)
    scale = fill * min(size[0] / extent[0], size[1] / extent[1])
    points = points * scale
    points -= (points.min(0) + points.max(0)) / 2
    spare = (np.array(size) - np.ptp(points, axis=0)) / 2
    shift = random.uniform(-0.5, 0.5, 2) * spare * 0.6
    return np.asarray(points + np.array(size) / 2 + shift, np.float32)
