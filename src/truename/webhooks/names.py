"""Names of receivers, looked up in threads of their own: one that nobody answers for keeps nobody else's waiting.

The system's own way to look a name up takes a thread and cannot be broken off; where a name's server says nothing, that
is half a minute. In the threads that all of a process shares, a handful of such names would hold up everything.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult

AT_ONCE: Final = 4
"""Names that one account's deliveries look up at the same time."""
NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV

Asked = tuple[str, int, int]
Answer = list[ResolveResult]

LookUps = dict[Asked, asyncio.Task[Answer]]

_under_way: Final[LookUps] = {}
"""Who asks for the same waits for the same answer; nobody's patience ends it for the others.

Only what a thread is at stands here: who waits for room among its own names keeps nobody else waiting with it.
"""


class Names(AbstractResolver):
    """Looks names up for the deliveries of one account."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(AT_ONCE)
        self._own: LookUps = {}

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> Answer:
        """The addresses of this name; raises OSError where there are none."""
        key = host, port, int(family)
        asked = _asked(_under_way, key) or _asked(self._own, key) or _ask(self._own, key, self._look_up(key))
        return await asyncio.shield(asked)

    async def close(self) -> None:
        """What is under way ends by itself."""

    async def _look_up(self, key: Asked) -> Answer:
        async with self._room:
            return await (_asked(_under_way, key) or _ask(_under_way, key, _in_a_thread(key)))


def _asked(among: LookUps, key: Asked) -> asyncio.Task[Answer] | None:
    task = among.get(key)
    return task if task is not None and task.get_loop() is asyncio.get_running_loop() else None


def _ask(among: LookUps, key: Asked, looking: Coroutine[None, None, Answer]) -> asyncio.Task[Answer]:
    task = among[key] = asyncio.create_task(looking)

    def forget(done: asyncio.Task[Answer]) -> None:
        if among.get(key) is done:
            del among[key]
        if not done.cancelled():
            done.exception()  # maybe nobody waits for it any more

    task.add_done_callback(forget)
    return task


async def _in_a_thread(key: Asked) -> Answer:
    """What the system says of this name, in a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Answer] = loop.create_future()

    def tell(telling: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # nobody is there any more
            loop.call_soon_threadsafe(lambda: None if answer.done() else telling())

    def look_up() -> None:
        try:
            found = _addresses(key)
            tell(lambda: answer.set_result(found))
        except Exception as error:
            fault = error
            tell(lambda: answer.set_exception(fault))

    threading.Thread(target=look_up, name="webhook name", daemon=True).start()
    return await answer


def _addresses(key: Asked) -> Answer:
    host, port, family = key
    found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [
        ResolveResult(hostname=host, host=str(where[0]), port=port, family=kind, proto=protocol, flags=NUMERIC)
        for kind, _, protocol, _, where in found
    ]
