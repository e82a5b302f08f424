"""Does the face answer the colours that the screen has shown?

While the person looks straight, the screen shows a random sequence of colours. A face at arm's length takes them on;
the room behind it, farther away, hardly does; and a recording knows nothing of them. So the colour of the skin is
compared with that of the room, frame by frame: what a camera does to exposure and white balance it does to both.

Where the room is bright the screen adds little and nothing can be said; that is held against nobody. Where the skin
changes its colour with the frames, but not as the screen did, the answer is to another question: refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Step
from truename.vision.liveness.views import View

Vector = NDArray[np.float64]

COLOURS: Final[Mapping[Step, tuple[int, int, int]]] = {
    Step.LIGHT_RED: (1, 0, 0),
    Step.LIGHT_GREEN: (0, 1, 0),
    Step.LIGHT_BLUE: (0, 0, 1),
    Step.LIGHT_YELLOW: (1, 1, 0),
    Step.LIGHT_CYAN: (0, 1, 1),
    Step.LIGHT_MAGENTA: (1, 0, 1),
}
CHEEKS_AND_FOREHEAD: Final = (50, 101, 118, 117, 205, 280, 330, 347, 346, 425, 9, 151, 108, 337, 67, 297)
"""Mesh points on skin that a screen lights, away from eyes, lips and brows."""
PATCH: Final = 0.05
"""The side of the patch around each, of the face's height."""
DARKEST, BRIGHTEST = 12, 245
"""Pixels outside are noise, or clipped."""
FEWEST: Final = 60
FEWEST_COLOURS: Final = 3
ANSWER: Final = 0.012
"""The least change of colour (logarithm of a ratio) that counts as an answer."""
SURE: Final = 4.0
"""How many standard errors an answer must stand out by."""
CHANGE: Final = 0.05
"""The least change of colour that can contradict: light from elsewhere (a television) moves it by less."""
AGREES: Final = 0.7
"""The least correlation of the changes with the colours shown, from which on they do not contradict."""
TINTED: Final = 0.12
"""A screen lights the face before it more than the room behind. Where the room answers, and the skin differs from it by
less than this share of that, no screen lit them: the picture itself was tinted."""


class LightAnswer(StrEnum):
    """What the face said to the colours of the screen."""

    ANSWERED = "ANSWERED"
    SILENT = "SILENT"
    """Too bright to tell, or too little was seen."""
    CONTRADICTED = "CONTRADICTED"


@dataclass(frozen=True)
class Light:
    """The answer, and the numbers behind it."""

    answer: LightAnswer
    slope: float = 0.0
    """By how much the skin's colour (logarithm) moved for a whole primary colour of the screen."""
    certainty: float = 0.0
    """The slope in standard errors."""
    correlation: float = 0.0
    """Of the changes with the colours shown."""


def judge_light(views: Sequence[View]) -> Light:
    """Compare the frames that were taken under colours; the steps name them."""
    shown = [one for one in views if one.step in COLOURS]
    if not shown:
        return Light(LightAnswer.SILENT)
    half = max(2, round(PATCH * float(np.median([one.size for one in shown])) / 2))
    skins = _tints([_skin(one, half) for one in shown])
    rooms = _tints(_rooms(shown))
    both = [
        (one.step, skin, room)
        for one, skin, room in zip(shown, skins, rooms, strict=True)
        if skin is not None and room is not None
    ]
    return judge_tints(
        [(step, np.asarray(skin - room, np.float64)) for step, skin, room in both],
        [(step, room) for step, _, room in both],
    )


def judge_tints(measured: Sequence[tuple[Step, Vector]], rooms: Sequence[tuple[Step, Vector]] | None = None) -> Light:
    """The same, of measured tints: the difference of skin and room in log(R/G) and log(B/G), and the room's own."""
    if len({step for step, _ in measured}) < FEWEST_COLOURS or len(measured) < 2 * FEWEST_COLOURS:
        return Light(LightAnswer.SILENT)
    seen = _changes(measured)
    room = _changes(rooms) if rooms else None
    answer = LightAnswer.SILENT
    if seen.answers:
        answer = LightAnswer.ANSWERED
    elif room is not None and room.answers:
        # The light was there, since the room has it; a lamp on the face can leave it less of that than a dark wall.
        # What is lit by nothing but a tint over the picture changes face and room alike.
        alike = room.spread >= CHANGE and seen.spread < TINTED * room.spread
        answer = LightAnswer.CONTRADICTED if alike else LightAnswer.SILENT
    elif seen.spread >= CHANGE and seen.spread >= SURE * seen.noise and seen.correlation < AGREES:
        answer = LightAnswer.CONTRADICTED
    return Light(answer, round(seen.slope, 4), round(seen.certainty, 2), round(seen.correlation, 3))


