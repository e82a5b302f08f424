"""The delivery log, redelivery, and the rotation of the secret."""

import re
from typing import Final
from uuid import UUID

import orjson
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.accounts.webhook_secrets import rotate_secret, secrets_expire_at
from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import EventNotFound
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import read_nothing
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.queries import Query
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.webhooks import store
from truename.webhooks.model import EventList, EventState, SecretRotated
from truename.webhooks.redeliver import redeliver

PATH: Final = "/api/account/integration/webhooks"
MAX_BODY: Final = 4096
_EVENT_ID: Final = re.compile(r"evt_[0-9a-f-]{36}")


async def list_events(request: Request) -> Response:
    """Answer one page of the account's events, newest first."""
    caller = await admit(request, "transactions:read")
    plumbing: Plumbing = request.app.state.plumbing
    query = Query(request, ("transaction_id", "state", "limit", "cursor"))
    transaction_id, state = query.identifier("transaction_id"), query.word("state", tuple(EventState))
    limit, cursor = query.whole("limit", 1, 100, 20), query.text("cursor")
    if cursor is not None and not _EVENT_ID.fullmatch(cursor):
        query.faults.append(Fault("/cursor", "cursor_malformed", "The cursor must be one that a list answered."))
    query.refuse_faults()
    async with plumbing.database.account(caller.account_id) as connection:
        events = await store.list_events(connection, transaction_id, state, cursor, limit + 1)
    page, more = [caller.marked(event) for event in events[:limit]], len(events) > limit
    cursor = page[-1].event_id if more else None
    return json_answer(caller.marked(EventList(data=page, has_more=more, next_cursor=cursor)))


async def get_event(request: Request) -> Response:
    """Answer one event with its body and every attempt; 404 when it is unknown."""
    caller = await admit(request, "transactions:read")
    plumbing: Plumbing = request.app.state.plumbing
    Query(request).refuse_faults()
    async with plumbing.database.account(caller.account_id) as connection:
        event_id = _event_id(request)
        event, body = await store.read_event(connection, event_id), await store.body_of(connection, event_id)
        if event is None or body is None:
            raise EventNotFound
        log = await store.attempts_of(connection, event_id)
    return json_answer({**caller.marked(event).model_dump(), "body": orjson.Fragment(body), "log": log})


async def redeliver_event(request: Request) -> Response:
    """Make an event due now, whatever became of it; 404 when it is unknown."""
    caller = await admit(request, "webhooks:write")
    event_id = _event_id(request)

    async def work(connection: Connection) -> Response:
        event = await redeliver(connection, caller.account_id, event_id, actor=caller.actor)
        return json_answer(caller.marked(event), 202)

    return await (await _once(request, caller.account_id, caller.client_id)).run(work)


async def rotate(request: Request) -> Response:
    """Make a new signing secret and show it once; the one before signs too for a day. 409 while five sign."""
    caller = await admit(request, "webhooks:write")
    plumbing: Plumbing = request.app.state.plumbing

    async def renew(connection: Connection) -> Response:
        secret = await rotate_secret(connection, plumbing.vault, caller.account_id)
        previous_expires_at = await secrets_expire_at(connection, caller.account_id)
        await record(
            connection,
            caller.account_id,
            actor=caller.actor,
            action=Action.WEBHOOK_SECRET_ROTATED,
            subject=f"account:{caller.account_id}",
        )
        rotated = SecretRotated(webhook_secret=secret, previous_expires_at=previous_expires_at)
        return json_answer(rotated, headers={"Cache-Control": "no-store"})

    return await (await _once(request, caller.account_id, caller.client_id)).run(renew)


async def _once(request: Request, account_id: UUID, client_id: str) -> IdempotentRequest:
    body = await read_nothing(request, MAX_BODY)
    return IdempotentRequest(request, request.app.state.plumbing, account_id, client_id, body)


def _event_id(request: Request) -> str:
    """What cannot be an id does not exist."""
    event_id: str = request.path_params["event_id"]
    if not _EVENT_ID.fullmatch(event_id):
        raise EventNotFound
    return event_id
