"""Where the nose is asked to point and how large the face is asked to be, in numbers; pure geometry.

Sixteen targets lie on two rings around the straight view, eight directions on each. A ring is wider than it is high,
because heads turn farther than they nod. Which target the nose points at is decided by the nearest one: the cells of
two targets never overlap, so that a movement made for one target fits no other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import cos, exp, hypot, log, radians, sin
from typing import Final

from truename.vision.captures import Step

YAW_FAR: Final = 29.0
PITCH_FAR: Final = 20.0
"""Degrees from the straight view to a far target at the side, and to one above or below."""
NEAR: Final = 0.56
"""Near targets lie at this share of the way to the far ones."""
OUTSIDE: Final = 1.75
"""Beyond this, in far rings, the nose points at no target any more."""
WAYS: Final[Mapping[str, float]] = {
    "LEFT": 0.0,
    "UP_LEFT": 45.0,
    "UP": 90.0,
    "UP_RIGHT": 135.0,
    "RIGHT": 180.0,
    "DOWN_RIGHT": 225.0,
    "DOWN": 270.0,
    "DOWN_LEFT": 315.0,
}
"""The person's own directions, as angles on the rings."""
SIZES: Final[Mapping[Step, float]] = {
    Step.MOVE_CLOSER_A_LOT: 1.42,
    Step.MOVE_CLOSER_A_LITTLE: 1.19,
    Step.MOVE_AWAY_A_LITTLE: 0.84,
    Step.MOVE_AWAY_A_LOT: 0.705,
}
"""The face's size that is asked for, of 1 when the person looked straight: even steps, each a sixth."""


@dataclass(frozen=True)
class Aim:
    """Where the nose points, in degrees from the straight view: left (the person's own) and up are positive."""

    yaw: float
    pitch: float

    def away(self, other: "Aim") -> float:
        """How far two aims are apart; the far ring has the radius 1."""
        return hypot((self.yaw - other.yaw) / YAW_FAR, (self.pitch - other.pitch) / PITCH_FAR)


def _aim(ring: float, angle: float) -> Aim:
    return Aim(ring * YAW_FAR * cos(radians(angle)), ring * PITCH_FAR * sin(radians(angle)))


STRAIGHT_AIM: Final = Aim(0.0, 0.0)
AIMS: Final[Mapping[Step, Aim]] = {
    Step(f"AIM_{name}_{way}"): _aim(ring, angle)
    for (name, ring), (way, angle) in product((("NEAR", NEAR), ("FAR", 1.0)), WAYS.items())
}
WAY_OF: Final[Mapping[Step, str]] = {step: step.value.split("_", 2)[2] for step in AIMS}
FAR_LEFT: Final = frozenset(step for step, aim in AIMS.items() if aim.yaw >= 0.65 * YAW_FAR)
FAR_RIGHT: Final = frozenset(step for step, aim in AIMS.items() if aim.yaw <= -0.65 * YAW_FAR)
"""Targets far enough to a side for the relief of a head to show."""


def aimed_at(aim: Aim) -> Step | None:
    """The target that the nose points at; LOOK_STRAIGHT where none is nearer, None far outside of all."""
    if aim.away(STRAIGHT_AIM) > OUTSIDE:
        return None
    return min((Step.LOOK_STRAIGHT, *AIMS), key=lambda step: aim.away(AIMS.get(step, STRAIGHT_AIM)))


def size_meant(size: float) -> Step | None:
    """The distance that a face of this size (of 1 at the straight look) stands at; LOOK_STRAIGHT where it stayed."""
    if not 0 < size < 10:
        return None
    asked = {Step.LOOK_STRAIGHT: 1.0, **SIZES}
    return min(asked, key=lambda step: abs(log(size / asked[step])))


def between(first: Aim, last: Aim, part: float) -> Aim:
    """The aim at this share of the way from the first to the last."""
    return Aim(first.yaw + part * (last.yaw - first.yaw), first.pitch + part * (last.pitch - first.pitch))


def progress(first: Aim, last: Aim, now: Aim) -> tuple[float, float]:
    """How much of the way from the first aim to the last was gone, and how far beside it the nose points now."""
    across, up = (last.yaw - first.yaw) / YAW_FAR, (last.pitch - first.pitch) / PITCH_FAR
    length = max(hypot(across, up), 1e-6)
    gone_across, gone_up = (now.yaw - first.yaw) / YAW_FAR, (now.pitch - first.pitch) / PITCH_FAR
    return (gone_across * across + gone_up * up) / length**2, abs(gone_across * up - gone_up * across) / length


def half_size(step: Step) -> float:
    """By which factor a size may miss what was asked for before another one is nearer."""
    others = [size for other, size in {Step.LOOK_STRAIGHT: 1.0, **SIZES}.items() if other is not step]
    return exp(min(abs(log(SIZES[step] / size)) for size in others) / 2)
