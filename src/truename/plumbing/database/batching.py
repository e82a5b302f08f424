"""Do together what was asked at the same time: one statement for many waiting requests instead of one each.

Nothing waits for company. A request that finds nobody at work goes at once; those that come while it is under way go
together next. So an idle service loses no time, and a busy one pays for a round trip and a commit once for all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")

LARGEST = 64


class Batcher(Generic[Key, Item, Result]):
    """Gathers the items of one key; `work` answers one result for each item, in order."""

    def __init__(self, work: Callable[[Key, Sequence[Item]], Awaitable[Sequence[Result]]], *, largest: int = LARGEST):
        self._work = work
        self._largest = largest
        self._waiting: dict[Key, list[tuple[Item, asyncio.Future[Result]]]] = {}
        """Of each key that is being served: who goes next. The list is there for as long as its task runs."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def do(self, key: Key, item: Item) -> Result:
        """The result of this item, worked off with the others of its key that wait; raises what its own work raised."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = []
            task = loop.create_task(self._serve(key, waiting))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        waiting.append((item, future))
        return await future

    async def _serve(self, key: Key, waiting: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            while waiting:
                batch = waiting[: self._largest]
                del waiting[: self._largest]
                await self._run(key, batch)
        finally:
            del self._waiting[key]

    async def _run(self, key: Key, batch: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._work(key, [item for item, _ in batch])
        except Exception as fault:
            if len(batch) == 1:
                if not batch[0][1].done():
                    batch[0][1].set_exception(fault)
                return
            # One bad item must not spoil the others: each goes alone.
            for one in batch:
                await self._run(key, [one])
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
