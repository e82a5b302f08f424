"""What every body has in common: those sent to us are closed and strict, and all that is wrong is told at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from itertools import islice
from typing import Annotated, ClassVar, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, WithJsonSchema
from starlette.requests import Request

from truename.plumbing.errors import Invalid
from truename.plumbing.http.idempotency import key_faults
from truename.plumbing.http.json_body import LONG_BODY, parse_body, read_bounded, read_json, refuse_other_types
from truename.plumbing.http.queries import Query
from truename.plumbing.http.turns import one_thread
from truename.rules.config_values import Closed
from truename.rules.faults import MOST_FAULTS, Fault, faults_of, pointer_to

LONGEST_TEXT: Final = 32 * 1024
"""Of any text but a picture, before anything reads it: a library that takes the square of a length would not end."""
NAMED: Final = "x-component"
"""Stands for a reference until the description is written: the library knows only its own models."""


class Sent(Closed):
    """Base of every body that is sent to us."""

    pictures: ClassVar[frozenset[str]] = frozenset()
    """Names of the fields, here or further in, whose text may be longer than any other."""


class Shown(BaseModel):
    """Base of every body that we answer: what the code writes, and its description in the OpenAPI page."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, validate_by_name=True, validate_by_alias=True
    )


def _is_none(value: object) -> bool:
    return value is None


class Marked(Shown):
    """Base of what is answered about an account's own: that of a sandbox says so, that of a live account never."""

    livemode: Annotated[
        Literal[False] | None, WithJsonSchema({"type": "boolean", "const": False}), Field(exclude_if=_is_none)
    ] = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""


def named(component: str) -> WithJsonSchema:
    """Describes a value by a component of the OpenAPI document that is no model, such as a list of codes."""
    return WithJsonSchema({NAMED: component})


class Nothing(Sent):
    """An empty object."""


Body = TypeVar("Body", bound=BaseModel)
Further = Callable[[JsonValue], Awaitable[list[Fault]]]
"""Looks, in a body that is refused anyway, for the faults that only a longer look finds."""


async def read_body(
    request: Request,
    model: type[Body],
    limit: int,
    *,
    context: Mapping[str, object] | None = None,
    further: Further | None = None,
) -> tuple[Body, bytes]:
    """The body as its model, and its bytes.

    Refuses (400) with every fault of the request: parameters of the address, the idempotency key, the body. Refuses a
    body that is too large (413) or not JSON (415).
    """
    faults = [*(Query(request).faults if request.scope["query_string"] else ()), *key_faults(request)]
    try:
        sent, body = await read_json(request, limit)
    except Invalid as refused:
        raise Invalid([*faults, *refused.faults]) from None
    if len(body) > LONGEST_TEXT and (long := list(islice(_too_long(sent, model), MOST_FAULTS))):
        raise Invalid([*faults, *long])
    try:
        # Megabytes of base64 are checked beside the event loop, not on it.
        if len(body) < LONG_BODY:
            # What `model_validate` does, without its looking for arguments that nobody gives.
            new = model.__pydantic_validator__.validate_python(sent, context=context)
        else:
            async with one_thread(request):
                new = await asyncio.to_thread(model.model_validate, sent, context=context)
        if not faults:
            return new, body
    except ValidationError as error:
        faults += faults_of(error, model)
    if further is not None:
        faults += await further(sent)
    raise Invalid(faults)


def _too_long(value: JsonValue, model: type[BaseModel], place: tuple[int | str, ...] = ()) -> Iterator[Fault]:
    """Every text that is longer than any may be but a picture, whether there is such a field or not."""
    if isinstance(value, str):
        pictures = model.pictures if issubclass(model, Sent) else frozenset()
        if len(value) > LONGEST_TEXT and (not place or place[-1] not in pictures):
            words = f"No text but that of a picture may have more than {LONGEST_TEXT} characters."
            yield Fault(pointer_to(place), "text_too_long", words)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _too_long(part, model, (*place, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _too_long(part, model, (*place, index))


async def read_nothing(request: Request, limit: int) -> bytes:
    """The bytes of a POST whose address says it all: absent, empty or `{}`; refuses with every fault of the request."""
    faults = [*Query(request).faults, *key_faults(request)]
    body = await read_bounded(request, limit)
    if body:
        refuse_other_types(request)
        try:
            faults += _faults_of_something(parse_body(body))
        except Invalid as refused:
            faults += refused.faults
    if faults:
        raise Invalid(faults)
    return body


def _faults_of_something(sent: JsonValue) -> list[Fault]:
    words = "The body must be absent or an empty object."
    if not isinstance(sent, dict):
        return [Fault("", "not_an_object", words)]
    return [Fault(pointer_to((name,)), "field_unknown", words) for name in islice(sent, MOST_FAULTS)]
