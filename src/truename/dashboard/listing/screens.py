"""The list of transactions: its page, its count, its export, its views, and the search by name or number."""

from dataclasses import replace
from datetime import date
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from starlette.datastructures import QueryParams
from starlette.responses import Response, StreamingResponse

from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.dashboard import policy
from truename.dashboard.guard import Screen
from truename.dashboard.listing import looks, views
from truename.dashboard.listing.columns import COLUMNS, shown_columns
from truename.dashboard.listing.counts import count_views, counted
from truename.dashboard.listing.export import csv_rows
from truename.dashboard.listing.filters import TYPES, WITHIN_WORDS, Filters, filters_of
from truename.dashboard.listing.rows import COUNTED_TO, Row, count_rows, read_page
from truename.dashboard.people import called
from truename.dashboard.visit import Notice, Visit
from truename.dashboard.words import STATUS, zone
from truename.operators.model import Operator, Role
from truename.operators.store import list_members
from truename.plumbing.clock import now
from truename.plumbing.errors import Invalid, NotFound, TooMany
from truename.plumbing.http.queries import uuid_of
from truename.plumbing.http.rate_limits import Limit, RateLimiter
from truename.rules.issues import IssueCode
from truename.transactions.lifecycle import Status
from truename.transactions.search import find, keys_for

PATH: Final = "/dashboard/transactions"
EXPORTS: Final = Limit("operator-export", 2, 10)
FIELDS: Final = frozenset({"status", "type", "issue", "decided_by", "within", "from", "to", "sort"})
"""What the form of filters asks for; whatever else narrows the list stays when the form is sent."""


async def show_list(visit: Visit) -> Response:
    """A page of transactions as the address says."""
    return visit.page("transactions.html", 200, **await _values(visit))


async def show_rows(visit: Visit) -> Response:
    """The same for rows that refresh by themselves: no new look at people, and a notice waits for who reads it."""
    return visit.part("transactions.html", 200, **await _values(visit, by_itself=True))


async def _values(visit: Visit, *, by_itself: bool = False) -> dict[str, object]:
    filters = filters_of(visit.request.query_params)
    session_id, address = visit.signed_in.session.session_id, f"{visit.account_id}?{filters.query(paging=True)}"
    is_new_look = looks.is_new_look(visit.plumbing.database, session_id, address, by_itself=by_itself)
    own = visit.plumbing, visit.account_id, visit.actor, filters, today(visit), zone_of(visit)
    page = await read_page(*own, is_new_look=is_new_look)
    async with visit.connection() as connection:
        known = await views.views(connection, visit.account_id, visit.operator.operator_id)
    onward = [*filters.pairs(paging=False), ("after", page.next_page.cursor())] if page.next_page else None
    return {
        "page": page,
        "filters": filters,
        "chips": filters.chips(),
        "query": filters.query(),
        "next_query": urlencode(onward) if onward else None,
        "views": known,
        "who": await called(visit.plumbing, [who for row in page.rows for who in _holders(row)]),
        "statuses": [(status.value, STATUS[status.value][1]) for status in Status],
        "columns": shown_columns(filters.columns, filters.by_end),
        "all_columns": COLUMNS,
        "plain_pairs": [pair for pair in filters.pairs(paging=False) if pair[0] != "cols"],
        "kept_pairs": [pair for pair in filters.pairs(paging=False) if pair[0] not in FIELDS],
        "reviewers": [] if by_itself else await _reviewers(visit),
        "types": TYPES,
        "within": WITHIN_WORDS,
        "issues": [code.name for code in IssueCode],
        "first_time": not page.rows and not filters.is_filtered and filters.after is None,
    }


async def show_count(visit: Visit) -> Response:
    """How many there are: asked for after the rows, so that they need not wait for it. `views`: and in each view."""
    filters = filters_of(visit.request.query_params)
    own = visit.plumbing, visit.account_id, visit.actor
    found = await count_rows(*own, filters, today(visit), zone_of(visit))
    if visit.request.query_params.get("views") != "1":
        return visit.part("transactions_count.html", count=found, counted_to=COUNTED_TO)
    async with visit.connection() as connection:
        known = await views.views(connection, visit.account_id, visit.operator.operator_id)
    each = await count_views(*own, [view.query for view in known], today(visit), zone_of(visit))
    return visit.part("transactions_counts.html", count=found, counted_to=COUNTED_TO, each=each, counted=counted)


def _holders(row: Row) -> list[str | None]:
    return [row.lease.holder if row.lease else None, row.assigned_to]


