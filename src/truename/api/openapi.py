"""The OpenAPI 3.1 description, written from the operations: what the service accepts, no more and no less."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, JsonSchemaValue, models_json_schema

from truename import __version__
from truename.accounts.model import SCOPE_MEANINGS
from truename.api.components import (
    BEYOND_SCHEMA,
    FAULT,
    HEADERS,
    IDEMPOTENCY_KEY,
    LIMIT_HEADERS,
    PROBLEM,
    REFUSAL_HEADERS,
    REPLAY_HEADERS,
    TEXT,
    WEBHOOK,
    WORDS,
    X_FORMATS,
    X_RULES,
)
from truename.plumbing.error_codes import PROBLEMS
from truename.plumbing.http.bodies import NAMED
from truename.plumbing.http.operations import Operation
from truename.plumbing.http.problems import PAGES
from truename.plumbing.http.request_context import API_VERSION
from truename.rules.json_values import Json, JsonObject
from truename.webhooks.model import WebhookEvent

EXAMPLES: Final = Path(__file__).with_name("examples.json")
"""Answers of real runs by the model that describes them: written by tools/api_examples.py."""

AN_ID: Final = "01a1e3bf-a692-7a1f-aaa9-2b6f9004a90c"
UNCOUNTED: Final = frozenset({401, 405, 500, 503})
"""Refusals of which it is not known whose call it was, or not known that it was counted."""
_NAMED: Final = re.compile(r"\{[a-z_]+\}")
"""What the pattern of a path leaves open."""

SECURITY: Final[dict[str, dict[str, Json]]] = {
    "oauth2": {
        "type": "oauth2",
        "description": "Client credentials; the token is sent as `Authorization: Bearer …`.",
        "flows": {"clientCredentials": {"tokenUrl": "/oauth/token", "scopes": {}}},
    },
    "sdk_token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "The `sdk_token` of one transaction.",
    },
}
TAGS: Final = {
    "Customers": "A customer is the persistent record of one person in an account: created once, used for every "
    "transaction of that person.",
    "Transactions": "One verification for one customer, its rules, its decision and why.",
    "Blocklist": "Faces that the account does not want to see again; searched where its `face_search` is on.",
    "SDK": "What the capture page and native SDKs speak, with the `sdk_token` of one transaction.",
    "Webhooks": "Status changes, told as they happen; the log of what was told.",
    "Clients": "Programs of the account that may fetch tokens, managed by its administrator.",
    "Access": "Access tokens and the keys that sign them.",
    "Service": "Whether the service is well.",
}
REFERENCE: Final = "#/components/schemas/{model}"


def member_names(page: object) -> set[str]:
    """Every name that a member of a body can have, as the description says."""
    found: set[str] = set()
    if isinstance(page, dict):
        properties = page.get("properties")
        found |= set(properties) if isinstance(properties, dict) else set()
    inner = page.values() if isinstance(page, dict) else page if isinstance(page, (list, tuple)) else ()
    return found.union(*(member_names(one) for one in inner)) if inner else found


def described(operations: Iterable[Operation], server: str) -> dict[str, Json]:
    """The whole description."""
    listed = list(operations)
    schemas, components = _schemas(listed)
    paths: dict[str, dict[str, Json]] = {}
    for operation in listed:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas, server)
    flow: JsonObject = {"tokenUrl": "/oauth/token", "scopes": dict(SCOPE_MEANINGS)}
    used = {operation.tag for operation in listed}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Truename",
            "version": __version__,
            "summary": "Self-hosted identity verification whose every decision can be explained.",
            "description": _introduction(),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "x-interface-date": API_VERSION,
        },
        "servers": [{"url": server}],
        "tags": [{"name": name, "description": words} for name, words in TAGS.items() if name in used],
        "paths": paths,
        "webhooks": {"transactionStatusChanged": WEBHOOK},
        "components": {
            "schemas": {**components, **WORDS, "Fault": FAULT, "Problem": PROBLEM},
            "parameters": {"IdempotencyKey": IDEMPOTENCY_KEY},
            "securitySchemes": {
                **SECURITY,
                "oauth2": {**SECURITY["oauth2"], "flows": {"clientCredentials": flow}},
            },
        },
    }


def _introduction() -> str:
    formats = "\n".join(f"- `x-format: {name}`: {words}" for name, words in X_FORMATS.items())
    rules = "\n".join(f"- `{name}`: {words}" for name, words in X_RULES.items())
    beyond = "\n".join(f"- `{code}`: {words}" for code, words in BEYOND_SCHEMA.items())
    return (
        "Create a customer, open a transaction, hand its `sdk_token` to the capture, then read the decision. Every "
        "error is a problem (RFC 9457) with a stable `code`. A request that fits its schema is never refused as "
        "invalid, and one that does not is refused with 400; an unknown field or parameter is a fault. What JSON "
        f"Schema cannot say stands beside it:\n\n{formats}\n{rules}\n\n"
        f"Only these are a 400 for what no description could say:\n\n{beyond}\n\n"
        "Pages (`/docs`, `/verify`, `/demo`, `/dashboard`), what they alone call, and `/metrics` are no part of this "
        "interface.\n"
    )


Schemas = Mapping[tuple[type[object], JsonSchemaMode], JsonSchemaValue]
"""What refers to each model, by the model and by whether it is sent or answered."""


def _schemas(operations: list[Operation]) -> tuple[Schemas, dict[str, Json]]:
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [(WebhookEvent, "serialization")]
    for operation in operations:
        if operation.body is not None:
            wanted.append((operation.body, "validation"))
        wanted += [(answer.model, "serialization") for answer in operation.answers.values() if answer.model]
    schemas, definitions = models_json_schema(list(dict.fromkeys(wanted)), ref_template=REFERENCE)
    components = {name: _with_references(one) for name, one in definitions.get("$defs", {}).items()}
    components.pop("JsonValue", None)  # the library lists it, though no schema refers to it
    return {(model, mode): one for (model, mode), one in schemas.items()}, components


def _with_references(part: Json) -> Json:
    """The same with a reference to each component that a model could only name, and without titles that say nothing."""
    if isinstance(part, list):
        return [_with_references(one) for one in part]
    if not isinstance(part, dict):
        return part
    if NAMED in part:
        return {"$ref": REFERENCE.format(model=part[NAMED]), **{k: v for k, v in part.items() if k == "description"}}
    return {
        name: _with_references(one)
        for name, one in part.items()
        if not (name == "title" and isinstance(one, str) and ("type" in part or "anyOf" in part or "$ref" in part))
    }


@lru_cache
def _examples() -> dict[str, dict[str, Json]]:
    found: dict[str, dict[str, Json]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return found


def _operation(operation: Operation, schemas: Schemas, server: str) -> dict[str, Json]:
    parameters: list[Json] = [dict(parameter) for parameter in operation.parameters]
    if _takes_a_key(operation):
        parameters.append({"$ref": "#/components/parameters/IdempotencyKey"})
    found: dict[str, Json] = {
        "operationId": operation.operation_id,
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": _responses(operation, schemas, server),
    }
    if operation.description:
        found["description"] = operation.description
    if parameters:
        found["parameters"] = parameters
    if operation.security is not None:
        found["security"] = list(operation.security)
    elif operation.scope:
        found["security"] = [{"oauth2": [operation.scope]}]
    else:
        found["security"] = []
    if operation.body is not None:
        content: dict[str, Json] = {"schema": schemas[operation.body, "validation"]}
        if operation.body_examples:
            content["examples"] = dict(operation.body_examples)
        found["requestBody"] = {"required": operation.body_required, "content": {operation.body_type: content}}
    if operation.pictures:
        picture = {"schema": {"type": "string", "format": "binary", "description": "The picture itself."}}
        found["requestBody"] = {"required": True, "content": {"image/jpeg": picture, "image/png": picture}}
    return found


def _takes_a_key(operation: Operation) -> bool:
    return operation.method in ("POST", "PATCH") and operation.idempotent


def _responses(operation: Operation, schemas: Schemas, server: str) -> dict[str, Json]:
    responses: dict[str, Json] = {}
    for status, answer in operation.answers.items():
        good = status < 400
        limits = LIMIT_HEADERS if operation.limited and good else {}
        replay = REPLAY_HEADERS if _takes_a_key(operation) and good else {}
        response: dict[str, Json] = {
            "description": answer.description,
            "headers": {**HEADERS, **limits, **replay, **answer.headers},
        }
        if answer.model is not None:
            media: dict[str, Json] = {"schema": schemas[answer.model, "serialization"]}
            taken = _examples().get(answer.model.__name__)
            if taken:
                media["examples"] = {name: {"value": value} for name, value in taken.items()}
            elif answer.example is not None:
                media["example"] = answer.example
            response["content"] = {answer.media_type: media}
        elif answer.media_type.startswith("image/"):
            response["content"] = {answer.media_type: {"schema": {"type": "string", "format": "binary"}}}
        elif answer.media_type != "application/json":
            response["content"] = {answer.media_type: {"schema": TEXT}}
        responses[str(status)] = response
    for status in sorted(refusals_of(operation)):
        responses[str(status)] = _refused(operation, status, server)
    return responses


def refusals_of(operation: Operation) -> set[int]:
    """Every status that this operation may refuse with."""
    found = {400, 405, 500, 503, *operation.refusals}
    if operation.scope:
        found |= {401, 403}
    if operation.limited:
        found.add(429)
    if "{" in operation.path:
        found.add(404)
    if operation.method in ("POST", "PUT", "PATCH"):
        found |= {413, 415}
        if operation.idempotent:
            found |= {409, 410, 422}
    return found - set(operation.answers)


def _refused(operation: Operation, status: int, server: str) -> dict[str, Json]:
    """What a refusal with this status can mean, with an example."""
    rows = {code: row for code, row in PROBLEMS.items() if row.status == status}
    if status == 404 and operation.tag != "SDK":
        rows = {code: row for code, row in rows.items() if code.removesuffix("_not_found") in operation.path} or rows
    code, row = next(iter(rows.items()))
    example: dict[str, Json] = {
        "type": f"{server}{PAGES}/{code}",
        "title": row.meaning.rstrip("."),
        "status": status,
        "detail": row.meaning,
        "instance": _NAMED.sub(AN_ID, operation.path.replace("{side}", "front")),
        "code": code,
        "request_id": "5f2c0f6a4be14c1d8f0e5d9b7a3c2e10",
    }
    if status == 400:
        detail = "There is no such field. Did you mean external_customer_id?"
        example["errors"] = [{"pointer": "/external_customer", "code": "field_unknown", "detail": detail}]
    limits = LIMIT_HEADERS if operation.limited and status not in UNCOUNTED else {}
    return {
        "description": "\n".join(f"- `{code}`: {row.meaning}" for code, row in rows.items()),
        "headers": {**HEADERS, **limits, **REFUSAL_HEADERS.get(status, {})},
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}
        },
    }
