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

import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Step
from truename.vision.liveness.laid_over import one_rule
from truename.vision.liveness.light_sequences import less_along, possible_sequences, unexplained
from truename.vision.liveness.skin_and_room import BRIGHTEST, DARKEST, lights_of, points_of, rooms_of, skin_of, tint_of
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
FEWEST_COLOURS: Final = 3
ANSWER: Final = 0.012
"""The least change of colour (logarithm of a ratio) that counts as an answer."""
SURE: Final = 4.0
"""How many standard errors an answer must stand out by."""
AGREES: Final = 0.7
"""The least correlation of the changes with the colours shown, from which on they are an answer."""
CHANGE: Final = 0.03
"""The least change of colour that can contradict: light from elsewhere (a television) moves it by less."""
UNKNOWN: Final = 0.007
ROOM_LEFT: Final = 0.25
"""What no frame of a pair shows of the error of a tint, and how much of the room's own change (a camera's white and
exposure, bent by its curve) is left in the difference of skin and room: what is likeliest for drawn heads of people and
simulated rooms other than those that are reported (`benchmarks/light_table.py`)."""
CURVED: Final = 0.05
"""How much of the logarithm of the exposure a camera's curve puts into the difference of skin and room: what is
likeliest for drawn heads of four people before cameras that expose by up to 2 and bend shadows and lights."""
ODDS: Final = 1000
"""By how much another sequence must be likelier than the one asked for, on top of there being so many of them."""
ALIKE: Final = 0.12
"""A screen lights the face before it more than the room behind. Where the room answers, and the skin differs from it by
less than this share of that, no screen lit them: the picture itself was tinted."""
UNLIKE: Final = 0.5
"""From this share on the face, point by point, does not change as the room does, whatever their means say."""
ROOM_CHANGE: Final = 0.05
LEVELS: Final = 2.0
"""The least change of a room, as a logarithm and in grey levels, to say so."""
FOLLOWS: Final = 0.9
"""How much it must agree with the colours asked for: a camera that takes another white changes all alike as well."""
ADDED: Final = 5.0
"""Grey levels that are added to every pixel, by frame and primary: cameras multiply."""


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
    rooms = rooms_of(shown)
    both = [
        (one.step, tint_of(skin), tint_of(room), float(room.mean()))
        for one, skin, room in zip(shown, lights_of(skin_of(shown)), lights_of(rooms), strict=True)
        if skin is not None and room is not None
    ]
    return judge_tints(
        [(step, np.asarray(skin - room, np.float64)) for step, skin, room, _ in both],
        [(step, room) for step, _, room, _ in both],
        _one_rule(shown, rooms),
        [exposure for *_, exposure in both],
    )


def judge_tints(
    measured: Sequence[tuple[Step, Vector]],
    rooms: Sequence[tuple[Step, Vector]] | None = None,
    rule: "_Rule | None" = None,
    exposures: Sequence[float] | None = None,
) -> Light:
    """The same, of measured tints: the difference of skin and room in log(R/G) and log(B/G), and the room's own.

    `rule` is what one rule for the whole picture explains of the frames; None where that could not be measured.
    `exposures` is how bright the room is in each frame, as a logarithm; without them it counts as equally bright.
    """
    if not _enough([step for step, _ in measured]):
        return Light(LightAnswer.SILENT)
    seen = _changes(measured)
    room = _changes(rooms) if rooms else None
    answer = LightAnswer.SILENT
    if _shows_another_sequence(seen, room, _by_step(measured, exposures)) or (rule is not None and rule.alone):
        answer = LightAnswer.CONTRADICTED
    elif seen.answers:
        answer = LightAnswer.ANSWERED
    elif room is not None and room.answers and room.spread >= ROOM_CHANGE and seen.spread < ALIKE * room.spread:
        # The light was there, since the room has it; a lamp on the face can leave it less of that than a dark wall.
        # What is lit by nothing but a tint over the picture changes face and room alike, and each part of the face.
        answer = LightAnswer.SILENT if rule is not None and rule.fails else LightAnswer.CONTRADICTED
    return Light(answer, round(seen.slope, 4), round(seen.certainty, 2), round(seen.correlation, 3))


def _enough(steps: Sequence[Step]) -> bool:
    return len(set(steps)) >= FEWEST_COLOURS and len(steps) >= 2 * FEWEST_COLOURS


