"""The columns of the list: which there are, which are shown unless a view chooses others."""

from collections.abc import Iterable
from typing import Final

COLUMNS: Final = {
    "status": "Status",
    "customer": "Customer",
    "kind": "Kind",
    "document": "Document",
    "issue": "Gravest issue",
    "score": "Score / needed",
    "decided_by": "Decided by",
    "holder": "Held by",
    "created": "Created",
    "ended": "Ended",
}
"""Every column but the first, which leads to the transaction, in the order in which they stand."""
USUAL: Final = ("status", "customer", "kind", "document", "issue", "score")
"""The time in whose order the list stands is always shown beside them."""


def known_columns(names: Iterable[str]) -> tuple[str, ...] | None:
    """Those of these names that are columns, in their order; None when that is the usual choice, or nothing."""
    wanted = set(names)
    found = tuple(name for name in COLUMNS if name in wanted)
    return None if not found or found == USUAL else found


def shown_columns(chosen: tuple[str, ...] | None, by_end: bool) -> list[tuple[str, str]]:
    """Name and title of each column to show."""
    in_order = "ended" if by_end else "created"
    wanted = {*(chosen or USUAL), in_order}
    return [(name, title) for name, title in COLUMNS.items() if name in wanted]
