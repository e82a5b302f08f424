"""Does an answer leave in one piece where it can, and as HTTP wants it in every case?"""

import asyncio
import logging
import socket
import struct
import sys
from collections.abc import Iterable
from typing import Any, cast

import pytest
import uvloop
from uvicorn.protocols.http.flow_control import FlowControl

from tests.support.connections import SMALL, serving
from truename.plumbing.http.exchange import Exchange
from truename.plumbing.settings import Settings

DATE = (b"date", b"Mon, 16 Nov 2026 12:00:00 GMT")


class Wire:
    """Where an exchange writes to: each piece as the system was given it."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    def writelines(self, data: Iterable[bytes]) -> None:
        self.pieces.append(b"".join(data))

    def close(self) -> None:
        self.closed = True


def exchange(wire: Wire, method: str = "GET", keep_alive: bool = True) -> Exchange:
    logger, transport = logging.getLogger(__name__), cast(asyncio.Transport, wire)
    return Exchange(
        scope=cast(Any, {"method": method}),
        transport=transport,
        flow=FlowControl(transport),
        logger=logger,
        access_logger=logger,
        access_log=False,
        default_headers=[DATE],
        message_event=asyncio.Event(),
        expect_100_continue=False,
        keep_alive=keep_alive,
        on_response=lambda: None,
    )


def start(*headers: tuple[bytes, bytes], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def body(data: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


HEAD = b"HTTP/1.1 200 OK\r\ndate: Mon, 16 Nov 2026 12:00:00 GMT\r\n"


async def test_an_answer_of_known_length_leaves_in_one_piece():
    wire = Wire()
    one = exchange(wire)
    await one.send(start((b"content-length", b"2"), (b"x-one", b"1")))
    assert not wire.pieces
    await one.send(body(b"{}"))
    assert wire.pieces == [HEAD + b"content-length: 2\r\nx-one: 1\r\n\r\n{}"]
    assert one.response_complete
    assert not wire.closed


DATA_SEGS_IN = 152
"""Where the kernel's `struct tcp_info` (linux/tcp.h) holds how many segments with data have come."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts segments for us")
@pytest.mark.parametrize("loop", [uvloop.new_event_loop, asyncio.new_event_loop])
def test_each_answer_of_a_real_server_wakes_its_reader_once(settings: Settings, loop: Any):
    answers = 5

    async def segments() -> int:
        async with serving(settings, SMALL) as server:
            reader, writer = await server.open()
            for _ in range(answers):
                writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
                await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
                assert await reader.readexactly(1) == b"2"
            told = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
            return int(struct.unpack_from("I", told, DATA_SEGS_IN)[0])

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(segments()) == answers, "head and body of an answer came apart"


async def test_the_last_answer_of_a_connection_says_so_and_closes_it():
    wire = Wire()
    one = exchange(wire, keep_alive=False)
    await one.send(start((b"content-length", b"2")))
    await one.send(body(b"{}"))
    assert wire.pieces == [HEAD + b"content-length: 2\r\nconnection: close\r\n\r\n{}"]
    assert wire.closed


async def test_further_pieces_of_a_body_follow_the_first_one():
    wire = Wire()
    one = exchange(wire)
    await one.send(start((b"content-length", b"4")))
    await one.send(body(b"ab", more=True))
    assert not one.response_complete
    await one.send(body(b"cd"))
    assert wire.pieces == [HEAD + b"content-length: 4\r\n\r\nab", b"cd"]
    assert one.response_complete


async def test_a_stream_shows_its_head_before_it_has_anything_to_say():
    wire = Wire()
    one = exchange(wire)
    await one.send(start((b"content-type", b"text/event-stream")))
    assert wire.pieces == [HEAD + b"content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"]
    await one.send(body(b"abc"))
    assert wire.pieces[1:] == [b"3\r\nabc\r\n0\r\n\r\n"]


async def test_an_answer_to_head_has_no_body():
    wire = Wire()
    one = exchange(wire, "HEAD")
    await one.send(start((b"content-length", b"2")))
    await one.send(body(b"{}"))
    assert b"".join(wire.pieces) == HEAD + b"content-length: 2\r\n\r\n"
    assert one.response_complete


@pytest.mark.parametrize("value", [b"a\r\nx-evil: 1", b"a\nb", b"a\rb", b"a\0b", b"a\x7fb"])
async def test_a_header_with_a_control_character_breaks_the_connection(value: bytes):
    wire = Wire()
    one = exchange(wire)
    with pytest.raises(RuntimeError):
        await one.send(start((b"content-length", b"2"), (b"x-said", value)))
    assert not wire.pieces
    assert one.response_started, "nobody else may answer in its place"


@pytest.mark.parametrize("sent", [b"{", b"{}}"])
async def test_a_body_is_as_long_as_its_head_says(sent: bytes):
    wire = Wire()
    one = exchange(wire)
    await one.send(start((b"content-length", b"2")))
    with pytest.raises(RuntimeError):
        await one.send(body(sent))
    assert not wire.pieces


async def test_nothing_follows_a_whole_answer():
    one = exchange(Wire())
    await one.send(start((b"content-length", b"0")))
    await one.send(body(b""))
    with pytest.raises(RuntimeError):
        await one.send(body(b"more"))


async def test_nothing_is_written_to_who_has_gone():
    wire = Wire()
    one = exchange(wire)
    one.disconnected = True
    await one.send(start((b"content-length", b"2")))
    await one.send(body(b"{}"))
    assert not wire.pieces
