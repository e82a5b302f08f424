"""Tables on a phone: a row becomes a block there, and each of its cells says which column it belongs to.

The words come from the table's own head, so that no template says them twice.
"""

import re
from typing import Final

_TABLE: Final = re.compile(r"<table\b.*?</table>", re.DOTALL)
_HEADING: Final = re.compile(r'<th scope="col"[^>]*>(.*?)</th>', re.DOTALL)
_BODY: Final = re.compile(r"<tbody>.*</tbody>", re.DOTALL)
_ROW: Final = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL: Final = re.compile(r'<t(?:d|h scope="row")(?=[ >])')
_TAG: Final = re.compile(r"<[^>]*>")
_SPOKEN: Final = re.compile(r'<span class="only-spoken">.*?</span>', re.DOTALL)


def with_labels(page: str) -> str:
    """The same page, in which each cell of a table names its column."""
    return _TABLE.sub(lambda found: _labelled(found[0]), page)


def _labelled(table: str) -> str:
    labels = [" ".join(_TAG.sub("", _SPOKEN.sub("", heading)).split()) for heading in _HEADING.findall(table)]
    labels = [label.replace('"', "&quot;") for label in labels]

    def row(found: re.Match[str]) -> str:
        if "colspan" in found[0]:
            return found[0]
        left = iter(labels)

        def cell(start: re.Match[str]) -> str:
            label = next(left, "")
            return f'{start[0]} data-label="{label}"' if label else start[0]

        return _CELL.sub(cell, found[0])

    return _BODY.sub(lambda body: _ROW.sub(row, body[0]), table)
