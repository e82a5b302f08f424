"""The audit log: who did what to whom, whether the chain is whole, and who has seen one person."""

import weakref
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from starlette.responses import Response, StreamingResponse

from truename.audit.fold import LOOKS, folded
from truename.audit.model import Action, Entry, Line
from truename.audit.read import Filters, count_lines, read_lines
from truename.audit.reads import record_reading
from truename.audit.verify import Break, verify
from truename.dashboard.guard import Screen
from truename.dashboard.listing.export import written
from truename.dashboard.patience import bounded
from truename.dashboard.people import called
from truename.dashboard.visit import Visit
from truename.dashboard.whence import looks_at_others_cases, whence
from truename.dashboard.words import day_of, plain_cell
from truename.operators.model import Role
from truename.plumbing import clock
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.http.answers import instant
from truename.plumbing.http.queries import Query

PATH: Final = "/dashboard/audit"
PAGE: Final = 200
CHUNK: Final = 1_000
COLUMNS: Final = ("sequence", "at", "actor", "action", "subject", "details", "hash")
SMALL: Final = 20_000
"""Chains up to this length are checked when the page is opened; longer ones when somebody asks."""
OF_CUSTOMER: Final = """
SELECT 'customer:' || customer_id AS subject FROM customers WHERE account_id = %(account_id)s AND customer_id = %(id)s
UNION ALL (SELECT 'transaction:' || transaction_id FROM transactions
           WHERE account_id = %(account_id)s AND customer_id = %(id)s ORDER BY created_at DESC LIMIT 1000)
UNION ALL (SELECT 'media:' || media_id FROM media
           WHERE account_id = %(account_id)s AND customer_id = %(id)s ORDER BY created_at DESC LIMIT 5000)
"""


@dataclass(frozen=True)
class Checked:
    """What the last look at a chain found."""

    lines: int
    at: datetime
    broken: Break | None


_CHECKED: "weakref.WeakKeyDictionary[Database, dict[UUID, Checked]]" = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Wanted:
    """What was asked for, as the address says it."""

    filters: Filters
    query: str
    """The address without the place in the list, to be carried on."""
    customer_id: UUID | None


async def show_audit(visit: Visit) -> Response:
    """The newest lines that fit, looks folded; and the state of the chain."""
    wanted = await _wanted(visit, PAGE + 1)
    async with visit.connection() as connection:
        lines = list(reversed(await read_lines(connection, wanted.filters)))
        length = await _length(connection, visit.account_id)
        shown = folded(lines[:PAGE])
        outside = await looks_at_others_cases(connection, visit.account_id, [one.line for one in shown])
    await _note(visit, len(lines[:PAGE]))
    return visit.page(
        "audit.html",
        lines=shown,
        people=await called(visit.plumbing, [one.line.actor for one in shown]),
        outside=outside,
        whence=await whence(visit.plumbing, [one.line for one in shown]),
        more=lines[PAGE - 1].sequence if len(lines) > PAGE else None,
        wanted=wanted,
        query=visit.request.query_params,
        actions=tuple(Action),
        length=length,
        checked=await _checked(visit, length),
    )


async def post_check(visit: Visit) -> Response:
    """Walk the whole chain now."""
    await _check(visit)
    return visit.redirect(PATH)


async def export_audit(visit: Visit) -> Response:
    """All lines that fit as CSV, newest first, times in UTC; before it begins, the export is itself written down."""
    wanted = await _wanted(visit, CHUNK)
    async with visit.connection() as connection, bounded(connection):
        filters = replace(wanted.filters, up_to=await _length(connection, visit.account_id))
        count = await count_lines(connection, filters)
    await _note(visit, count)
    headers = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="audit.csv"'}
    return StreamingResponse(_csv_rows(visit, filters), 200, headers, "text/csv; charset=utf-8")


async def _wanted(visit: Visit, limit: int) -> Wanted:
    query = Query(visit.request, ("actor", "action", "subject", "customer_id", "looks", "since", "until", "before"))
    action = query.word("action", ("", *Action)) or None
    customer_id = query.identifier("customer_id") if query.text("customer_id") else None
    since, until = day_of(query.text("since"), visit.operator.time_zone), None
    if (last := day_of(query.text("until"), visit.operator.time_zone)) is not None:
        until = last + timedelta(days=1)
    before = query.whole("before", 1, 999_999_999, 0) or None
    query.refuse_faults()
    subjects = None
    if customer_id is not None:
        async with visit.connection() as connection:
            cursor = await connection.execute(OF_CUSTOMER, {"account_id": visit.account_id, "id": customer_id})
            subjects = tuple(row["subject"] for row in await cursor.fetchall())
    filters = Filters(
        account_id=visit.account_id,
        since=since,
        until=until,
        subject=(query.text("subject") or "").strip() or None,
        subjects=subjects,
        actor=(query.text("actor") or "").strip() or None,
        action=action,
        actions=tuple(LOOKS) if query.text("looks") == "1" else None,
        before=before,
        limit=limit,
    )
    kept = visit.request.url.remove_query_params("before").query
    return Wanted(filters, kept, customer_id)


async def _note(visit: Visit, count: int) -> None:
    subject = f"account:{visit.account_id}"
    entry = Entry(visit.account_id, visit.actor, Action.AUDIT_READ, subject, {"count": count})
    await record_reading(visit.plumbing.database, entry)


async def _length(connection: Connection, account_id: UUID) -> int:
    cursor = await connection.execute("SELECT count FROM audit_heads WHERE account_id = %s", (account_id,))
    row = await cursor.fetchone()
    return row["count"] if row else 0


async def _checked(visit: Visit, length: int) -> Checked | None:
    found = _CHECKED.get(visit.plumbing.database, {}).get(visit.account_id)
    stale = found is None or clock.now() - found.at > timedelta(minutes=5)
    return await _check(visit) if stale and length <= SMALL else found


async def _check(visit: Visit) -> Checked:
    result = await verify(visit.plumbing, visit.account_id)
    found = Checked(result.lines, clock.now(), result.breaks[0] if result.breaks else None)
    _CHECKED.setdefault(visit.plumbing.database, {})[visit.account_id] = found
    return found


async def _csv_rows(visit: Visit, filters: Filters) -> AsyncIterator[bytes]:
    """The head, then every line that fits, so many at a time."""
    yield written([COLUMNS])
    while True:
        async with visit.connection() as connection, bounded(connection):
            lines = list(reversed(await read_lines(connection, filters)))
        if lines:
            yield written([_cells(line) for line in lines])
        if len(lines) < filters.limit:
            return
        filters = replace(filters, before=lines[-1].sequence)


def _cells(line: Line) -> list[str]:
    details = " ".join(f"{name}={value}" for name, value in line.details.items())
    cells = (instant(line.at) or "", line.actor, line.action, line.subject, details, line.hash.hex())
    return [str(line.sequence), *(plain_cell(cell) for cell in cells)]


screens: Final = (
    Screen("GET", PATH, show_audit, Role.ADMIN),
    Screen("GET", f"{PATH}.csv", export_audit, Role.ADMIN),
    Screen("POST", f"{PATH}/check", post_check, Role.ADMIN),
)
