"""Read a JSON body: bounded while it is read, and parsed without forgiving anything.

Every common parser keeps the last of two equal keys in silence, and some accept NaN, lone surrogates or
endless nesting. What an integrator meant by such a body cannot be known, so all of these are refused.
"""

import asyncio
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import orjson
from pydantic import JsonValue
from starlette.requests import Request

from truename.plumbing.errors import Invalid, NotJson, TooLarge
from truename.plumbing.http.json_bounds import MAX_DEPTH, MAX_VALUES, depth_of, has_too_many_values
from truename.plumbing.http.request_context import SENT_KEY, header_of
from truename.plumbing.http.turns import WHOLE_KEY, Turn, aside, one_thread, turn_of
from truename.rules.faults import MOST_FAULTS, Fault, pointer_to

LONGEST_TYPE: Final = 255
"""More than anybody needs to say that it is JSON. A header may be as long as a head, and spaces are read twice."""
LONG_BODY: Final = 64 * 1024
"""Bodies from this size on are parsed beside the event loop."""
SMALL: Final = 8192
"""Bodies up to this size are remembered until the request is over, for the log of requests."""

_CONTENT_TYPE = re.compile(
    r"""application/json[ \t]*+(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?;?[ \t]*""", re.IGNORECASE
)
_HALF = re.compile("[\ud800-\udfff]")


