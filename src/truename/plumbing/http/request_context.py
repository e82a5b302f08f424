"""Give every request an id, and every answer its standing headers."""

import asyncio
import logging
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

import structlog
from opentelemetry.trace import Span
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truename.plumbing.errors import NotReady
from truename.plumbing.http.turns import TURN_KEY, CallerKey, Turn, Turns
from truename.plumbing.tracing import SANE_ID, RequestCause

API_VERSION: Final = "2026-11-15"
"""The date of the interface that is spoken; changes to it are additive."""

REQUEST_ID_KEY: Final = "truename.request_id"
HEADERS_KEY: Final = "truename.headers"
HEADERS_BY_NAME_KEY: Final = "truename.headers_by_name"
"""Those that were sent, once somebody has asked for one."""
CODE_KEY: Final = "truename.code"
PATH_KEY: Final = "truename.path"
WAITED_KEY: Final = "truename.waited"
"""Seconds for which the answer was held back because the caller had asked for that."""
CLIENT_KEY: Final = "truename.client"
ACCOUNT_KEY: Final = "truename.account"
SENT_KEY: Final = "truename.sent"
"""The body of the request, when it is small."""
ANSWER_KEY: Final = "truename.answer"
"""The body of the answer, when whose request it is is known."""
REFUSED_KEY: Final = "truename.refused"
"""The refusal with which the connection itself has answered, while the request was still being read."""

