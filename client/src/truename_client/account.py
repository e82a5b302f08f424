"""What an account manages of itself: its clients, the events of its webhooks and the secret that signs them."""

from collections.abc import Sequence
from typing import Final, get_args
from uuid import UUID

from truename_client import arguments
from truename_client.answers import (
    ClientList,
    EventList,
    SecretRotated,
    ShownClient,
    ShownClientWithSecret,
    ShownEvent,
    ShownEventWhole,
)
from truename_client.conversation import Call
from truename_client.errors import BadArgument
from truename_client.facade import (
    AsyncResource,
    Pages,
    Resource,
    awaited,
    awaited_pages,
    blocking,
    blocking_pages,
)
from truename_client.words import EventState

CLIENTS: Final = "/api/account/clients"
WEBHOOKS: Final = "/api/account/integration/webhooks"


def list_clients() -> Pages[ShownClient]:
    """Iterate over the account's clients, the oldest first. Needs the scope `admin`, as all about clients."""
    return Pages(Call("GET", CLIENTS, ClientList))


def add_client(
    name: str, scopes: Sequence[str] | None = None, *, idempotency_key: str | None = None
) -> Call[ShownClientWithSecret]:
    """Add a program that may fetch tokens; its `client_secret` is shown this once."""
    body: dict[str, object] = {"name": arguments.text("name", name)}
    if scopes is not None:
        if isinstance(scopes, str) or not scopes:
            raise BadArgument("scopes must be a list of at least one scope, or left out.")
        body["scopes"] = list(scopes)
    return Call("POST", CLIENTS, ShownClientWithSecret, body=body, idempotency_key=idempotency_key)


def rotate_client(
    client_id: str, *, overlap_seconds: int = 86_400, idempotency_key: str | None = None
) -> Call[ShownClientWithSecret]:
    """A new secret, shown this once; the old one works for `overlap_seconds` more."""
    body: dict[str, object] = {"overlap_seconds": arguments.whole("overlap_seconds", overlap_seconds, 0, 2_592_000)}
    path = f"{CLIENTS}/{_segment('client_id', client_id)}/rotate"
    return Call("POST", path, ShownClientWithSecret, body=body, idempotency_key=idempotency_key)


def revoke_client(client_id: str, *, idempotency_key: str | None = None) -> Call[ShownClient]:
    """For good and at once: no token, and its tokens are refused."""
    path = f"{CLIENTS}/{_segment('client_id', client_id)}/revoke"
    return Call("POST", path, ShownClient, body={}, idempotency_key=idempotency_key)


def list_events(
    *, transaction_id: str | UUID | None = None, state: EventState | None = None, page_size: int = 100
) -> Pages[ShownEvent]:
    """Iterate over webhook events, newest first; pages are fetched as they are needed."""
    query: dict[str, str | int | None] = {
        "transaction_id": None if transaction_id is None else arguments.identifier("transaction_id", transaction_id),
        "state": None if state is None else arguments.word("state", state, get_args(EventState)),
        "limit": arguments.whole("page_size", page_size, 1, 100),
    }
    return Pages(Call("GET", f"{WEBHOOKS}/event", EventList, query=query))


def get_event(event_id: str) -> Call[ShownEventWhole]:
    """An event with its body and every attempt."""
    return Call("GET", f"{WEBHOOKS}/event/{_segment('event_id', event_id)}", ShownEventWhole)


def redeliver_event(event_id: str, *, idempotency_key: str | None = None) -> Call[ShownEvent]:
    """Send an event again, with the same `webhook-id`."""
    path = f"{WEBHOOKS}/event/{_segment('event_id', event_id)}/redeliver"
    return Call("POST", path, ShownEvent, body={}, idempotency_key=idempotency_key)


def rotate_webhook_secret(*, idempotency_key: str | None = None) -> Call[SecretRotated]:
    """A new secret, shown this once; both sign until the old one expires."""
    return Call("POST", f"{WEBHOOKS}/secret/rotate", SecretRotated, body={}, idempotency_key=idempotency_key)


def _segment(name: str, value: str) -> str:
    """An identifier of our own making as a part of an address."""
    if not isinstance(value, str) or not value or not value.replace("_", "").replace("-", "").isalnum():
        raise BadArgument(f"{name} must be as the service answered it.")
    if not value.isascii():
        raise BadArgument(f"{name} must be as the service answered it.")
    return value


class Clients(Resource):
    """`client.clients`."""

    list = blocking_pages(list_clients)
    add = blocking(add_client)
    rotate = blocking(rotate_client)
    revoke = blocking(revoke_client)


class AsyncClients(AsyncResource):
    """`client.clients`, awaited."""

    list = awaited_pages(list_clients)
    add = awaited(add_client)
    rotate = awaited(rotate_client)
    revoke = awaited(revoke_client)


class WebhookEvents(Resource):
    """`client.webhook_events`."""

    list = blocking_pages(list_events)
    get = blocking(get_event)
    redeliver = blocking(redeliver_event)
    rotate_secret = blocking(rotate_webhook_secret)


class AsyncWebhookEvents(AsyncResource):
    """`client.webhook_events`, awaited."""

    list = awaited_pages(list_events)
    get = awaited(get_event)
    redeliver = awaited(redeliver_event)
    rotate_secret = awaited(rotate_webhook_secret)
