"""The account's own blocklist of faces: …/kyc/blocklist, and …/kyc/customer/{customer_id}/blocklist."""

import asyncio
import base64
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.accounts.authentication import Caller
from truename.audit.model import Action
from truename.audit.record import record
from truename.customers.endpoints import MAX_BODY, MAX_SMALL_BODY
from truename.customers.endpoints import PATH as CUSTOMER
from truename.customers.operations import CUSTOMER_ID, EXAMPLE_ID
from truename.face_search.blocklist import BlocklistEntry, NewEntry, add_entry, list_entries, remove_entry
from truename.face_search.model import EntryList, NewFaceListing, NewListing, RemovedEntry, ShownEntry
from truename.face_search.take_face import NoUsableFace, face_of_customer, face_of_picture
from truename.plumbing.clock import now
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Invalid, WrongState
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import read_body
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.operations import LIMIT, UUID_SCHEMA, Answer, Operation, parameter
from truename.plumbing.http.queries import Query, path_id
from truename.plumbing.http.turns import aside
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.rules.json_values import Json
from truename.vision.decoding.header import ImageRefused

PATH: Final = "/api/account/integration/kyc/blocklist"
TAG: Final = "Blocklist"


async def list_blocklist(request: Request) -> Response:
    """Answer one page of the account's blocklist, the newest first; the reading is audited."""
    caller = await admit(request, "customers:read")
    plumbing: Plumbing = request.app.state.plumbing
    query = Query(request, ("limit", "cursor"))
    limit, cursor = query.whole("limit", 1, 100, 20), query.identifier("cursor")
    query.refuse_faults()
    async with plumbing.database.account(caller.account_id) as connection:
        found = await list_entries(connection, plumbing.vault, caller.account_id, before=cursor, limit=limit + 1)
        await record(
            connection,
            caller.account_id,
            actor=caller.actor,
            action=Action.BLOCKLIST_LISTED,
            subject=f"account:{caller.account_id}",
            details={"count": min(limit, len(found))},
        )
    page, more = [_shown(one) for one in found[:limit]], len(found) > limit
    following = str(page[-1].entry_id) if more else None
    return json_answer(caller.marked(EntryList(data=page, has_more=more, next_cursor=following)))


async def list_face(request: Request) -> Response:
    """Put the face of a picture on the blocklist."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing
    new, body = await read_body(request, NewFaceListing, MAX_BODY)
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, body)
    if (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    data = await asyncio.to_thread(base64.b64decode, new.face_image)
    try:
        async with aside(request):
            taken = await face_of_picture(plumbing, f"account:{caller.account_id}", data)
    except ImageRefused as refused:
        raise Invalid([Fault("/face_image", f"image_{refused.reason_code}", refused.sentence)]) from None
    except NoUsableFace:
        words = "The picture must show one face, large enough to be searched for."
        raise Invalid([Fault("/face_image", "image_shows_no_face", words)]) from None
    entry = NewEntry(taken.template, taken.picture, new.reason, _end(new))
    return await _listed(caller, plumbing, idempotent, entry)


async def list_customer(request: Request) -> Response:
    """Put the face of a customer on the blocklist: the newest live one, else the reference; 409 when none is kept."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing
    new, body = await read_body(request, NewListing, MAX_SMALL_BODY)
    customer_id = path_id(request, "customer_id")
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, body)
    idempotent.concerns(customer_id=customer_id)
    try:
        taken = await idempotent.prepared(face_of_customer(plumbing, caller.account_id, customer_id))
    except NoUsableFace:
        words = "No face of this customer is kept that could be searched for."
        raise WrongState(words, code="no_usable_face") from None
    entry = NewEntry(taken.template, taken.picture, new.reason, _end(new), customer_id)
    return await _listed(caller, plumbing, idempotent, entry)


