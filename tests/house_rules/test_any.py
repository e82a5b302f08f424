"""`Any` belongs to the edge of JSON: it may not spread."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "truename"
WITHOUT = (
    "analysis",
    "capture",
    "media",
    "privacy",
    "bundled",
    "vision/document",
    "vision/decoding",
    "vision/examine.py",
)
"""Rooms and files in which everything has a type."""
AT_MOST = 60
"""Lines that mention it, in the whole house: rows of SQL, JSON bodies, the OpenAPI description. Only lower it."""


def mentions(path: Path) -> list[str]:
    """Each line of code that mentions Any, as file:line."""
    text = re.sub(r'""".*?"""', lambda found: "\n" * found[0].count("\n"), path.read_text("utf-8"), flags=re.DOTALL)
    return [
        f"{path.relative_to(SOURCE)}:{number}"
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(r"\bAny\b", line.partition("#")[0])
    ]


def files(place: str) -> list[Path]:
    path = SOURCE / place
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def test_the_rooms_that_need_no_any_have_none():
    assert all(files(place) for place in WITHOUT)
    assert [mention for place in WITHOUT for path in files(place) for mention in mentions(path)] == []


def test_any_does_not_spread():
    found = [mention for path in files(".") for mention in mentions(path)]
    assert len(found) <= AT_MOST, "give the new ones a type: a dataclass, a Protocol, object"