class Unacceptable(ValueError):
    """The text is JSON to some parsers, but not to ours."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.faults: Sequence[Fault] = (Fault("", code, detail),)
        """Every such thing in the text, each with its place where it has one."""


async def read_json(request: Request, limit: int) -> tuple[JsonValue, bytes]:
    """The parsed body and its bytes; refuses a body that is too large, not JSON by its header, or malformed."""
    refuse_other_types(request)
    body = await read_bounded(request, limit)
    if len(body) <= SMALL:
        request.scope[SENT_KEY] = body
    if len(body) < LONG_BODY:
        return parse_body(body), body
    async with one_thread(request):
        return await asyncio.to_thread(parse_body, body), body


def parse_body(body: bytes) -> JsonValue:
    """Parse a whole body, or refuse it with every fault that has a place, else with the one at its root."""
    try:
        return parse(body)
    except Unacceptable as refused:
        raise Invalid(refused.faults) from None


def refuse_other_types(request: Request) -> None:
    """Refuse a body that does not call itself JSON, or that is compressed."""
    named = header_of(request.scope, b"content-type")
    if len(named) > LONGEST_TYPE or not _CONTENT_TYPE.fullmatch(named):
        raise NotJson
    if header_of(request.scope, b"content-encoding").lower() not in ("", "identity"):
        raise NotJson


def too_large(limit: int) -> TooLarge:
    """The refusal of a body with more bytes than this."""
    return TooLarge(f"The body may have at most {limit} bytes.")


async def read_bounded(request: Request, limit: int) -> bytes:
    """All bytes of the body, counted as they arrive: a header can lie, and a chunked body has none."""
    given = header_of(request.scope, b"content-length")
    announced = int(given) if given.isascii() and given.isdigit() and len(given) < 20 else limit
    if announced > limit:
        raise too_large(limit)
    if request.scope.get(WHOLE_KEY):
        return await _chunks(request, limit)
    # It is slow, or large: others of the same caller work meanwhile, and it is read when there is room for it.
    async with aside(request):
        turn = turn_of(request)
        if turn is not None and announced > LONG_BODY:
            await turn.hold_body(announced)
        return await _chunks(request, limit, turn)


async def _chunks(request: Request, limit: int, turn: Turn | None = None) -> bytes:
    # Asked for directly: the framework's stream costs more than the reading. The connection minds how long it takes.
    first, size, more = b"", 0, True
    whole: io.BytesIO | None = None
    while more:
        if turn is not None:
            await turn.next_piece()
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Invalid([Fault("", "body_incomplete", "The connection ended before the body did.")])
        chunk: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(chunk)
        if size > limit:
            raise too_large(limit)
        if turn is not None:
            turn.grow_body(len(chunk))
        if whole is not None:
            whole.write(chunk)
        elif first:
            # Put together as it comes: pieces that are kept until the last are there twice when they are joined, and
            # leave holes that malloc does not give back.
            whole = io.BytesIO()
            whole.write(first)
            whole.write(chunk)
        else:
            first = chunk
    return first if whole is None else whole.getvalue()  # which is its own memory, not a copy


def parse(body: bytes) -> JsonValue:
    """Parse strict JSON (RFC 8259, UTF-8, no byte-order mark, no equal keys, no number that a double cannot hold)."""
    if len(body) <= SMALL and (flat := _flat_object(body)) is not None:
        return flat
    # First, because to make a text of twelve megabytes takes as many more, and stops every thread meanwhile.
    if has_too_many_values(body):
        raise Unacceptable("json_too_many_values", f"The body holds more than {MAX_VALUES:,} values.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Unacceptable("json_malformed", "The body is not valid UTF-8.") from None
    # The number of brackets bounds the depth, so that ordinary bodies need no walk.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and depth_of(body) > MAX_DEPTH:
        raise Unacceptable("json_too_deep", f"The body is nested more than {MAX_DEPTH} levels deep.")
    if text.startswith("\ufeff"):
        raise Unacceptable("json_malformed", "The body starts with a byte-order mark.")
    try:
        value: JsonValue = _DECODER.decode(text)
    except Unacceptable as refused:
        raise _refused(text, refused.code, refused.detail) from None
    except (json.JSONDecodeError, RecursionError) as fault:
        raise Unacceptable("json_malformed", _where(fault)) from None
    except ValueError:  # an integer of more digits than Python reads
        raise _refused(text, "json_number_too_large", TOO_LARGE) from None
    if b"\\ud" in body or b"\\uD" in body:
        # Only an escape can bring half a surrogate pair into valid UTF-8; orjson refuses it, the standard library not.
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError:
            raise _refused(text, "json_malformed", HALF_A_PAIR) from None
    return value


def _flat_object(body: bytes) -> dict[str, JsonValue] | None:
    """A small object of strings, which most bodies are, in a quarter of the time; None: it takes the longer way.

    That no key stands in it twice is told by its quotation marks: each key and each string has two, so that a pair
    which was overwritten leaves more of them than what was found needs. A string that holds one goes the longer way.
    """
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    flat = type(found) is dict and body.count(b'"') == 4 * len(found) and {*map(type, found.values())} <= {str}
    return found if flat else None


def _where(fault: Exception) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"The body is not valid JSON at line {fault.lineno}, column {fault.colno}."
    return "The body is not valid JSON."


TWICE: Final = "An object holds the same key twice."
TOO_LARGE: Final = "A number is too large."
NO_NUMBER: Final = "NaN and Infinity are not JSON."
HALF_A_PAIR: Final = "A string holds half of a surrogate pair."


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unacceptable("json_duplicate_key", TWICE)
    return found


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise Unacceptable("json_number_too_large", TOO_LARGE)
    return value


def _no_constant(_: str) -> None:
    raise Unacceptable("json_malformed", NO_NUMBER)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_constant=_no_constant, strict=True
)


class _Pairs(tuple[tuple[str, object], ...]):
    """An object with all its keys, also those that stand in it twice."""


def _whole_or_too_large(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return math.inf


_FORGIVING: Final = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_int=_whole_or_too_large, parse_constant=lambda _: math.nan, strict=True
)
"""For a body that is refused already: what is wrong with it, and where, is known only once all of it is read."""


def _refused(text: str, code: str, detail: str) -> Unacceptable:
    """The refusal of a text, with the place of all that is unclear in it; none has one where the JSON is malformed."""
    refusal = Unacceptable(code, detail)
    try:
        whole: object = _FORGIVING.decode(text)
    except (ValueError, RecursionError):
        return refusal
    refusal.faults = list(islice(_unclear(whole, ()), MOST_FAULTS)) or refusal.faults
    return refusal


def _unclear(value: object, place: tuple[int | str, ...]) -> Iterator[Fault]:
    """Every key that stands twice, every number that is none and every string that is no text, each with its place."""
    if isinstance(value, str) and _HALF.search(value):
        yield Fault(pointer_to(place), "json_malformed", HALF_A_PAIR)
    elif isinstance(value, float) and math.isnan(value):
        yield Fault(pointer_to(place), "json_malformed", NO_NUMBER)
    elif isinstance(value, float) and math.isinf(value):
        yield Fault(pointer_to(place), "json_number_too_large", TOO_LARGE)
    elif isinstance(value, _Pairs):
        # Half a surrogate pair could not be written into the answer.
        named = [(name.encode("utf-8", "replace").decode(), part) for name, part in value]
        times = Counter(name for name, _ in named)
        twice = [name for name, count in times.items() if count > 1]
        yield from (Fault(pointer_to((*place, name)), "json_duplicate_key", TWICE) for name in twice)
        for (given, _), (name, part) in zip(value, named, strict=True):
            if _HALF.search(given):
                yield Fault(pointer_to((*place, name)), "json_malformed", HALF_A_PAIR)
            yield from _unclear(part, (*place, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _unclear(part, (*place, index))
