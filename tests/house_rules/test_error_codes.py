"""Is every code that the source can emit in the one table, and everything in the table emitted somewhere?"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from tools.errors_docs import PAGE, page

from truename.plumbing import errors
from truename.plumbing.error_codes import FAULTS, OF_THE_DASHBOARD, PROBLEMS
from truename.plumbing.errors import Refusal
from truename.rules import faults
from truename.vision.decoding import header

SOURCE = Path(__file__).parents[2] / "src" / "truename"
CODE_STANDS_AT = {"Fault": 1, "_fault": 1, "_out_of_order": None, "PydanticCustomError": 0, "Unacceptable": 0}
"""Functions that make a fault, and which of their arguments is its code."""
UTTERS = re.compile(rf"\bcode\b|\b({'|'.join(CODE_STANDS_AT)})\b")
"""What a module with such a call, or with one whose `code` is named, has somewhere: the others need not be parsed."""


@cache
def calls() -> list[tuple[str, ast.Call]]:
    return [
        (name, node)
        for path in SOURCE.rglob("*.py")
        if UTTERS.search(text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        for name in [getattr(node.func, "id", getattr(node.func, "attr", ""))]
        if name in CODE_STANDS_AT or any(keyword.arg == "code" for keyword in node.keywords)
    ]


def texts_of(node: ast.expr) -> set[str]:
    """The texts that an expression can be; a name inside is a value that another call brought in."""
    if isinstance(node, ast.IfExp):
        return texts_of(node.body) | texts_of(node.orelse)
    if isinstance(node, ast.JoinedStr) and ast.unparse(node) == "f'image_{refused.reason_code}'":
        return {f"image_{reason}" for reason in get_args(header.Reason)}
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def kinds_of(base: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def test_every_problem_code_is_in_the_table_with_its_status_and_none_is_made_up():
    by_class = {kind.code: kind.status for kind in kinds_of(Refusal)}
    by_place = {
        keyword.value.value: getattr(errors, name).status
        for name, call in calls()
        for keyword in call.keywords
        if keyword.arg == "code" and hasattr(errors, name) and isinstance(keyword.value, ast.Constant)
    }
    assert {code: row.status for code, row in {**PROBLEMS, **OF_THE_DASHBOARD}.items()} == by_class | by_place


def test_the_interface_names_no_code_of_the_dashboard_and_nothing_else_of_ours_utters_one():
    assert not PROBLEMS.keys() & OF_THE_DASHBOARD.keys()
    named = {kind.__name__ for kind in kinds_of(Refusal) if kind.code in OF_THE_DASHBOARD}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        raised = {word for word in named if re.search(rf"raise {word}\b", text)}
        raised |= {code for code in OF_THE_DASHBOARD if f'code="{code}"' in text}
        assert not raised or "dashboard" in path.relative_to(SOURCE).parts, (path, raised)


def test_every_fault_code_is_in_the_table_and_none_is_made_up():
    written = {
        text
        for name, call in calls()
        if (place := CODE_STANDS_AT.get(name)) is not None and len(call.args) > place
        for text in texts_of(call.args[place])
    }
    ours = {code for code, _ in faults.OURS.values()} | {faults.OTHERWISE[0]}
    assert set(FAULTS) == written | ours


def test_codes_are_words_and_rows_say_something():
    rows = [(code, problem.meaning, problem.remedy) for code, problem in {**PROBLEMS, **OF_THE_DASHBOARD}.items()]
    rows += [(code, fault.meaning, fault.remedy) for code, fault in FAULTS.items()]
    for code, meaning, remedy in rows:
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code)
        assert meaning.endswith(".")
        assert remedy.endswith(".")


def test_the_page_of_errors_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"