async def remove_listed(request: Request) -> Response:
    """Take a face off the blocklist; 404 when there is no such entry."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing
    Query(request).refuse_faults()
    entry_id = path_id(request, "entry_id")
    async with plumbing.database.account(caller.account_id) as connection:
        await remove_entry(connection, caller.account_id, entry_id, actor=caller.actor)
    return json_answer(caller.marked(RemovedEntry(entry_id=entry_id)))


def _end(new: NewListing) -> datetime | None:
    return now() + timedelta(days=new.valid_days) if new.valid_days is not None else None


async def _listed(caller: Caller, plumbing: Plumbing, idempotent: IdempotentRequest, new: NewEntry) -> Response:
    async def add(connection: Connection) -> Response:
        entry = await add_entry(connection, plumbing.vault, caller.account_id, new, actor=caller.actor)
        return json_answer(caller.marked(_shown(entry)), 201)

    return await idempotent.run(add)


def _shown(entry: BlocklistEntry) -> ShownEntry:
    return ShownEntry(**asdict(entry))


ENTRY_ID: Final = parameter("entry_id", "path", UUID_SCHEMA, "As the list has it.")
EXAMPLE: Final[dict[str, Json]] = {
    "entry_id": "019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b84",
    "customer_id": None,
    "reason": "Chargebacks, case 4711",
    "added_by": "client:client_5f2c0f6a4be14c1d8f0e5d9b",
    "created_at": "2026-11-16T09:30:00.000000Z",
    "expires_at": "2027-11-16T09:30:00.000000Z",
}
FOUND_WHERE: Final = (
    "Live faces are compared with it where the account's setting `face_search` is `report` or `enforce`; under "
    "`enforce` a match emits `INTERNAL_FACE_BLACKLIST_MATCH`."
)

operations: Final = (
    Operation(
        "GET",
        PATH,
        list_blocklist,
        summary="List the account's blocklist of faces",
        name="listBlocklist",
        tag=TAG,
        scope="customers:read",
        description="The newest first, without those that have ended. Never a face. The reading is audited.",
        parameters=(LIMIT, parameter("cursor", "query", UUID_SCHEMA, "`next_cursor` of the page before.")),
        answers={
            200: Answer("Entries.", EntryList, example={"data": [EXAMPLE], "has_more": False, "next_cursor": None})
        },
    ),
    Operation(
        "POST",
        PATH,
        list_face,
        summary="Put the face of a picture on the blocklist",
        name="addBlocklistFace",
        tag=TAG,
        scope="customers:write",
        description=f"Keeps the face sealed, and a vector of it that is searched. {FOUND_WHERE}",
        body=NewFaceListing,
        answers={201: Answer("The face is on the list.", ShownEntry, example=EXAMPLE)},
    ),
    Operation(
        "POST",
        CUSTOMER + "/{customer_id}/blocklist",
        list_customer,
        summary="Put the face of a customer on the blocklist",
        name="addBlocklistCustomer",
        tag=TAG,
        scope="customers:write",
        description="Takes the newest live face that was captured of the customer, or else the reference face. The "
        f"entry goes when the customer is erased. {FOUND_WHERE} The customer's status stays as it is.",
        parameters=(CUSTOMER_ID,),
        body=NewListing,
        body_examples={"for a year": {"value": {"reason": "Chargebacks, case 4711", "valid_days": 365}}},
        answers={201: Answer("The face is on the list.", ShownEntry, example={**EXAMPLE, "customer_id": EXAMPLE_ID})},
        refusals=(409,),
    ),
    Operation(
        "DELETE",
        PATH + "/{entry_id}",
        remove_listed,
        summary="Take a face off the blocklist",
        name="eraseBlocklistEntry",
        tag=TAG,
        scope="customers:write",
        description="Destroys what was kept of the face. Transactions that were decided stay so.",
        parameters=(ENTRY_ID,),
        answers={200: Answer("The face is off the list.", RemovedEntry)},
    ),
)
