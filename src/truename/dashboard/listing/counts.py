"""How many rows each view has: asked for after the rows, counted to 1,000, and remembered for a moment."""

import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from uuid import UUID

from starlette.datastructures import QueryParams

from truename.dashboard.listing.filters import filters_of
from truename.dashboard.listing.rows import COUNTED_TO, count_rows
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing

KEPT_SECONDS: Final = 20.0
KEPT_COUNTS: Final = 2000
PATIENCE_MS: Final = 150
"""A view that takes longer to count is not counted: its chip bears no number."""


@dataclass
class _Kept:
    """Counts of a moment ago, by account, person, day and query."""

    counts: dict[tuple[UUID, str, date, str], tuple[float, int | None]] = field(default_factory=dict)


_KEPT: "weakref.WeakKeyDictionary[Database, _Kept]" = weakref.WeakKeyDictionary()


async def count_views(
    plumbing: Plumbing, account_id: UUID, actor: str, queries: Sequence[str], today: date, zone: str
) -> dict[str, int | None]:
    """The count of each query of a view; None where counting would take too long."""
    kept = _KEPT.setdefault(plumbing.database, _Kept()).counts
    found: dict[str, int | None] = {}
    for query in queries:
        key, moment = (account_id, actor, today, query), time.monotonic()
        at, number = kept.get(key, (-KEPT_SECONDS, None))
        if moment - at >= KEPT_SECONDS:
            filters = filters_of(QueryParams(query))
            number = await count_rows(plumbing, account_id, actor, filters, today, zone, PATIENCE_MS)
            if len(kept) >= KEPT_COUNTS:
                kept.clear()
            kept[key] = (moment, number)
        found[query] = number
    return found


def counted(number: int | None) -> str:
    """A count as it is shown: it stops at 1,000."""
    return "" if number is None else f"{COUNTED_TO:,}+" if number > COUNTED_TO else f"{number:,}"
