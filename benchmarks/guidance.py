"""How many people does the capture page lead through a challenge, in which time, and whom does it send back?

python -m benchmarks.guidance [--people 300] [--seed 1] [--phones 40,100,200,350,700,1000] [--page FOLDER]

Simulated people before the page's own guidance, in Node: each reads a target, moves there in one go at a pace of their
own, misses it by some, and corrects that by what the page shows. A phone is how many milliseconds it measures a picture
for. The people are invented: the figures compare versions of the page (`--page` takes the `capture_page/static` of
another one) and phones with each other, and say nothing of how people are. Needs Node, which `make install` brings.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median, quantiles

from truename.capture import challenge as drawing
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import AIMS, SIZES

PAGE = Path(__file__).parents[1] / "src" / "truename" / "capture_page" / "static"
PHONES = (40, 100, 200, 350, 700, 1000)
SECONDS = 600


def challenges(people: int, seed: int) -> list[list[str]]:
    """One for each, as the service draws them, with colours; the same for one seed, which the service's own are not."""
    random = Random(seed)
    return [[step.value for step in _drawn(random)] for _ in range(people)]


def _drawn(random: Random) -> tuple[Step, ...]:
    colours = tuple(random.sample(tuple(COLOURS), drawing.COLOURS_IN_ONE))
    while True:
        targets = tuple(random.sample(tuple(AIMS), drawing.TARGETS_IN_ONE))
        if drawing.are_fit(targets):
            place, distance = random.randrange(len(targets) + 1), random.choice(tuple(SIZES))
            return (Step.LOOK_STRAIGHT, *colours, *targets[:place], distance, *targets[place:])


@dataclass(frozen=True)
class Visit:
    """What became of one person before one phone."""

    finished: bool
    seconds: float
    sent_back: int
    frames: int


def visits(people: int, seed: int, phones: Sequence[int], page: Path = PAGE) -> dict[int, list[Visit]]:
    """For each phone, by how many milliseconds it measures a picture for. Raises RuntimeError with what Node said."""
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.prefix) / "bin"))
    if node is None:
        raise RuntimeError("Node is missing: `make install` brings one.")
    drawn = challenges(people, seed)
    asked = {"page": page.resolve().as_uri(), "phones": list(phones), "challenges": drawn, "seed": seed}
    script = str(Path(__file__).with_name("guided_people.mjs"))
    ran = subprocess.run([node, script], input=json.dumps(asked), capture_output=True, text=True, timeout=SECONDS)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr)
    return {
        told["looks"]: [
            Visit(one["finished"], one["seconds"], one["sentBack"], one["frames"]) for one in told["visits"]
        ]
        for told in json.loads(ran.stdout)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phones", default=",".join(map(str, PHONES)), help="milliseconds for which each measures")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page's files, to compare versions")
    given = parser.parse_args()
    try:
        told = visits(given.people, given.seed, [int(one) for one in given.phones.split(",")], given.page)
    except (RuntimeError, ValueError) as fault:
        parser.exit(1, f"{fault}\n")
    print(f"{given.people} simulated people, seed {given.seed}")
    print(f"{'a look takes':>12}  {'finished':>8}  {'median':>7}  {'nine in ten':>11}  {'sent back':>9}  {'frames':>6}")
    for phone, found in told.items():
        took = [one.seconds for one in found if one.finished]
        ninth = quantiles(took, n=10)[-1] if len(took) > 1 else float("nan")
        back = sum(one.sent_back for one in found) / len(found)
        print(
            f"{phone:>9} ms  {len(took):>8}  {median(took or [float('nan')]):>5.1f} s  {ninth:>9.1f} s"
            f"  {back:>9.2f}  {median(one.frames for one in found):>6.0f}"
        )


if __name__ == "__main__":
    main()
