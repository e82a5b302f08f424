"""Parts of the OpenAPI description that are no model: lists of codes, the problem, headers, the webhook."""

from typing import Final

from truename.plumbing.error_codes import FAULTS, PROBLEMS
from truename.rules.issues import IssueCode
from truename.rules.json_values import Json, JsonObject
from truename.rules.reasons import REASONS
from truename.transactions.lifecycle import Status

TEXT: Final[JsonObject] = {"type": "string"}


def listed(words: dict[str, str], about: str) -> dict[str, Json]:
    """An enumeration whose every word is explained."""
    explained = "\n".join(f"- `{word}`: {meaning}" for word, meaning in words.items())
    return {"type": "string", "enum": list(words), "description": f"{about}\n\n{explained}"}


WORDS: Final[dict[str, dict[str, Json]]] = {
    "IssueCode": listed({code.name: code.meaning for code in IssueCode}, "What the analysis can find; no other code."),
    "Reason": listed(dict(REASONS), "Why a check came to its result."),
    "ProblemCode": listed({code: row.meaning for code, row in PROBLEMS.items()}, "Stable; decide by this one."),
    "FaultCode": listed({code: row.meaning for code, row in FAULTS.items()}, "What is wrong with one field."),
    "EventType": {
        "type": "string",
        "enum": [f"transaction.{status.value.lower()}" for status in Status if status is not Status.CREATED],
        "description": "One for each status that a transaction can come to.",
    },
}

FAULT: Final[JsonObject] = {
    "type": "object",
    "description": "One thing that is wrong with a request.",
    "required": ["pointer", "code", "detail"],
    "properties": {
        "pointer": {**TEXT, "description": "JSON pointer (RFC 6901) of the field; `/name` of a parameter or header."},
        "code": {"$ref": "#/components/schemas/FaultCode", "description": "What is wrong."},
        "detail": {**TEXT, "description": "The same in words; they repeat no value."},
    },
}
PROBLEM: Final[JsonObject] = {
    "type": "object",
    "description": "RFC 9457. It never repeats a secret, an image or personal data.",
    "required": ["type", "title", "status", "detail", "instance", "code", "request_id"],
    "properties": {
        "type": {**TEXT, "format": "uri", "description": "The page that explains the code."},
        "title": {**TEXT, "description": "What kind of problem it is."},
        "status": {"type": "integer", "description": "The HTTP status again."},
        "detail": {**TEXT, "description": "What happened this time."},
        "instance": {**TEXT, "format": "uri-reference", "description": "The path that was called."},
        "code": {"$ref": "#/components/schemas/ProblemCode", "description": "Stable; decide by this one."},
        "request_id": {**TEXT, "description": "Also the header X-Request-Id; the service's log has a line with it."},
        "errors": {
            "type": "array",
            "description": "Every fault of the request at once.",
            "items": {"$ref": "#/components/schemas/Fault"},
        },
        "customer_id": {**TEXT, "format": "uuid", "description": "With `customer_already_exists`: the one there is."},
        "transaction_status": {
            "$ref": "#/components/schemas/Status",
            "description": "With `wrong_state`: the status at this moment.",
        },
    },
}
IDEMPOTENCY_KEY: Final[JsonObject] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "On every POST and PATCH: repeat a request safely. For 24 hours the first answer is "
    "replayed; 409 while the first is in flight, 422 when the key was used with another request.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
}
HEADERS: Final[JsonObject] = {
    "X-Request-Id": {"schema": TEXT, "description": "Name this when you ask about a request."},
    "Truename-Version": {"schema": TEXT, "description": "The date of the interface."},
}
LIMIT_HEADERS: Final[JsonObject] = {
    "RateLimit-Policy": {"schema": TEXT, "description": "How many calls in how many seconds."},
    "RateLimit": {"schema": TEXT, "description": "How many calls are left."},
}
REPLAY_HEADERS: Final[JsonObject] = {
    "Idempotent-Replayed": {"schema": TEXT, "description": "`true`: the first answer to this Idempotency-Key, again."},
}
REFUSAL_HEADERS: Final[dict[int, dict[str, Json]]] = {
    401: {"WWW-Authenticate": {"schema": TEXT, "description": "RFC 6750."}},
    403: {"WWW-Authenticate": {"schema": TEXT, "description": "RFC 6750: the scope that is missing."}},
    405: {"Allow": {"schema": TEXT, "description": "The methods there are."}},
    429: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds; not with a cap on attempts."}},
    503: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}},
}

WEBHOOK: Final[JsonObject] = {
    "post": {
        "operationId": "onTransactionStatusChanged",
        "summary": "A transaction's status has changed",
        "description": "Sent to `config.webhook.url` by Standard Webhooks 1.0: one event for each change, at least "
        "once, signed. Verify the signature, answer 2xx within 15 seconds, and go by `webhook-id` and "
        "`data.sequence`: an event may come twice or late.",
        "tags": ["Webhooks"],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "schema": TEXT,
                "description": words,
            }
            for name, words in (
                ("webhook-id", "The same on every attempt."),
                ("webhook-timestamp", "Seconds since 1970, of this attempt."),
                ("webhook-signature", "`v1,` and HMAC-SHA256 of `id.timestamp.body`; two while a secret rotates."),
            )
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WebhookEvent"}}},
        },
        "responses": {
            "2XX": {"description": "Received."},
            "410": {"description": "Send this event no more."},
            "default": {"description": "Not received: it is sent again."},
        },
    }
}
X_FORMATS: Final = {
    "past-date": "A day that is not in the future anywhere on earth.",
    "email": "An e-mail address with a complete domain, internationalised ones included; no quoted local part.",
    "picture": "Canonical base64 (padded, no spare bits) of a JPEG or PNG file that can be decoded: at most 4,194,304 "
    "bytes and 40 million pixels.",
    "webhook-url": "An address whose host is a valid name or a public address, without credentials, spaces, control "
    "characters; a literal private address is refused unless the operator allows it. Plain http to the machine itself "
    "is for sandbox and trial accounts alone: another account gets 400.",
}
"""What JSON Schema cannot say of a text. Where a field bears `x-format`, it must also be such a one."""
X_RULES: Final = {
    "x-not-below": "By field: its number or moment must not be below that of the other field, where both are given.",
    "x-one-meaning": "Items that are equal in all fields of `of` must be equal in the field `in`.",
}
"""What JSON Schema cannot say of an object."""
BEYOND_SCHEMA: Final = {
    "customer_already_exists": "who has been created already",
    "scenario_not_for_this_type": "the type of the transaction that is simulated",
    "clock_too_far": "how far the time of the sandbox was moved before",
    "image_shows_no_face": "what the picture for a blocklist shows",
    "document_incomplete": "whether `country` and `type` of a document came together",
}
"""Codes of a 400 for requests that fit their schema, and what decides instead of it."""
