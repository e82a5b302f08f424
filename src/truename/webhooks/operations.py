"""How the delivery log and the rotation of the secret are described."""

from typing import Final

from truename.plumbing.http.bodies import Nothing
from truename.plumbing.http.operations import LIMIT, UUID_SCHEMA, Answer, Operation, parameter
from truename.rules.json_values import Json
from truename.webhooks import endpoints
from truename.webhooks.endpoints import PATH
from truename.webhooks.model import EventList, EventState, SecretRotated, ShownEvent, ShownEventWhole

EVENT_ID_SCHEMA: Final = {"type": "string", "pattern": "^evt_[0-9a-f-]{36}$"}
EVENT_ID: Final = parameter("event_id", "path", EVENT_ID_SCHEMA, "As the list of events has it.")
EXAMPLE: Final[dict[str, Json]] = {
    "event_id": "evt_019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b80",
    "transaction_id": "019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b81",
    "type": "transaction.approved",
    "url": "https://shop.example.com/hooks/truename",
    "state": "DELIVERED",
    "attempts": 1,
    "next_attempt_at": None,
    "created_at": "2026-11-15T09:30:00.000000Z",
}

operations: Final = (
    Operation(
        "GET",
        PATH + "/event",
        endpoints.list_events,
        summary="List webhook events",
        name="listWebhookEvents",
        tag="Webhooks",
        scope="transactions:read",
        description="Newest first: what was to be told, and whether it was.",
        parameters=(
            parameter("transaction_id", "query", UUID_SCHEMA, "Only events of this transaction."),
            parameter("state", "query", {"type": "string", "enum": list(EventState)}, "Only events in this state."),
            LIMIT,
            parameter("cursor", "query", EVENT_ID_SCHEMA, "`next_cursor` of the page before."),
        ),
        answers={
            200: Answer("Events.", EventList, example={"data": [EXAMPLE], "has_more": False, "next_cursor": None})
        },
    ),
    Operation(
        "GET",
        PATH + "/event/{event_id}",
        endpoints.get_event,
        summary="Read a webhook event and its attempts",
        name="getWebhookEvent",
        tag="Webhooks",
        scope="transactions:read",
        parameters=(EVENT_ID,),
        answers={200: Answer("The event, its body and every attempt.", ShownEventWhole)},
    ),
    Operation(
        "POST",
        PATH + "/event/{event_id}/redeliver",
        endpoints.redeliver_event,
        summary="Deliver an event again",
        name="redeliverWebhookEvent",
        tag="Webhooks",
        scope="webhooks:write",
        description="Starts the schedule anew, whatever became of the event; it keeps its `webhook-id`.",
        parameters=(EVENT_ID,),
        body=Nothing,
        body_required=False,
        answers={202: Answer("The event is due now.", ShownEvent, example={**EXAMPLE, "state": "PENDING"})},
    ),
    Operation(
        "POST",
        PATH + "/secret/rotate",
        endpoints.rotate,
        summary="Rotate the webhook secret",
        name="rotateWebhookSecret",
        tag="Webhooks",
        scope="webhooks:write",
        description="Makes a new secret. For 24 hours every webhook bears two signatures, one of each. Who rotates "
        "again within that time has more of them, five at most: then 409 `too_many_webhook_secrets` until the first "
        "has expired.",
        body=Nothing,
        body_required=False,
        answers={200: Answer("The new secret, shown once.", SecretRotated)},
    ),
)
