"""The transaction's part of the interface."""

import time
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit, refuse_revoked
from truename.accounts.authentication import Caller
from truename.accounts.tokens import issue_sdk_token
from truename.plumbing.clock import date_at_utc_plus_14, now
from truename.plumbing.database.ids import id_text
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import read_body, read_nothing
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.pagination import DEFAULT_LIMIT, MAX_LIMIT, Position
from truename.plumbing.http.queries import Query, path_id
from truename.plumbing.http.request_context import WAITED_KEY
from truename.plumbing.http.turns import aside
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.rules.issues import catalogue
from truename.transactions import create
from truename.transactions.answers import TokenIssued
from truename.transactions.cancel import cancel
from truename.transactions.lifecycle import Status
from truename.transactions.list import Filters, list_transactions
from truename.transactions.model import NewReview, NewTransaction, context
from truename.transactions.read import read_changed, read_transaction, wait_until_final
from truename.transactions.read_media import read_media
from truename.transactions.refresh_token import refresh_token
from truename.transactions.review import review

PATH: Final = "/api/account/integration/kyc/transaction"
MAX_BODY: Final = 256 * 1024
LONGEST_WAIT: Final = 30


async def create_transaction(request: Request) -> Response:
    """Open a transaction and answer the token for its SDK; 404 when there is no such customer."""
    caller = await admit(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing

    async def further(sent: JsonValue) -> list[Fault]:
        return await create.webhook_faults(plumbing, caller, create.webhook_in(sent))

    new, body = await read_body(
        request, NewTransaction, MAX_BODY, context=context(date_at_utc_plus_14(now())), further=further
    )
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, body)
    prepared = await idempotent.prepared(create.prepare(plumbing, caller, new))
    idempotent.concerns(customer_id=prepared.customer_id)

    async def insert(connection: Connection) -> Response:
        return await _issued(plumbing, caller, prepared, await create.insert(connection, prepared))

    if idempotent.has_key:
        return await idempotent.run(insert)
    # The usual case: one statement in one round trip, shared with whoever asks at the same moment.
    expires_at = await request.app.state.new_transactions.do(caller.account_id, prepared)
    if expires_at is None:
        raise create.no_such_customer()
    return await _issued(plumbing, caller, prepared, expires_at)


async def _issued(plumbing: Plumbing, caller: Caller, prepared: create.Prepared, expires_at: datetime) -> Response:
    token = await issue_sdk_token(plumbing, caller.account_id, prepared.transaction_id, expires_at)
    # The fields of a `TokenIssued`, of values that need no check: to make the model took half of the answer.
    identifier = id_text(prepared.transaction_id)
    issued: dict[str, object] = {
        "transaction_id": identifier,
        "sdk_token": token,
        "token_type": "Bearer",
        "expires_in": prepared.minutes * 60,
    }
    return json_answer(caller.marked_fields(issued), 201, {"Location": f"{PATH}/{identifier}"})


def _token(transaction_id: UUID, token: str, seconds: int) -> TokenIssued:
    kind: Final = "Bearer"
    return TokenIssued(transaction_id=transaction_id, sdk_token=token, token_type=kind, expires_in=seconds)


async def get_transaction(request: Request) -> Response:
    """Answer one transaction; with `wait`, at its end or after so many seconds, whatever comes first."""
    caller = await admit(request, "transactions:read")
    plumbing: Plumbing = request.app.state.plumbing
    transaction_id = path_id(request, "transaction_id")
    query = Query(request, ("wait",))
    seconds = query.whole("wait", 0, LONGEST_WAIT, 0)
    query.refuse_faults()
    if seconds:
        began = time.monotonic()
        async with aside(request):
            await wait_until_final(plumbing, caller, transaction_id, seconds, request.app.state.leaving)
        request.scope[WAITED_KEY] = time.monotonic() - began
        await refuse_revoked(plumbing, caller)
    return json_answer(await read_transaction(plumbing, caller, transaction_id))


async def get_transactions(request: Request) -> Response:
    """Answer one page of the transactions that the filters leave, newest first."""
    caller = await admit(request, "transactions:read")
    names = ("customer_id", "status", "created_after", "created_before", "limit", "cursor")
    query = Query(request, names)
    status = query.word("status", [one.value for one in Status])
    cursor = query.text("cursor")
    after = Position.of(cursor) if cursor is not None else None
    if cursor is not None and after is None:
        query.faults.append(Fault("/cursor", "cursor_malformed", "The cursor is none that this list has given."))
    filters = Filters(
        customer_id=query.identifier("customer_id"),
        status=Status(status) if status else None,
        created_after=query.instant("created_after"),
        created_before=query.instant("created_before"),
        limit=query.whole("limit", 1, MAX_LIMIT, DEFAULT_LIMIT),
        after=after,
    )
    query.refuse_faults()
    return json_answer(await list_transactions(request.app.state.plumbing, caller, filters))


async def post_cancel(request: Request) -> Response:
    """Cancel a transaction that was not submitted yet; 409 when it was."""
    caller, transaction_id, idempotent = await act_on_transaction(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing

    async def work(connection: Connection) -> Response:
        await cancel(connection, caller.account_id, transaction_id, actor=caller.actor)
        return json_answer(await read_changed(connection, plumbing, caller, transaction_id))

    return await idempotent.run(work)


async def post_sdk_token(request: Request) -> Response:
    """Issue a further token for the SDK of an open transaction; 409 when it is not open."""
    caller, transaction_id, idempotent = await act_on_transaction(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing

    async def work(connection: Connection) -> Response:
        token, seconds = await refresh_token(connection, plumbing, caller.account_id, transaction_id)
        return json_answer(caller.marked(_token(transaction_id, token, seconds)))

    return await idempotent.run(work)


async def post_review(request: Request) -> Response:
    """Decide a transaction that waits for a person; 409 when it does not."""
    caller = await admit(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing
    new, body = await read_body(request, NewReview, MAX_BODY)
    transaction_id = path_id(request, "transaction_id")

    async def work(connection: Connection) -> Response:
        own = caller.account_id, transaction_id
        await review(connection, plumbing, *own, Status(new.outcome), new.reason, actor=caller.actor)
        return json_answer(await read_changed(connection, plumbing, caller, transaction_id))

    named = caller.names(body, "transactions:read")
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, named)
    idempotent.concerns(transaction_id=transaction_id)
    return await idempotent.run(work)


async def get_media(request: Request) -> Response:
    """Answer one picture, opened; 404 when it is unknown, 410 when it was deleted."""
    caller = await admit(request, "media:read")
    Query(request).refuse_faults()
    transaction_id, media_id = path_id(request, "transaction_id"), path_id(request, "media_id")
    data, content_type = await read_media(request.app.state.plumbing, caller, transaction_id, media_id)
    headers = {
        "Content-Disposition": "inline",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    }
    return Response(data, 200, headers, content_type)


async def get_issue_codes(request: Request) -> Response:
    """Answer the catalogue of issue codes."""
    await admit(request, "transactions:read")
    Query(request).refuse_faults()
    return json_answer({"data": catalogue()})


async def act_on_transaction(request: Request, scope: str) -> tuple[Caller, UUID, IdempotentRequest]:
    """A POST whose address says it all."""
    caller = await admit(request, scope)
    body = await read_nothing(request, MAX_BODY)
    named = caller.names(body, "transactions:read")
    idempotent = IdempotentRequest(request, request.app.state.plumbing, caller.account_id, caller.client_id, named)
    transaction_id = path_id(request, "transaction_id")
    idempotent.concerns(transaction_id=transaction_id)
    return caller, transaction_id, idempotent
