"""Write docs/explanation/accuracy.md and the README's table from measured figures (docs/explanation/accuracy.json).

    python -m tools.accuracy_page                     # write both pages anew from the figures
    python -m tools.accuracy_page --take rows.json    # first take the sections of a benchmark's --json, measured today

The words stand in tools/accuracy_page.md.jinja, the figures in the JSON: aggregated numbers only, no picture, no name.
"""

import argparse
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.accuracy_rows import CHOSEN_HERE, NOTHING_FITTED, Row
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, TypeAdapter

ROOT: Final = Path(__file__).parents[1]
FIGURES: Final = ROOT / "docs" / "explanation" / "accuracy.json"
PAGE: Final = ROOT / "docs" / "explanation" / "accuracy.md"
README: Final = ROOT / "README.md"
TEMPLATE: Final = "accuracy_page.md.jinja"
BEGIN, END = "<!-- accuracy: written by tools/accuracy_page.py -->", "<!-- accuracy: end -->"
EDGEFACE: Final = "edgeface: "
IN_FOLD: Final = re.compile(r"in fold (-?[\d.]+) (%|years)")
IN_README: Final = (
    ("faces", "selfie_id: genuine pairs refused at 0.85", "selfie against ID portrait, same person: refused"),
    ("faces", "edgeface: selfie_id: genuine pairs refused at 0.85", "… with the recipe `edgeface`: refused"),
    ("faces", "lfw: strangers passing at 0.85", "two strangers taken for one person (LFW)"),
    ("mrz", "mrz: exact in every character", "machine-readable zone exact in every character"),
    ("documents", "country and kind right", "country and kind of document right"),
    ("documents", "number, dates and names all exact, with zone", "number, dates and names all exact, with zone"),
    (
        "liveness",
        "challenge: photographs moved as a plane, all, accepted",
        "photographs held before the camera: accepted",
    ),
    (
        "liveness",
        "if an attack also passed the challenge, as shipped, fitted to other sources: accepted",
        "attacks that happen to fit the challenge, on sources that nobody fitted to: accepted",
    ),
)


class Section(BaseModel):
    """The rows of one section, and when they were measured."""

    model_config = ConfigDict(extra="forbid")

    measured: str
    in_folds: bool = True
    """False for figures from before limits were chosen in folds: then they were chosen on these very pictures."""
    rows: list[Row]

    def row(self, measure: str) -> Row:
        """One row; raises KeyError when it was not measured."""
        for one in self.rows:
            if one.measure == measure:
                return one
        raise KeyError(f"no figure {measure!r}")


Sections = dict[str, Section]
ROWS: Final = TypeAdapter(list[Row])


def read_figures(file: Path = FIGURES) -> Sections:
    """The figures that are published."""
    return {name: Section.model_validate(section) for name, section in json.loads(file.read_text("utf-8")).items()}


def take(sections: Sections, benchmark: Path, measured: str) -> Sections:
    """The same figures with the sections that a run of the benchmark has in its JSON put in whole."""
    rows = ROWS.validate_json(benchmark.read_bytes())
    fresh = {
        name: Section(measured=measured, rows=[row for row in rows if row.section == name])
        for name in dict.fromkeys(row.section for row in rows)
    }
    return {**sections, **fresh}


def page(sections: Sections) -> str:
    """The page on accuracy."""
    around = Environment(  # Markdown, not HTML: nothing is to be escaped
        loader=FileSystemLoader(ROOT / "tools"),
        undefined=StrictUndefined,
        trim_blocks=True,
        autoescape=False,  # noqa: S701
    )
    return around.get_template(TEMPLATE).render(
        table=lambda name: _table(sections[name]),
        faces=lambda: _two_recipes(sections["faces"]),
        measured=lambda name: sections[name].measured,
        figure=lambda name, measure: _number(sections[name].row(measure)),
    )


def readme(sections: Sections, text: str) -> str:
    """The README with its table written anew."""
    lines = ["| | measured (95 % interval) | on |", "|-|-|-|"]
    for name, measure, words in IN_README:
        row = sections[name].row(measure)
        lines.append(f"| {words} | {_number(row)} | {row.n:,} |")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def _table(section: Section) -> str:
    """Every row of a section."""
    lines = [f"| measured {section.measured} | out of fold (95 % interval) | in fold | on | goal |", "|-|-|-|-|-|"]
    for row in section.rows:
        count = f"{row.n:,}" if row.n else ""
        number = _by_fold(row) if section.in_folds else ("not yet", _number(row))
        lines.append(f"| {row.measure.strip()} | {number[0]} | {number[1]} | {count} | {_goal(row)} |")
    return "\n".join(lines)


def _two_recipes(section: Section) -> str:
    """The rows of the default recipe with those of `edgeface` beside them."""
    other = {row.measure.removeprefix(EDGEFACE): row for row in section.rows if row.measure.startswith(EDGEFACE)}
    lines = [
        f"| measured {section.measured} | default, out of fold (95 %) | in fold | edgeface, out of fold (95 %) "
        "| in fold | on | goal of the default |",
        "|-|-|-|-|-|-|-|",
    ]
    for row in section.rows:
        if row.measure.startswith(EDGEFACE) or row.measure.startswith("false matches at 0.85"):
            continue
        beside = other.get(row.measure)
        said = _by_fold(beside) if beside else ("", "")
        lines.append(f"| {row.measure} | {' | '.join((*_by_fold(row), *said))} | {row.n:,} | {_goal(row)} |")
    return "\n".join(lines)


def _by_fold(row: Row) -> tuple[str, str]:
    """The figure out of fold, and in fold; the first is empty where these very pictures chose the limits."""
    return ("", _number(row)) if CHOSEN_HERE in row.note else (_number(row), _in_fold(row))


def _number(row: Row) -> str:
    """The figure with its interval, as a person reads it."""
    if row.value is None:
        return "not measured"
    shown = _shown(row.value, row.unit)
    if row.low is None or row.high is None:
        return f"{shown} {row.unit}".strip()
    interval = f"({_shown(row.low, row.unit)}–{_shown(row.high, row.unit)})"
    return f"{shown} % {interval}" if row.unit == "%" else f"{shown} {row.unit} {interval}"


def _in_fold(row: Row) -> str:
    """The figure by limits that these very pictures helped to choose; empty where there is none."""
    if NOTHING_FITTED in row.note:
        return "the same"
    found = IN_FOLD.search(row.note)
    return f"{float(found[1]):g} {found[2]}" if found else ""


def _goal(row: Row) -> str:
    """The target, and whether it is met."""
    return f"{row.target} {'✔' if row.meets else '**missed**'}" if row.target and row.meets is not None else ""


def _shown(value: float, unit: str) -> str:
    if unit != "%":
        return f"{value:.3g}"
    share = 100 * value
    return f"{share:.4f}" if 0 < share < 0.1 else f"{share:.1f}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--take", type=Path, help="the JSON of a run of benchmarks.accuracy")
    given = parser.parse_args(arguments)
    sections = read_figures()
    if given.take:
        sections = take(sections, given.take, f"{datetime.now(UTC):%d %B %Y}".lstrip("0"))
        whole = {name: section.model_dump() for name, section in sections.items()}
        FIGURES.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(sections), encoding="utf-8")
    README.write_text(readme(sections, README.read_text("utf-8")), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)} and the table of {README.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