def _by_step(measured: Sequence[tuple[Step, Vector]], exposures: Sequence[float] | None) -> Vector | None:
    """How bright the room is in each step, from the mean of all."""
    if exposures is None:
        return None
    steps, values = list(dict.fromkeys(step for step, _ in measured)), np.array(exposures)
    means = np.array([values[rows].mean() for rows in _rows(measured, steps)])
    return np.asarray(means - means.mean(), np.float64)


def _shows_another_sequence(seen: "_Changes", room: "_Changes | None", exposed: Vector | None) -> bool:
    """Is another sequence of colours far likelier than the one asked for, whatever the camera did?

    How well tints are known is measured twice: by the two frames of each colour, and by how much of what a camera does
    to the room is known to stay in the difference of skin and room. Few frames measure it badly, hence Student's law.
    What goes with the exposure is known less well, by as much as a camera's curve may bend it.
    """
    if seen.spread < CHANGE:
        return False
    freedom, changes = max(seen.freedom, 1), 2 * (len(seen.means) - 1)
    moved = room.spread * ROOM_LEFT if room is not None else 0.0
    error = seen.noise**2 / seen.frames_each + UNKNOWN**2 + moved**2
    variance = freedom * error
    weights = None
    if exposed is not None:
        bent = CURVED**2 * float(exposed @ exposed)
        weights = less_along(exposed, float(np.sqrt(error / (error + bent))))
    # Where the room has the colours, more of them may have reached it than the face: a lamp before a dark wall.
    either_way = room is not None and room.answers
    left = unexplained(seen.means, [COLOURS[step] for step in seen.steps], either_way, weights)
    likelier = (freedom + changes) * float(np.log((variance + left.asked) / (variance + left.best)))
    return likelier >= 2 * float(np.log(ODDS * possible_sequences(len(seen.means))))


@dataclass(frozen=True)
class _Rule:
    """How much of the frames' changes one rule for face and room together explains."""

    room: "_Changes"
    added: "_Changes"
    beyond: "_Changes"

    @property
    def alone(self) -> bool:
        """Does it change face and room alike, by the colours asked for, or by a sum, which no camera adds?"""
        if self.room.spread < LEVELS or self.beyond.spread >= ALIKE * self.room.spread:
            return False
        follows = self.room.certainty >= SURE and self.room.correlation >= FOLLOWS
        return follows or (self.added.spread >= ADDED and self.beyond.spread < ALIKE * self.added.spread)

    @property
    def fails(self) -> bool:
        """Does the face change otherwise than the rule, by much of what the room does?"""
        return self.beyond.spread >= UNLIKE * self.room.spread


def _one_rule(shown: Sequence[View], rooms: Sequence[NDArray[np.uint8]]) -> _Rule | None:
    steps = [one.step for one in shown]
    if not _enough(steps):
        return None
    found = one_rule(points_of(shown), np.stack(rooms), DARKEST, BRIGHTEST)
    if found is None:
        return None
    return _Rule(*(_changes(list(zip(steps, one, strict=True))) for one in (found.room, found.added, found.beyond)))


@dataclass(frozen=True)
class _Changes:
    """How tints moved with the colours that were asked for."""

    slope: float
    certainty: float
    correlation: float
    spread: float
    noise: float
    freedom: int
    """How many numbers the noise was measured by."""
    steps: Sequence[Step]
    means: Vector
    """Of each step, from the mean of all."""
    frames_each: float

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
    freedom = 2 * (len(measured) - len(steps))
    noise = max(float(np.sqrt((own**2).sum() / max(freedom, 1))), 1e-3)
    means = np.array([tints[rows].mean(0) for rows in _rows(measured, steps)])
    wanted = np.array([asked[rows].mean(0) for rows in _rows(measured, steps)])
    spread = float(np.sqrt((means**2).sum() / means.size))
    correlation = float((means * wanted).sum() / max(float(np.sqrt((means**2).sum() * (wanted**2).sum())), 1e-9))
    certainty = float(slope / (noise / np.sqrt(power)))
    each = len(measured) / len(steps)
    return _Changes(slope, certainty, correlation, spread, noise, freedom, steps, means, each)


def _rows(measured: Sequence[tuple[Step, Vector]], steps: Sequence[Step]) -> list[list[int]]:
    return [[row for row, (step, _) in enumerate(measured) if step is one] for one in steps]


def _expected(step: Step) -> tuple[float, float]:
    red, green, blue = COLOURS[step]
    return float(red - green), float(blue - green)
