"""Are the large bodies of a caller that has company read at a pace, and worked on by one thread at a time?"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from starlette.requests import Request
from starlette.types import Message

from truename.plumbing.http.bodies import Sent, read_body
from truename.plumbing.http.body_memory import MEBIBYTE
from truename.plumbing.http.json_body import LONG_BODY, read_json
from truename.plumbing.http.turns import TURN_KEY, CallerKey, Turn, Turns

PIECES, PIECE = 6, 64 * 1024
LIMIT = 8 * MEBIBYTE


class Pictured(Sent):
    """What is in the body."""

    pictures: ClassVar[frozenset[str]] = frozenset({"text"})
    text: str


@asynccontextmanager
async def greedy_turns(count: int) -> AsyncIterator[list[Turn]]:
    """So many requests of a caller, while another one calls, too."""
    turns = Turns()
    (await turns.take(CallerKey("quiet"))).end()
    taken = [await turns.take(CallerKey("greedy")) for _ in range(count)]
    yield taken
    for one in taken:
        one.end()


def large_request(turn: Turn, read: list[float] | None = None) -> Request:
    """A JSON body in six pieces, all of which have come; `read` gets the moments at which they are read."""
    text = "a" * (PIECES * PIECE - len('{"text":""}'))
    body = f'{{"text":"{text}"}}'.encode()
    assert len(body) > LONG_BODY
    coming = [body[at : at + PIECE] for at in range(0, len(body), PIECE)]

    async def receive() -> Message:
        if read is not None:
            read.append(asyncio.get_running_loop().time())
        return {"type": "http.request", "body": coming.pop(0), "more_body": bool(coming)}

    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": "POST", "headers": headers, "query_string": b"", TURN_KEY: turn}
    return Request(scope, receive)


async def test_the_pieces_of_a_large_body_are_read_at_a_pace_of_at_most_64_kilobytes_in_4_milliseconds():
    async with greedy_turns(1) as (turn,):
        moments: list[float] = []
        sent, _ = await read_json(large_request(turn, moments), LIMIT)
    assert isinstance(sent, dict)
    assert len(moments) == PIECES
    assert moments[-1] - moments[0] >= 4 * 0.004, "five intervals, of which a clock in whole milliseconds takes some"


async def test_a_large_body_is_parsed_when_no_other_thread_works_for_its_caller():
    async with greedy_turns(2) as (first, second):
        await first.hold_body(MEBIBYTE)
        async with first.one_thread():
            reading = asyncio.create_task(read_json(large_request(second), LIMIT))
            done, _ = await asyncio.wait([reading], timeout=0.3)
            assert not done
        sent, _ = await asyncio.wait_for(reading, 30)
    assert isinstance(sent, dict)


async def test_a_large_body_is_checked_against_its_model_when_no_other_thread_works_for_its_caller():
    """A thread that came after it was sent, and before it was parsed, has its time between the two."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work(turn: Turn) -> None:
        async with turn.one_thread():
            begun.set()
            await ended.wait()

    async with greedy_turns(2) as (first, second):
        await first.hold_body(MEBIBYTE)
        async with first.one_thread():
            reading = asyncio.create_task(read_body(large_request(second), Pictured, LIMIT))
            await asyncio.wait([reading], timeout=0.3)
            working = asyncio.create_task(work(first))
            await asyncio.sleep(0)
        await asyncio.wait_for(begun.wait(), 30)
        done, _ = await asyncio.wait([reading], timeout=0.3)
        assert not done
        ended.set()
        sent, _ = await asyncio.wait_for(reading, 30)
        await working
    assert len(sent.text) > LONG_BODY
