"""How well are machine-readable zones read when the same pictures are taken less well?

    python -m benchmarks.disturbed_zones --data FOLDER [--seed 1] [--only tilted,dim] [--drawn]

Every picture with a zone in FOLDER/mrz is changed as a phone or a hand would (seen from the side, small on a table,
dim, shaken, compressed) and read whole, finding included; a reading counts when every character is right. With
`--drawn`, invented passports and cards instead, which need no folder. Nothing is chosen here.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps
from rich.console import Console
from rich.table import Table

from benchmarks.accuracy_sections.mrz import data_lines, labelled_zones
from truename.reviews.agreement import wilson
from truename.sandbox.drawing import documents
from truename.vision.captures import Picture
from truename.vision.document.mrz.read import read_mrz
from truename.vision.memory import keep_freed_memory

Zone = tuple[str, Picture, tuple[str, ...]]
"""A name, the picture, and the true lines."""
KEYSTONE: Final = 0.18
"""How far each corner of the far side moves in, of that side."""
DRAWN: Final = 24


def as_it_is(picture: Picture, _: Random) -> Picture:
    return picture


def tilted(picture: Picture, chance: Random) -> Picture:
    """One side a third smaller, turned by up to 15 degrees, with some of a table around it."""
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    middle = np.array([width, height]) / 2
    far = chance.randrange(4)
    pair = [far, (far + 1) % 4]
    along = corners[pair[0]] != corners[pair[1]]
    seen = corners.copy()
    for corner in pair:
        seen[corner][along] += 2 * KEYSTONE * (middle - corners[corner])[along]
    angle = np.deg2rad(chance.uniform(-15, 15))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    seen = (0.8 * (seen - middle)) @ turn + middle
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32))
    warped = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_AREA, borderValue=(120, 100, 80))
    return np.asarray(warped, np.uint8)


def on_a_table(picture: Picture, chance: Random) -> Picture:
    """A third of the scene, somewhere on a table with a grain."""
    height, width = picture.shape[:2]
    tall, wide = round(height * 1.8), round(width * 1.8)
    grain = cv2.resize(_noise(chance, (tall // 8, wide // 8), 18), (wide, tall))
    table = _clipped(np.array([chance.randint(60, 200) for _ in range(3)], np.float32) + grain[..., None])
    top, left = chance.randrange(tall - height), chance.randrange(wide - width)
    table[top : top + height, left : left + width] = picture
    return table


def smaller(picture: Picture, _: Random) -> Picture:
    return np.asarray(cv2.resize(picture, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA), np.uint8)


def flattened(picture: Picture, _: Random) -> Picture:
    """As if seen from below: four fifths as tall."""
    return np.asarray(cv2.resize(picture, None, fx=1, fy=0.8, interpolation=cv2.INTER_AREA), np.uint8)


def upside_down(picture: Picture, _: Random) -> Picture:
    return np.ascontiguousarray(np.rot90(picture, 2))


def shaken(picture: Picture, chance: Random) -> Picture:
    """Blurred along or across, by a three hundred and fiftieth of the width."""
    reach = max(3, picture.shape[1] // 350)
    kernel = np.zeros((reach, reach), np.float32)
    kernel[reach // 2] = 1 / reach
    return np.asarray(cv2.filter2D(picture, -1, kernel if chance.random() < 0.5 else kernel.T), np.uint8)


def shaded(picture: Picture, chance: Random) -> Picture:
    """From a third of the light on one side to all of it on the other."""
    light = np.linspace(0.35, 1.1, picture.shape[1])[:: chance.choice((1, -1))]
    return _clipped(picture * light[None, :, None])


def dim(picture: Picture, chance: Random) -> Picture:
    return _clipped(picture * 0.3 + _noise(chance, picture.shape, 7))


def glare(picture: Picture, chance: Random) -> Picture:
    height, width = picture.shape[:2]
    down, along = np.mgrid[:height, :width]
    y, x = height * chance.uniform(0.3, 0.7), width * chance.uniform(0.2, 0.8)
    spot = np.exp(-((down - y) ** 2 + (along - x) ** 2) / (2 * (0.12 * width) ** 2))
    return _clipped(picture + 190 * spot[..., None])


def compressed(picture: Picture, _: Random) -> Picture:
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 35])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _noise(chance: Random, shape: tuple[int, ...], spread: float) -> NDArray[np.float32]:
    return np.random.default_rng(chance.randrange(2**32)).normal(0, spread, shape).astype(np.float32)


def _clipped(values: NDArray[np.floating]) -> Picture:
    return np.asarray(np.clip(values, 0, 255), np.uint8)


DISTURBANCES: Final[dict[str, Callable[[Picture, Random], Picture]]] = {
    one.__name__: one
    for one in (
        as_it_is,
        tilted,
        on_a_table,
        smaller,
        flattened,
        upside_down,
        shaken,
        shaded,
        dim,
        glare,
        compressed,
    )
}


def main() -> None:
    """Print a table: exact, not found, and valid but wrong, by disturbance."""
    arguments = _arguments()
    keep_freed_memory()
    zones = list(_drawn() if arguments.drawn else _labelled(arguments.data))
    table = Table("disturbance", "exact", "nothing read", "valid but wrong", "in the data lines", "CPU s, mean")
    missed = []
    for name in arguments.only:
        exact = nothing = wrong = in_data = 0
        began = time.process_time()
        for number, (file, picture, lines) in enumerate(zones):
            read = read_mrz(DISTURBANCES[name](picture, Random(f"{arguments.seed}:{number}")))
            right = read is not None and read.reading.lines == lines
            exact += right
            nothing += read is None
            if read is not None and read.reading.valid and not right:
                wrong += 1
                in_data += data_lines(read.reading.lines) != data_lines(lines)
            if not right:
                missed.append(f"{name}: {file}, {picture.shape[1]} pixels wide")
        low, high = wilson(exact, len(zones))
        seconds = (time.process_time() - began) / len(zones)
        shares = f"{exact} of {len(zones)} ({100 * low:.0f}–{100 * high:.0f} %)"
        table.add_row(name, shares, str(nothing), str(wrong), str(in_data), f"{seconds:.2f}")
    console = Console()
    console.print(table)
    console.print(*missed, sep="\n", highlight=False, soft_wrap=True)


def _labelled(data: Path) -> Iterator[Zone]:
    for sample in labelled_zones(data) or ():
        if sample.lines:
            picture = ImageOps.exif_transpose(Image.open(sample.path)).convert("RGB")
            yield sample.path.name, np.array(picture, np.uint8), sample.lines


def _drawn() -> Iterator[Zone]:
    """Passports and cards, 600 and 900 pixels wide."""
    for seed in range(DRAWN):
        one = documents.id_card(seed=seed) if seed % 2 else documents.passport(seed=seed)
        page = one.front if one.back is None else one.back
        width = 600 if seed % 4 < 2 else 900
        size = (width, round(page.shape[0] * width / page.shape[1]))
        yield f"drawn {seed}", np.asarray(cv2.resize(page, size, interpolation=cv2.INTER_AREA), np.uint8), one.mrz


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with mrz/labels.csv and its pictures")
    parser.add_argument("--drawn", action="store_true", help="invented documents; no folder is needed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(DISTURBANCES))
    arguments = parser.parse_args()
    if unknown := set(arguments.only) - set(DISTURBANCES):
        parser.error(f"There is no {', '.join(sorted(unknown))}; there are {', '.join(DISTURBANCES)}.")
    if not arguments.drawn and (arguments.data is None or labelled_zones(arguments.data) is None):
        parser.error("Name a folder that has mrz/labels.csv (--data), or use --drawn.")
    return arguments


if __name__ == "__main__":
    main()
