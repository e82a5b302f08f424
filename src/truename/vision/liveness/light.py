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

from truename.vision.captures import Picture, Step
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
    measured = [
        (one.step, tint) for one in views if one.step in COLOURS and (tint := tint_of(one.picture, one)) is not None
    ]
    return judge_tints(measured)


def judge_tints(measured: Sequence[tuple[Step, Vector]]) -> Light:
    """The same, of measured tints: the difference of skin and room in log(R/G) and log(B/G)."""
    steps = list(dict.fromkeys(step for step, _ in measured))
    if len(steps) < FEWEST_COLOURS or len(measured) < 2 * FEWEST_COLOURS:
        return Light(LightAnswer.SILENT)
    tints = np.array([tint for _, tint in measured])
    asked = np.array([_expected(step) for step, _ in measured])
    tints, asked = tints - tints.mean(0), asked - asked.mean(0)
    power = float((asked**2).sum())
    slope = float((tints * asked).sum()) / power
    # How much two frames under one colour differ says how well a tint is known.
    own = np.concatenate([tints[rows] - tints[rows].mean(0) for rows in _rows(measured, steps)])
    freedom = max(2 * (len(measured) - len(steps)), 1)
    noise = max(float(np.sqrt((own**2).sum() / freedom)), 1e-3)
    certainty = slope / (noise / np.sqrt(power))
    means = np.array([tints[rows].mean(0) for rows in _rows(measured, steps)])
    wanted = np.array([asked[rows].mean(0) for rows in _rows(measured, steps)])
    spread = float(np.sqrt((means**2).sum() / means.size))
    correlation = float((means * wanted).sum() / max(float(np.sqrt((means**2).sum() * (wanted**2).sum())), 1e-9))
    answer = LightAnswer.SILENT
    if slope >= ANSWER and certainty >= SURE and correlation >= AGREES:
        answer = LightAnswer.ANSWERED
    elif spread >= CHANGE and spread >= SURE * noise and correlation < AGREES:
        answer = LightAnswer.CONTRADICTED
    return Light(answer, round(slope, 4), round(float(certainty), 2), round(correlation, 3))


def _rows(measured: Sequence[tuple[Step, Vector]], steps: Sequence[Step]) -> list[list[int]]:
    return [[row for row, (step, _) in enumerate(measured) if step is one] for one in steps]


def _expected(step: Step) -> tuple[float, float]:
    red, green, blue = COLOURS[step]
    return float(red - green), float(blue - green)


# ── the colour of skin against that of the room ────────────────────────────────────────────────────────────


def tint_of(picture: Picture, seen: View) -> Vector | None:
    """log(R/G) and log(B/G) of the skin less those of the room; None where too little of either can be used."""
    skin, room = _skin(picture, seen), _room(picture, seen)
    if skin is None or room is None:
        return None
    return np.asarray(skin - room, np.float64)


def _skin(picture: Picture, seen: View) -> Vector | None:
    half = max(2, round(PATCH * seen.size / 2))
    patches = []
    for number in CHEEKS_AND_FOREHEAD:
        x, y = (round(float(value)) for value in seen.mesh.points[number, :2])
        patch = picture[max(0, y - half) : y + half + 1, max(0, x - half) : x + half + 1]
        if patch.size:
            patches.append(patch.reshape(-1, 3))
    return _tint(np.concatenate(patches)) if patches else None


def _room(picture: Picture, seen: View) -> Vector | None:
    height, width = picture.shape[:2]
    left, top, wide, tall = seen.face.box
    mask = np.ones((height, width), np.uint8)
    mask[int(max(0.0, top + 0.9 * tall)) :] = 0
    centre = (int(left + wide / 2), int(top + 0.45 * tall))
    cv2.ellipse(mask, centre, (int(wide), int(tall)), 0, 0, 360, 0, -1)
    return _tint(picture[mask == 1])


def _tint(pixels: NDArray[np.uint8]) -> Vector | None:
    """The mean colour in linear light, as two logarithms of ratios."""
    usable = pixels[(pixels.min(1) >= DARKEST) & (pixels.max(1) <= BRIGHTEST)]
    if len(usable) < FEWEST:
        return None
    linear = (usable.astype(np.float64) / 255) ** 2.2
    red, green, blue = linear.mean(0)
    return np.array([np.log(red / green), np.log(blue / green)])
