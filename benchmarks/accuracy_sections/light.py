"""The screen's colours on a face: how often the answer is heard, missed or taken for a contradiction. Simulated."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.accuracy_rows import Row, part, share
from benchmarks.light_simulation import any_room, asked, filmed, tinted
from truename.capture.challenge import COLOURS_IN_ONE
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS, LightAnswer

SECTION = "light"
ROOMS = 20
ATTACKED = 120
"""Films of each attack; of living people so many rooms of each brightness."""
BRIGHTNESS = (50.0, 100.0, 200.0, 400.0, 1000.0)
NOTE = "simulated: benchmarks/light_simulation.py"


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """All rows of the section; it needs no data, and there is no peer."""
    return part(SECTION, "light", _rows)


def _rows() -> Iterator[Row]:
    random = np.random.default_rng(9)
    for lux in BRIGHTNESS:
        heard = Counter(_living(lux, random) for _ in range(ROOMS))
        who = f"living people at {lux:g} lux"
        yield share(SECTION, f"{who}: answer heard", heard[LightAnswer.ANSWERED], ROOMS, note=NOTE)
        wrong = heard[LightAnswer.CONTRADICTED]
        yield share(SECTION, f"{who}: refused", wrong, ROOMS, at_most=0.0, note=NOTE)
    heard = Counter(_lamp(float(random.choice(BRIGHTNESS[:4])), random) for _ in range(3 * ROOMS))
    who = "living people whose face has 1.4 to 50 times the light of the wall behind"
    yield share(SECTION, f"{who}: answer heard", heard[LightAnswer.ANSWERED], 3 * ROOMS, note=NOTE)
    yield share(SECTION, f"{who}: refused", heard[LightAnswer.CONTRADICTED], 3 * ROOMS, at_most=0.05, note=NOTE)
    for name, attack in ATTACKS.items():
        seen = Counter(attack(float(random.choice(BRIGHTNESS[:4])), random) for _ in range(ATTACKED))
        yield share(SECTION, f"{name}: taken for an answer", seen[LightAnswer.ANSWERED], ATTACKED, note=NOTE)
        yield share(SECTION, f"{name}: refused", seen[LightAnswer.CONTRADICTED], ATTACKED, note=NOTE)


def _colours(random: np.random.Generator) -> tuple[Step, ...]:
    """Colours as a challenge draws them, but the same ones in every run."""
    order = random.permutation(len(COLOURS))[:COLOURS_IN_ONE]
    return tuple(tuple(COLOURS)[place] for place in order)


def _living(lux: float, random: np.random.Generator) -> LightAnswer:
    colours = _colours(random)
    return asked(filmed(any_room(lux, random), colours, random), colours).answer


def _lamp(lux: float, random: np.random.Generator) -> LightAnswer:
    colours = _colours(random)
    room = replace(any_room(lux, random), wall_light=float(np.exp(random.uniform(np.log(0.02), np.log(0.7)))))
    return asked(filmed(room, colours, random), colours).answer


def _recording(lux: float, random: np.random.Generator) -> LightAnswer:
    """A video of the person that is fed into the stream, or shown on a screen: it knows of no colours."""
    return asked(filmed(any_room(lux, random), [None] * 4, random), _colours(random)).answer


def _other_colours(lux: float, random: np.random.Generator) -> LightAnswer:
    """A recording of an earlier session, under the colours of then."""
    return asked(filmed(any_room(lux, random), _colours(random), random), _colours(random)).answer


def _late(lux: float, random: np.random.Generator) -> LightAnswer:
    """The right colours, one too late: a face that is swapped in with a delay."""
    colours = _colours(random)
    late: list[Step | None] = [None, *colours[:-1]]
    return asked(filmed(any_room(lux, random), late, random), colours).answer


def _tinted(lux: float, random: np.random.Generator) -> LightAnswer:
    """A recording without colours, on a screen that is itself tinted with the right ones."""
    colours = _colours(random)
    plain = filmed(any_room(lux, random), [None] * 4, random)
    return asked(tinted(plain, colours, float(random.choice((0.15, 0.4, 1.0)))), colours).answer


ATTACKS = {
    "a recording without colours": _recording,
    "a recording under other colours": _other_colours,
    "the right colours, one too late": _late,
    "the right colours over the whole picture": _tinted,
}
