"""An account's own administrator manages its clients: scope `admin`.

An administrator grants any scope but `admin` itself, and neither rotates nor revokes another administrator: only the
operator makes and ends those (`truename client …`). So a stolen administrator's token cannot lock out the others.
"""

import re
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts import clients
from truename.accounts.admission import admit
from truename.accounts.authentication import Caller
from truename.accounts.clients import LONGEST_OVERLAP, OVERLAP, ListedClient, NewSecret
from truename.accounts.model import SCOPES, USUAL_SCOPES
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import ClientNotFound, WrongState
from truename.plumbing.http.answers import instant, json_answer
from truename.plumbing.http.bodies import Sent, Shown, read_body, read_nothing
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.operations import Answer, Operation, parameter
from truename.plumbing.http.queries import Query
from truename.plumbing.resources import Plumbing
from truename.rules.config_values import whole_number

PATH: Final = "/api/account/clients"
TAG: Final = "Clients"
MAX_BODY: Final = 16 * 1024
NOT_STORED: Final = {"Cache-Control": "no-store"}
_CLIENT_ID: Final = re.compile(r"client_[0-9a-f]{24}")

GrantableScope = Literal[
    "customers:read",
    "customers:write",
    "transactions:read",
    "transactions:write",
    "media:read",
    "explanations:read",
    "webhooks:write",
]
"""Every scope but `admin`, which only the operator grants."""
Scope = Literal[GrantableScope, "admin"]


def _name(text: str) -> str:
    if not clients.is_client_name(text):
        words = "The name must not hold control characters, nor begin or end with a space."
        raise PydanticCustomError("text_forbidden_character", words)
    return text


