"""The targets of a challenge: what recordings made for others reach, and how many living people would be refused.

The geometry alone is tried many thousand times (where the nose is held and how it is measured, without a picture);
pictures (drawn heads of people in the data, photographs that are moved) a few times, because they take seconds each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from math import cos, pi, sin
from pathlib import Path

import numpy as np
from tests.support import faces

from benchmarks.accuracy_rows import LeftOut, Row, part, share
from benchmarks.accuracy_sections.liveness import stills
from benchmarks.accuracy_sections.liveness_folds import ACCEPTED
from truename.capture.challenge import choose_steps
from truename.rules.evidence import QualityReason
from truename.sandbox.drawing.heads import as_frames, filmed, targets_of
from truename.vision.captures import Frame, Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.challenge import score_challenge
from truename.vision.liveness.score import score_views
from truename.vision.liveness.targets import AIMS, PITCH_FAR, SIZES, STRAIGHT_AIM, YAW_FAR, Aim, aimed_at, size_meant
from truename.vision.liveness.views import View, view_all

SECTION = "challenge"
TRIES = 100_000
PEOPLE = 4
DRAWS = 25
HELD = 0.12
"""Where the page counts a nose as on its target, in far rings: people are spread evenly over that circle."""
MEASURED = (0.9, 1.4, 0.014)
"""Degrees of yaw and pitch, and size (logarithm): the worst tenth of 22 live photographs of the data, each turned,
moved, lit and compressed six ways (standard deviation of one frame)."""
SIZE_HELD = 0.05


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """All rows of the section; there is no peer."""
    left_out = LeftOut(SECTION)
    rows = part(SECTION, "geometry", _geometry)
    rows += part(SECTION, "pictures", lambda: _pictures(list(stills(data, left_out))[:PEOPLE]))
    return rows + left_out.rows()


# ── geometry alone ─────────────────────────────────────────────────────────────────────────────────────────

Held = tuple[Aim, float]


def _held(step: Step, random: np.random.Generator) -> Held:
    """Where the nose points and how large the face is when somebody follows this step, as it is measured."""
    off, angle = HELD * random.random() ** 0.5, 2 * pi * random.random()
    aim = AIMS.get(step, STRAIGHT_AIM)
    # The middle of two frames is judged, against the middle of three.
    noise = random.normal(0, 1, 3) * MEASURED * (0.5 + 1 / 3) ** 0.5
    size = SIZES.get(step, 1.0) * np.exp(random.uniform(-SIZE_HELD, SIZE_HELD) + noise[2])
    return Aim(
        aim.yaw + off * YAW_FAR * cos(angle) + noise[0], aim.pitch + off * PITCH_FAR * sin(angle) + noise[1]
    ), size


def _fits(held: Sequence[Held], asked: Sequence[Step]) -> bool:
    return all(
        (size_meant(size) if step in SIZES else aimed_at(aim)) is step
        for (aim, size), step in zip(held, asked, strict=True)
    )


def _geometry() -> Iterator[Row]:
    random = np.random.default_rng(7)
    note = "geometry alone, no picture"
    followed = [choose_steps()[1:] for _ in range(TRIES // 10)]
    lost = sum(not _fits([_held(step, random) for step in steps], steps) for steps in followed)
    yield share(SECTION, "living people led by the page: a target missed", lost, len(followed), at_most=0.02, note=note)
    made = [[_held(step, random) for step in choose_steps()[1:]] for _ in range(400)]
    asked = [choose_steps()[1:] for _ in range(TRIES)]
    fit = sum(_fits(made[number % len(made)], steps) for number, steps in enumerate(asked))
    yield share(SECTION, "a recording of another challenge fits", fit, len(asked), at_most=0.0001, note=note)
    few = asked[: TRIES // 100]
    cut = sum(
        any(_fits(order, steps) for order in permutations(made[number % len(made)])) for number, steps in enumerate(few)
    )
    cut_note = "its parts in any order; the ways between are then missing, which is refused"
    yield share(
        SECTION, "a recording cut apart and put together anew fits", cut, len(few), at_most=0.001, note=cut_note
    )


# ── pictures ───────────────────────────────────────────────────────────────────────────────────────────────


def _pictures(people: Sequence[Picture]) -> Iterator[Row]:
    accepted: list[bool] = []
    replayed: list[bool] = []
    cut: list[bool] = []
    for number, still in enumerate(people):
        steps = choose_steps()
        scene = faces.head_scene(faces.framed_still(still, (360, 480)))
        frames = as_frames(filmed(scene.render, steps, 2.5, number, targets_of(scene, 1)))
        pictures = [decode(frame.image) for frame in frames]
        seen = view_all(frames, pictures)
        accepted.append(score_views(frames, pictures, seen, steps).evidence.score >= ACCEPTED)
        each = len(frames) // len(steps)
        for _ in range(DRAWS):
            asked = choose_steps()
            names = [step for step in asked for _ in range(each)]
            replayed.append(_challenge_passed(frames, seen, names, asked))
        held = [at for at in range(len(frames)) if at % each >= each // 2]
        cut.append(score_challenge([frames[at] for at in held], [seen[at] for at in held], steps).passed)
    yield share(SECTION, "puppets that follow (drawn heads), accepted", sum(accepted), len(accepted))
    yield share(
        SECTION, "their recordings, asked for other challenges: passed", sum(replayed), len(replayed), at_most=0.0
    )
    yield share(SECTION, "their held poses, cut together without the ways: passed", sum(cut), len(cut), at_most=0.0)
    flat = []
    for motion in ("tilt 25", "tilt 40", "tilt 55", "tilt, nod and roll"):
        steps = choose_steps()
        frames = faces.flat_picture_frames(motion, "flat", people[0], steps, 2.2, 1, None, (360, 480))
        flat.append(score_challenge(frames, view_all(frames, [decode(one.image) for one in frames]), steps).passed)
    yield share(SECTION, "photographs that are tilted at the targets: passed", sum(flat), len(flat), at_most=0.0)


def _challenge_passed(
    frames: Sequence[Frame], seen: Sequence[View | QualityReason], names: Sequence[Step], asked: tuple[Step, ...]
) -> bool:
    """The frames under the names of another challenge."""
    renamed = [replace(frame, step=name) for frame, name in zip(frames, names, strict=True)]
    views: list[View | QualityReason] = []
    for one, name in zip(seen, names, strict=True):
        if isinstance(one, View):
            template = one.template
            one = replace(one, step=name)
            vars(one)["template"] = template
        views.append(one)
    return score_challenge(renamed, views, asked).passed
