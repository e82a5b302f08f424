"""How often is an honest recording refused because of what happens to one of its frames, or to the room around it?

python -m benchmarks.disturbances [--recordings 24] [--seed 1] [--colours] [--only blur,twice] [--data FOLDER]

Drawn heads follow challenges drawn anew. Each recording is judged as it is, and again with each disturbance: a blurred
frame, closed eyes, a frame that the camera's driver gave twice, a lamp that is switched on. Those that are refused
without any disturbance are counted by themselves and left out of the other rows. With `--data`, the heads are those of
people in FOLDER (`selfie_id`, `portrait26`, `pad_phone`); without, that of the public still.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from random import Random

from benchmarks.attack_scenes import SIZE, act, people, sent
from benchmarks.disturbed_frames import DISTURBANCES, Shot
from truename.capture import challenge as drawing
from truename.reviews.agreement import wilson
from truename.rules.evidence import LivenessEvidence
from truename.sandbox.drawing.heads import framed_still, head_recording, head_scene
from truename.vision.captures import Frame, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.score import score_views
from truename.vision.liveness.views import View, view

ACCEPTED = 0.85
SHARES = 0.30, 0.34, 0.38
"""How wide the public still's face is, of the picture."""
STORED = 95
"""The JPEG quality at which the service keeps frames."""
NOTHING = "nothing"
Recording = tuple[tuple[Step, ...], list[Shot]]
"""What was asked for, and the frames."""


def recordings(count: int, seed: int, colours: bool, data: Path | None) -> Iterator[Recording]:
    """Honest recordings, each of a challenge of its own, as the service stores them."""
    stills = cycle(list(islice((still for _, still in people(data)), count))) if data else None
    for number in range(count):
        steps = drawing.choose_steps()
        if colours:
            steps = drawing.with_colours(steps, drawing.choose_colours())
        if stills is None:
            frames = head_recording(steps, seed + number, SHARES[number % len(SHARES)])
        else:
            frames = sent(act(head_scene(framed_still(next(stills), SIZE)), steps, seed + number))
        yield tuple(steps), [_stored(frame) for frame in frames]


def _stored(frame: Frame) -> Shot:
    picture = decode(encode_jpeg(decode(frame.image), STORED))
    return Shot(frame.step, frame.at_ms, picture, view(picture, frame.step, frame.at_ms))


def judge(shots: Sequence[Shot], steps: tuple[Step, ...]) -> LivenessEvidence:
    """What the service says; only what a disturbance has changed is looked at again."""
    frames, pictures, seen = [], [], []
    for number, shot in enumerate(shots):
        image = encode_jpeg(shot.picture, STORED)
        picture = shot.picture if shot.seen is not None else decode(image)
        found = shot.seen if shot.seen is not None else view(picture)
        if isinstance(found, View):
            known = vars(found).get("template")
            found = replace(found, number=number, step=shot.step, at_ms=shot.at_ms)
            if known is not None:
                vars(found)["template"] = known
        frames.append(Frame(image, shot.step, shot.at_ms))
        pictures.append(picture)
        seen.append(found)
    return score_views(frames, pictures, seen, steps).evidence


def measure(
    count: int, seed: int, colours: bool, data: Path | None, only: Sequence[str]
) -> dict[str, list[LivenessEvidence]]:
    """The evidence of every recording under every disturbance, by its name."""
    found: dict[str, list[LivenessEvidence]] = defaultdict(list)
    for number, (steps, shots) in enumerate(recordings(count, seed, colours, data)):
        for shot in shots:
            if isinstance(shot.seen, View):
                _ = shot.seen.template  # made once for all disturbances
        plain = judge(shots, steps)
        found[NOTHING].append(plain)
        if plain.score < ACCEPTED:
            continue
        for name, disturb in DISTURBANCES.items():
            if not only or any(part in name for part in only):
                found[name].append(judge(disturb(shots, Random(f"{seed} {number} {name}")), steps))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--colours", action="store_true", help="the screen shows colours at first")
    parser.add_argument("--only", default="", help="parts of the disturbances' names, with commas between them")
    parser.add_argument("--data", type=Path)
    asked = parser.parse_args()
    began = time.process_time()
    drawing._chance = Random(asked.seed)  # type: ignore[assignment]  # the same challenges in every run
    only = [part for part in asked.only.split(",") if part]
    found = measure(asked.recordings, asked.seed, asked.colours, asked.data, only)
    print("| disturbance | refused | signs |\n|-|-|-|")
    for name, all_of in found.items():
        refused = [one for one in all_of if one.score < ACCEPTED]
        low, high = wilson(len(refused), len(all_of))
        signs = Counter(str(sign) for one in refused for sign in one.signs)
        words = ", ".join(f"{sign} {times}" for sign, times in signs.most_common(5))
        print(f"| {name} | {len(refused)} of {len(all_of)} ({100 * low:.0f}–{100 * high:.0f} %) | {words} |")
    print(f"{time.process_time() - began:.0f} s of CPU, drawing included")


if __name__ == "__main__":
    main()
