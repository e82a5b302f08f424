"""Do together what was asked at the same time: one statement for many waiting requests instead of one each.

Nothing waits for company. A request that finds nobody at work goes at once; those that come while it is under way go
together next. So an idle service loses no time, and a busy one pays for a round trip and a commit once for all. Where
the work waits for a disk, a second batch may go as soon as enough have gathered, so that the process has something to
do meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")

LARGEST: Final = 64
ENOUGH: Final = 8
"""So many that wait may go beside a batch that is under way; fewer would pay for a round trip that they can share."""


@dataclass(slots=True)
class _Queue(Generic[Item, Result]):
    """The items of one key."""

    waiting: list[tuple[Item, asyncio.Future[Result]]] = field(default_factory=list)
    under_way: int = 0
    """Batches that are being worked on."""
    beginning: bool = False
    """A task that will take what waits has not had its first turn yet."""


class Batcher(Generic[Key, Item, Result]):
    """Gathers the items of one key; `work` answers one result for each item, in order."""

    def __init__(
        self,
        work: Callable[[Key, Sequence[Item]], Awaitable[Sequence[Result]]],
        *,
        largest: int = LARGEST,
        at_once: int = 1,
    ) -> None:
        """`at_once`: so many batches of one key may be under way, all but the first of them with ENOUGH items."""
        self._work = work
        self._largest, self._at_once = largest, at_once
        self._queues: dict[Key, _Queue[Item, Result]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def keys_being_served(self) -> set[Key]:
        """Those of which something waits or is under way."""
        return set(self._queues)

    async def do(self, key: Key, item: Item) -> Result:
        """The result of this item, worked off with the others of its key that wait; raises what its own work raised."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = _Queue()
        queue.waiting.append((item, future))
        if not queue.beginning and self._may_go(queue):
            queue.beginning = True
            task = loop.create_task(self._serve(key, queue))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await future

    def _may_go(self, queue: _Queue[Item, Result]) -> bool:
        """May those that wait go now, or had they better share the batch after the one that is under way?"""
        if not queue.under_way:
            return bool(queue.waiting)
        return queue.under_way < self._at_once and len(queue.waiting) >= ENOUGH

    async def _serve(self, key: Key, queue: _Queue[Item, Result]) -> None:
        queue.beginning = False
        while self._may_go(queue):
            batch = queue.waiting[: self._largest]
            del queue.waiting[: self._largest]
            queue.under_way += 1
            try:
                await self._run(key, batch)
            finally:
                queue.under_way -= 1
        if not (queue.under_way or queue.beginning or queue.waiting) and self._queues.get(key) is queue:
            del self._queues[key]

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