class NewClient(Sent):
    """Adds a program that may fetch tokens for the account."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="What you call it; shown in lists.",
            json_schema_extra={"pattern": f"^{clients.NAME_PATTERN}$", "examples": ["shop backend"]},
        ),
        AfterValidator(_name),
    ]
    scopes: Annotated[
        list[GrantableScope],
        Field(
            min_length=1,
            max_length=len(SCOPES),
            default_factory=lambda: list(USUAL_SCOPES),
            description=f"What it may do. Default: `{' '.join(USUAL_SCOPES)}`.",
        ),
    ]


class NewRotation(Sent):
    """Gives a client a new secret."""

    overlap_seconds: Annotated[
        int,
        Field(
            ge=0,
            le=int(LONGEST_OVERLAP.total_seconds()),
            description="How long the old secret still works. Default: 24 hours.",
        ),
        BeforeValidator(whole_number),
    ] = int(OVERLAP.total_seconds())


class ShownClient(Shown):
    """A program of the account that may fetch tokens; never its secret."""

    client_id: str
    """Names the client when it fetches a token."""
    name: str
    """What you call it."""
    scopes: list[Scope]
    """What it may do."""
    created_at: datetime
    """When it was added."""
    rotated_at: datetime | None = Field(description="When it last got a new secret.")
    previous_secret_expires_at: datetime | None = Field(description="Until then the secret before works too.")
    revoked_at: datetime | None
    """Since when it gets no token, and its tokens are refused."""


class ShownClientWithSecret(ShownClient):
    """A client with its new secret, which is shown only here."""

    client_secret: str = Field(description="Shown once.")


class ClientList(Shown):
    """Every client of the account."""

    data: list[ShownClient]
    """The oldest first."""
    has_more: bool
    """Always false: an account has few."""
    next_cursor: str | None
    """Always null."""


def shown(client: ListedClient) -> dict[str, object]:
    """A client as the list shows it."""
    return {
        "client_id": client.client_id,
        "name": client.name,
        "scopes": list(client.scopes),
        "created_at": instant(client.created_at),
        "rotated_at": instant(client.rotated_at),
        "previous_secret_expires_at": instant(client.previous_secret_expires_at),
        "revoked_at": instant(client.revoked_at),
    }


async def list_clients(request: Request) -> Response:
    """Answer every client of the account, revoked ones included."""
    caller = await admit(request, "admin")
    plumbing: Plumbing = request.app.state.plumbing
    Query(request).refuse_faults()
    async with plumbing.database.account(caller.account_id) as connection:
        found = await clients.list_clients(connection, caller.account_id)
    return json_answer({"data": [shown(one) for one in found], "has_more": False, "next_cursor": None})


async def add_client(request: Request) -> Response:
    """Add a client and show its secret once."""
    caller = await admit(request, "admin")
    new, body = await read_body(request, NewClient, MAX_BODY)

    async def add(connection: Connection) -> Response:
        made = await clients.add_client(connection, caller.account_id, new.scopes, name=new.name, actor=caller.actor)
        return _with_secret(made, 201)

    return await _once(request, caller, body).run(add)


async def rotate_client(request: Request) -> Response:
    """Give a client a new secret and show it once; 404 when there is none, 409 when it was revoked."""
    caller = await admit(request, "admin")
    new, body = await read_body(request, NewRotation, MAX_BODY)
    client_id = _client_id(request)

    async def rotate(connection: Connection) -> Response:
        await _refuse_other_administrator(connection, caller, client_id)
        made = await clients.rotate_client(
            connection,
            caller.account_id,
            client_id,
            overlap=timedelta(seconds=new.overlap_seconds),
            actor=caller.actor,
        )
        return _with_secret(made, 200)

    return await _once(request, caller, body).run(rotate)


async def revoke_client(request: Request) -> Response:
    """Revoke a client at once, tokens that it fetched before included; 404 when there is none."""
    caller = await admit(request, "admin")
    body = await read_nothing(request, MAX_BODY)
    client_id = _client_id(request)

    async def revoke(connection: Connection) -> Response:
        await _refuse_other_administrator(connection, caller, client_id)
        return json_answer(
            shown(await clients.revoke_client(connection, caller.account_id, client_id, actor=caller.actor))
        )

    return await _once(request, caller, body).run(revoke)


async def _refuse_other_administrator(connection: Connection, caller: Caller, client_id: str) -> None:
    if client_id != caller.client_id:
        one = await clients.read_client(connection, caller.account_id, client_id)
        if "admin" in one.scopes:
            words = "Another administrator can be rotated and revoked by the operator only."
            raise WrongState(words, code="client_is_administrator")


def _once(request: Request, caller: Caller, body: bytes) -> IdempotentRequest:
    return IdempotentRequest(request, request.app.state.plumbing, caller.account_id, caller.client_id, body)


def _with_secret(made: NewSecret, status: int) -> Response:
    return json_answer({**shown(made.client), "client_secret": made.client_secret}, status, NOT_STORED)


def _client_id(request: Request) -> str:
    """What cannot be an id does not exist."""
    client_id: str = request.path_params["client_id"]
    if not _CLIENT_ID.fullmatch(client_id):
        raise ClientNotFound
    return client_id


CLIENT_ID: Final = parameter(
    "client_id", "path", {"type": "string", "pattern": "^client_[0-9a-f]{24}$"}, "As the list of clients has it."
)
EXAMPLE: Final = {
    "client_id": "client_5f2c0f6a4be14c1d8f0e5d9b",
    "name": "shop backend",
    "scopes": list(USUAL_SCOPES),
    "created_at": "2026-11-15T09:30:00.000000Z",
    "rotated_at": None,
    "previous_secret_expires_at": None,
    "revoked_at": None,
}
WITH_SECRET: Final = {**EXAMPLE, "client_secret": "secret_1Zl5d0T0nq3n3vVd1pYl2p5mU8m3k9xJt4c7w0a6b2E"}

operations: Final = (
    Operation(
        "GET",
        PATH,
        list_clients,
        summary="List the account's clients",
        tag=TAG,
        scope="admin",
        description="The oldest first, revoked ones too. Never a secret.",
        answers={
            200: Answer("Clients.", ClientList, example={"data": [EXAMPLE], "has_more": False, "next_cursor": None})
        },
    ),
    Operation(
        "POST",
        PATH,
        add_client,
        summary="Add a client",
        tag=TAG,
        scope="admin",
        description="A further program of yours that may fetch tokens. Grant it what it needs. The scope `admin` is "
        "granted by the operator only.",
        body=NewClient,
        body_examples={"read only": {"value": {"name": "reporting", "scopes": ["transactions:read"]}}},
        answers={201: Answer("The client, with its secret, shown once.", ShownClientWithSecret, example=WITH_SECRET)},
    ),
    Operation(
        "POST",
        PATH + "/{client_id}/rotate",
        rotate_client,
        summary="Give a client a new secret",
        tag=TAG,
        scope="admin",
        description="The old one works until the overlap has passed. Tokens already issued stay good.",
        parameters=(CLIENT_ID,),
        body=NewRotation,
        body_examples={"one hour": {"value": {"overlap_seconds": 3600}}},
        answers={200: Answer("The client, with its new secret, shown once.", ShownClientWithSecret)},
        refusals=(409,),
    ),
    Operation(
        "POST",
        PATH + "/{client_id}/revoke",
        revoke_client,
        summary="Revoke a client",
        tag=TAG,
        scope="admin",
        description="It gets no further token, and every token it has is refused from now on. For good.",
        parameters=(CLIENT_ID,),
        answers={200: Answer("The client.", ShownClient, example={**EXAMPLE, "revoked_at": EXAMPLE["created_at"]})},
        refusals=(409,),
    ),
)
