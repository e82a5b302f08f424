"""Do those that wait go together, each with its own result, and a second batch only where it may?"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from truename.plumbing.database.batching import ENOUGH, Batcher


class Work:
    """Answers twice each item, once it is let: notes which batches began, and how many were under way at once."""

    def __init__(self) -> None:
        self.begun: list[list[int]] = []
        self.ended: list[asyncio.Future[None]] = []
        self.under_way = self.most = 0

    async def __call__(self, key: str, items: Sequence[int]) -> list[int]:
        self.begun.append(list(items))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended.append(end)
        try:
            await end
        finally:
            self.under_way -= 1
        if any(item < 0 for item in items):
            raise ValueError("a bad item")
        return [2 * item for item in items]

    async def let_all(self, until: Callable[[], bool]) -> None:
        """End whatever is under way, again and again."""
        while not until():
            for end in self.ended:
                if not end.done():
                    end.set_result(None)
            await asyncio.sleep(0)


async def settle() -> None:
    """Let every task that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


def ask(batcher: Batcher[str, int, int], items: Sequence[int]) -> list[asyncio.Future[int]]:
    return [asyncio.ensure_future(batcher.do("a", item)) for item in items]


async def finished(work: Work, asked: Sequence[asyncio.Future[int]]) -> list[int | BaseException]:
    await work.let_all(lambda: all(one.done() for one in asked))
    return await asyncio.gather(*asked, return_exceptions=True)


async def test_who_finds_nobody_at_work_goes_at_once_and_who_comes_meanwhile_goes_together_next():
    work = Work()
    batcher = Batcher(work)
    asked = ask(batcher, [1])
    await settle()
    asked += ask(batcher, range(2, 2 + 3 * ENOUGH))
    await settle()
    assert work.begun == [[1]]
    assert await finished(work, asked) == [2 * item for item in range(1, 2 + 3 * ENOUGH)]
    assert work.begun == [[1], list(range(2, 2 + 3 * ENOUGH))]
    assert work.most == 1


async def test_a_second_batch_goes_beside_the_first_once_enough_wait_and_a_third_never():
    work = Work()
    batcher = Batcher(work, at_once=2)
    asked = ask(batcher, [0])
    await settle()
    asked += ask(batcher, range(1, ENOUGH))
    await settle()
    assert work.begun == [[0]], "too few to pay for a round trip of their own"
    asked += ask(batcher, [ENOUGH])
    await settle()
    assert work.begun == [[0], list(range(1, ENOUGH + 1))]
    asked += ask(batcher, range(ENOUGH + 1, 4 * ENOUGH))
    await settle()
    assert len(work.begun) == 2
    assert await finished(work, asked) == [2 * item for item in range(4 * ENOUGH)]
    assert work.most == 2


async def test_few_that_wait_go_when_the_last_batch_ends_whichever_that_is():
    work = Work()
    batcher = Batcher(work, at_once=2)
    asked = ask(batcher, [0])
    await settle()
    asked += ask(batcher, range(1, ENOUGH + 1))
    await settle()
    asked += ask(batcher, [100])
    await settle()
    work.ended[0].set_result(None)
    await settle()
    assert len(work.begun) == 2, "one batch is under way still"
    work.ended[1].set_result(None)
    await settle()
    assert work.begun[2] == [100]
    await finished(work, asked)


async def test_one_bad_item_spoils_no_other_of_either_batch():
    work = Work()
    batcher = Batcher(work, at_once=2)
    items = [*range(ENOUGH), -1, *range(50, 50 + ENOUGH), -2, *range(70, 90)]
    asked = []
    for item in items:
        asked += ask(batcher, [item])
        await asyncio.sleep(0)
    for item, answer in zip(items, await finished(work, asked), strict=True):
        assert answer == 2 * item if item >= 0 else isinstance(answer, ValueError)
    assert work.most == 2


async def test_batches_are_no_larger_than_they_may_be():
    work = Work()
    batcher = Batcher(work, largest=10)
    await finished(work, ask(batcher, range(95)))
    assert [len(batch) for batch in work.begun] == [10] * 9 + [5]


async def test_keys_do_not_wait_for_each_other_and_nothing_is_kept_of_them():
    work = Work()
    batcher = Batcher(work, at_once=2)
    asked = [asyncio.ensure_future(batcher.do(key, 1)) for key in "abcdef"]
    await settle()
    assert len(work.begun) == 6
    await finished(work, asked)
    await settle()
    assert not batcher.keys_being_served


@pytest.mark.parametrize("at_once", [1, 2])
async def test_everybody_gets_its_own_result_however_they_come(at_once: int):
    under_way = most = 0

    async def work(key: str, items: Sequence[int]) -> list[int]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(1 + items[0] % 7):
            await asyncio.sleep(0)
        under_way -= 1
        return [3 * item for item in items]

    batcher = Batcher(work, at_once=at_once)

    async def one(item: int) -> None:
        for _ in range(item * 31 % 23):
            await asyncio.sleep(0)
        assert await batcher.do("a", item) == 3 * item
        assert await batcher.do("a", item + 1) == 3 * item + 3

    waiting: Awaitable[object] = asyncio.gather(*(one(item) for item in range(400)))
    await asyncio.wait_for(waiting, 20)
    assert most == at_once
    await settle()
    assert not batcher.keys_being_served
