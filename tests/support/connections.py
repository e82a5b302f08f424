"""A small server with limits of a test's own, and connections to it that say exactly what the test says."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.support.waiting import free_port, until
from truename.plumbing.http.connection import Connection
from truename.plumbing.http.connection_limits import ConnectionLimits
from truename.plumbing.http.request_context import RequestContext
from truename.plumbing.http.server import server_config
from truename.plumbing.settings import Settings

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SLOW_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
SMALL = ConnectionLimits(
    head_bytes=4096,
    headers=20,
    head_seconds=0.3,
    body_seconds=2.0,
    body_bytes_per_second=1000,
    idle_seconds=1,
    connections=500,
    connections_per_address=450,
    body_bytes_in_flight=300_000,
    grace_seconds=0.2,
    linger_seconds=0.2,
)


@dataclass
class Server:
    """A server of a small application: it reads its body and says how long it was."""

    port: int
    connection: type[Connection]
    opened: list[asyncio.StreamWriter] = field(default_factory=list)

    async def open(self, data: bytes = b"") -> Stream:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.opened.append(writer)
        writer.write(data)
        return reader, writer

    async def ask(self, data: bytes) -> tuple[int, bytes]:
        """Send, read to the end of the connection, answer status and body."""
        reader, _ = await self.open(data)
        return answered(await asyncio.wait_for(reader.read(), 10))


def answered(answer: bytes) -> tuple[int, bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


def code(body: bytes) -> str:
    return str(orjson.loads(body)["code"])


@contextlib.asynccontextmanager
async def serving(settings: Settings, limits: ConnectionLimits) -> AsyncIterator[Server]:
    async def echo(request: Request) -> Response:
        if "unread" in request.url.path:
            return Response("no", 403)
        if "waiting" in request.url.path:
            await asyncio.sleep(60)
        if "headers" in request.url.path:
            await request.body()
            return Response(" ".join(request.headers))
        if "smuggled" in request.url.path:
            return Response("yes", 200, {"X-Said": request.query_params["said"]})
        return Response(str(len(await request.body())))

    async def unexpected(request: Request, error: Exception) -> Response:
        return Response("the client has gone", 400)

    routes = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST"])])
    app = RequestContext(routes, unexpected)
    port = free_port()
    config = server_config(app, settings, limits, host="127.0.0.1", port=port)
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]
    running = asyncio.create_task(server.serve())

    async def started() -> bool:
        return server.started

    await until(started)
    made = Server(port, config.http_protocol_class)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        for writer in made.opened:
            writer.close()
        server.should_exit = server.force_exit = True  # nobody waits for requests that a test left open
        await running
