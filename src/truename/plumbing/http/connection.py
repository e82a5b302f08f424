"""One connection: HTTP/1.1 as the server reads it, within limits on its size, its pace and its number.

The server's own parser has no limit on the length of a head or on the time it takes, none on the pace of a body, and
none on connections of one address. These are kept here; what breaks them, and what is not even HTTP, is refused in the
same form as every other refusal.
"""

import asyncio
import os
from http import HTTPStatus
from typing import Any, ClassVar, Final
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from truename.plumbing.errors import HeadTooLarge, Invalid, NotReady, Refusal, TooSlow
from truename.plumbing.http.connection_limits import ConnectionLimits
from truename.plumbing.http.exchange import Exchange
from truename.plumbing.http.open_connections import Load, Phase
from truename.plumbing.http.problems import MEDIA_TYPE, problem_of
from truename.plumbing.http.request_context import CODE_KEY, POLICY, REFUSED_KEY, REQUEST_ID_KEY, STANDING, log_request
from truename.plumbing.http.turns import WHOLE_KEY

STREAM_KEY: Final = "truename.stream"
"""In the scope of an answer that goes on until somebody leaves: it must not hold up the end of the service."""


class Connection(HttpToolsProtocol):
    """The server's own reading of HTTP/1.1, with a limit on everything."""

    load: ClassVar[Load] = Load(ConnectionLimits())

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.phase = Phase.HEAD
        self.since = self.loop.time()
        self.write_paused_since: float | None = None
        self.head_bytes = 0
        """Bytes that came since a head was whole or a body grew: more of a head, or of what may follow a body."""
        self.body_bytes = self.held_bytes = 0
        self.body_grew_at = self.since
        self.refused = False
        self.counted: str | None = None

    # ── beginning and end ──────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        load, address = self.load, self.client[0] if self.client else ""
        if load.is_full_for(address):
            self._refuse(NotReady("Too many connections from this address."))
            return
        if len(load.connections) >= load.limits.connections and not load.make_room():
            self._refuse(NotReady("Too many connections."))
            return
        self.counted = address
        load.addresses[address] += 1
        load.connections.add(self)
        load.sweep_later(self.loop)

    def connection_lost(self, exc: Exception | None) -> None:
        load = self.load
        load.connections.discard(self)
        self._let_go()
        if self.counted is not None:
            load.addresses[self.counted] -= 1
            if load.addresses[self.counted] <= 0:
                del load.addresses[self.counted]
            self.counted = None
        super().connection_lost(exc)

    # ── what comes in ──────────────────────────────────────────────────────────────────────────────────────

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        if self.phase is Phase.IDLE:
            self.phase, self.since = Phase.HEAD, self.loop.time()
        # The parser keeps a header to itself until it is whole, so bytes are counted as they come.
        self.head_bytes += len(data)
        super().data_received(data)
        if self.head_bytes > self.load.limits.head_bytes and not self.refused:
            self._refuse(HeadTooLarge())

    def on_headers_complete(self) -> None:
        if self.refused:
            return
        limits = self.load.limits
        size, hosts, announced = len(self.url), 0, b"0"
        for name, value in self.headers:
            size += len(name) + len(value) + 4
            if name == b"host":
                hosts += 1
            elif name == b"content-length":
                announced = value
        if size > limits.head_bytes or len(self.headers) > limits.headers:
            self._refuse(HeadTooLarge())
            return
        if hosts != 1 and (hosts or self.parser.get_http_version() == "1.1"):  # RFC 9112 §3.2
            self._refuse(Invalid(detail="The request must have exactly one Host header.", code="http_malformed"))
            return
        self.phase, self.since = Phase.BODY, self.loop.time()
        self.body_grew_at = self.since
        self.head_bytes = self.body_bytes = 0
        self._begin_exchange()
        # What follows a chunked body is no header of the request: nobody has looked at it when the work began.
        self.headers = []
        if int(announced) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()  # until somebody asks for it: of fifty at once each would bring a piece unasked

    def _begin_exchange(self) -> None:
        """As the server's own class does it, but with our `Exchange`, and without the upgrades that we do not speak."""
        parser, scope = self.parser, self.scope
        version = parser.get_http_version()
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        scope["method"] = parser.get_method().decode("ascii")
        scope["http_version"] = version
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"] = url.path
        scope["query_string"] = url.query or b""
        before = self.cycle
        self.cycle = Exchange(
            scope=scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))

    def on_body(self, body: bytes) -> None:
        if self.refused:
            return
        self.body_bytes += len(body)
        self.body_grew_at = self.loop.time()
        self.head_bytes = 0
        if self.phase is Phase.BODY:
            load = self.load
            if load.body_bytes + len(body) > load.limits.body_bytes_in_flight:
                self._refuse(NotReady("Too much is being sent at once."))
                return
            load.body_bytes += len(body)
            self.held_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.refused:
            return
        self.head_bytes = 0
        if self.phase is Phase.LINGERING:
            self.phase, self.since = Phase.IDLE, self.loop.time()
        else:
            self.phase = Phase.ANSWER
        if self.cycle is not None:
            self.cycle.scope[WHOLE_KEY] = True  # type: ignore[typeddict-unknown-key]
        super().on_message_complete()

    # ── what goes out ──────────────────────────────────────────────────────────────────────────────────────

    def on_response_complete(self) -> None:
        if not self.pipeline:
            self.phase = Phase.LINGERING if self.phase is Phase.BODY else Phase.IDLE
            self.since = self.loop.time()
            self._let_go()
        # The server's own class would set a timer for each request; the sweep minds idle connections already.
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())

    def shutdown(self) -> None:
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and cycle.scope.get(STREAM_KEY):
            cycle.disconnected = True
            cycle.message_event.set()
            self.transport.close()
        super().shutdown()

    def pause_writing(self) -> None:
        self.write_paused_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self.write_paused_since = None
        super().resume_writing()

    # ── limits ─────────────────────────────────────────────────────────────────────────────────────────────

    def check_pace(self, now: float, tick: float) -> None:
        """Has this connection taken too long for what it is at?"""
        limits, took = self.load.limits, now - self.since
        if self.write_paused_since is not None and now - self.write_paused_since > limits.idle_seconds:
            self.transport.abort()  # who does not read its answer gets no more of it
        elif self.phase is Phase.HEAD and took > limits.head_seconds:
            if self.head_bytes:
                self._refuse(TooSlow(f"The head of the request took more than {limits.head_seconds:g} seconds."))
            else:
                self.transport.close()
        elif self.phase is Phase.BODY:
            if self.flow.read_paused:
                self.since += tick  # it is we who do not read
                self.body_grew_at = now
            elif took > limits.body_seconds or (
                took > limits.grace_seconds and self.body_bytes < took * limits.body_bytes_per_second
            ):
                self._refuse(TooSlow("The body of the request came too slowly."))
            elif now - self.body_grew_at > limits.silence_seconds:
                words = f"Nothing more of the body came for {limits.silence_seconds:g} seconds."
                self._refuse(TooSlow(words))
        elif self.phase is Phase.LINGERING and took > limits.linger_seconds:
            self.transport.abort()
        elif self.phase is Phase.IDLE and took > limits.idle_seconds:
            self.transport.close()

    def leave_out(self, seconds: float, now: float) -> None:
        """Do not count these last seconds, in which this process heard nobody."""
        self.since, self.body_grew_at = min(now, self.since + seconds), min(now, self.body_grew_at + seconds)
        if self.write_paused_since is not None:
            self.write_paused_since = min(now, self.write_paused_since + seconds)

    def _let_go(self) -> None:
        self.load.body_bytes -= self.held_bytes
        self.held_bytes = 0

    def _refuse(self, refusal: Refusal) -> None:
        """Answer, unless an answer has begun, and close.

        Who is still sending would lose the answer with the connection: so what comes is thrown away for a while.
        """
        self.refused = True
        if self.phase is Phase.LINGERING:
            self.transport.abort()  # it has its answer
            return
        identity = os.urandom(16).hex()
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.abort()
                return
            # Whoever is at work on it logs the request, under the id and with the refusal that are answered here.
            scope: dict[str, Any] = self.cycle.scope  # type: ignore[assignment]
            identity = scope.setdefault(REQUEST_ID_KEY, identity)
            scope[REFUSED_KEY] = refusal
        else:
            log_request(
                {REQUEST_ID_KEY: identity, CODE_KEY: refusal.code}, refusal.status, self.loop.time() - self.since
            )
        body = problem_of(refusal, "/", identity, self.load.base_url)
        headers = [
            *self.server_state.default_headers,
            *(*STANDING, POLICY),
            *((name.lower().encode(), value.encode()) for name, value in refusal.headers.items()),
            (b"x-request-id", identity.encode()),
            (b"cache-control", b"no-store"),
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        status = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}\r\n".encode()
        self.transport.write(status + b"".join(b"%b: %b\r\n" % header for header in headers) + b"\r\n" + body)
        if self in self.load.connections and self.transport.can_write_eof():
            self._let_go()
            self.flow.resume_reading()
            self.phase, self.since = Phase.LINGERING, self.loop.time()
            self.transport.write_eof()
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        if not self.refused:
            self._refuse(Invalid(detail="The request is not valid HTTP.", code="http_malformed"))


def connection_class(limits: ConnectionLimits, base_url: str) -> type[Connection]:
    """Connections that share these limits, for one server."""
    return type("LimitedConnection", (Connection,), {"load": Load(limits, base_url)})
