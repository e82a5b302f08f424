"""How well are machine-readable zones read when the same pictures are taken less well?

    python -m benchmarks.disturbed_zones --data FOLDER [--seed 1] [--only tilted,dim] [--drawn]

Every picture with a zone in FOLDER/mrz is changed as a phone or a hand would (seen from the side, small on a table,
dim, shaken, compressed), or laid into a scene (beside another card, a drawing or rotated text, framed, worn), and read
whole, finding included; a reading counts when every character is right. With `--drawn`, invented passports and cards
instead, which need no folder. Nothing is chosen here.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageOps
from rich.console import Console
from rich.table import Table

from benchmarks.accuracy_sections.mrz import data_lines, labelled_zones
from benchmarks.worse_photographs import DISTURBANCES
from benchmarks.zone_scenes import SCENES
from truename.reviews.agreement import wilson
from truename.sandbox.drawing import documents
from truename.vision.captures import Picture
from truename.vision.document.mrz.read import read_mrz
from truename.vision.memory import keep_freed_memory

Zone = tuple[str, Picture, tuple[str, ...]]
"""A name, the picture, and the true lines."""
DRAWN: Final = 24
CHANGES: Final = {**DISTURBANCES, **SCENES}


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
            read = read_mrz(CHANGES[name](picture, Random(f"{arguments.seed}:{number}")))
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
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(CHANGES))
    arguments = parser.parse_args()
    if unknown := set(arguments.only) - set(CHANGES):
        parser.error(f"There is no {', '.join(sorted(unknown))}; there are {', '.join(CHANGES)}.")
    if not arguments.drawn and (arguments.data is None or labelled_zones(arguments.data) is None):
        parser.error("Name a folder that has mrz/labels.csv (--data), or use --drawn.")
    return arguments


if __name__ == "__main__":
    main()