STANDING: Final = (
    (b"truename-version", API_VERSION.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
POLICY: Final = (
    b"content-security-policy",
    b"default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
"""Of every answer that brings none of its own: opened by itself in a browser it loads, runs and frames nothing."""
FOR_A_YEAR: Final = b"max-age=31536000"
"""Where browsers reach us by TLS they are told never to try without, for a year (RFC 6797)."""

MOST_LINES: Final = 100
"""Lines of one caller's refusals in a second: to write thousands would keep everybody else waiting."""

log = structlog.get_logger("truename.access")

OnFault = Callable[[Request, Exception], Awaitable[Response]]
Observer = Callable[[Scope, int, float], None]
"""Told of each finished request: its scope, the status answered and the seconds it took."""
Whose = Callable[[Scope], CallerKey]
"""Whose request it is, as far as can be told before anything was done for it."""


@dataclass(frozen=True)
class Sharing:
    """How the process is shared between callers."""

    turns: Turns
    whose: Whose


def request_id(scope: Scope | Request) -> str:
    """The id of this request, as answered in X-Request-Id."""
    found: str = (scope.scope if isinstance(scope, Request) else scope).get(REQUEST_ID_KEY, "")
    return found


def add_headers(request: Request, *headers: tuple[bytes, bytes]) -> None:
    """Put these on whatever answer this request will get, also when it is a refusal; names in small letters."""
    request.scope.setdefault(HEADERS_KEY, []).extend(headers)


class RequestContext:
    """The only layer: ids in, standing headers out, one observation for each request, no fault unanswered."""

    def __init__(
        self,
        app: ASGIApp,
        on_fault: OnFault,
        observe: Observer | None = None,
        *,
        transport: bytes | None = None,
        sharing: Sharing | None = None,
    ) -> None:
        """`transport`: what Strict-Transport-Security says; None where browsers do not reach us by TLS."""
        self.standing = STANDING if transport is None else (*STANDING, (b"strict-transport-security", transport))
        self.app = app
        self.on_fault = on_fault
        self.observe = observe
        self.sharing = sharing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # The connection has given one already when it refused the request before anybody began with it.
        identity = scope.get(REQUEST_ID_KEY) or _incoming_id(scope) or os.urandom(16).hex()
        scope[REQUEST_ID_KEY] = identity
        with RequestCause(identity, header_of(scope, b"traceparent")) as made:
            await self._answer(scope, receive, send, made)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, made: Span) -> None:
        began, identity = time.perf_counter(), scope[REQUEST_ID_KEY]
        own: list[tuple[bytes, bytes]] = []
        scope[HEADERS_KEY] = own
        status, started = 500, False
        turn: Turn | None = None

        async def send_with_headers(message: Message) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                if turn is not None:
                    turn.give_back()  # the work is done; how slowly the answer is read keeps nobody waiting
                status, started = message["status"], True
                given: Iterable[tuple[bytes, bytes]] = message.get("headers", ())
                headers = [*given, *own, (b"x-request-id", identity.encode()), *self.standing]
                names = [name for name, _ in given]
                if b"cache-control" not in names:
                    headers.append((b"cache-control", b"no-store"))
                if b"content-security-policy" not in names:
                    headers.append(POLICY)
                message = {"type": "http.response.start", "status": status, "headers": headers}
            elif ACCOUNT_KEY in scope:
                scope[ANSWER_KEY] = message.get("body")
            await send(message)

        try:
            if self.sharing is not None:
                turn = scope[TURN_KEY] = await self.sharing.turns.take(self.sharing.whose(scope))
            await self.app(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            # The server was asked to end, and this took longer than it waits: the same call may be sent to another.
            if started:
                raise
            answer = await self.on_fault(Request(scope), NotReady(retry_after_seconds=1))
            await answer(scope, receive, send_with_headers)
        except Exception as fault:
            answer = await self.on_fault(Request(scope), fault)
            if started:
                raise  # half an answer is out: the connection must break, so that nobody takes it for a whole one
            forget_frames(fault)
            await answer(scope, receive, send_with_headers)
        finally:
            if turn is not None:
                turn.end()
            seconds = time.perf_counter() - began
            if REFUSED_KEY in scope:
                status, scope[CODE_KEY] = scope[REFUSED_KEY].status, scope[REFUSED_KEY].code
            log_request(scope, status, seconds)
            _tell(made, scope, status)
            if self.observe is not None:
                self.observe(scope, status, seconds)


def forget_frames(fault: BaseException) -> None:
    """Let go of all that the functions which this fault went through still hold, above all the body of its request.

    A fault that came out of a thread or a task is held by it, which is held by a frame of the fault's own traceback:
    a ring that only the garbage collector finds, and until then each refused body of 12 MB stays in memory.
    """
    met: set[int] = set()
    left: list[BaseException | None] = [fault]
    while left:
        one = left.pop()
        if one is not None and id(one) not in met:
            met.add(id(one))
            one.__traceback__ = None
            left += [one.__context__, one.__cause__]


class _Lines:
    """How many lines each caller had in this second; what had no room is told by one line in the next."""

    def __init__(self) -> None:
        self._second = 0
        self._written: Counter[str | None] = Counter()

    def has_room(self, client: str | None) -> bool:
        second = int(time.monotonic())
        if second != self._second:
            for caller, count in self._written.items():
                if count > MOST_LINES:
                    log.warning("refusals_not_written", client=caller, count=count - MOST_LINES)
            self._second, self._written = second, Counter()
        self._written[client] += 1
        return self._written[client] <= MOST_LINES


_lines: Final = _Lines()


def log_request(scope: Scope, status: int, seconds: float) -> None:
    """One line for each request: by its id whoever asks about a refusal is told what it was.

    It holds the pattern of the path, never the path itself, the query, a body or an address: none of them is ours to
    keep. What went well is a line only where the log shows everything, and of a flood of refusals only the beginning.
    """
    # By `bind`, which is there: for any other name the proxy makes an AttributeError first, of every request.
    if status < 400 and not log.bind().is_enabled_for(logging.DEBUG):
        return
    if status >= 400 and not _lines.has_room(scope.get(CLIENT_KEY)):
        return
    write = log.info if status >= 400 else log.debug
    write(
        "request",
        request_id=scope[REQUEST_ID_KEY],
        method=scope["method"] if PATH_KEY in scope else "any",
        route=scope.get(PATH_KEY, "unknown"),
        status=status,
        code=scope.get(CODE_KEY),
        client=scope.get(CLIENT_KEY),
        ms=round(seconds * 1000, 1),
    )


def _tell(made: Span, scope: Scope, status: int) -> None:
    """The span says what the line of the log says."""
    if not made.is_recording():
        return
    method, route = (scope["method"], scope[PATH_KEY]) if PATH_KEY in scope else ("any", "unknown")
    made.update_name(f"{method} {route}")
    made.set_attributes(
        {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
            "truename.request_id": scope[REQUEST_ID_KEY],
        }
    )
    if code := scope.get(CODE_KEY):
        made.set_attribute("error.type", str(code))


def _incoming_id(scope: Scope) -> str | None:
    given = header_of(scope, b"x-request-id")
    return given if given and SANE_ID.fullmatch(given) else None


def headers_of(scope: Scope) -> dict[bytes, bytes]:
    """The first header of each name (in small letters): a request is asked for eight of them, so it is sorted once."""
    known: dict[bytes, bytes] | None = scope.get(HEADERS_BY_NAME_KEY)
    if known is None:
        known = scope[HEADERS_BY_NAME_KEY] = dict(reversed(scope["headers"]))
    return known


def header_of(scope: Scope, wanted: bytes) -> str:
    """The first header of this name (in small letters), or nothing."""
    return headers_of(scope).get(wanted, b"").decode("latin-1")
