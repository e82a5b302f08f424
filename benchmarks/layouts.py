"""Every layout drawn, photographed and read again: a table of what is recognised and read of each.

python -m benchmarks.layouts [--json out.json] [--only ES,DE] [--seeds 2] [--first 100] [--scripts]

Each seed is another person (names of several forms, other birth dates and numbers), other paper and another photograph;
`--first` is the first of the seeds. `--scripts` draws only the layouts that are printed in another script than Latin;
names must be right to the letter.

Drawn documents are kinder than real ones: fonts are plain, nothing is worn. The table shows what a layout file makes
possible, not what strangers' cards will give; for those see benchmarks/accuracy.py.
"""

import argparse
import json
import sys
import unicodedata
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from truename.rules.evidence import FieldName
from truename.sandbox.drawing.from_layout import can_draw, draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Person
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import DocumentLayout, LayoutField, Script
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)
PEOPLE = (
    ("F", "RIVERA", "MARTA LUCIA"), ("M", "LINDGREN", "JAN ERIK"), ("F", "ÖZTÜRK", "AYŞE"), ("M", "O'BRIEN", "SEAN"),
    ("F", "NOWAK-KOWALSKA", "ZOFIA"), ("M", "DE LA CRUZ", "JOSE MARIA"), ("F", "NGUEMA", "CHIARA"),
    ("M", "WEISS", "FRIEDRICH"),
    ("F", "PAPADIMITRIOU", "ELENI"), ("M", "MUÑOZ", "IÑIGO"), ("F", "HALL", "ANNE-MARIE"),
    ("M", "SANTOS", "LUIZ FERNANDO"),
)  # fmt: skip
"""Invented; who stands on layouts in Latin letters."""
SHOWN = (FieldName.DOCUMENT_NUMBER, FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DATE_OF_BIRTH,
         FieldName.DATE_OF_EXPIRY)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """One drawn front and what was read of it."""

    country: str
    kind: str
    version: str
    known_from: str
    script: str
    seed: int
    recognised: bool
    right: dict[str, bool]
    """By field that is printed on the front."""
    wrong: dict[str, tuple[str | None, str]]
    """What was read and what is printed, where they differ."""


def somebody(layout: DocumentLayout, seed: int) -> Person | None:
    """Another person for each seed; nobody where the layout's script brings people of its own."""
    if layout.script is not Script.LATIN:
        return None
    sex, surnames, given_names = PEOPLE[seed % len(PEOPLE)]
    field = layout.fields.get(LayoutField.SURNAMES)
    born = date(1950, 1, 1) + timedelta(days=(seed * 7919) % 18_000)
    second = " SOLER" if field is not None and field.second else ""
    return Person(f"{surnames}{second}", given_names, sex, born, "NOVIGRAD")


def read_drawn(country: str, layout: DocumentLayout, seed: int) -> Drawn:
    document = draw(country, layout, somebody(layout, seed), seed=seed)
    photo, _ = photograph(document.front, seed=seed, rotation=3, perspective=0.2, background="wood")
    found = read_document(photo, None, TODAY).evidence
    right, wrong = {}, {}
    for name, value in document.fields.items():
        read = found.value(name)
        right[name.value] = read is not None and same(read, value)
        if not right[name.value]:
            wrong[name.value] = (read, value)
    recognised = (found.country, found.type) == (country, layout.kind)
    kind, known_from, script = layout.kind.value, layout.known_from.value, layout.script.value
    return Drawn(country, kind, layout.version, known_from, script, seed, recognised, right, wrong)


def same(read: str, printed: str) -> bool:
    """To the letter in other scripts; where both are Latin, accents and spaces do not count."""
    if read.isascii() or printed.isascii():
        return fold(read) == fold(printed)
    one, other = (" ".join(unicodedata.normalize("NFKC", text).upper().split()) for text in (read, printed))
    return one == other


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the rows here too")
    parser.add_argument("--only", default="", help="countries, by comma")
    parser.add_argument("--seeds", type=int, default=1, help="so many people for each layout")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--scripts", action="store_true", help="only layouts in other scripts than Latin")
    given = parser.parse_args(arguments)
    wanted = [code for code in given.only.split(",") if code] or list(countries())
    rows = [
        read_drawn(code, layout, seed)
        for code in wanted
        for layout in countries()[code].documents
        if can_draw(layout) and (layout.script is not Script.LATIN or not given.scripts)
        for seed in range(given.first, given.first + given.seeds)
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
    by_script = Table(title="by script", title_justify="left")
    for heading in ("script", "fronts", "recognised", *(name.value for name in SHOWN)):
        by_script.add_column(heading)
    for script in sorted({row.script for row in rows}):
        of = [row for row in rows if row.script == script]
        shares = [_share([row.right[name.value] for row in of if name.value in row.right]) for name in SHOWN]
        by_script.add_row(script, str(len(of)), _share([row.recognised for row in of]), *shares)
    console.print(by_script)


def _share(results: list[bool]) -> str:
    return f"{sum(results)}/{len(results)}" if results else ""


if __name__ == "__main__":
    sys.exit(main())
