"""Waiting for what another process or task brings about, and a port to bring it about on."""

import asyncio
import random
import socket
import time
from collections.abc import Awaitable, Callable

import psycopg

PORTS = range(11_000, 32_768)
"""Below those that the system gives to connections, so that what is free among them stays so until somebody asks for
it; above those that browsers refuse to call."""
_chance = random.SystemRandom()
_given: set[int] = set()


def free_port() -> int:
    """A port of loopback on which nobody listens; no process gets one twice."""
    while True:
        port = _chance.choice(PORTS)
        if port not in _given and _can_bind(port):
            _given.add(port)
            return port


def _can_bind(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


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


async def until_locked_out(url: str, many: int) -> None:
    """Wait until so many sessions of this database wait for a lock that another has."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

    async def so_many() -> bool:
        with psycopg.connect(url) as connection:
            return (connection.execute(asked).fetchone() or (0,))[0] >= many

    await until(so_many, 20)


def within(seconds: float, condition: Callable[[], object]) -> float:
    """Wait until the condition holds; how many seconds that took. Fails when it takes too long."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it took too long"
        time.sleep(0.1)
    return time.monotonic() - began
