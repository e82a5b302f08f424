"""Attack the challenge as a stranger would, on the service's own path from frames and challenge to the verdict.

python -m benchmarks.liveness_attacks --data FOLDER [--people 12] [--skip 0] [--only living,puppets,recordings,light]
    [--write FILE.jsonl]

Drawn heads of people in FOLDER (`selfie_id`, `portrait26`, `pad_phone`) stand in for living people; no network but
those that ship is asked. One line for each attempt goes to `--write`; the table at the end has 95 % Wilson intervals.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import skimage.data
from tests.support.faces import BENDS, PLANE_MOTIONS
from tests.support.flat_pictures import FlatPicture

from benchmarks import attack_puppets as puppets
from benchmarks import attack_recordings as recordings
from benchmarks.attack_lights import covered, under_light
from benchmarks.attack_scenes import PLAIN_WALL, SIZE, Acted, act, people, sent, two_photographs
from truename.capture import challenge as drawing
from truename.reviews.agreement import wilson
from truename.rules.evidence import LivenessEvidence, QualityReason
from truename.sandbox.drawing.head_scene import HeadScene
from truename.sandbox.drawing.heads import as_frames, filmed, framed_still, head_scene
from truename.vision.captures import Frame, Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.score import score_views
from truename.vision.liveness.targets import SIZES
from truename.vision.liveness.views import View, view

ACCEPTED = 0.85
Attempt = tuple[str, LivenessEvidence]
Attack = Callable[[Picture, int], Iterator[Attempt]]
STRENGTHS = (0.15, 0.4)
"""What a screen adds to the light that a face has: a bright office, and a living room in the evening."""


def judge(frames: Sequence[Frame], steps: Sequence[Step]) -> LivenessEvidence:
    """What the service would say to these frames when these steps were asked for.

    A frame that was looked at before, in another attempt, is not looked at again.
    """
    pictures = [decode(frame.image) for frame in frames]
    seen = [_under_name(_look(frame.image), number, frame) for number, frame in enumerate(frames)]
    return score_views(frames, pictures, seen, tuple(steps)).evidence


@lru_cache(maxsize=256)
def _look(image: bytes) -> View | QualityReason:
    return view(decode(image))


def _under_name(seen: View | QualityReason, number: int, frame: Frame) -> View | QualityReason:
    if not isinstance(seen, View):
        return seen
    again = replace(seen, number=number, step=frame.step, at_ms=frame.at_ms)
    vars(again)["template"] = seen.template
    return again


def _scenes(still: Picture) -> Iterator[tuple[str, HeadScene]]:
    """The person before their own room and before a plain wall."""
    for wall in ("own room", "plain wall"):
        scene = head_scene(framed_still(still, SIZE))
        if wall == "plain wall":
            scene.background[:] = PLAIN_WALL
        yield wall, scene


# ── living people ──────────────────────────────────────────────────────────────────────────────────────────


def living(still: Picture, seed: int) -> Iterator[Attempt]:
    """Drawn heads that follow what was asked for, led onto each target as the page leads people."""
    for wall, scene in _scenes(still):
        steps = drawing.choose_steps()
        yield f"living, {wall}", judge(sent(act(scene, steps, seed)), steps)


# ── puppets ────────────────────────────────────────────────────────────────────────────────────────────────


def warped(still: Picture, seed: int) -> Iterator[Attempt]:
    """One photograph, warped by a program towards each target."""
    framed = framed_still(still, SIZE)
    for name, make in (
        ("affine warp", puppets.Affine),
        ("homography", puppets.Perspective),
        ("thin plate", puppets.ThinPlate),
        ("face alone in 3-D on a still head", puppets.FaceAlone),
    ):
        steps = drawing.choose_steps()
        yield f"puppet: {name}", judge(sent(act(make(framed), steps, seed)), steps)


def printed(still: Picture, seed: int) -> Iterator[Attempt]:
    """One photograph on paper, held, bent and turned before a camera."""
    framed, room = framed_still(still, SIZE), np.ascontiguousarray(skimage.data.coffee())
    for bend in BENDS:
        steps = drawing.choose_steps()
        sheet = FlatPicture(framed, BENDS[bend], room if seed % 2 else None)
        yield f"print, {bend}, turned until it fits", judge(sent(act(sheet, steps, seed)), steps)
    steps = drawing.choose_steps()
    motion = list(PLANE_MOTIONS)[seed % len(PLANE_MOTIONS)]
    frames = as_frames(filmed(FlatPicture(framed).render, steps, 2.5, seed, PLANE_MOTIONS[motion]))
    yield "print, flat, moved (11 ways)", judge(frames, steps)


def blended(straight: Picture, aside: Picture, seed: int) -> Attempt:
    """Two photographs of one person, faded into each other."""
    steps = drawing.choose_steps()
    actor = puppets.Blend(framed_still(straight, SIZE), framed_still(aside, SIZE))
    return "puppet: two photographs faded into each other", judge(sent(act(actor, steps, seed)), steps)


# ── recordings ─────────────────────────────────────────────────────────────────────────────────────────────


def replayed(still: Picture, seed: int) -> Iterator[Attempt]:
    """Recordings of other challenges, and of the right one in pieces."""
    random = np.random.default_rng(seed)
    for wall, scene in _scenes(still):
        asked = drawing.choose_steps()
        others = [drawing.choose_steps([asked]) for _ in range(3)]
        takes = [act(scene, steps, 10 * seed + number, 1) for number, steps in enumerate(others)]
        change = list(recordings.WHOLE)[seed % len(recordings.WHOLE)]
        again = recordings.changed(takes[0], recordings.WHOLE[change])
        yield f"another challenge, {change}, {wall}", _named_anew(again, asked)
        one = recordings.from_parts(takes[:1], asked, mirror=True)
        yield f"parts of one take in another order, mirrored and zoomed, {wall}", judge(sent(one), asked)
        three = recordings.from_parts(takes, asked, mirror=True)
        yield f"parts of three takes, mirrored and zoomed, {wall}", judge(sent(three), asked)
        first, second = (act(scene, asked, 10 * seed + number, 1) for number in (5, 6))
        at = int(random.integers(1, len(asked)))
        for way in (True, False):
            spliced = recordings.cut_after(first, second, at, way)
            words = "with" if way else "without"
            yield f"right steps, two takes, one cut {words} the way, {wall}", judge(sent(spliced), asked)
        elsewhere = recordings.in_another_place(second, random)
        spliced = recordings.cut_after(first, elsewhere, at, way=True)
        yield f"right steps, two takes, one cut, camera elsewhere, {wall}", judge(sent(spliced), asked)
        near = act(scene, [step for step in asked if step not in SIZES], 10 * seed + 7, 1)
        straight = recordings.parts(near)[0]
        pieces = iter(recordings.parts(near))
        filled = [straight if step in SIZES else next(pieces) for step in asked]
        zoomed = recordings.zoomed_instead(recordings.named(_unlike(filled, random), asked), asked)
        yield f"right steps, distance by zooming, {wall}", judge(sent(zoomed), asked)


def _unlike(chosen: list[list[Acted]], random: np.random.Generator) -> list[list[Acted]]:
    """The same frames with new noise, so that none is sent twice."""
    return [
        recordings.changed(own, lambda one: np.clip(one + random.normal(0, 2.5, one.shape), 0, 255).astype(np.uint8))
        for own in chosen
    ]


def _named_anew(take: Sequence[Acted], asked: Sequence[Step]) -> LivenessEvidence:
    return judge(sent(recordings.named(recordings.parts(take), asked)), asked)


# ── light ──────────────────────────────────────────────────────────────────────────────────────────────────


def lit(still: Picture, seed: int) -> Iterator[Attempt]:
    """The right movements under light that is right, wrong, missing, late or on the whole picture."""
    for _, scene in islice(_scenes(still), 1):
        steps, colours = drawing.choose_steps(), drawing.choose_colours()
        asked = drawing.with_colours(steps, colours)
        take = act(scene, asked, seed, 1)
        strength = STRENGTHS[seed % len(STRENGTHS)]
        masks = {one.at_ms: covered(scene, one.pose) for one in take if one.step in COLOURS}
        other = colours
        while other == colours:
            other = drawing.choose_colours()
        late = dict(zip(colours, (None, *colours[:-1]), strict=True))
        for name, shown, whole in (
            ("the right colours", dict(zip(colours, colours, strict=True)), False),
            ("other colours", dict(zip(colours, other, strict=True)), False),
            ("one colour too late", late, False),
            ("no colours", {}, False),
            ("the right colours on the whole picture", dict(zip(colours, colours, strict=True)), True),
            ("other colours on the whole picture", dict(zip(colours, other, strict=True)), True),
        ):
            made = [
                Acted(
                    one.step,
                    one.at_ms,
                    one.pose,
                    under_light(one.picture, shown.get(one.step), None if whole else masks.get(one.at_ms), strength),
                )
                for one in take
            ]
            evidence = judge(sent(made), asked)
            yield f"light: {name}", evidence


SECTIONS: dict[str, Attack] = {
    "living": living,
    "puppets": warped,
    "prints": printed,
    "recordings": replayed,
    "light": lit,
}


def attempts(data: Path, count: int, skip: int, only: Sequence[str]) -> Iterator[tuple[str, Attempt]]:
    """Every attempt, with the person whose picture it is of."""
    if "puppets" in only:
        for number, (name, straight, aside) in enumerate(islice(two_photographs(data), skip, skip + count)):
            yield name, blended(straight, aside, number)
    for number, (name, still) in enumerate(islice(people(data), skip, skip + count)):
        for section in only:
            for attempt in SECTIONS[section](still, number):
                yield name, attempt


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--skip", type=int, default=0, help="so many people are passed over")
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--write", type=Path, help="a line of JSON for each attempt")
    parser.add_argument("--seed", type=int, help="draw the same challenges again")
    asked = parser.parse_args()
    began = time.process_time()
    if asked.seed is not None:
        drawing._chance = Random(asked.seed)  # type: ignore[assignment]  # the same challenges in every run
    found: dict[str, list[LivenessEvidence]] = defaultdict(list)
    for person, (name, evidence) in attempts(asked.data, asked.people, asked.skip, asked.only.split(",")):
        found[name].append(evidence)
        line = {
            "person": person,
            "attempt": name,
            "score": evidence.score,
            "challenge": evidence.challenge_score,
            "passive": evidence.passive_score,
            "light": evidence.light,
            "signs": [str(sign) for sign in evidence.signs],
            "not done": [
                [one.step, one.seen_yaw, one.seen_pitch, one.seen_size] for one in evidence.steps if not one.done
            ],
        }
        if asked.write:
            with asked.write.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    print("| attempt | accepted | challenge passed | signs |\n|-|-|-|-|")
    for name, all_of in found.items():
        taken = sum(one.score >= ACCEPTED for one in all_of)
        followed = sum((one.challenge_score or 0) >= ACCEPTED for one in all_of)
        low, high = wilson(taken, len(all_of))
        signs = Counter(str(sign) for one in all_of for sign in one.signs)
        words = ", ".join(f"{sign} {count}" for sign, count in signs.most_common(5))
        print(f"| {name} | {taken} of {len(all_of)} ({100 * low:.0f}–{100 * high:.0f} %) | {followed} | {words} |")
    print(f"{time.process_time() - began:.0f} s of CPU, drawing included")


if __name__ == "__main__":
    main()
