"""The OpenAPI 3.1 description, written from the operations themselves."""

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from truename.accounts.model import SCOPE_MEANINGS
from truename.plumbing.http.operations import Operation
from truename.plumbing.http.request_context import API_VERSION

PROBLEMS: Final = {
    400: ("The request is not valid", "validation_failed"),
    401: ("The access token is missing or not valid", "not_authenticated"),
    403: ("The access token lacks a scope", "scope_missing"),
    404: ("It does not exist, or not in this account", "not_found"),
    405: ("The address does not know this method", "method_not_allowed"),
    409: ("The state does not allow this", "wrong_state"),
    410: ("It was erased", "gone"),
    413: ("The body is too large", "too_large"),
    415: ("The body must be JSON", "not_json"),
    422: ("The idempotency key belongs to another request", "idempotency_key_reused"),
    429: ("Too many requests", "too_many_requests"),
    500: ("The service failed", "internal_error"),
    503: ("The service is not ready", "not_ready"),
}
TEXT: Final = {"type": "string"}
PROBLEM: Final = {
    "type": "object",
    "description": "RFC 9457.",
    "required": ["type", "title", "status", "detail", "instance", "code", "request_id"],
    "properties": {
        "type": TEXT,
        "title": TEXT,
        "status": {"type": "integer"},
        "detail": TEXT,
        "instance": TEXT,
        "code": {**TEXT, "description": "Stable; decide by this one."},
        "request_id": TEXT,
        "errors": {
            "type": "array",
            "description": "Every fault of the request.",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {
                    "pointer": {**TEXT, "description": "JSON pointer (RFC 6901) of the field or parameter."},
                    "code": TEXT,
                    "detail": TEXT,
                },
            },
        },
        "customer_id": {**TEXT, "format": "uuid", "description": "With `customer_already_exists`: the one there is."},
        "transaction_status": {**TEXT, "description": "With `wrong_state`: the status at this moment."},
    },
}
IDEMPOTENCY_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "On every POST and PATCH: repeat a request safely. For 24 hours the first answer is replayed; 409 "
    "while the first is in flight, 422 when the key was used with another body.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
}
HEADERS: Final = {
    "X-Request-Id": {"schema": TEXT, "description": "Name this when you ask about a request."},
    "Truename-Version": {"schema": TEXT, "description": "The date of the interface."},
}
LIMIT_HEADERS: Final = {
    "RateLimit-Policy": {"schema": TEXT, "description": "How many calls in how many seconds."},
    "RateLimit": {"schema": TEXT, "description": "How many calls are left."},
}
SECURITY: Final[dict[str, dict[str, Any]]] = {
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
AGE_STEPS: Final = (*range(61), 75, 100, 200)
REFERENCE: Final = "#/components/schemas/{model}"


AGES_IN_ORDER: Final = [
    {"properties": {"expected_min_age": {"maximum": age}, "expected_max_age": {"minimum": age}}} for age in AGE_STEPS
]
"""That one field is not below another cannot be said in JSON Schema, except as: some age lies between them.

Tools give up on hundreds of alternatives, so beyond 60 only some ages are named: a narrow range up there is accepted
although the schema does not show it.
"""


def described(operations: Iterable[Operation], server: str) -> dict[str, Any]:
    """The whole description."""
    listed = list(operations)
    schemas, components = _schemas(listed)
    paths: dict[str, dict[str, Any]] = {}
    for operation in listed:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    flow = {"tokenUrl": "/oauth/token", "scopes": dict(SCOPE_MEANINGS)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Truename",
            "version": API_VERSION,
            "summary": "Self-hosted identity verification whose every decision can be explained.",
            "description": f"Truename {version('truename')}. Create a customer, open a transaction, hand its "
            "`sdk_token` to the capture, then read the decision. Every error is a problem (RFC 9457) with a stable "
            "`code`.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": server}],
        "tags": [{"name": name} for name in dict.fromkeys(operation.tag for operation in listed)],
        "paths": paths,
        "components": {
            "schemas": {**components, "Problem": PROBLEM},
            "parameters": {"IdempotencyKey": IDEMPOTENCY_KEY},
            "securitySchemes": {
                **SECURITY,
                "oauth2": {**SECURITY["oauth2"], "flows": {"clientCredentials": flow}},
            },
        },
    }


Mode = Any
Schemas = dict[Any, dict[str, Any]]


def _schemas(operations: list[Operation]) -> tuple[Schemas, dict[str, Any]]:
    wanted: list[tuple[type[BaseModel], Mode]] = []
    for operation in operations:
        if operation.body is not None:
            wanted.append((operation.body, "validation"))
        wanted += [(answer.model, "serialization") for answer in operation.answers.values() if answer.model]
    schemas, definitions = models_json_schema(list(dict.fromkeys(wanted)), ref_template=REFERENCE)
    components = definitions.get("$defs", {})
    components["BiometricPolicy"]["anyOf"] = AGES_IN_ORDER
    return schemas, components


def _operation(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    parameters: list[Any] = [dict(parameter) for parameter in operation.parameters]
    found: dict[str, Any] = {
        "operationId": operation.endpoint.__name__,
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": _responses(operation, schemas),
    }
    if operation.method in ("POST", "PATCH") and operation.idempotent:
        # Not among the parameters: a key that goes with several bodies is refused, so it must never be filled in
        # by a tool that makes up requests.
        found["x-idempotency-key"] = {"$ref": "#/components/parameters/IdempotencyKey"}
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
        content: dict[str, Any] = {"schema": schemas[operation.body, "validation"]}
        if operation.body_examples:
            content["examples"] = dict(operation.body_examples)
        found["requestBody"] = {"required": True, "content": {operation.body_type: content}}
    return found


def _responses(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, answer in operation.answers.items():
        limits = LIMIT_HEADERS if operation.limited else {}
        response: dict[str, Any] = {
            "description": answer.description,
            "headers": {**HEADERS, **limits, **answer.headers},
        }
        if answer.model is not None:
            media: dict[str, Any] = {"schema": schemas[answer.model, "serialization"]}
            if answer.example is not None:
                media["example"] = answer.example
            response["content"] = {answer.media_type: media}
        elif answer.media_type.startswith("image/"):
            response["content"] = {answer.media_type: {}}
        elif answer.media_type != "application/json":
            response["content"] = {answer.media_type: {"schema": TEXT}}
        responses[str(status)] = response
    for status in sorted(refusals_of(operation)):
        responses[str(status)] = _problem(status)
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


def _problem(status: int) -> dict[str, Any]:
    title, code = PROBLEMS[status]
    example = {
        "type": f"urn:truename:problem:{code}",
        "title": title,
        "status": status,
        "detail": title + ".",
        "instance": "/api/account/integration/kyc/transaction",
        "code": code,
        "request_id": "5f2c0f6a4be14c1d8f0e5d9b7a3c2e10",
    }
    if status == 400:
        example["errors"] = [
            {
                "pointer": "/config/biometric_policy/expected_max_age",
                "code": "max_age_below_min_age",
                "detail": "The value must not be lower than expected_min_age.",
            }
        ]
    headers: dict[str, Any] = dict(HEADERS)
    if status == 401:
        headers["WWW-Authenticate"] = {"schema": TEXT, "description": "RFC 6750."}
    if status == 405:
        headers["Allow"] = {"schema": TEXT, "description": "The methods there are."}
    if status == 429:
        headers["Retry-After"] = {"schema": {"type": "integer"}, "description": "Seconds."}
    return {
        "description": title,
        "headers": headers,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}
        },
    }
