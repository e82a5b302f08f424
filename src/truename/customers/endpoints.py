"""The customer's part of the interface."""

from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.accounts.authentication import Caller
from truename.customers import change, create, store
from truename.customers.change_status import change_status
from truename.customers.model import (
    IMAGE_TOO_LARGE,
    CustomerFields,
    CustomerList,
    NewCustomer,
    NewStatus,
)
from truename.customers.read import find_customers, read_customer, shown_to
from truename.media.delete import delete_loose
from truename.plumbing.database.ids import id_text
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import CustomerNotFound, Invalid, TooLarge
from truename.plumbing.http.answers import instant, json_answer
from truename.plumbing.http.bodies import Body, read_body
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.queries import Query, path_id
from truename.plumbing.http.turns import aside
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault

PATH: Final = "/api/account/integration/kyc/customer"
MAX_BODY: Final = 6 * 1024 * 1024
MAX_SMALL_BODY: Final = 256 * 1024


async def create_customer(request: Request) -> Response:
    """Create a customer, with a reference face when a picture is sent; 409 when the identifier is taken."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing

    new, body = await _read_with_picture(request, caller, NewCustomer)
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, body)
    if new.face_reference_image is not None and (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    if new.face_reference_image is None:
        prepared = await create.prepare(plumbing, caller, new)
    else:
        async with aside(request):
            prepared = await create.prepare(plumbing, caller, new)
    idempotent.concerns(customer_id=prepared.row.customer_id)
    kept = False

    async def insert(connection: Connection) -> Response:
        nonlocal kept
        made = await create.insert(connection, plumbing.vault, prepared)
        kept = True
        return _created(caller, made.customer_id, made.created_at, new)

    try:
        if idempotent.has_key or prepared.picture:
            return await idempotent.run(insert)
        # The usual case: one statement in one round trip, shared with whoever asks at the same moment.
        created_at = await request.app.state.new_customers.do(caller.account_id, prepared)
        if created_at is not None:
            return _created(caller, prepared.row.customer_id, created_at, new)
        async with plumbing.database.account(caller.account_id) as connection:
            made = await create.made_or_refused(connection, prepared, [])
        return _created(caller, made.customer_id, made.created_at, new)
    finally:
        if prepared.picture and not kept:
            await plumbing.objects.discard([prepared.picture.object_key])


async def _read_with_picture(request: Request, caller: Caller, model: type[Body]) -> tuple[Body, bytes]:
    """A body that may hold a reference image; whatever is wrong with the picture is told with the other faults."""

    async def further(sent: JsonValue) -> list[Fault]:
        return await create.picture_faults(request.app.state.plumbing, caller, sent)

    try:
        return await read_body(request, model, MAX_BODY, further=further)
    except TooLarge:
        # Nothing else in it can be large, and the interface says 400 of a picture that is too large.
        raise Invalid([Fault("/face_reference_image", "image_too_large", IMAGE_TOO_LARGE)]) from None


def _created(caller: Caller, customer_id: UUID, created_at: datetime, new: NewCustomer) -> Response:
    """The fields of a `CustomerCreated`, of values that need no check: to make the model took half of the answer."""
    identifier = id_text(customer_id)
    created: dict[str, object] = {
        "customer_id": identifier,
        "external_customer_id": new.external_customer_id,
        "created_at": instant(created_at),
    }
    return json_answer(caller.marked_fields(created), 201, {"Location": f"{PATH}/{identifier}"})


async def get_customer(request: Request) -> Response:
    """Answer one customer; 404 for one that is unknown, erased or another account's."""
    caller = await admit(request, "customers:read")
    customer_id = path_id(request, "customer_id")
    Query(request).refuse_faults()
    return json_answer(await read_customer(request.app.state.plumbing, caller, customer_id))


async def list_customers(request: Request) -> Response:
    """Find the customer of an `external_customer_id`: a list of none or one."""
    caller = await admit(request, "customers:read")
    query = Query(request, ("external_customer_id",))
    wanted = query.text("external_customer_id")
    if wanted is None:
        words = "Say which external_customer_id to look for."
        query.faults.append(Fault("/external_customer_id", "field_required", words))
    elif "\x00" in wanted or len(wanted) > 255 or not wanted:
        words = "The text must have 1 to 255 characters and no NUL."
        query.faults.append(Fault("/external_customer_id", "text_malformed", words))
    query.refuse_faults()
    found = await find_customers(request.app.state.plumbing, caller, wanted or "")
    return json_answer(caller.marked(CustomerList(data=found, has_more=False, next_cursor=None)))


async def post_status(request: Request) -> Response:
    """Move a customer to another status and keep the reason; 404 when there is no such customer."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing
    new, body = await read_body(request, NewStatus, MAX_SMALL_BODY)
    customer_id, idempotent = _of_customer(request, caller, body)

    async def move(connection: Connection) -> Response:
        actor = caller.actor
        own = caller.account_id, customer_id
        await change_status(connection, plumbing.keys, *own, new.status, actor=actor, reason=new.reason)
        row = await store.find(connection, caller.account_id, customer_id)
        if row is None:
            raise CustomerNotFound
        return json_answer(await shown_to(plumbing, caller, row))

    return await idempotent.run(move)


def _of_customer(request: Request, caller: Caller, body: bytes) -> tuple[UUID, IdempotentRequest]:
    """Which customer a change is of; what is answered depends on the scope, and dies with the customer."""
    customer_id = path_id(request, "customer_id")
    named = caller.names(body, "customers:read")
    plumbing: Plumbing = request.app.state.plumbing
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, named)
    idempotent.concerns(customer_id=customer_id)
    return customer_id, idempotent


async def patch_customer(request: Request) -> Response:
    """Change what the body names of a customer, the reference face included; 404 when there is none."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing
    wanted, body = await _read_with_picture(request, caller, CustomerFields)
    customer_id, idempotent = _of_customer(request, caller, body)
    if wanted.face_reference_image is not None and (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    async with aside(request, when=wanted.face_reference_image is not None):
        prepared = await idempotent.prepared(change.prepare(plumbing, caller, customer_id, wanted))
    replaced: list[str] | None = None
    committed = False

    async def write(connection: Connection) -> Response:
        nonlocal replaced
        left = await change.change(connection, plumbing.vault, caller, prepared)
        row = await store.find(connection, caller.account_id, customer_id)
        if row is None:
            raise CustomerNotFound
        answer = json_answer(await shown_to(plumbing, caller, row))
        replaced = left
        return answer

    try:
        answer = await idempotent.run(write)
        committed = replaced is not None
        return answer
    finally:
        # Failed after the work was done: whether it committed is not known, so every picture stays.
        if replaced is None:
            await plumbing.objects.discard([prepared.picture.object_key] if prepared.picture else [])
        elif committed:
            await delete_loose(plumbing, replaced)
