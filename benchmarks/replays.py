"""How far recordings that are sent again lie from other takes of the same person, whatever was done to them.

python -m benchmarks.replays                                  # the public still's head, before two walls
python -m benchmarks.replays --data FOLDER --people 6         # and heads of the selfies in FOLDER/selfie_id

Drawn heads follow the same steps before a room that never moves, which is as like as two honest takes can be: only how
they sway differs. Each person is filmed three times, before the still's own room and before a plain wall.
"""

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
from tests.support.replay_changes import CHANGES, shaken

from truename.sandbox.drawing.head_scene import HeadScene
from truename.sandbox.drawing.heads import SENT_MS, TARGETS, TURNS, framed_still, goal_among, head_scene, poses_at
from truename.sandbox.drawing.sheet import still as public_still
from truename.vision.captures import Picture
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.replay import Difference, Grey, difference, small_grey

SIZE = 360, 480
PLAIN_WALL = (196, 190, 180)
TAKES = 3
OTHER_TAKE = "another take"


def people(folder: Path | None, count: int) -> Iterator[Picture]:
    """Stills of so many people, the public one first."""
    yield public_still()
    if folder is None:
        return
    with (folder / "selfie_id" / "labels.csv").open() as file:
        selfies = {row["identity"]: row["file"] for row in csv.DictReader(file) if row["type"] == "selfie"}
    for name in list(selfies.values())[: count - 1]:
        yield decode((folder / "selfie_id" / name).read_bytes())


def filmed(scene: HeadScene, seed: int) -> list[Picture]:
    """Three frames of each step, with a sensor's noise."""
    random = np.random.default_rng(seed)
    rendered = (scene.render(pose) for _, _, pose in poses_at(TURNS, SENT_MS, seed, goal_among(TARGETS)))
    return [np.clip(one + random.normal(0, 2, one.shape), 0, 255).astype(np.uint8) for one in rendered]


def _greys(pictures: list[Picture], quality: int) -> list[Grey]:
    return [small_grey(decode(encode_jpeg(np.ascontiguousarray(one), quality))) for one in pictures]


def _each(change: Callable[[Picture], Picture]) -> Callable[[list[Picture]], list[Picture]]:
    return lambda pictures: [change(one) for one in pictures]


def measure(folder: Path | None, count: int) -> dict[str, list[Difference]]:
    """By what was done to a recording: how far it lies from itself. Other takes are among them."""
    done = {name: _each(change) for name, change in CHANGES.items()}
    done |= {"each frame shifted by itself": shaken, "every other frame left out": lambda pictures: pictures[::2]}
    found = defaultdict(list)
    for still in people(folder, count):
        for plain in (False, True):
            scene = head_scene(framed_still(still, SIZE))
            if plain:
                scene.background[:] = PLAIN_WALL
            takes = [filmed(scene, seed) for seed in range(TAKES)]
            sent = [_greys(take, 90) for take in takes]
            for one, other in permutations(sent, 2):
                found[OTHER_TAKE].append(difference(one, other))
            for name, change in done.items():
                found[name].append(difference(_greys(change(takes[0]), 70), sent[0]))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with selfie_id/labels.csv (file, identity, type)")
    parser.add_argument("--people", type=int, default=6)
    asked = parser.parse_args()
    began = time.process_time()
    found = measure(asked.data, asked.people)
    print("| done to it | taken for a replay | from one warp | from the room |\n|-|-|-|-|")
    for name, values in found.items():
        warps, rooms = [one.from_warp for one in values], [one.from_room for one in values if one.from_room < np.inf]
        room = f"{min(rooms):.2f}–{max(rooms):.2f} ({len(rooms)})" if rooms else ""
        known = sum(one.is_replay for one in values)
        print(f"| {name} | {known} of {len(values)} | {min(warps):.2f}–{max(warps):.2f} | {room} |")
    print(f"{time.process_time() - began:.0f} s of CPU, drawing included")


if __name__ == "__main__":
    main()
