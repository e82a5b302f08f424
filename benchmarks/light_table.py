"""Drawn heads under light that is right and light that is wrong: what is heard, and what is held against them.

python -m benchmarks.light_table --data FOLDER [--people 14] [--skip 0] [--seed 1]

Heads of people in FOLDER look straight on for four colours of two frames each, before their own room and before a plain
wall, at three strengths of the screen's light; the same frames are then lit in every way of the table. The light
alone is judged, so that a face is looked for once, before it is lit; `benchmarks.liveness_attacks --only light`
judges some of these lights on the service's whole path. 95 % Wilson intervals.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.attack_lights import Linear, blended, contrasted, covered, developed, linear, lit
from benchmarks.attack_scenes import NOISE, PLAIN_WALL, SIZE, people
from truename.reviews.agreement import wilson
from truename.sandbox.drawing.heads import TARGETS, framed_still, goal_among, head_scene, sent_poses
from truename.vision.captures import Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.light import COLOURS, LightAnswer, judge_light
from truename.vision.liveness.views import View, view

STRENGTHS = (0.08, 0.15, 0.4)
"""What a screen adds to the light that a face has: a bright room, an office, a living room in the evening."""
BRIGHT = 0.01
BEHIND = 0.05
GLOSS = 0.05
"""What skin throws back of a light as it is; light skin reflects some 0.5 of it otherwise, dark skin 0.1."""
HAND = 5
"""Pixels by which a hand moves the camera from frame to frame, to each side."""
COLOURS_SHOWN = 4
Shown = Sequence[Step | None]


@dataclass(frozen=True)
class Take:
    """A person who looks straight on, under no colours: two frames for each of four."""

    person: str
    wall: str
    seen: list[View]
    lights: list[Linear]
    masks: list[NDArray[np.float32]]


@dataclass(frozen=True)
class Session:
    """What was asked for, and how strong the screen is."""

    take: Take
    colours: tuple[Step, ...]
    strength: float
    random: np.random.Generator


Way = Callable[[Session], list[Linear]]


def takes(data: Path, count: int, skip: int, seed: int) -> Iterator[Take]:
    """Each person before two walls, as far as a face is found in every frame."""
    for number, (name, still) in enumerate(islice(people(data), skip, skip + count)):
        for wall in ("own room", "plain wall"):
            scene = head_scene(framed_still(still, SIZE))
            if wall == "plain wall":
                scene.background[:] = PLAIN_WALL
            steps = (Step.LOOK_STRAIGHT, *tuple(COLOURS)[:COLOURS_SHOWN])
            poses = [pose for step, _, pose in sent_poses(steps, 100 * seed + number, goal_among(TARGETS))]
            poses = poses[-2 * COLOURS_SHOWN :]
            moves = np.random.default_rng((seed, number)).integers(-HAND, HAND + 1, (len(poses), 2))
            pictures = [_moved(scene.render(pose), move) for pose, move in zip(poses, moves, strict=True)]
            seen = [view(picture) for picture in pictures]
            found = [one for one in seen if isinstance(one, View)]
            if len(found) == len(seen):
                masks = [_moved(covered(scene, pose), move) for pose, move in zip(poses, moves, strict=True)]
                yield Take(name, wall, found, [linear(picture) for picture in pictures], masks)


def _moved(picture: NDArray[Any], move: NDArray[np.int64]) -> NDArray[Any]:
    """What a camera sees that was moved by so many pixels; the edge goes on as it is."""
    across, down = move
    padded = np.pad(picture, ((HAND, HAND), (HAND, HAND), (0, 0)), mode="edge")
    high, wide = picture.shape[:2]
    return padded[HAND + down : HAND + down + high, HAND + across : HAND + across + wide]


# ── ways to light a take ───────────────────────────────────────────────────────────────────────────────────


def _shown(session: Session, colours: Shown, strength: float | None = None, gloss: float = 0.0) -> list[Linear]:
    """Each frame under its colour; the face takes it on, the room behind hardly."""
    take, strong = session.take, session.strength if strength is None else strength
    return [
        lit(light, colours[number // 2], BEHIND + (1 - BEHIND) * mask, strong, gloss)
        for number, (light, mask) in enumerate(zip(take.lights, take.masks, strict=True))
    ]


def _exposed(
    most: float, white: float = 0.0, each: bool = False, strength: float | None = None, curve: float = 0.0
) -> Way:
    """The right colours before a camera that exposes by up to `most`, and takes another white, with every colour."""

    def way(session: Session) -> list[Linear]:
        count = 2 * COLOURS_SHOWN if each else COLOURS_SHOWN
        gains = np.exp(session.random.uniform(-1, 1, (count, 1)) * np.log(most))
        whites = np.exp(session.random.uniform(-white, white, (count, 1)) * [[1.0, 0.0, -1.0]])
        made = _shown(session, session.colours, strength)
        by_frame = (gains * whites).astype(np.float32) if each else np.repeat(gains * whites, 2, 0).astype(np.float32)
        exposed = [light * gain for light, gain in zip(made, by_frame, strict=True)]
        return [contrasted(light, curve) for light in exposed] if curve else exposed

    return way


def _television(session: Session) -> list[Linear]:
    """The right colours, and light of any hue from elsewhere that changes with them: half as much on the wall."""
    hues = session.random.uniform(0, 0.2 * session.strength, (COLOURS_SHOWN, 3)).astype(np.float32)
    return [
        light * (1 + hues[number // 2] * (0.5 + 0.5 * mask))
        for number, (light, mask) in enumerate(zip(_shown(session, session.colours), session.take.masks, strict=True))
    ]


def _lamp(session: Session) -> list[Linear]:
    """The right colours on a face that a lamp lights, before a darker wall, which takes on as much of them or more."""
    dark = float(np.exp(session.random.uniform(np.log(0.05), np.log(0.7))))
    behind = min(BEHIND / dark, 2.0)
    return [
        lit(
            light * (dark + (1 - dark) * mask),
            session.colours[number // 2],
            behind + (1 - behind) * mask,
            session.strength,
        )
        for number, (light, mask) in enumerate(zip(session.take.lights, session.take.masks, strict=True))
    ]


def _right(session: Session) -> list[Linear]:
    return _shown(session, session.colours)


def _glossy(session: Session) -> list[Linear]:
    return _shown(session, session.colours, gloss=GLOSS)


def _others(session: Session) -> tuple[Step, ...]:
    while True:
        drawn = tuple(tuple(COLOURS)[one] for one in session.random.permutation(len(COLOURS))[:COLOURS_SHOWN])
        if drawn != session.colours:
            return drawn


def _other(session: Session) -> list[Linear]:
    return _shown(session, _others(session))


def _reordered(session: Session) -> list[Linear]:
    order = session.colours
    while order == session.colours:
        order = tuple(session.colours[one] for one in session.random.permutation(COLOURS_SHOWN))
    return _shown(session, order)


def _late(session: Session) -> list[Linear]:
    return _shown(session, (None, *session.colours[:-1]))


def _half_late(session: Session) -> list[Linear]:
    """The first frame of each colour still under the one before."""
    right, late = _right(session), _late(session)
    return [right[number] if number % 2 else late[number] for number in range(len(right))]


def _plain(session: Session) -> list[Linear]:
    return session.take.lights


def _whole(session: Session, colours: Shown) -> list[Linear]:
    return [lit(light, colours[number // 2], 1.0, session.strength) for number, light in enumerate(session.take.lights)]


def _laid_over(session: Session, colours: Shown) -> list[Linear]:
    return [
        blended(light, colours[number // 2], session.strength / 2) for number, light in enumerate(session.take.lights)
    ]


def _half(session: Session, colours: Shown) -> list[Linear]:
    """These colours on one half of the face alone."""
    made = []
    left = session.random.random() < 0.5
    for number, (light, mask, seen) in enumerate(
        zip(session.take.lights, session.take.masks, session.take.seen, strict=True)
    ):
        middle = seen.face.box[0] + seen.face.box[2] / 2
        side = np.clip((np.arange(light.shape[1]) - middle) / 10 + 0.5, 0, 1).astype(np.float32)[None, :, None]
        on = mask * (1 - side if left else side)
        made.append(lit(light, colours[number // 2], on, session.strength))
    return made


LIVING: dict[str, Way] = {
    "the right colours": _right,
    "… with another white by colour": _exposed(1.0, white=0.12),
    "… exposed by 0.75 to 1.33, by colour": _exposed(1.33),
    "… exposed by 0.6 to 1.6, by colour": _exposed(1.6),
    "… exposed by 0.75 to 1.33, by frame": _exposed(1.33, each=True),
    "… exposed by 0.75 to 1.33, with another white": _exposed(1.33, white=0.12),
    "… in a bright room, exposed by 0.75 to 1.33": _exposed(1.33, strength=BRIGHT),
    "… in a bright room, exposed by 0.6 to 1.6": _exposed(1.6, strength=BRIGHT),
    "… with deeper shadows, exposed by 0.75 to 1.33, with another white": _exposed(1.33, white=0.12, curve=0.5),
    "… in a bright room, with deeper shadows, exposed by 0.75 to 1.33, with another white": _exposed(
        1.33, white=0.12, strength=BRIGHT, curve=0.5
    ),
    "… on glossy skin": _glossy,
    "… beside a television": _television,
    "… a lamp on the face before a darker wall": _lamp,
}
ATTACKS: dict[str, Way] = {
    "other colours": _other,
    "the right colours in another order": _reordered,
    "the right colours, one too late": _late,
    "the right colours over the whole picture, as on a tinted screen": lambda one: _whole(one, one.colours),
    "other colours over the whole picture, as on a tinted screen": lambda one: _whole(one, _others(one)),
    "the right colours laid over the whole picture by a program": lambda one: _laid_over(one, one.colours),
    "other colours laid over the whole picture by a program": lambda one: _laid_over(one, _others(one)),
    "other colours on half of the face": lambda one: _half(one, _others(one)),
    "the right colours on half of the face": lambda one: _half(one, one.colours),
    "each colour late by half of its time": _half_late,
    "no colours": _plain,
}


# ── the table ──────────────────────────────────────────────────────────────────────────────────────────────


def films(found: Iterator[Take], seed: int, ways: dict[str, Way]) -> Iterator[tuple[str, Session, list[View]]]:
    """Every take at every strength, lit in each of these ways, as the page would send it."""
    for number, take in enumerate(found):
        for place, strength in enumerate(STRENGTHS):
            random = np.random.default_rng((seed, number, place))
            drawn = tuple(tuple(COLOURS)[one] for one in random.permutation(len(COLOURS))[:COLOURS_SHOWN])
            session = Session(take, drawn, strength, random)
            for name, way in ways.items():
                yield name, session, _views(session, way(session))


def _views(session: Session, lights: Sequence[Linear]) -> list[View]:
    return [
        replace(seen, step=session.colours[number // 2], number=number, picture=_sent(developed(light), session.random))
        for number, (seen, light) in enumerate(zip(session.take.seen, lights, strict=True))
    ]


def _sent(picture: Picture, random: np.random.Generator) -> Picture:
    noise = random.standard_normal(picture.shape, np.float32) * NOISE
    return decode(encode_jpeg(np.clip(picture + noise, 0, 255).astype(np.uint8), 90))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--people", type=int, default=14)
    parser.add_argument("--skip", type=int, default=0, help="so many people are passed over")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began = time.process_time()
    answers: dict[str, Counter[LightAnswer]] = defaultdict(Counter)
    found = takes(asked.data, asked.people, asked.skip, asked.seed)
    for name, _, views in films(found, asked.seed, {**LIVING, **ATTACKS}):
        answers[name][judge_light(views).answer] += 1
    print("| light | heard | silent | contradicted |\n|-|-|-|-|")
    for title, ways in (("living", LIVING), ("not living", ATTACKS)):
        every = sum((answers[name] for name in ways), Counter[LightAnswer]())
        for name in ways:
            print(_row(name, answers[name]))
        print(_row(f"all {title}", every))
    print(f"{time.process_time() - began:.0f} s of CPU, drawing included")


def _row(name: str, heard: Counter[LightAnswer]) -> str:
    n, wrong = heard.total(), heard[LightAnswer.CONTRADICTED]
    low, high = wilson(wrong, n)
    words = f"{wrong} of {n} ({100 * low:.1f}–{100 * high:.1f} %)"
    return f"| {name} | {heard[LightAnswer.ANSWERED]} | {heard[LightAnswer.SILENT]} | {words} |"


if __name__ == "__main__":
    main()
