"""Several transactions at once: hand on, put back, send again, export. Never a decision."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from starlette.datastructures import QueryParams
from starlette.responses import Response, StreamingResponse

from truename.audit.model import Action, Detail, Entry
from truename.audit.reads import record_reading
from truename.dashboard import policy
from truename.dashboard.guard import Screen
from truename.dashboard.listing.export import csv_rows
from truename.dashboard.listing.filters import Filters, filters_of
from truename.dashboard.listing.screens import PATH, slow_down_exports, today, zone_of
from truename.dashboard.visit import Notice, Visit
from truename.operators.model import Role
from truename.operators.store import list_members
from truename.plumbing.clock import now
from truename.plumbing.errors import Invalid
from truename.plumbing.http.queries import uuid_of
from truename.reviews.assign import assign, free
from truename.webhooks.redeliver import redeliver_last

MOST: Final = 200
"""More than a page shows, and few enough for one database transaction."""


async def post_bulk(visit: Visit) -> Response:
    """Do one thing with every transaction that was chosen; what it does not fit is left as it is and counted."""
    ids = list(dict.fromkeys(found for text in visit.form.texts("ids") if (found := uuid_of(text)) is not None))
    if not ids:
        raise Invalid(detail="Choose at least one transaction.")
    if len(ids) > MOST:
        raise Invalid(detail=f"Choose at most {MOST} transactions at once.")
    act, query = visit.form.text("act", 20), filters_of(QueryParams(visit.form.text("query", 2000))).query()
    if act == "export":
        return await _export(visit, ids)
    done, notice = await _done(visit, act, ids)
    return visit.redirect(f"{PATH}?{query}" if query else PATH, notice, done)


async def _done(visit: Visit, act: str, ids: list[UUID]) -> tuple[int, Notice]:
    """How many it was done with, and what is said then."""
    if act == "assign":
        assignee = await _assignee(visit)
        async with visit.connection() as connection:
            return await assign(connection, visit.account_id, ids, assignee, actor=visit.actor), Notice.ASSIGNED
    if act == "release":
        async with visit.connection() as connection:
            own = connection, visit.account_id, ids
            done = await free(*own, actor=visit.actor, anybody=visit.may(Role.ADMIN))
        return done, Notice.FREED
    if act == "resend":
        visit.demand(Role.ADMIN)
        async with visit.connection() as connection:
            return await redeliver_last(connection, visit.account_id, ids, actor=visit.actor), Notice.SENT_AGAIN
    raise Invalid(detail="There is no such act for several transactions.")


async def _assignee(visit: Visit) -> str:
    """Whom the form names: oneself, or as an admin any reviewer of the account."""
    wanted = uuid_of(visit.form.text("assignee", 36)) or visit.operator.operator_id
    if wanted != visit.operator.operator_id:
        visit.demand(Role.ADMIN)
    async with visit.plumbing.database.system() as connection:
        members = await list_members(connection, visit.account_id)
    for person, role in members:
        if person.operator_id == wanted and role.includes(Role.REVIEWER) and person.disabled_at is None:
            return person.actor
    raise Invalid(detail="This person reviews nothing in this account.")


async def _export(visit: Visit, ids: list[UUID]) -> Response:
    """The chosen rows as CSV."""
    await slow_down_exports(visit)
    subject = f"account:{visit.account_id}"
    details: dict[str, Detail] = {"fields": "chosen rows", "count": len(ids)}
    entry = Entry(visit.account_id, visit.actor, Action.TRANSACTIONS_EXPORTED, subject, details)
    await record_reading(visit.plumbing.database, entry)
    headers = {
        **policy.HEADERS,
        "Content-Disposition": f'attachment; filename="transactions-{now():%Y%m%d-%H%M%S}.csv"',
    }
    chosen = replace(Filters(), ids=tuple(ids))
    rows = csv_rows(visit.plumbing, visit.account_id, visit.actor, chosen, today(visit), zone_of(visit))
    return StreamingResponse(rows, 200, headers, "text/csv; charset=utf-8")


screens: Final = (Screen("POST", PATH + "/bulk", post_bulk, Role.REVIEWER),)
