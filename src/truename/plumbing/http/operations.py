"""What a path can do, beside how it is described.

An operation is a bare handler (request in, response out), as thin as Starlette allows, that carries its OpenAPI
description; `api/openapi.py` writes the page from these. Methods of one path share a route, so that a wrong method is
answered with all that are allowed.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from truename.plumbing.http.request_context import PATH_KEY
from truename.rules.json_values import Json, JsonObject

Endpoint = Callable[[Request], Awaitable[Response]]


LOCATION: Final[JsonObject] = {
    "Location": {
        "schema": {"type": "string", "format": "uri-reference"},
        "description": "The path under which it is read from now on.",
    }
}
"""For answers to what was created."""


@dataclass(frozen=True)
class Answer:
    """A good answer: its words, and the shape of its body (a media type alone when it is not JSON)."""

    description: str
    model: type[BaseModel] | None = None
    media_type: str = "application/json"
    example: Json = None
    headers: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    endpoint: Endpoint
    summary: str
    tag: str
    answers: Mapping[int, Answer]
    scope: str | None = None
    description: str = ""
    parameters: tuple[JsonObject, ...] = ()
    body: type[BaseModel] | None = None
    body_examples: JsonObject = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    """Statuses beyond those that every operation may answer (400, 401, 403, 404 of a path, 405, 413, 415, 429, 500)."""
    security: tuple[JsonObject, ...] | None = None
    """Other than an access token with the scope."""
    body_type: str = "application/json"
    body_required: bool = True
    pictures: bool = False
    """The body is a picture itself, as image/jpeg or image/png."""
    name: str = ""
    """The operationId: a verb and a noun, createCustomer; by default that of the endpoint."""
    idempotent: bool = True
    """Knows the header Idempotency-Key, when it is a POST or a PATCH."""
    limited: bool = True
    """Counted by the rate limit."""

    @property
    def operation_id(self) -> str:
        """The name of the operation in generated clients."""
        first, *others = self.endpoint.__name__.split("_")
        return self.name or first + "".join(word.capitalize() for word in others)


def parameter(name: str, where: str, schema: JsonObject, description: str) -> dict[str, Json]:
    """One parameter of an address, as OpenAPI describes it; those of the path are required."""
    return {"name": name, "in": where, "required": where == "path", "schema": dict(schema), "description": description}


UUID_SCHEMA: Final = {"type": "string", "format": "uuid"}
LIMIT: Final = parameter(
    "limit", "query", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}, "How many of them on one page."
)


def routes(operations: Iterable[Operation]) -> list[Route]:
    """One bare route for each path."""
    paths: dict[str, dict[str, Endpoint]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method] = operation.endpoint
    return [Route(path, _Methods(path, methods)) for path, methods in paths.items()]


class ExactPaths:
    """Finds a path without parameters in one step, and leaves every other to the framework's router, which tries each.

    As an ASGI application. The routes must all be there before the first request.
    """

    def __init__(self, router: Router) -> None:
        self.router = router
        self.exact = {
            route.path: route.endpoint
            for route in reversed(router.routes)
            if isinstance(route, Route) and isinstance(route.endpoint, _Methods) and not route.param_convertors
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.exact.get(scope["path"]) if scope["type"] == "http" else None
        await (found or self.router)(scope, receive, send)


class _Methods:
    """The methods of one path, as an ASGI application."""

    def __init__(self, path: str, methods: Mapping[str, Endpoint]) -> None:
        self.path = path
        self.methods = dict(methods)
        if "GET" in methods:
            self.methods["HEAD"] = methods["GET"]
        self.allowed = ", ".join(sorted(self.methods))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self.methods.get(scope["method"])
        if endpoint is None:
            raise HTTPException(405, headers={"Allow": self.allowed})
        scope[PATH_KEY] = self.path
        response = await endpoint(Request(scope, receive, send))
        await response(scope, receive, send)