async def _reviewers(visit: Visit) -> list[Operator]:
    """Whom an admin may hand cases to; a reviewer only takes some, and needs no list."""
    if not visit.may(Role.ADMIN):
        return []
    async with visit.plumbing.database.system() as connection:
        members = await list_members(connection, visit.account_id)
    return [one for one, role in members if role.includes(Role.REVIEWER) and one.disabled_at is None]


async def export(visit: Visit) -> Response:
    """Every row that fits, as CSV."""
    await slow_down_exports(visit)
    filters = filters_of(visit.request.query_params)
    subject = f"account:{visit.account_id}"
    # The hash of a name that was searched for would outlive the person's erasure in the audit log.
    fields = replace(filters, keys=()).query()[:300] + ("&key=…" if filters.keys else "")
    entry = Entry(visit.account_id, visit.actor, Action.TRANSACTIONS_EXPORTED, subject, {"fields": fields})
    await record_reading(visit.plumbing.database, entry)
    if visit.request.method == "HEAD":
        return Response(None, 200, dict(policy.HEADERS), "text/csv; charset=utf-8")
    name = f"transactions-{now():%Y%m%d-%H%M%S}.csv"
    headers = {**policy.HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    rows = csv_rows(visit.plumbing, visit.account_id, visit.actor, filters, today(visit), zone_of(visit))
    return StreamingResponse(rows, 200, headers, "text/csv; charset=utf-8")


async def slow_down_exports(visit: Visit) -> None:
    """Raise TooMany for who exports again and again: each may read a million rows."""
    limiter: RateLimiter = visit.request.app.state.rate_limiter
    standing = await limiter.take(f"{EXPORTS.name}:{visit.operator.operator_id}", EXPORTS)
    if not standing.allowed:
        raise TooMany(max(1, round(standing.retry_after + 0.5)), "You have exported much in the last minutes.")


async def search(visit: Visit) -> Response:
    """Find by a name or a number: what was typed goes into no address, only its keyed hash."""
    typed = visit.form.text("q", 200)
    identity = uuid_of(typed)
    if identity is not None:
        return visit.redirect(f"{PATH}/{identity}")
    async with visit.connection() as connection:
        cursor = await connection.execute(
            "SELECT customer_id FROM customers WHERE account_id = %s AND external_customer_id = %s",
            (visit.account_id, typed),
        )
        row = await cursor.fetchone()
        if row is not None:
            return visit.redirect(f"{PATH}?customer={row['customer_id']}")
        wanted = keys_for(visit.plumbing.vault, visit.account_id, typed)
        found = [keys for keys in wanted if await find(connection, visit.account_id, keys)]
    if not wanted:
        return visit.redirect(PATH)
    return visit.redirect(f"{PATH}?{Filters(keys=(found or wanted)[0]).query()}")


async def save_view(visit: Visit) -> Response:
    """Keep the filters of the page under a name."""
    query, name = visit.form.text("query", 2000), visit.form.text("name", 200)
    shared = visit.form.ticked("shared")
    if shared:
        visit.demand(Role.REVIEWER)
    try:
        async with visit.connection() as connection:
            own = visit.account_id, visit.operator.operator_id
            await views.save(connection, *own, name, query, shared=shared)
    except views.BadView as bad:
        raise Invalid(detail=str(bad)) from None
    return visit.redirect(f"{PATH}?{filters_of(QueryParams(query)).query()}", Notice.VIEW_SAVED)


async def forget_view(visit: Visit) -> Response:
    """Delete a view."""
    view_id = uuid_of(visit.request.path_params["view_id"])
    async with visit.connection() as connection:
        own = visit.account_id, visit.operator.operator_id
        gone = view_id is not None and await views.forget(connection, *own, view_id, admin=visit.may(Role.ADMIN))
    if not gone:
        raise NotFound
    return visit.redirect(PATH, Notice.VIEW_FORGOTTEN)


def zone_of(visit: Visit) -> str:
    """The name of the operator's zone, one that the database knows as well."""
    found = zone(visit.operator.time_zone)
    return found.key if isinstance(found, ZoneInfo) else "UTC"


def today(visit: Visit) -> date:
    """The day it is where the operator is."""
    return now().astimezone(zone(visit.operator.time_zone)).date()


screens: Final = (
    Screen("GET", PATH, show_list, Role.VIEWER),
    Screen("GET", PATH + "/rows", show_rows, Role.VIEWER, by_itself=True),
    Screen("GET", PATH + "/count", show_count, Role.VIEWER, by_itself=True),
    Screen("GET", PATH + "/export.csv", export, Role.REVIEWER),
    Screen("POST", PATH + "/search", search, Role.VIEWER),
    Screen("POST", PATH + "/views", save_view, Role.VIEWER),
    Screen("POST", PATH + "/views/{view_id}/forget", forget_view, Role.VIEWER),
)
