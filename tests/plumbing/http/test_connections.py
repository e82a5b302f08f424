"""Does a server give each connection only what it was set to give: so many bytes, so much time, so many at once?"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

import orjson
import pytest
from structlog.testing import capture_logs

from tests.support.connections import SLOW_BODY, SMALL, Server, answered, code, serving
from tests.support.waiting import until
from truename.plumbing.http.connection_limits import ConnectionLimits
from truename.plumbing.http.open_connections import Phase
from truename.plumbing.http.request_context import CLIENT_KEY, MOST_LINES, REQUEST_ID_KEY, log_request
from truename.plumbing.http.server import connection_limits
from truename.plumbing.settings import Settings


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
        problems = [orjson.loads(answered(answer)[1]) for answer in answers]
        own = {problem["request_id"] for problem in problems}

        async def all_logged() -> bool:
            return len([line for line in lines if line.get("request_id") in own]) == len(answers)

        await until(all_logged)
    logged = [line for line in lines if line.get("request_id") in own]  # other work of this process writes lines, too
    assert [(line["request_id"], line["status"], line["code"]) for line in logged] == [
        (problem["request_id"], problem["status"], problem["code"]) for problem in problems
    ]
    assert [problem["status"] for problem in problems] == [408, 408, 431, 400]


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


async def test_nothing_of_a_large_body_is_read_before_somebody_asks_for_it(server: Server):
    asking = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    load = server.connection.load
    _, writer = await server.open(b"POST /waiting HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")

    async def head_is_read() -> bool:
        return any(one.phase is Phase.BODY for one in load.connections)

    await until(head_is_read)
    writer.write(b"a" * 200_000)
    for _ in range(3):
        assert (await server.ask(asking))[0] == 200  # meanwhile the body is there to be read
    assert load.body_bytes == 0


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
            return [bool(one.body_bytes) for one in server.connection.load.connections] == [True] * 3

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
