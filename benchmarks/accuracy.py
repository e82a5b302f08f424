"""How well does it see? One table over all sections, on photographs in FOLDER, with peers beside it on request.

python -m benchmarks.accuracy --data FOLDER [--peers] [--only faces,mrz] [--json out.json] [--plots DIR]
"""

import argparse
import importlib
import importlib.util
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.accuracy_rows import Row, part
from truename.vision.configuration import VisionConfiguration, configure

ADDED_MODELS = Path("data") / "models"
"""Where `truename models add` of this checkout keeps weights."""
SECTIONS = ("faces", "age", "mrz", "documents", "authenticity", "liveness", "challenge", "light")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with lfw/, selfie_id/, mrz/ …")
    parser.add_argument("--peers", action="store_true", help="run other libraries on the same images")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by comma")
    parser.add_argument("--json", type=Path, help="write the rows here too")
    parser.add_argument("--plots", type=Path, help="write plots into this folder")
    parser.add_argument("--models", type=Path, help="an operator's table of models, as TRUENAME_MODELS names it")
    parser.add_argument(
        "--added-models", type=Path, help="where `truename models add` keeps weights (the data folder's own)"
    )
    given = parser.parse_args(arguments)
    configure(VisionConfiguration(models_file=given.models, added_models=given.added_models or ADDED_MODELS))
    if not given.data.is_dir():
        parser.error(f"there is no folder {given.data}")
    if given.plots:
        if importlib.util.find_spec("matplotlib") is None:
            parser.error("--plots needs matplotlib: run `make install-dev`")
        given.plots.mkdir(parents=True, exist_ok=True)
    chosen = given.only.split(",")
    if unknown := [name for name in chosen if name not in SECTIONS]:
        parser.error(f"there is no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    rows: list[Row] = []
    for name in chosen:
        rows += _section(name, given.data, given.peers, given.plots)
        if given.json:
            given.json.write_text(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n")
    show(Console(width=None if sys.stdout.isatty() else 170), rows)
    return 1 if any(row.value is None and row.target for row in rows) else 0


def _section(name: str, data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """Run one section; a section that cannot run is a row that says so, never a silent gap."""
    started = time.monotonic()

    def run() -> list[Row]:
        # Imported here: a package that one section lacks must not hide the others' figures.
        rows: list[Row] = importlib.import_module(f"benchmarks.accuracy_sections.{name}").run(data, peers, plots)
        return rows

    rows = part(name, "could not be measured", run)
    print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return rows


def show(console: Console, rows: list[Row]) -> None:
    table = Table(title="Accuracy", title_justify="left")
    for heading, side in [
        ("section", "left"),
        ("measure", "left"),
        ("value", "right"),
        ("95 % interval", "right"),
        ("target", "left"),
        ("", "center"),
        ("n", "right"),
        ("note", "left"),
    ]:
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    before = None
    for row in rows:
        if before is not None and row.section != before:
            table.add_section()
        mark = {True: "[green]✔[/green]", False: "[red]✘[/red]", None: ""}[row.meets]
        interval = "" if row.low is None or row.high is None else f"{_number(row, row.low)} … {_number(row, row.high)}"
        value = "—" if row.value is None else f"{_number(row, row.value)} {row.unit}".strip()
        n = f"{row.n:,}" if row.n else ""
        name = row.section if row.section != before else ""
        table.add_row(name, row.measure, value, interval, row.target, mark, n, row.note)
        before = row.section
    console.print(table)


def _number(row: Row, value: float) -> str:
    if row.unit != "%":
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    share = 100 * value
    return f"{share:.4f}" if 0 < share < 0.1 else f"{share:.2f}"


if __name__ == "__main__":
    sys.exit(main())
