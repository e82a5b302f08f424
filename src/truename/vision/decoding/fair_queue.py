"""Turns, dealt out fairly: one at a time for each sender, and each sender in its turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class FairQueue:
    """So many turns at once, of which one sender has at most one: who sends a hundred waits for itself.

    Senders of one account share its place in the round: a hundred of them get no more turns than another account's one.
    """

    def __init__(self, turns: int) -> None:
        self._free = turns
        self._waiting: OrderedDict[str, OrderedDict[str, deque[asyncio.Future[None]]]] = OrderedDict()
        self._busy: set[tuple[str, str]] = set()
        self._calm = asyncio.Event()
        self._calm.set()

    @asynccontextmanager
    async def turn(self, sender: str, account: str = "") -> AsyncGenerator[None]:
        """Wait for a turn, and give it back at the end. Who is cancelled while waiting leaves the queue."""
        await self._wait(sender, account)
        try:
            yield
        finally:
            self._give_back(sender, account)

    async def until_calm(self) -> None:
        """Wait until nobody has a turn."""
        await self._calm.wait()

    @property
    def waiting(self) -> int:
        return sum(len(queue) for senders in self._waiting.values() for queue in senders.values())

    async def _wait(self, sender: str, account: str) -> None:
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(account, OrderedDict()).setdefault(sender, deque()).append(mine)
        self._deal()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._give_back(sender, account)  # the turn came in the same moment
            else:
                self._leave(sender, account, mine)
            raise

    def _leave(self, sender: str, account: str, mine: asyncio.Future[None]) -> None:
        senders = self._waiting.get(account, OrderedDict())
        queue = senders.get(sender)
        if queue is not None and mine in queue:
            queue.remove(mine)
            if not queue:
                del senders[sender]
            if not senders:
                del self._waiting[account]

    def _give_back(self, sender: str, account: str) -> None:
        self._busy.discard((account, sender))
        self._free += 1
        self._deal()
        if not self._busy:
            self._calm.set()

    def _deal(self) -> None:
        """Give free turns to the accounts, and in each to the senders, that have waited longest since their last."""
        while self._free and (found := self._next()) is not None:
            account, sender = found
            senders = self._waiting.pop(account)
            queue = senders.pop(sender)
            chosen = queue.popleft()
            # Back at the end, if there is more: the others come first.
            if queue:
                senders[sender] = queue
            if senders:
                self._waiting[account] = senders
            if chosen.cancelled():
                continue
            self._free -= 1
            self._busy.add((account, sender))
            self._calm.clear()
            chosen.set_result(None)

    def _next(self) -> tuple[str, str] | None:
        for account, senders in self._waiting.items():
            for sender in senders:
                if (account, sender) not in self._busy:
                    return account, sender
        return None
