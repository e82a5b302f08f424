"""Is a query put together from our own constants only? mypy takes LiteralString for str, so it cannot tell."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "truename"
WORD = re.compile(r"SELECT|INSERT|UPDATE|DELETE|WHERE")
"""What a module with a query has somewhere: the others need not be parsed."""
QUERY = re.compile(r"\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE\b.+\bSET|DELETE FROM|WHERE\b.+=)", re.DOTALL)
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]+")
LISTING, FORGET, CLOCK = "dashboard/listing/store.py", "privacy/forget.py", "sandbox/clock.py"
KNOWN = {
    *(("audit/read.py", "' AND '.join(where)"), (LISTING, "conditions")),  # chosen of conditions that stand there
    *((LISTING, "columns"), (LISTING, "rows"), (LISTING, "begin"), (LISTING, "order"), (LISTING, "joined")),
    *((FORGET, "table"), (FORGET, "'AND NOT EXISTS (")),  # of a tuple that stands there
    *((CLOCK, "sql.Identifier(table)"), (CLOCK, "moved")),  # of AGES, and quoted by psycopg
}
"""Parts that are no constants by their name, of which somebody has looked where they come from."""


def parts(text: str) -> Iterator[str]:
    """What is put into the queries of a module: by f-string, `%`, `+`, `format` and `replace`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr) and _is_query(node):
            yield from (ast.unparse(one.value) for one in node.values if isinstance(one, ast.FormattedValue))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod) and _is_query(node):
            yield from (ast.unparse(one) for one in (node.left, node.right) if not _is_text(one))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("format", "replace")
            and _is_query(node)
        ):
            yield from (ast.unparse(one) for one in node.args if not _is_text(one))


def _is_query(node: ast.expr) -> bool:
    written = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return QUERY.search("".join(written)) is not None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp)


def test_nothing_but_constants_of_ours_is_put_into_a_query():
    found = {
        (str(path.relative_to(SOURCE)), part if len(part) < 40 else part.partition("SELECT")[0])
        for path in SOURCE.rglob("*.py")
        if WORD.search(text := path.read_text("utf-8"))
        for part in parts(text)
        if not CONSTANT.fullmatch(part.rpartition(".")[2])
    }
    assert found == KNOWN, "give values as parameters; what must be put together is a constant, or is named above"


def test_what_somebody_sent_would_be_seen():
    for query in (
        'q = f"SELECT a FROM b WHERE c = {name}"',
        'q = "SELECT a FROM b WHERE c = " + name',
        'q = "DELETE FROM b WHERE c = %s" % name',
        'q = "DELETE FROM {}".format(name)',
    ):
        assert list(parts(query)) == ["name"], query
    assert [one for one in parts('q = f"SELECT {COLUMNS} FROM b"') if not CONSTANT.fullmatch(one)] == []
