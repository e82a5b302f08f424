"""Where a transaction stands in the list that led to it, and which come before and after it there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import psycopg
from starlette.datastructures import QueryParams

from truename.dashboard.case.model import Case
from truename.dashboard.listing import store
from truename.dashboard.listing.filters import Filters, filters_of
from truename.dashboard.listing.rows import COUNTED_TO, PAGE
from truename.dashboard.listing.screens import today, zone_of
from truename.dashboard.listing.views import views
from truename.dashboard.visit import Visit
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.pagination import Position

PATIENCE_MS: Final = 250
"""The page does not wait longer for its neighbours: they are a comfort."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The place in the list: `14 of 212 in "Rejected today"`."""

    before: UUID | None
    after: UUID | None
    place: int | None
    """From 1; None when it is farther down than anybody counts."""
    total: int | None
    """None when there are more than anybody counts."""
    name: str
    query: str


async def neighbours(visit: Visit, case: Case, list_query: Sequence[tuple[str, str]]) -> Neighbours | None:
    """The neighbours in the list of this query; None when they cannot be told, or not soon enough."""
    filters = replace(filters_of(QueryParams(list(list_query))), after=None)
    at = case.completed_at if filters.by_end else case.created_at
    if at is None:
        return None
    try:
        async with visit.connection() as connection:
            await connection.execute(f"SET LOCAL statement_timeout = {PATIENCE_MS}")
            before = await _beyond(connection, visit, filters, at, case.transaction_id, COUNTED_TO, backwards=True)
            after = await _beyond(connection, visit, filters, at, case.transaction_id, COUNTED_TO - len(before))
            known = await views(connection, visit.account_id, visit.operator.operator_id)
    except psycopg.errors.QueryCanceled:
        return None
    query = filters.query()
    name = next((f"“{view.name}”" for view in known if view.query == query), "this list" if query else "all")
    total = len(before) + 1 + len(after)
    return Neighbours(
        before[0] if before else None,
        after[0] if after else None,
        len(before) + 1 if len(before) < COUNTED_TO else None,
        total if total < COUNTED_TO else None,
        name,
        query,
    )


async def _beyond(
    connection: Connection,
    visit: Visit,
    filters: Filters,
    at: datetime,
    transaction_id: UUID,
    limit: int,
    *,
    backwards: bool = False,
) -> list[UUID]:
    """At most so many that stand behind this one in the list, or before it, the nearest first."""
    from_here = replace(filters, after=Position(at, transaction_id), oldest_first=filters.oldest_first is not backwards)
    conditions, given = store.where(filters, visit.actor, today(visit), zone_of(visit))
    found_in = await store.source(connection, visit.account_id, filters, PAGE)
    query = store.rows_query("t.transaction_id", conditions, from_here, found_in.rows)
    own = {**given, **store.page_parameters(from_here, max(1, limit)), "account_id": visit.account_id}
    cursor = await connection.execute(query, {**own, **found_in.parameters})
    return [row["transaction_id"] for row in await cursor.fetchall()]
