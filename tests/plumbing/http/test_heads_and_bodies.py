"""Is a head or a body that is too long, too slow or without end refused, and an honest one read?"""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tests.support.connections import SLOW_BODY, SMALL, Server, answered, code, serving
from tests.support.waiting import until
from truename.plumbing.settings import Settings


@pytest.fixture(scope="module")
async def server(settings: Settings) -> AsyncIterator[Server]:
    async with serving(settings, SMALL) as made:
        yield made


async def test_half_a_head_and_silence_are_ended_in_the_time_of_a_head(server: Server):
    half = [await server.open(b"GET / HTTP/1.1\r\nHost: x\r\nX-A:") for _ in range(300)]
    silent = [await server.open() for _ in range(100)]
    answers = [answered(await asyncio.wait_for(reader.read(), 10)) for reader, _ in half]
    assert {(status, code(body)) for status, body in answers} == {(408, "too_slow")}
    assert {await asyncio.wait_for(reader.read(), 10) for reader, _ in silent} == {b""}


async def test_a_time_in_which_the_service_itself_stood_still_is_not_held_against_anybody(server: Server):
    """What was sent meanwhile is unread; seen before: the connection was closed upon it."""
    reader, writer = await server.open()
    own = writer.get_extra_info("sockname")

    async def accepted() -> bool:
        return any(one.transport.get_extra_info("peername") == own for one in server.connection.load.connections)

    await until(accepted)
    time.sleep(3 * SMALL.head_seconds)  # in the loop of the server
    await asyncio.sleep(0.01)  # its deadlines are looked at
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)).startswith(b"HTTP/1.1 200")


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
