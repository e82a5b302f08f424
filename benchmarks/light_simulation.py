"""A face before a screen, by the physics of it: no photograph of a person under such light was at hand.

The face is the canonical mesh of 468 points with its normals, Lambertian, of any skin tone; the screen a phone's, 30 cm
away, the room anything from 50 to 1,000 lux of any white; the camera adds shot and read noise, sets its exposure by
the face and its white balance by the picture, and compresses. What is left out: gloss, glasses, make-up, several lamps
that change, rolling shutters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import LinearNDInterpolator

from truename.vision.captures import Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.face.detect import Face
from truename.vision.face.mesh import Mesh, Pose, canonical_points
from truename.vision.images import encode_jpeg
from truename.vision.liveness.light import COLOURS, Light, judge_light
from truename.vision.liveness.views import View

Map = NDArray[np.float64]

WIDTH, HEIGHT = 120, 160
FACE = 56.0
"""Pixels across the face."""
SCREEN_LUX = 38.0
"""What a phone's screen (7 by 14 cm, 350 cd/m² in white) gives a face that is 30 cm away."""
SCREEN_METRES = 0.3
LEAK = 0.06
"""What a screen lets through of the primaries that are off."""
FRAMES = 2
"""Of each colour."""


@dataclass(frozen=True)
class Room:
    """One person somewhere, and the camera before them."""

    lux: float
    white: Map
    """The room's light, by primary."""
    skin: Map
    wall: Map
    wall_metres: float
    lamp: Map
    """The direction of the room's light; half of it comes from everywhere."""
    adapts: float
    """How much of the way to grey the white balance goes from frame to frame."""
    wall_light: float = 0.7
    """What the wall has of the room's light; little of it where a lamp lights the face alone."""


def any_room(lux: float, random: np.random.Generator) -> Room:
    """A room of this brightness: its light, wall, person and camera as they come."""
    warm = random.uniform(-0.25, 0.25)
    tone = random.uniform(0.12, 1.0)
    lamp = random.normal(0, 1, 3) * [1, 0.6, 0.4] + [0, 0.7, 0.6]
    return Room(
        lux=lux,
        white=np.exp(np.array([warm, 0.0, -warm])) * random.uniform(0.95, 1.05, 3),
        skin=np.array([0.60, 0.40, 0.31]) * tone * random.uniform(0.93, 1.07, 3),
        wall=random.uniform(0.15, 0.8) * random.uniform(0.85, 1.15, 3),
        wall_metres=float(random.uniform(0.9, 3.0)),
        lamp=lamp / np.linalg.norm(lamp),
        adapts=float(random.uniform(0.0, 0.35)),
    )


def filmed(room: Room, shown: Sequence[Step | None], random: np.random.Generator) -> list[Picture]:
    """What the camera sees while the screen shows these colours, a few frames each; None: a grey screen."""
    normals, inside = _face()
    balance = np.ones(3)
    pictures = []
    for colour in shown:
        for _ in range(FRAMES):
            turned = normals + random.normal(0, 0.02, 3)  # nobody holds quite still
            screen = np.full(3, 0.3) if colour is None else np.maximum(np.array(COLOURS[colour], float), LEAK)
            lit = 0.5 + 0.5 * np.clip(turned @ room.lamp, 0, None)
            near = np.clip(turned[..., 2], 0, None) * SCREEN_LUX
            face = room.skin * (room.lux * lit[..., None] * room.white + near[..., None] * screen)
            far = SCREEN_LUX * (SCREEN_METRES / (SCREEN_METRES + room.wall_metres)) ** 2
            wall = room.wall * (room.wall_light * room.lux * room.white + far * screen)
            light = np.where(inside[..., None], face, wall[None, None] * _texture())
            exposed = light * (0.28 / float(light[inside].mean())) * random.uniform(0.97, 1.03)
            grey = exposed.mean((0, 1))
            balance = balance * (1 - room.adapts) + room.adapts * (grey.mean() / grey)
            pictures.append(_developed(exposed * balance, room.lux, random))
    return pictures


def tinted(pictures: Sequence[Picture], shown: Sequence[Step], strength: float) -> list[Picture]:
    """Pictures as on a screen that is itself tinted with these colours: face and room alike."""
    made = []
    for number, picture in enumerate(pictures):
        screen = np.maximum(np.array(COLOURS[shown[number // FRAMES]], float), LEAK)
        lit = (picture / 255) ** 2.2 * (1 + strength * screen) / (1 + strength * float(screen.mean()))
        made.append(np.clip(255 * np.clip(lit, 0, 1) ** (1 / 2.2), 0, 255).astype(np.uint8))
    return made


def _developed(light: Map, lux: float, random: np.random.Generator) -> Picture:
    """Shot noise by how few photons there were, read noise, the curve of sRGB, eight bits, JPEG."""
    electrons = 4000 * min(1.0, lux / 200)
    noisy = random.poisson(np.clip(light, 0, 4) * electrons) / electrons + random.normal(0, 0.004, light.shape)
    coded = np.clip(noisy, 0, 1) ** (1 / 2.2) * 255
    return decode(encode_jpeg(np.rint(coded).astype(np.uint8), 90))


def asked(pictures: Sequence[Picture], colours: Sequence[Step]) -> Light:
    """What is made of these pictures when these colours were asked for."""
    names = [colour for colour in colours for _ in range(FRAMES)]
    views = [
        View(number, step, 300 * number, picture, _found(), _mesh())
        for number, (step, picture) in enumerate(zip(names, pictures, strict=True))
    ]
    return judge_light(views)


@cache
def _points() -> Map:
    canonical = canonical_points()
    scale = FACE / float(np.ptp(canonical[:, 0]))
    return np.column_stack(
        (WIDTH / 2 + canonical[:, 0] * scale, HEIGHT * 0.47 - canonical[:, 1] * scale, -canonical[:, 2] * scale)
    )


@cache
def _mesh() -> Mesh:
    points = np.vstack((_points(), np.repeat(_points()[:1], 10, 0))).astype(np.float32)
    return Mesh(points, 1.0, Pose(0.0, 0.0, 0.0))


@cache
def _found() -> Face:
    points = _points()
    low, high = points[:, :2].min(0), points[:, :2].max(0)
    marks = points[[33, 263, 4, 61, 291], :2].astype(np.float32)
    wide, tall = (float(value) for value in high - low)
    return Face(box=(float(low[0]), float(low[1]), wide, tall), points=marks, score=1.0)


@cache
def _face() -> tuple[Map, NDArray[np.bool_]]:
    """The normal of each pixel (x to the right, y up, z to the camera), and which pixels are face."""
    points = _points()
    columns, rows = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    depth = LinearNDInterpolator(points[:, :2], points[:, 2])(np.column_stack((columns.ravel(), rows.ravel())))
    depth = depth.reshape(HEIGHT, WIDTH)
    inside = ~np.isnan(depth)
    smooth = cv2.GaussianBlur(np.nan_to_num(depth, nan=float(np.nanmax(depth))), (0, 0), 2)
    down, across = np.gradient(smooth)
    normals = np.dstack((across, -down, np.ones_like(smooth)))
    return normals / np.linalg.norm(normals, axis=2, keepdims=True), inside


@cache
def _texture() -> Map:
    noise = np.random.default_rng(4).uniform(0.6, 1.4, (10, 8, 1))
    return np.asarray(cv2.resize(noise, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), np.float64)[..., None]
