"""The rows of the list: what is known of each transaction at a glance, without a portrait."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

import psycopg
from psycopg.rows import DictRow

from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.dashboard.documents import document_words
from truename.dashboard.listing import store
from truename.dashboard.listing.filters import Filters
from truename.dashboard.patience import bounded
from truename.plumbing.http.pagination import Position
from truename.plumbing.resources import Plumbing
from truename.reviews.assign import assigned
from truename.reviews.model import Lease
from truename.reviews.queue import leases
from truename.rules.explain import SEARCHES
from truename.transactions.read import opened_dossier

PAGE: Final = 50
COUNTED_TO: Final = 1000
PATIENCE_MS: Final = 400
GRAVITY: Final = {"REJECTION": 0, "WARNING": 1, "INFORMATIONAL": 2}


@dataclass(frozen=True, slots=True)
class ShownIssue:
    """An issue of a row."""

    code: str
    severity: str


@dataclass(frozen=True, slots=True)
class Row:
    """One transaction of the list."""

    transaction_id: UUID
    external_customer_id: str | None
    customer_id: UUID
    transaction_type: str
    status: str
    document: str
    issues: tuple[ShownIssue, ...]
    """The gravest first."""
    score: float | None
    """The one that tells most: a failing one, or else the nearest to its threshold."""
    threshold: float | None
    created_at: datetime
    completed_at: datetime | None
    decided_by: str | None
    lease: Lease | None
    assigned_to: str | None
    """Whom the queue hands it to before others."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the list, and where the next one begins."""

    rows: tuple[Row, ...]
    next_page: Position | None


async def read_page(
    plumbing: Plumbing,
    account_id: UUID,
    actor: str,
    filters: Filters,
    today: date,
    zone: str,
    *,
    is_new_look: bool = True,
) -> Page:
    """One page; that it was read is written down, unless it is no new look. Raises NotReady when it takes too long."""
    conditions, given = store.where(filters, actor, today, zone)
    parameters = {**given, **store.page_parameters(filters, PAGE + 1), "account_id": account_id}
    async with plumbing.database.account(account_id) as connection, bounded(connection):
        found_in = await store.source(connection, account_id, filters, PAGE)
        query = store.rows_query(store.WHOLE_ROW, conditions, filters, found_in.rows)
        cursor = await connection.execute(query, {**parameters, **found_in.parameters})
        found = await cursor.fetchall()
        shown = found[:PAGE]
        ids = [row["transaction_id"] for row in shown]
        held = await leases(connection, account_id, ids)
        meant_for = await assigned(connection, account_id, ids)
    if is_new_look:
        entry = Entry(account_id, actor, Action.TRANSACTIONS_LISTED, f"account:{account_id}", {"count": len(shown)})
        await record_reading(plumbing.database, entry)
    rows = tuple(
        [
            await _row(plumbing, row, held.get(row["transaction_id"]), meant_for.get(row["transaction_id"]))
            for row in shown
        ]
    )
    last = shown[-1] if len(found) > PAGE else None
    column = "completed_at" if filters.by_end else "created_at"
    return Page(rows, Position(last[column], last["transaction_id"]) if last else None)


async def count_rows(
    plumbing: Plumbing,
    account_id: UUID,
    actor: str,
    filters: Filters,
    today: date,
    zone: str,
    patience_ms: int = PATIENCE_MS,
) -> int | None:
    """How many there are, counted to 1,001 at most; None when that would take too long."""
    conditions, given = store.where(filters, actor, today, zone)
    try:
        async with plumbing.database.account(account_id) as connection:
            await connection.execute(f"SET LOCAL statement_timeout = {patience_ms:d}")
            own = {**given, "account_id": account_id, "limit": COUNTED_TO + 1}
            found_in = await store.source(connection, account_id, filters, PAGE)
            query = store.count_query(conditions, found_in.rows)
            row = await (await connection.execute(query, {**own, **found_in.parameters})).fetchone()
    except psycopg.errors.QueryCanceled:
        return None
    return 0 if row is None else int(row["count"])


async def _row(plumbing: Plumbing, row: DictRow, lease: Lease | None, assigned_to: str | None) -> Row:
    score, threshold = telling_score(row["checks"])
    issues = sorted((ShownIssue(one["code"], one["severity"]) for one in row["issues"]), key=_gravity)
    return Row(
        row["transaction_id"],
        row["external_customer_id"],
        row["customer_id"],
        row["transaction_type"],
        row["status"],
        await _document(plumbing, row),
        tuple(issues),
        score,
        threshold,
        row["created_at"],
        row["completed_at"],
        row["decided_by"],
        lease,
        assigned_to,
    )


def _gravity(issue: ShownIssue) -> int:
    return GRAVITY.get(issue.severity, 3)


async def _document(plumbing: Plumbing, row: DictRow) -> str:
    if row["sealed_dossier"] is None or row["data_key"] is None:
        return "–"
    key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
    dossier = opened_dossier(key, bytes(row["sealed_dossier"]), row["transaction_id"])
    return "–" if dossier is None or dossier.evidence.document is None else document_words(dossier.evidence.document)


def telling_score(checks: Sequence[Mapping[str, object]]) -> tuple[float | None, float | None]:
    """The score that tells most, and its threshold: one that fails before one that passes, then the nearest.

    That of a face search is none: it fails from its threshold on.
    """
    scored = [
        (score, threshold)
        for one in checks
        if one.get("check") not in SEARCHES
        and isinstance(score := one.get("score"), float)
        and isinstance(threshold := one.get("threshold"), float)
    ]
    return min(scored, key=lambda pair: (pair[0] >= pair[1], abs(pair[0] - pair[1])), default=(None, None))
