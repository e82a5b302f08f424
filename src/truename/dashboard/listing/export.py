"""The list as CSV, streamed page by page; that it was exported is written down before the first byte."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final
from uuid import UUID

from psycopg.rows import DictRow

from truename.dashboard.listing import store
from truename.dashboard.listing.filters import Filters
from truename.dashboard.patience import bounded
from truename.dashboard.words import plain_cell
from truename.plumbing.http.answers import instant
from truename.plumbing.http.pagination import Position
from truename.plumbing.resources import Plumbing

CHUNK: Final = 500
COLUMNS: Final = (
    "transaction_id",
    "external_customer_id",
    "customer_id",
    "transaction_type",
    "status",
    "decided_by",
    "decided_at",
    "issues",
    "created_at",
    "submitted_at",
    "completed_at",
)


async def csv_rows(
    plumbing: Plumbing, account_id: UUID, actor: str, filters: Filters, today: date, zone: str
) -> AsyncIterator[bytes]:
    """The head, then every row that fits the filters, in order; times are ISO 8601 in UTC."""
    yield written([COLUMNS])
    filters = replace(filters, after=None)
    while True:
        conditions, given = store.where(filters, actor, today, zone)
        own = {**given, **store.page_parameters(filters, CHUNK), "account_id": account_id}
        query = store.rows_query(store.BARE_ROW, conditions, filters)
        async with plumbing.database.account(account_id) as connection, bounded(connection):
            cursor = await connection.execute(query, own)
            rows = await cursor.fetchall()
        if rows:
            yield written([_cells(row) for row in rows])
        if len(rows) < CHUNK:
            return
        column = "completed_at" if filters.by_end else "created_at"
        filters = replace(filters, after=Position(rows[-1][column], rows[-1]["transaction_id"]))


def _cells(row: DictRow) -> list[str]:
    cells = []
    for name in COLUMNS:
        value = row[name]
        if name == "issues":
            cells.append(" ".join(issue["code"] for issue in value))
        elif name.endswith("_at"):
            cells.append(instant(value) or "")
        else:
            cells.append(plain_cell("" if value is None else str(value)))
    return cells


def written(rows: Sequence[Sequence[str]]) -> bytes:
    """Rows of cells as lines of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()
