"""Webhook events for developers: what was told to whom, each attempt, delivery again, and why a signature fails."""

import re
from datetime import datetime
from typing import Final

from starlette.responses import Response

from truename.accounts.webhook_secrets import secrets_in_force
from truename.dashboard.developers import PATH as DEVELOPERS
from truename.dashboard.guard import Screen
from truename.dashboard.visit import Notice, Visit
from truename.dashboard.words import zone
from truename.operators.model import Role
from truename.plumbing import clock
from truename.plumbing.errors import EventNotFound, Invalid
from truename.plumbing.http.queries import Query
from truename.webhooks import store
from truename.webhooks.diagnose import Finding, diagnose, headers_of
from truename.webhooks.health import NEWEST, endpoint_health
from truename.webhooks.model import EventState
from truename.webhooks.redeliver import MOST, redeliver, redeliver_range

PATH: Final = f"{DEVELOPERS}/webhooks"
PAGE: Final = 50
_EVENT_ID: Final = re.compile(r"evt_[0-9a-f-]{36}")


async def show_events(visit: Visit) -> Response:
    """Events, newest first."""
    query = Query(visit.request, ("state", "transaction_id", "before"))
    state, before = query.word("state", tuple(EventState)), query.text("before")
    transaction_id = query.identifier("transaction_id") if query.text("transaction_id") else None
    query.refuse_faults()
    if before is not None and not _EVENT_ID.fullmatch(before):
        before = None
    async with visit.connection() as connection:
        events = await store.list_events(connection, transaction_id, state, before, PAGE + 1)
        health = await endpoint_health(connection, visit.account_id)
    return visit.page(
        "events.html",
        events=events[:PAGE],
        more=events[PAGE - 1].event_id if len(events) > PAGE else None,
        state=state or "",
        states=tuple(EventState),
        transaction_id=transaction_id,
        health=health,
        newest=NEWEST,
        most=MOST,
    )


async def post_range(visit: Visit) -> Response:
    """Send the events of a range of time again, the oldest first."""
    since, until = (_local_moment(visit, name) for name in ("since", "until"))
    if since is None or until is None or since >= until:
        raise Invalid(detail="Say from when to when, the beginning before the end.")
    async with visit.connection() as connection:
        own = connection, visit.account_id, since, until
        number = await redeliver_range(*own, failed_only=not visit.form.ticked("all"), actor=visit.actor)
    return visit.redirect(PATH, Notice.SENT_AGAIN, number)


def _local_moment(visit: Visit, name: str) -> datetime | None:
    """The moment of a field of the form, in the zone of whoever sent it."""
    try:
        local = datetime.strptime(visit.form.text(name, 20), "%Y-%m-%dT%H:%M")  # noqa: DTZ007 - a zone follows
    except ValueError:
        return None
    return local.replace(tzinfo=zone(visit.operator.time_zone)) if 2000 <= local.year < 2200 else None


async def show_event(visit: Visit) -> Response:
    """One event with its attempts."""
    event_id = _event_id(visit)
    async with visit.connection() as connection:
        event = await store.read_event(connection, event_id)
        if event is None:
            raise EventNotFound
        attempts = await store.attempts_of(connection, event_id)
    return visit.page("event.html", event=event, attempts=attempts)


async def post_redelivery(visit: Visit) -> Response:
    """Send an event again."""
    event_id = _event_id(visit)
    async with visit.connection() as connection:
        await redeliver(connection, visit.account_id, event_id, actor=visit.actor)
    return visit.redirect(f"{PATH}/{event_id}", Notice.REDELIVERED)


async def show_signature(visit: Visit) -> Response:
    """The form in which headers and body are pasted."""
    return _signature(visit, [])


async def post_signature(visit: Visit) -> Response:
    """Say which part of a webhook is wrong; nothing of what was pasted is kept."""
    headers, body = headers_of(visit.form.text("headers", 20_000)), visit.form.secret("body")
    async with visit.connection() as connection:
        secrets = await secrets_in_force(connection, visit.plumbing.vault, visit.account_id)
        sent = await store.body_of(connection, headers.get("webhook-id", "")[:200])
    return _signature(visit, diagnose(headers, body, secrets, clock.now(), sent))


def _signature(visit: Visit, findings: list[Finding]) -> Response:
    return visit.page(
        "signature.html",
        findings=findings,
        headers=visit.form.text("headers", 20_000),
        body=visit.form.secret("body"),
    )


def _event_id(visit: Visit) -> str:
    """What cannot be an id does not exist."""
    event_id: str = visit.request.path_params["event_id"]
    if not _EVENT_ID.fullmatch(event_id):
        raise EventNotFound
    return event_id


screens: Final = (
    Screen("GET", PATH, show_events, Role.ADMIN),
    Screen("POST", PATH + "/resend", post_range, Role.ADMIN),
    Screen("GET", PATH + "/{event_id}", show_event, Role.ADMIN),
    Screen("POST", PATH + "/{event_id}/redeliver", post_redelivery, Role.ADMIN),
    Screen("GET", f"{DEVELOPERS}/signature", show_signature, Role.ADMIN),
    Screen("POST", f"{DEVELOPERS}/signature", post_signature, Role.ADMIN),
)
