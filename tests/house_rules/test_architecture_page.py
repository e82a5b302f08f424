"""Does ARCHITECTURE.md name what is there, and is what is there named?"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "truename"
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ONE_PAGE = 110
"""Lines of a page that is read at one go."""


def table() -> list[tuple[str, str]]:
    """The rows of "Where is …?": what somebody looks for, and where it is kept."""
    part = PAGE.partition("## Where is …?")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| ")]
    return [(row[0].strip(), row[1].strip()) for row in rows[1:]]


def named(cell: str) -> list[Path]:
    """The paths of a cell; a bare file name stands beside the file named before it."""
    paths: list[Path] = []
    folder = SOURCE
    for word in re.findall(r"`([^`]+)`", cell):
        if not re.fullmatch(r"[\w*./]+", word) or not (word.endswith((".py", "/", ".toml", ".js"))):
            continue
        path = ROOT / word if word.startswith(("spec/", "src/")) else (SOURCE if "/" in word else folder) / word
        folder = path if word.endswith("/") else path.parent
        paths.append(path)
    return paths


def test_every_place_that_the_table_names_exists():
    rows = table()
    assert len(rows) > 15
    for what, where in rows:
        paths = named(where)
        assert paths, f"{what}: no place is named"
        for path in paths:
            assert list(path.parent.glob(path.name)), f"{what}: there is no {path.relative_to(ROOT)}"


def test_every_file_that_the_tree_names_exists():
    tree = PAGE.partition("```\nsrc/truename/")[2].partition("```")[0]
    names = set(re.findall(r"\b[a-z_]+\.py\b", tree))
    assert len(names) > 20
    there = {path.name for folder in (SOURCE, ROOT / "tools") for path in folder.rglob("*.py")}
    assert names <= there


def test_every_room_stands_on_the_page():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {room for room in rooms if f"{room}/" not in PAGE} == set()


def test_it_is_one_page():
    assert len(PAGE.splitlines()) <= ONE_PAGE
