"""Does a server give each connection only what it was set to give: so many bytes, so much time, so many at once?"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import orjson
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from structlog.testing import capture_logs

from tests.support.waiting import free_port, until
from truename.plumbing.http.connection import Connection
from truename.plumbing.http.connection_limits import ConnectionLimits
from truename.plumbing.http.request_context import (
    CLIENT_KEY,
    MOST_LINES,
    REQUEST_ID_KEY,
    RequestContext,
    log_request,
)
from truename.plumbing.http.server import connection_limits, server_config
from truename.plumbing.settings import Settings

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SLOW_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"


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


@pytest.fixture(scope="module")
async def server(settings: Settings) -> AsyncIterator[Server]:
    async with serving(settings, SMALL) as made:
        yield made


def test_every_limit_can_be_set(settings: Settings):
    names = [name for name in Settings.model_fields if name.startswith("http_")]
    changed = settings.model_copy(update={name: getattr(settings, name) + 64 for name in names})
    before, after = connection_limits(settings), connection_limits(changed)
    same = {name for name in vars(before) if getattr(before, name) == getattr(after, name)}
    assert same == {"proxies", "grace_seconds", "silence_seconds", "linger_seconds"}


async def test_ordinary_requests_are_answered_one_after_another_on_one_connection(server: Server):
    reader, writer = await server.open()
    for size in (0, 10, 70_000):
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        assert head.startswith(b"HTTP/1.1 200")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        assert await reader.readexactly(length) == str(size).encode()
    assert server.connection.load.body_bytes == 0


async def test_pipelined_requests_are_answered_in_their_order(server: Server):
    one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b"
    last = one.replace(b"Host: x\r\n", b"Host: x\r\nConnection: close\r\n")
    reader, _ = await server.open(one % (1, b"a") + one % (2, b"aa") + last % (3, b"aaa"))
    answer = await asyncio.wait_for(reader.read(), 5)
    assert [part.rpartition(b"\r\n\r\n")[2][:1] for part in answer.split(b"HTTP/1.1 200 OK")[1:]] == [b"1", b"2", b"3"]


async def test_no_value_of_a_header_brings_another_one_or_a_body(server: Server):
    for said in ("a%0d%0aSet-Cookie:%20a=b", "a%0d%0a%0d%0a<html>", "a%0ab", "a%0db", "a%00b", "a%7fb"):
        asked = b"GET /smuggled?said=%b HTTP/1.0\r\nHost: x\r\n\r\n" % said.encode()
        assert await server.ask(asked) == (0, b""), said  # the connection breaks
    assert await server.ask(b"GET /smuggled?said=a%20b HTTP/1.0\r\nHost: x\r\n\r\n") == (200, b"yes")


async def test_half_a_head_and_silence_are_ended_in_the_time_of_a_head(server: Server):
    half = [await server.open(b"GET / HTTP/1.1\r\nHost: x\r\nX-A:") for _ in range(300)]
    silent = [await server.open() for _ in range(100)]
    answers = [answered(await asyncio.wait_for(reader.read(), 10)) for reader, _ in half]
    assert {(status, code(body)) for status, body in answers} == {(408, "too_slow")}
    assert {await asyncio.wait_for(reader.read(), 10) for reader, _ in silent} == {b""}


async def test_a_head_that_drips_is_ended_all_the_same(server: Server):
    reader, writer = await server.open(b"\r\n")

    async def drip() -> None:
        while not writer.is_closing():
            writer.write(b"\r\n")
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    assert answered(await asyncio.wait_for(reader.read(), 5))[0] == 408
    dripping.cancel()


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 5000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 300_000,
        b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: a\r\n" % number for number in range(21)) + b"\r\n",
    ],
    ids=["long header", "endless header", "long address", "many headers"],
)
async def test_a_head_that_is_too_large_is_refused(server: Server, head: bytes):
    status, body = await server.ask(head)
    assert (status, code(body)) == (431, "head_too_large")


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        CHUNKED + b"0\r\n" + b"X-A: a\r\n" * 1_000_000,
        CHUNKED + b"0\r\nX-A: " + b"a" * 10_000_000,
        CHUNKED + b"1;" + b"a" * 10_000_000,
        b"GET /waiting HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nX-A: " + b"a" * 10_000_000,
    ],
    ids=["trailers", "endless trailer", "endless chunk extension", "endless head behind a request that waits"],
)
async def test_what_comes_after_a_body_or_before_an_answer_is_as_limited_as_a_head(server: Server, sent: bytes):
    status, body = await server.ask(sent)
    assert (status, code(body)) == (431, "head_too_large")


async def test_what_follows_a_body_is_no_header_of_the_request(server: Server):
    reader, writer = await server.open(CHUNKED.replace(b"POST /", b"POST /headers"))
    writer.write(b"0\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n")
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    names = await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
    assert names == b"host transfer-encoding"


async def test_a_long_body_in_small_chunks_is_read(server: Server):
    reader, writer = await server.open(CHUNKED)
    for _ in range(200):
        writer.write(b"64\r\n")
        await writer.drain()
        writer.write(b"a" * 100 + b"\r\n")
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)).startswith(b"HTTP/1.1 200")
    assert await reader.readexactly(5) == b"20001"


async def test_a_body_that_drips_is_refused_for_its_pace(server: Server):
    reader, writer = await server.open(SLOW_BODY)

    async def drip() -> None:
        while not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    status, body = answered(await asyncio.wait_for(reader.read(), 5))
    dripping.cancel()
    assert (status, code(body)) == (408, "too_slow")


async def test_a_body_that_was_quick_and_then_stops_is_given_up(settings: Settings):
    async with serving(settings, replace(SMALL, body_seconds=60, silence_seconds=0.3)) as server:
        status, body = await server.ask(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n" + b"a" * 50_000)
    assert (status, code(body)) == (408, "too_slow")


async def test_what_the_connection_refuses_is_logged_as_it_was_answered(server: Server):
    with capture_logs() as lines:
        reader, _ = await server.open(SLOW_BODY)
        answers = [await asyncio.wait_for(reader.read(), 10)]
        for refused in (
            b"GET / HTTP/1.1\r\nHost: x\r\nX-A:",
            b"GET / HTTP/1.1\r\nX-A: " + b"a" * 300_000,
            b"no HTTP\r\n\r\n",
        ):
            reader, _ = await server.open(refused)
            answers.append(await asyncio.wait_for(reader.read(), 10))

        async def all_logged() -> bool:
            return len(lines) >= len(answers)

        await until(all_logged)
    problems = [orjson.loads(answered(answer)[1]) for answer in answers]
    assert [(line["request_id"], line["status"], line["code"]) for line in lines] == [
        (problem["request_id"], problem["status"], problem["code"]) for problem in problems
    ]
    assert [problem["status"] for problem in problems] == [408, 408, 431, 400]


async def test_a_body_at_a_fair_pace_is_refused_for_its_length_in_time(server: Server):
    reader, writer = await server.open(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")

    async def drip() -> None:
        while not writer.is_closing():
            writer.write(b" " * 500)
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    status, body = answered(await asyncio.wait_for(reader.read(), 10))
    dripping.cancel()
    assert (status, code(body)) == (408, "too_slow")


async def test_who_was_answered_early_may_not_go_on_sending_for_ever(server: Server):
    reader, writer = await server.open(SLOW_BODY.replace(b"POST /", b"POST /unread"))
    assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)).startswith(b"HTTP/1.1 403")

    async def drip() -> None:
        while True:
            writer.write(b" ")
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    with contextlib.suppress(ConnectionResetError):
        await asyncio.wait_for(reader.read(), 5)
    dripping.cancel()


async def test_too_much_in_flight_is_refused_and_the_rest_goes_on(settings: Settings):
    async with serving(settings, ConnectionLimits(body_bytes_in_flight=300_000)) as server:
        await _hold_and_ask_for_more(server)


async def _hold_and_ask_for_more(server: Server) -> None:
    load = server.connection.load
    large = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 290000\r\n\r\n" + b"a" * 280_000

    async def holding() -> bool:
        return load.body_bytes == 280_000

    reader, writer = await server.open(large)
    await until(holding)
    status, body = await server.ask(large)
    assert (status, code(body)) == (503, "not_ready")
    writer.write(b"a" * 10_000)
    assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)).startswith(b"HTTP/1.1 200")

    async def empty() -> bool:
        return load.body_bytes == 0

    await until(empty)


async def test_an_address_has_only_so_many_connections_and_a_trusted_proxy_any_number(settings: Settings):
    async with serving(settings, ConnectionLimits(connections_per_address=3)) as server:
        for _ in range(3):
            await server.open(SLOW_BODY)
        status, body = await server.ask(b"")
        assert (status, code(body)) == (503, "not_ready")
    async with serving(settings, ConnectionLimits(connections_per_address=3, proxies=("127.0.0.0/8",))) as server:
        for _ in range(3):
            await server.open(SLOW_BODY)
        assert (await server.ask(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))[0] == 200


async def test_when_all_connections_are_taken_the_one_that_waited_longest_makes_room(settings: Settings):
    asking = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with serving(settings, ConnectionLimits(connections=3)) as server:
        silent = [await server.open() for _ in range(3)]
        assert (await server.ask(asking))[0] == 200
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(silent[0][0].read(), 5) == b""
        busy = [await server.open(SLOW_BODY) for _ in range(3)]

        async def all_busy() -> bool:
            return all(one.body_bytes for one in server.connection.load.connections)

        await until(all_busy)
        assert (await server.ask(asking))[0] == 503
        assert all(not writer.is_closing() for _, writer in busy)


async def test_nothing_is_counted_any_more_once_everybody_has_left(settings: Settings):
    async with serving(settings, ConnectionLimits()) as server:
        load = server.connection.load
        for _ in range(5):
            _, writer = await server.open(SLOW_BODY)
            writer.close()

        async def forgotten() -> bool:
            return not load.connections and not load.addresses and load.body_bytes == 0

        await until(forgotten)


def test_of_a_flood_of_refusals_only_the_beginning_is_written():
    def refused(client: str) -> None:
        log_request({REQUEST_ID_KEY: "none", CLIENT_KEY: client, "method": "GET"}, 429, 0.001)

    with capture_logs() as lines:
        for _ in range(3 * MOST_LINES):
            refused("client_a")
        refused("client_b")
    written = Counter(line["client"] for line in lines if line["event"] == "request")
    # Where a second ended meanwhile, the next has room for as many, and says how many had none.
    left_out = sum(line["count"] for line in lines if line["event"] == "refusals_not_written")
    assert written["client_b"] == 1
    assert MOST_LINES <= written["client_a"] <= 3 * MOST_LINES - left_out
    assert written["client_a"] < 3 * MOST_LINES
