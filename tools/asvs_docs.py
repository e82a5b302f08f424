"""Write docs/reference/asvs.md from spec/asvs/: what OWASP's ASVS asks at levels 1 and 2, and what shows it."""

import os
import sys
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "spec" / "asvs"
PAGE = ROOT / "docs" / "reference" / "asvs.md"

HEAD = """# OWASP ASVS 5.0, levels 1 and 2

What the [Application Security Verification Standard][asvs] 5.0.0 asks of a service at its first two levels, in our
words and under its numbers, and what shows that it is so here: a test, a file or a page. It is our own assessment,
nobody else's; where you run Truename, look at the items that are yours, too. The standard itself has the full wording
(CC BY-SA 4.0). Level 3 is not assessed.

Written by `make docs` from `spec/asvs/`; do not edit. A test holds the list to the standard's numbers, and every test
and file named here to those that exist.

[asvs]: https://owasp.org/www-project-application-security-verification-standard/

"""
MEANINGS = """
**met**: so, and shown. **partly**: the row says what is missing. **not met**: not so. **yours**: decided by how you
run it; the row says where to read on. **not applicable**: Truename has no such thing.
"""


class State(StrEnum):
    """How an item stands."""

    MET = "met"
    PARTLY = "partly"
    NOT_MET = "not met"
    YOURS = "yours"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Item:
    """One requirement of the standard."""

    id: str
    level: int
    asks: str
    state: State
    says: str
    evidence: tuple[str, ...]
    """Paths from the root; of a test with `::` and its name."""


@dataclass(frozen=True)
class Chapter:
    """One chapter of the standard."""

    number: int
    title: str
    items: tuple[Item, ...]

    def count(self, state: State) -> int:
        return sum(item.state is state for item in self.items)


def chapters() -> list[Chapter]:
    """Every chapter, in order; KeyError or ValueError for a row that is not as it should be."""
    return [_chapter(path) for path in sorted(DATA.glob("v*.toml"))]


def _chapter(path: Path) -> Chapter:
    found = tomllib.loads(path.read_text("utf-8"))
    items = tuple(
        Item(
            row["id"],
            row["level"],
            row["asks"],
            State(row["state"]),
            row.get("says", ""),
            tuple(row.get("evidence", ())),
        )
        for row in found["item"]
    )
    return Chapter(found["chapter"], found["title"], items)


def page() -> str:
    """The whole page."""
    found = chapters()
    return HEAD + summary(found) + MEANINGS + open_items(found) + "".join(section(one) for one in found)


def summary(found: list[Chapter]) -> str:
    rows = "".join(
        f"| V{one.number} {one.title} | " + " | ".join(str(one.count(state) or "") for state in State) + " |\n"
        for one in found
    )
    sums = " | ".join(f"**{sum(one.count(state) for one in found)}**" for state in State)
    heads = " | ".join(State)
    return f"| chapter | {heads} |\n|-|{'-:|' * len(State)}\n{rows}| **together** | {sums} |\n"


def open_items(found: list[Chapter]) -> str:
    """What is not so, before anything else."""
    made = ""
    for state, head in ((State.NOT_MET, "Not met"), (State.PARTLY, "Met in part"), (State.YOURS, "Yours")):
        rows = [item for one in found for item in one.items if item.state is state]
        made += f"\n## {head}\n| asked | how it stands |\n|-|-|\n"
        made += "".join(f"| {asked(item)} | {item.says} |\n" for item in rows)
    return made


def section(chapter: Chapter) -> str:
    rows = "".join(
        f"| {asked(item)} | **{item.state}** {item.says} | {shown(item.evidence)} |\n" for item in chapter.items
    )
    head = "| asked | how it stands | shown by |\n|-|-|-|\n"
    return f"\n## V{chapter.number} {chapter.title}\n{head}{rows}"


def asked(item: Item) -> str:
    """The number of an item, its level, and what it asks."""
    return f"**{item.id}** (L{item.level}) {item.asks}"


def shown(evidence: tuple[str, ...]) -> str:
    """Tests by their file and sentence, pages as links, other files by their path."""
    return "<br>".join(_shown(one) for one in evidence)


def _shown(one: str) -> str:
    path, _, test = one.partition("::")
    if path.endswith(".md"):
        return f"[{Path(path).stem}]({os.path.relpath(ROOT / path, PAGE.parent)})"
    sentence = test.removeprefix("test_").replace("_", " ")
    return f"`{path}`" + (f": {sentence}" if sentence else "")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}", file=sys.stderr)
