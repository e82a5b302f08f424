"""Receivers that do not answer as receivers should: each is one attempt that failed, in words, and nobody's delay."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from truename.webhooks.addresses import LOOPBACK
from truename.webhooks.bounded import HEAD_BYTES
from truename.webhooks.send import Sender

BODY = '{"type":"transaction.approved"}'
HEADERS = {"webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,"}
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
ENOUGH = 64 * 1024 * 1024
"""Whoever sends so much without being stopped is not stopped."""

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[str]:
    """A server that reads one request on each connection and then does as it likes; its address."""

    async def after_the_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(len(BODY))
            await serve(reader, writer)
        writer.close()

    async with await asyncio.start_server(after_the_request, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"


async def pour(writer: asyncio.StreamWriter, what: bytes) -> int:
    """Send this over and over until the other side hangs up; says how much was sent."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < ENOUGH:
            writer.write(what)
            await writer.drain()
            sent += len(what)
    return sent


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        (b"", "UNREACHABLE", "closed the connection"),
        (b"HTTP/1.1 204 No Con", "UNREACHABLE", "closed the connection"),
        (b"HTTP/1.1 OK\r\n\r\n", "UNREACHABLE", "no answer in HTTP"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "UNREACHABLE", "no answer in HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf", "DELIVERED", None),
        (
            b"HTTP/1.1 307 T\r\nLocation: http://127.0.0.1:9/\r\n\r\n",
            "REFUSED_BY_RECEIVER",
            "Redirects are not followed",
        ),
    ],
)
async def test_an_answer_that_is_none_is_told_in_words(answer, outcome, words):
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    async with served(serve) as url:
        attempt = await Sender().post(url, BODY, HEADERS, LOOPBACK)
    assert attempt.outcome == outcome
    assert words is None or words in (attempt.error or "")


async def test_plain_http_where_tls_was_expected_is_a_failure_of_tls():
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        attempt = await Sender().post(f"https://127.0.0.1:{port}/", BODY, HEADERS, LOOPBACK)
    assert (attempt.outcome, attempt.status_code) == ("TLS_FAILED", None)
    assert "no TLS" in (attempt.error or "")


@pytest.mark.parametrize("what", [INTERIM * 1000, b"\r\n" * 10_000], ids=["interim", "blank"])
async def test_who_sends_without_end_before_the_answer_is_hung_up_on(what):
    """Sixteen such connections held the process for longer than a worker may be silent, when it is taken for dead."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await pour(writer, what)

    async with served(serve) as url:
        attempt = await Sender().post(url, BODY, HEADERS, LOOPBACK)
        assert (attempt.outcome, attempt.error) == ("UNREACHABLE", "The receiver sent a great deal, and no answer.")


async def test_a_few_interim_answers_are_read_past():
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(INTERIM * 3 + b"HTTP/1.1 200 OK\r\nX: " + b"x" * 8000 + b"\r\n\r\n" + b"x" * 2 * HEAD_BYTES)
        await writer.drain()

    async with served(serve) as url:
        attempt = await Sender().post(url, BODY, HEADERS, LOOPBACK)
    assert (attempt.outcome, attempt.status_code) == ("DELIVERED", 200)


@pytest.mark.parametrize("what", [INTERIM * 1000, b"HTTP/1.1 200 OK\r\n\r\n"], ids=["without end", "an answer"])
async def test_who_speaks_unasked_on_a_kept_connection_is_hung_up_on(what):
    """It filled the memory without end, or was taken for the answer to the next event, which nobody had read."""
    asked, poured = [], asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(writer)
        writer.write(ANSWER)
        await writer.drain()
        if len(asked) == 1:
            await told.wait()
            if what.startswith(INTERIM):
                poured.set_result(await pour(writer, what))
                return
            writer.write(what)
            poured.set_result(len(await reader.read()))

    told = asyncio.Event()
    async with served(serve) as url, Sender().line(LOOPBACK) as line:
        assert (await line.post(url, BODY, HEADERS)).outcome == "DELIVERED"
        told.set()
        async with asyncio.timeout(10):
            assert await poured < ENOUGH
        assert (await line.post(url, BODY, HEADERS)).outcome == "DELIVERED"
    assert len(asked) == 2, "the second event was read by the receiver, over a connection of its own"


@pytest.mark.parametrize(("at_once", "outcome"), [(b"", "TIMED_OUT"), (b"HTTP/1.1 200 OK\r\n\r\n", "DELIVERED")])
async def test_who_answers_byte_by_byte_has_no_more_time_for_its_head_and_none_for_its_body(
    at_once, outcome, monkeypatch
):
    """Each byte comes soon after the last: a limit for silence would be begun anew with it."""
    monkeypatch.setattr("truename.webhooks.send.ANSWER_WITHIN", 0.3)
    sent = 0

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(at_once)
        for byte in b"HTTP/1.1 200 OK\r\nX-Words: " + b"x" * 400:
            writer.write(bytes([byte]))
            await writer.drain()
            sent += 1
            await asyncio.sleep(0.02)

    async with served(serve) as url:
        attempt = await Sender().post(url, BODY, HEADERS, LOOPBACK)
    assert attempt.outcome == outcome
    assert sent < 100
