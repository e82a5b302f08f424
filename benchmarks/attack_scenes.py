"""People of the data as drawn heads, and whatever else can be made to follow a challenge."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin, sqrt
from pathlib import Path
from typing import Protocol

import numpy as np

from truename.sandbox.drawing.head_scene import Pose
from truename.sandbox.drawing.heads import NOD_MEASURED, TARGETS, TURN_MEASURED, aimed_pose, sent_poses
from truename.vision.captures import Frame, Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg, shrink
from truename.vision.liveness.targets import AIMS, PITCH_FAR, SIZES, YAW_FAR
from truename.vision.liveness.views import View, view

SIZE = 360, 480
PLAIN_WALL = (196, 190, 180)
HELD = 0.12
"""Where the page counts a nose as on its target, in far rings: people are spread evenly over that circle."""
SIZE_HELD = 0.05
NOISE = 2.0
"""Grey levels of a sensor's noise."""
STRAIGHT, EYES, SURE = 8.0, 45.0, 0.88
"""Stills that are used look straight (degrees), are large enough (pixels between the eyes) and plainly a face."""


class Actor(Protocol):
    """Something that can be photographed in a pose."""

    def render(self, pose: Pose) -> Picture: ...


@dataclass(frozen=True)
class Acted:
    """Pictures of something that followed a challenge, before they are encoded."""

    step: Step
    at_ms: int
    pose: Pose
    picture: Picture


def people(data: Path) -> Iterator[tuple[str, Picture]]:
    """One straight still of each person of the data, three sets in turn, as far as a single face is found in it."""
    files = [sorted(own) for own in (_selfies(data), _portraits(data), (data / "pad_phone").glob("*live_selfie*.jpg"))]
    for place in range(max(len(own) for own in files)):
        for own in files:
            if place < len(own) and (picture := _straight(own[place])) is not None:
                yield own[place].stem, picture


def two_photographs(data: Path) -> Iterator[tuple[str, Picture, Picture]]:
    """People of LFW with one photograph that looks straight and one that looks aside by 18–40°."""
    by_name: dict[str, list[Path]] = {}
    for file in sorted((data / "lfw").glob("*.jpg")):
        by_name.setdefault(file.stem.rsplit("_", 1)[0], []).append(file)
    for name, files in by_name.items():
        if len(files) < 3:
            continue
        seen = [(file, view(decode(file.read_bytes()))) for file in files[:6]]
        found = [(file, one) for file, one in seen if isinstance(one, View)]
        straight = [one for _, one in found if abs(one.yaw) <= 6]
        aside = [one for _, one in found if 18 <= abs(one.yaw) <= 40 and abs(one.mesh.pose.pitch) <= 12]
        if straight and aside:
            yield name, straight[0].picture, aside[0].picture


def _selfies(data: Path) -> list[Path]:
    return _first_of_each(data / "selfie_id", "selfie")


def _portraits(data: Path) -> list[Path]:
    return _first_of_each(data / "portrait26", "portrait")


def _first_of_each(folder: Path, kind: str) -> list[Path]:
    first: dict[str, Path] = {}
    if (folder / "labels.csv").exists():
        with (folder / "labels.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["type"] == kind:
                    first.setdefault(row["identity"], folder / row["file"])
    return list(first.values())


def _straight(file: Path) -> Picture | None:
    try:
        picture = shrink(decode(file.read_bytes()), 1200)
    except Exception as fault:  # a broken picture costs itself
        print(f"left out: {file.name}: {fault}")
        return None
    seen = view(picture)
    if not isinstance(seen, View) or abs(seen.yaw) > STRAIGHT:
        return None
    return picture if seen.face.eye_distance >= EYES and seen.face.score >= SURE else None


# ── following ──────────────────────────────────────────────────────────────────────────────────────────────


def act(actor: Actor, steps: Sequence[Step], seed: int, rounds: int = 2) -> list[Acted]:
    """Follow the steps as the page leads to: frames on the way to each and two at its end, somewhere on target."""
    random = np.random.default_rng(seed)

    def goal(step: Step, closer: float) -> Pose:
        if step in SIZES:
            pose = TARGETS[step]
            return replace(pose, closer=pose.closer * float(np.exp(random.uniform(-SIZE_HELD, SIZE_HELD))))
        if step not in AIMS:
            return replace(TARGETS[step], closer=closer)
        pose = aimed_pose(actor, step, closer, rounds)  # type: ignore[arg-type]  # whatever renders can be aimed
        off, angle = HELD * sqrt(random.random()), 2 * pi * random.random()
        yaw, pitch = off * YAW_FAR * cos(angle) / TURN_MEASURED, off * PITCH_FAR * sin(angle) / NOD_MEASURED
        return replace(pose, yaw=pose.yaw + yaw, pitch=pose.pitch + pitch)

    made = []
    for step, at_ms, pose in sent_poses(steps, seed, goal):
        noise = random.normal(0, NOISE, (SIZE[1], SIZE[0], 3)).astype(np.float32)
        made.append(Acted(step, at_ms, pose, np.clip(actor.render(pose) + noise, 0, 255).astype(np.uint8)))
    return made


def sent(acted: Sequence[Acted], quality: int = 90) -> list[Frame]:
    """As the page would send it."""
    return [Frame(encode_jpeg(np.ascontiguousarray(one.picture), quality), one.step, one.at_ms) for one in acted]
