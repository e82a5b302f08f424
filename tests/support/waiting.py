"""Waiting for what another process or task brings about, and a port to bring it about on."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable


def free_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def listens(port: int) -> bool:
    """Does somebody listen on this port of loopback?"""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 60, every: float = 0.02) -> None:
    """Wait for something that another process or task brings about; TimeoutError when it does not come in time.

    The limit says that it never comes: no machine, however busy, should reach it where it does.
    """
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(every)


def within(seconds: float, condition: Callable[[], object]) -> float:
    """Wait until the condition holds; how many seconds that took. Fails when it takes too long."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it took too long"
        time.sleep(0.1)
    return time.monotonic() - began