@dataclass(frozen=True)
class _Changes:
    """How tints moved with the colours that were asked for."""

    slope: float
    certainty: float
    correlation: float
    spread: float
    noise: float

    @property
    def answers(self) -> bool:
        return self.slope >= ANSWER and self.certainty >= SURE and self.correlation >= AGREES


def _changes(measured: Sequence[tuple[Step, Vector]]) -> _Changes:
    steps = list(dict.fromkeys(step for step, _ in measured))
    tints = np.array([tint for _, tint in measured])
    asked = np.array([_expected(step) for step, _ in measured])
    tints, asked = tints - tints.mean(0), asked - asked.mean(0)
    power = float((asked**2).sum())
    slope = float((tints * asked).sum()) / power
    # How much two frames under one colour differ says how well a tint is known.
    own = np.concatenate([tints[rows] - tints[rows].mean(0) for rows in _rows(measured, steps)])
    freedom = max(2 * (len(measured) - len(steps)), 1)
    noise = max(float(np.sqrt((own**2).sum() / freedom)), 1e-3)
    means = np.array([tints[rows].mean(0) for rows in _rows(measured, steps)])
    wanted = np.array([asked[rows].mean(0) for rows in _rows(measured, steps)])
    spread = float(np.sqrt((means**2).sum() / means.size))
    correlation = float((means * wanted).sum() / max(float(np.sqrt((means**2).sum() * (wanted**2).sum())), 1e-9))
    return _Changes(slope, float(slope / (noise / np.sqrt(power))), correlation, spread, noise)


def _rows(measured: Sequence[tuple[Step, Vector]], steps: Sequence[Step]) -> list[list[int]]:
    return [[row for row, (step, _) in enumerate(measured) if step is one] for one in steps]


def _expected(step: Step) -> tuple[float, float]:
    red, green, blue = COLOURS[step]
    return float(red - green), float(blue - green)


# ── the colour of skin against that of the room ────────────────────────────────────────────────────────────


def _skin(seen: View, half: int) -> NDArray[np.uint8]:
    """The pixels around each point, in the same order in every frame."""
    side = 2 * half + 1
    patches = []
    for number in CHEEKS_AND_FOREHEAD:
        x, y = (float(value) for value in seen.mesh.points[number, :2])
        patches.append(cv2.getRectSubPix(seen.picture, (side, side), (x, y)).reshape(-1, 3))
    return np.concatenate(patches)


def _rooms(shown: Sequence[View]) -> list[NDArray[np.uint8]]:
    """The pixels beside and above the head, those that are there in every frame, in the same order."""
    if len({one.picture.shape for one in shown}) > 1:
        return [one.picture[_where(one)] for one in shown]
    common = np.logical_and.reduce([_where(one) for one in shown])
    return [one.picture[common] for one in shown]


def _where(seen: View) -> NDArray[np.bool_]:
    height, width = seen.picture.shape[:2]
    left, top, wide, tall = seen.face.box
    mask = np.ones((height, width), np.uint8)
    mask[int(max(0.0, top + 0.9 * tall)) :] = 0
    centre = (int(left + wide / 2), int(top + 0.45 * tall))
    cv2.ellipse(mask, centre, (int(wide), int(tall)), 0, 0, 360, 0, -1)
    return np.asarray(mask == 1, np.bool_)


def _tints(frames: Sequence[NDArray[np.uint8]]) -> list[Vector | None]:
    """The tint of each, by those pixels that are neither dark nor clipped in any of them.

    A camera that exposes anew clips the brightest of them, and what is left has another colour than the whole. Where
    too few are left, each frame is measured by its own.
    """
    usable = [(pixels.min(1) >= DARKEST) & (pixels.max(1) <= BRIGHTEST) for pixels in frames]
    if len({len(one) for one in usable}) == 1:
        common = np.logical_and.reduce(usable)
        if int(common.sum()) >= FEWEST:
            usable = [common] * len(frames)
    return [_tint(pixels[good]) for pixels, good in zip(frames, usable, strict=True)]


def _tint(pixels: NDArray[np.uint8]) -> Vector | None:
    """The mean colour in linear light, as two logarithms of ratios."""
    if len(pixels) < FEWEST:
        return None
    linear = (pixels.astype(np.float64) / 255) ** 2.2
    red, green, blue = linear.mean(0)
    return np.array([np.log(red / green), np.log(blue / green)])
