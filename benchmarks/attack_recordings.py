"""Recordings that are cut, changed and named anew so that they might answer a challenge for which nobody moved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import log

import cv2
import numpy as np

from benchmarks.attack_scenes import Acted
from truename.sandbox.drawing.heads import STEP_MS
from truename.vision.captures import Picture, Step
from truename.vision.liveness.targets import AIMS, SIZES, STRAIGHT_AIM, Aim

HELD = 2
"""Frames at the end of each step; those before are on the way."""
Change = Callable[[Picture], Picture]


def parts(take: Sequence[Acted]) -> list[list[Acted]]:
    """The frames of each step."""
    return [list(own) for _, own in groupby(take, key=lambda one: one.step)]


def named(chosen: Sequence[Sequence[Acted]], steps: Sequence[Step]) -> list[Acted]:
    """These frames under the names of other steps, in times that run on."""
    made = []
    for number, (step, own) in enumerate(zip(steps, chosen, strict=True)):
        made += [replace(one, step=step, at_ms=number * STEP_MS + one.at_ms % STEP_MS) for one in own]
    return made


def changed(take: Sequence[Acted], change: Change) -> list[Acted]:
    return [replace(one, picture=change(one.picture)) for one in take]


def _zoomed(picture: Picture, by: float) -> Picture:
    height, width = picture.shape[:2]
    matrix = np.array([[by, 0, width / 2 * (1 - by)], [0, by, height * 0.45 * (1 - by)]])
    flags = cv2.INTER_CUBIC if by > 1 else cv2.INTER_AREA
    return np.asarray(
        cv2.warpAffine(picture, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _shifted(picture: Picture) -> Picture:
    return np.asarray(np.roll(picture, (9, 14), (0, 1)), np.uint8)


def _softer(picture: Picture) -> Picture:
    small = cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


WHOLE: Mapping[str, Change] = {
    "as it is": lambda picture: picture,
    "cropped by a tenth": lambda picture: _zoomed(picture, 1.11),
    "shifted": _shifted,
    "mirrored": lambda picture: picture[:, ::-1].copy(),
    "made smaller and larger again": _softer,
}


def mirrored(step: Step) -> Step:
    """The target on the other side."""
    if step not in AIMS:
        return step
    aim = AIMS[step]
    return _nearest(Aim(-aim.yaw, aim.pitch))


def _nearest(aim: Aim) -> Step:
    return min(AIMS, key=lambda step: aim.away(AIMS[step]))


def from_parts(takes: Sequence[Sequence[Acted]], steps: Sequence[Step], mirror: bool) -> list[Acted]:
    """For each step the part of any take that comes nearest, mirrored if that helps; distances are made by zooming."""
    library: list[tuple[Step, list[Acted]]] = []
    for take in takes:
        for own in parts(take):
            library.append((own[0].step, own))
            if mirror and own[0].step in AIMS:
                library.append((mirrored(own[0].step), changed(own, lambda picture: picture[:, ::-1].copy())))
    chosen: list[list[Acted]] = []
    size = 1.0
    for step in steps:
        if step in SIZES:
            size = SIZES[step]
            source = next(own for name, own in library if name is Step.LOOK_STRAIGHT)
        else:
            wanted = AIMS.get(step, STRAIGHT_AIM)
            kept = [(name, own) for name, own in library if name not in SIZES]
            source = min(kept, key=lambda one: wanted.away(AIMS.get(one[0], STRAIGHT_AIM)))[1]
        by = [size / one.pose.closer for one in source]
        chosen.append(
            [
                replace(one, picture=one.picture if abs(log(factor)) < 0.03 else _zoomed(one.picture, factor))
                for one, factor in zip(source, by, strict=True)
            ]
        )
    return named(chosen, steps)


def zoomed_instead(take: Sequence[Acted], steps: Sequence[Step]) -> list[Acted]:
    """A take in which nobody came closer or went away, enlarged or made smaller where that was asked for."""
    size, before, made = 1.0, 1.0, []
    for own in parts(take):
        step = own[0].step
        if step in SIZES:
            before, size = size, SIZES[step]
        for number, one in enumerate(own):
            now = (before * size) ** 0.5 if step in SIZES and number == 0 else size
            made.append(replace(one, picture=_zoomed(one.picture, now)))
    return made


def cut_after(first: Sequence[Acted], second: Sequence[Acted], at: int, way: bool) -> list[Acted]:
    """The first take up to this step, then the second; without `way`, the movement at the cut is left out."""
    spliced = [*parts(first)[:at], *parts(second)[at:]]
    if not way:
        spliced[at] = spliced[at][-HELD:]
    return [frame for own in spliced for frame in own]


def in_another_place(take: Sequence[Acted], random: np.random.Generator) -> list[Acted]:
    """As if filmed another time before the same wall: the camera a little elsewhere, the exposure a little other."""
    by, gain = float(random.uniform(0.93, 1.07)), float(random.uniform(0.9, 1.1))
    right, down = random.uniform(-20, 20, 2)

    def change(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        matrix = np.array([[by, 0, width / 2 * (1 - by) + right], [0, by, height * 0.45 * (1 - by) + down]])
        moved = cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
        return np.clip(moved * gain, 0, 255).astype(np.uint8)

    return changed(take, change)
