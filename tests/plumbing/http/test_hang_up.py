"""Long work goes on while the client waits, is broken off when it hangs up, and then nothing complains."""

import asyncio
import gc
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import Request

from truename.plumbing.errors import Invalid
from truename.plumbing.http.hang_up import unless_hung_up


def request_of(client: asyncio.Event) -> Request:
    """A request that was read to its end, of a client that hangs up when told to."""

    async def receive() -> dict[str, Any]:
        await client.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the loop says of faults that nobody asked for."""
    heard: list[str] = []
    loop = asyncio.get_event_loop()
    loop.set_exception_handler(lambda _, context: heard.append(context["message"]))
    yield heard
    loop.set_exception_handler(None)


async def test_who_waits_has_the_result_or_the_fault_of_the_work():
    async def works() -> str:
        await asyncio.sleep(0)
        return "seen"

    async def fails() -> str:
        raise ValueError("not this one")

    assert await unless_hung_up(request_of(asyncio.Event()), works()) == "seen"
    with pytest.raises(ValueError, match="not this one"):
        await unless_hung_up(request_of(asyncio.Event()), fails())


async def test_work_is_broken_off_when_the_client_hangs_up_and_has_ended_before_the_request_does():
    client, ends = asyncio.Event(), []

    async def works() -> None:
        client.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ends.append("put away")

    with pytest.raises(Invalid) as refused:
        await unless_hung_up(request_of(client), works())
    assert [fault.code for fault in refused.value.faults] == ["body_incomplete"]
    assert ends == ["put away"]


async def test_nothing_complains_of_work_that_failed_while_it_was_broken_off(complaints: list[str]):
    """As when the database goes away in the moment in which the client does."""
    client = asyncio.Event()

    async def works() -> None:
        client.set()
        try:
            await asyncio.sleep(60)
        finally:
            raise ConnectionError("the database is away")

    with pytest.raises(Invalid):
        await unless_hung_up(request_of(client), works())
    gc.collect()
    assert complaints == []
