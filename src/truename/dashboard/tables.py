"""Tables on a phone: a row becomes a block there, and each of its cells says which column it belongs to.

The words come from the table's own head, so that no template says them twice. What people wrote is escaped, so a `<td`
is always one of ours.
"""

import re
from typing import Final

_HEADING: Final = re.compile(r'<th scope="col"[^>]*>(.*?)</th>', re.DOTALL)
_SPOKEN: Final = re.compile(r'<span class="only-spoken">.*?</span>', re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_OF_ROW: Final = '<th scope="row"'


def with_labels(page: str) -> str:
    """The same page, in which each cell of a table names its column."""
    before, *tables = page.split("<table")
    return "<table".join([before, *(_labelled(table) for table in tables)])


def _labelled(rest: str) -> str:
    """A table and what follows it up to the next one."""
    table, end, after = rest.partition("</table>")
    head, begin, body = table.partition("<tbody>")
    labels = [" ".join(_TAG.sub("", _SPOKEN.sub("", heading)).split()) for heading in _HEADING.findall(head)]
    marks = [f' data-label="{label}"' if label else "" for label in labels]
    first, *rows = body.split("<tr")
    return head + begin + "<tr".join([first, *(_row(row, marks) for row in rows)]) + end + after


def _row(row: str, marks: list[str]) -> str:
    if "colspan" in row:
        return row
    start, *cells = row.split("<td")
    left = iter(marks)
    if _OF_ROW in start:
        start = start.replace(_OF_ROW, _OF_ROW + next(left, ""))
    return start + "".join(f"<td{next(left, '')}{cell}" for cell in cells)
