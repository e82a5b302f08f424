"""The delivery log, redelivery, and the rotation of the secret."""

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.accounts.webhook_secrets import rotate_secret, secrets_expire_at
from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import EventNotFound, Invalid
from truename.plumbing.http.answers import instant, json_answer
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.json_body import read_nothing
from truename.plumbing.http.queries import Query
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.webhooks import store
from truename.webhooks.model import EventState

PATH: Final = "/api/account/integration/webhooks"
MAX_BODY: Final = 4096
_EVENT_ID: Final = re.compile(r"evt_[0-9a-f-]{36}")


def shown(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "event_id": event["event_id"],
        "transaction_id": event["transaction_id"],
        "type": event["type"],
        "url": event["url"],
        "state": event["state"],
        "attempts": event["attempts"],
        "next_attempt_at": instant(event["next_attempt_at"]) if event["state"] == "PENDING" else None,
        "created_at": instant(event["created_at"]),
    }


async def list_events(request: Request) -> Response:
    caller = await admit(request, "transactions:read")
    plumbing: Plumbing = request.app.state.plumbing
    query = Query(request, ("transaction_id", "state", "limit", "cursor"))
    transaction_id, state = query.identifier("transaction_id"), query.word("state", tuple(EventState))
    limit, cursor = query.whole("limit", 1, 100, 20), query.text("cursor")
    query.refuse_faults()
    if cursor is not None and not _EVENT_ID.fullmatch(cursor):
        raise Invalid([Fault("/cursor", "cursor_malformed", "The cursor must be one that a list answered.")])
    async with plumbing.database.account(caller.account_id) as connection:
        events = await store.list_events(connection, transaction_id, state, cursor, limit + 1)
    page = [shown(event) for event in events[:limit]]
    more = len(events) > limit
    return json_answer({"data": page, "has_more": more, "next_cursor": page[-1]["event_id"] if more else None})


async def get_event(request: Request) -> Response:
    caller = await admit(request, "transactions:read")
    plumbing: Plumbing = request.app.state.plumbing
    Query(request).refuse_faults()
    async with plumbing.database.account(caller.account_id) as connection:
        event = await store.read_event(connection, _event_id(request))
        if event is None:
            raise EventNotFound
        attempts = await store.attempts_of(connection, event["event_id"])
    log = [{**attempt, "at": instant(attempt["at"])} for attempt in attempts]
    return json_answer({**shown(event), "body": orjson.loads(event["body"]), "log": log})


async def redeliver_event(request: Request) -> Response:
    caller = await admit(request, "webhooks:write")
    event_id = _event_id(request)

    async def redeliver(connection: Connection) -> Response:
        event = await store.renew_event(connection, event_id)
        if event is None:
            raise EventNotFound
        await enqueue(
            connection, "webhooks.deliver", {"account_id": str(caller.account_id), "event_id": event["event_id"]}
        )
        await record(
            connection,
            caller.account_id,
            actor=f"client:{caller.client_id}",
            action=Action.WEBHOOK_REDELIVERED,
            subject=f"webhook_event:{event['event_id']}",
        )
        return json_answer(shown(event), 202)

    return await (await _once(request, caller.account_id, caller.client_id)).run(redeliver)


async def rotate(request: Request) -> Response:
    caller = await admit(request, "webhooks:write")
    plumbing: Plumbing = request.app.state.plumbing

    async def renew(connection: Connection) -> Response:
        secret = await rotate_secret(connection, plumbing.vault, caller.account_id)
        previous_expires_at = await secrets_expire_at(connection, caller.account_id)
        await record(
            connection,
            caller.account_id,
            actor=f"client:{caller.client_id}",
            action=Action.WEBHOOK_SECRET_ROTATED,
            subject=f"account:{caller.account_id}",
        )
        return json_answer(
            {"webhook_secret": secret, "previous_expires_at": instant(previous_expires_at)},
            headers={"Cache-Control": "no-store"},
        )

    return await (await _once(request, caller.account_id, caller.client_id)).run(renew)


async def _once(request: Request, account_id: Any, client_id: str) -> IdempotentRequest:
    Query(request).refuse_faults()
    body = await read_nothing(request, MAX_BODY)
    return IdempotentRequest(request, request.app.state.plumbing, account_id, client_id, body)


def _event_id(request: Request) -> str:
    """What cannot be an id does not exist."""
    event_id: str = request.path_params["event_id"]
    if not _EVENT_ID.fullmatch(event_id):
        raise EventNotFound
    return event_id
