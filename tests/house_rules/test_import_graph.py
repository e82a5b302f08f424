"""The house as its imports draw it: no circle, no arrow up, no import hidden from whoever reads the code."""

import re
import tomllib
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType

import grimp
import pytest

from truename.rules.checks import CHECKS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "truename"
BY_NAME = {
    "wiring.py": "jobs: a lower room queues work of a higher one by its name, and only the wiring knows them all",
    "cli/__init__.py": "commands: a command's module is imported when it is called, so that --help answers at once",
}
"""Files that may import our own code by a name in a string, and what."""
THEIRS = {"device/origin.py": "geoip2fast, which reads its data when it is imported"}
"""Files that may import somebody else's package so."""


@cache
def imports(package: str = "truename") -> dict[str, set[str]]:
    """Each module, and those of its package that it imports, also inside its functions."""
    graph = grimp.build_graph(package, cache_dir=None)
    return {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def circle(arrows: dict[str, set[str]]) -> list[str]:
    try:
        tuple(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def siblings(arrows: dict[str, set[str]]) -> dict[str, dict[str, set[str]]]:
    """The same arrows, drawn inside each folder between what lies in it: modules and folders alike."""
    drawn: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for importer, imported in arrows.items():
        for other in imported:
            one, two = importer.split("."), other.split(".")
            common = next(
                (place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
            )
            if common < len(one) and common < len(two):
                drawn[".".join(one[:common])][one[common]].add(two[common])
    return drawn


@pytest.mark.parametrize(("package", "least"), [("truename", 200), ("benchmarks", 10), ("tests", 80)])
def test_no_module_imports_itself_by_a_circle(package, least):
    assert len(imports(package)) > least
    assert circle(imports(package)) == []


@pytest.mark.parametrize("package", ["truename", "benchmarks"])
def test_no_circle_joins_the_folders_of_a_room(package):
    circles = {folder: found for folder, arrows in siblings(imports(package)).items() if (found := circle(arrows))}
    assert circles == {}


def layers() -> list[set[str]]:
    """The rooms as the contract lists them, highest first; those that do not exist yet are left out."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    lines = contracts[0]["layers"]
    return [
        there for line in lines if (there := {room for room in re.findall(r"truename\.(\w+)", line) if exists(room)})
    ]


def exists(room: str) -> bool:
    return (SOURCE / room / "__init__.py").is_file() or (SOURCE / f"{room}.py").is_file()


def test_every_room_has_its_place_in_the_contract():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")} | {
        path.stem for path in SOURCE.glob("*.py") if path.stem != "__init__"
    }
    assert set().union(*layers()) == rooms


def test_no_arrow_runs_up():
    height = {room: number for number, layer in enumerate(layers()) for room in layer}
    up = [
        f"{importer} imports {other}"
        for importer, imported in imports().items()
        for other in imported
        if importer.count(".")
        and other.count(".")
        and height[other.split(".")[1]] <= height[importer.split(".")[1]]
        and other.split(".")[1] != importer.split(".")[1]
    ]
    assert up == []


def test_the_page_of_the_house_tells_the_same_order_as_the_contract():
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    said = re.search(r"^(cli > .*?);$", page, re.MULTILINE | re.DOTALL)
    assert said, "ARCHITECTURE.md lists the order of the rooms as `cli > …;`"
    assert [set(re.findall(r"\w+", line)) for line in said[1].split(">")] == layers()


def test_no_test_takes_anything_from_another_test():
    """What tests share stands in tests/support, or is a fixture of a conftest.py."""
    taken = {
        f"{importer} imports {other}"
        for importer, imported in imports("tests").items()
        for other in imported
        if other.rpartition(".")[2].startswith("test_") or other.endswith(".conftest")
    }
    assert taken == set()


@pytest.mark.parametrize("pattern", [r"\bimport_module\(", r"\b__import__\("])
def test_our_own_code_is_imported_where_an_editor_can_follow(pattern):
    by_name = {
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if re.search(pattern, path.read_text("utf-8"))
    }
    assert by_name <= BY_NAME.keys() | THEIRS.keys()


def test_every_check_is_listed():
    files = {path.stem for path in (SOURCE / "rules" / "checks").glob("*.py")} - {"__init__"}
    assert {one.__name__.rpartition(".")[2] for one in CHECKS if isinstance(one, ModuleType)} == files
