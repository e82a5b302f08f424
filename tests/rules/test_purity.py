"""The judgement has no clock, no database, no network and no images."""

import ast
from pathlib import Path

import truename.rules

FOLDER = Path(truename.rules.__file__).parent
PERMITTED = {
    "anyascii", "collections", "contextlib", "contextvars", "dataclasses", "datetime", "difflib", "enum", "idna",
    "importlib", "ipaddress", "itertools", "math", "operator", "pkgutil", "pydantic", "pydantic_core", "rapidfuzz",
    "re", "stdnum", "truename", "types", "typing", "unicodedata",
}  # fmt: skip


def test_the_rules_import_nothing_that_reaches_outside() -> None:
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in modules:
                assert module.split(".")[0] in PERMITTED, f"{path.name} imports {module}"
                assert not module.startswith("truename.") or module.startswith("truename.rules"), path.name


def test_the_rules_never_ask_what_time_it_is() -> None:
    for path in FOLDER.rglob("*.py"):
        calls = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
        assert not calls & {"now", "utcnow"}, path.name
        assert ".today()" not in path.read_text(), path.name
