"""Does the audit log know every detail that our code writes down? It refuses others only once they come."""

import ast
from collections.abc import Iterator
from pathlib import Path

from truename.audit.model import DETAILS

SOURCE = Path(__file__).parents[2] / "src" / "truename"


def written_details() -> Iterator[tuple[str, str]]:
    """Where and under which name: of each dictionary that stands as `details` of what has an `action`, or is assigned
    to that name where the audit log is imported."""
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text("utf-8")
        if "truename.audit" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            given: list[ast.expr] = []
            if isinstance(node, ast.Call) and any(word.arg == "action" for word in node.keywords):
                given = [word.value for word in node.keywords if word.arg == "details"]
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                given = [node.value for target in targets if isinstance(target, ast.Name) and target.id == "details"]
            for value in given:
                yield from ((f"{file.name}:{value.lineno}", name) for name in names_in(value))


def names_in(value: ast.expr) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant):
                    yield str(key.value)


def test_every_detail_that_is_written_down_is_known():
    """Seen before: `truename models use` ended as a defect when all was done, and left no line."""
    found = list(written_details())
    assert len(found) > 40, "the rule has lost sight of what is written"
    assert {"made", "promoted"} < {name for _, name in found}
    assert [one for one in found if one[1] not in DETAILS] == []
