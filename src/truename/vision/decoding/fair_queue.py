"""Turns, dealt out fairly: one at a time for each sender, and each sender in its turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class FairQueue:
    """So many turns at once, of which one sender has at most one: who sends a hundred waits for itself."""

    def __init__(self, turns: int) -> None:
        self._free = turns
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._busy: set[str] = set()
        self._calm = asyncio.Event()
        self._calm.set()

    @asynccontextmanager
    async def turn(self, sender: str) -> AsyncGenerator[None]:
        """Wait for a turn, and give it back at the end. Who is cancelled while waiting leaves the queue."""
        await self._wait(sender)
        try:
            yield
        finally:
            self._give_back(sender)

    async def until_calm(self) -> None:
        """Wait until nobody has a turn."""
        await self._calm.wait()

    @property
    def waiting(self) -> int:
        return sum(len(queue) for queue in self._waiting.values())

    async def _wait(self, sender: str) -> None:
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(sender, deque()).append(mine)
        self._deal()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._give_back(sender)  # the turn came in the same moment
            else:
                self._leave(sender, mine)
            raise

    def _leave(self, sender: str, mine: asyncio.Future[None]) -> None:
        queue = self._waiting.get(sender)
        if queue is not None and mine in queue:
            queue.remove(mine)
            if not queue:
                del self._waiting[sender]

    def _give_back(self, sender: str) -> None:
        self._busy.discard(sender)
        self._free += 1
        self._deal()
        if not self._busy:
            self._calm.set()

    def _deal(self) -> None:
        """Give free turns to the senders that have waited longest since their last one."""
        for sender in list(self._waiting):
            if self._free == 0:
                return
            if sender in self._busy:
                continue
            queue = self._waiting.pop(sender)
            chosen = queue.popleft()
            if queue:
                self._waiting[sender] = queue  # at the end: the others come first
            if chosen.cancelled():
                continue
            self._free -= 1
            self._busy.add(sender)
            self._calm.clear()
            chosen.set_result(None)
