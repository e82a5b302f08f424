"""How well are cards of China and Hong Kong and licences of Japan read that are laid out as real ones are?

    python -m benchmarks.east_asian_cards [--country CN] [--people 20] [--first 9000] [--font FILE] [--json out.json]

Drawings of the layout files have a title on the front, and a line for each label. Real ones are less kind: see
`chinese_cards.py`, `hong_kong_cards.py` and `japanese_licences.py`. Such cards of invented people (surnames of one sign
and of more, names in kana, cards without end among them) are drawn, photographed at an angle, some of them blurred,
dark or small, and read whole. `--font`: another typeface, such as that of Debian's `fonts-wqy-microhei`.
"""

import argparse
import json
import time
from collections import defaultdict
from datetime import date
from pathlib import Path
from random import Random
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.chinese_cards import chinese_card
from benchmarks.hong_kong_cards import hong_kong_card
from benchmarks.japanese_licences import japanese_licence
from truename.bundled.drawing import HAN
from truename.sandbox.drawing.photography import photograph
from truename.vision.captures import Picture
from truename.vision.document.read import read_document

TODAY: Final = date(2026, 11, 19)
CARDS: Final = {"CN": chinese_card, "HK": hong_kong_card, "JP": japanese_licence}


def photographed(page: Picture, chance: Random, seed: int) -> Picture:
    """The page on a desk, by a hand that is not steady, in a room that may be dark."""
    photo, _ = photograph(
        page,
        seed=seed,
        rotation=chance.uniform(-8, 8),
        blur=chance.choice((0, 0, 0.8, 1.2)),
        noise=4,
        fill=chance.uniform(0.45, 0.8),
        light=chance.uniform(0.6, 1.1),
    )
    return photo


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--country", choices=CARDS, default="CN")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--first", type=int, default=9000, help="the first seed")
    parser.add_argument("--font", type=Path, default=HAN.bundled.path, help="the typeface to print with")
    parser.add_argument("--json", type=Path, help="write what was read here too")
    given = parser.parse_args(arguments)
    right: dict[str, list[bool]] = defaultdict(list)
    wrong: list[tuple[int, str, str | None, str]] = []
    seconds: list[float] = []
    for seed in range(given.first, given.first + given.people):
        chance = Random(seed)
        card = CARDS[given.country](chance, given.font)
        front = photographed(card.front, chance, seed)
        back = None if card.back is None else photographed(card.back, chance, seed + 500)
        began = time.process_time()
        found = read_document(front, back, TODAY).evidence
        seconds.append(time.process_time() - began)
        right["recognised"].append((found.country, found.type) == (card.country, card.kind))
        for name, printed in card.printed.items():
            read = found.value(name)
            right[name.value].append(read == printed)
            wrong += [] if read == printed else [(seed, name.value, read, printed)]
    table = Table(title=f"{given.people} of {given.country}, printed with {given.font.name}", title_justify="left")
    table.add_column("field")
    table.add_column("right", justify="right")
    for field, results in right.items():
        table.add_row(field, f"{sum(results)} of {len(results)}")
    table.add_row("CPU seconds a card, median", f"{sorted(seconds)[len(seconds) // 2]:.2f}")
    Console().print(table)
    for seed, field, read, printed in wrong:
        print(f"{seed} {field}: {read} was read of {printed}")
    if given.json:
        given.json.write_text(json.dumps({"right": right, "wrong": wrong}, ensure_ascii=False, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
