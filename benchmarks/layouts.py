"""Every layout drawn, photographed and read again: a table of what is recognised and read of each.

python -m benchmarks.layouts [--json out.json] [--only ES,DE] [--seeds 2]

Drawn documents are kinder than real ones: fonts are plain, nothing is worn. The table shows what a layout file makes
possible, not what strangers' cards will give; for those see benchmarks/accuracy.py.
"""

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.table import Table

from truename.rules.evidence import FieldName
from truename.sandbox.drawing.from_layout import can_draw, draw
from truename.sandbox.drawing.photography import photograph
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import DocumentLayout
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)
SHOWN = (FieldName.DOCUMENT_NUMBER, FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DATE_OF_BIRTH,
         FieldName.DATE_OF_EXPIRY)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """One drawn front and what was read of it."""

    country: str
    kind: str
    version: str
    known_from: str
    seed: int
    recognised: bool
    right: dict[str, bool]
    """By field that is printed on the front."""


def read_drawn(country: str, layout: DocumentLayout, seed: int) -> Drawn:
    document = draw(country, layout, seed=seed)
    photo, _ = photograph(document.front, seed=seed, rotation=3, perspective=0.2, background="wood")
    found = read_document(photo, None, TODAY).evidence
    right = {}
    for name, value in document.fields.items():
        read = found.value(name)
        right[name.value] = read is not None and fold(read) == fold(value)
    recognised = (found.country, found.type) == (country, layout.kind)
    return Drawn(country, layout.kind.value, layout.version, layout.known_from.value, seed, recognised, right)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the rows here too")
    parser.add_argument("--only", default="", help="countries, by comma")
    parser.add_argument("--seeds", type=int, default=1, help="so many people for each layout")
    given = parser.parse_args(arguments)
    wanted = [code for code in given.only.split(",") if code] or list(countries())
    rows = [
        read_drawn(code, layout, seed)
        for code in wanted
        for layout in countries()[code].documents
        if can_draw(layout)
        for seed in range(given.seeds)
    ]
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n")
    show(Console(width=None if sys.stdout.isatty() else 150), rows)
    return 0


def show(console: Console, rows: list[Drawn]) -> None:
    table = Table(title=f"{len(rows)} drawn fronts", title_justify="left")
    for heading in ("country", "kind", "version", "known from", "recognised", *(name.value for name in SHOWN)):
        table.add_column(heading)
    marks = {True: "✔", False: "✘", None: ""}
    for row in rows:
        cells = [marks[row.right.get(name.value)] for name in SHOWN]
        table.add_row(row.country, row.kind, row.version, row.known_from, marks[row.recognised], *cells)
    totals = [_share([row.right[name.value] for row in rows if name.value in row.right]) for name in SHOWN]
    table.add_row("all", "", "", "", _share([row.recognised for row in rows]), *totals)
    console.print(table)


def _share(results: list[bool]) -> str:
    return f"{sum(results)}/{len(results)}" if results else ""


if __name__ == "__main__":
    sys.exit(main())
