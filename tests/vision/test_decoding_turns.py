"""Who is decoded first: quick pictures before slow ones, and each sender and account in its turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.support import bombs
from truename.vision.decoding.decoder import DecodingLimits
from truename.vision.decoding.fair_queue import FairQueue
from truename.vision.decoding.header import ImageRefused, expected_seconds, inspect
from truename.vision.decoding.pool import QUICK_SECONDS, Decoders, Turn
from truename.vision.decoding.protocol import Wanted

PATIENT = 600.0
"""Seconds that no machine needs, however busy: these tests are about who comes first."""


@pytest.mark.slow
async def test_a_quick_picture_overtakes_every_slow_one():
    decoders, slow = Decoders(DecodingLimits(seconds=PATIENT)), bombs.wide_png(mode="L")
    assert expected_seconds(slow, inspect(slow)) > QUICK_SECONDS
    ended: list[str] = []

    async def send(data: bytes, name: str) -> None:
        await decoders.decode(data, name, Wanted(largest_side=1000))
        ended.append(name)

    senders = [asyncio.create_task(send(slow, f"slow {number}")) for number in range(2)]
    await asyncio.sleep(0.05)
    try:
        await asyncio.gather(*(send(bombs.photo(320, 240), f"quick {number}") for number in range(3)))
        assert sum(name.startswith("slow") for name in ended) <= 1
        await asyncio.gather(*senders)
        assert len(ended) == 5
    finally:
        await decoders.close()


@asynccontextmanager
async def one_slow_look(polite_seconds: float) -> AsyncIterator[tuple[Turn, asyncio.Task[None], list[str]]]:
    """A quick picture has its turn, and a slow one that was decoded meanwhile is to be looked at."""
    pool = Decoders(DecodingLimits(seconds=PATIENT, polite_seconds=polite_seconds))
    seen: list[str] = []
    decoded = asyncio.Event()

    async def look_at_the_slow_one() -> None:
        async with pool.turn(bombs.wide_png(mode="L"), "slow") as turn:
            await turn.decode(Wanted(largest_side=64))
            decoded.set()
            await turn.look(lambda: seen.append("slow"))

    try:
        async with pool.turn(bombs.photo(64, 48), "quick") as quick:
            looking = asyncio.create_task(look_at_the_slow_one())
            await decoded.wait()
            yield quick, looking, seen
        await looking
    finally:
        await pool.close()


@pytest.mark.slow
async def test_a_look_at_a_slow_picture_waits_for_those_at_quick_ones():
    async with one_slow_look(PATIENT) as (quick, looking, seen):
        await quick.decode()
        await quick.look(lambda: seen.append("quick"))
        assert not looking.done()
    assert seen == ["quick", "slow"]


@pytest.mark.slow
async def test_a_look_at_a_slow_picture_does_not_wait_for_ever():
    async with one_slow_look(0.05) as (_, looking, seen):
        await looking
        assert seen == ["slow"]


async def test_turns_go_round_the_senders_and_one_sender_has_one_at_a_time():
    queue, order = FairQueue(2), list[str]()
    busy: list[str] = []

    async def work(sender: str) -> None:
        async with queue.turn(sender):
            assert sender not in busy
            busy.append(sender)
            order.append(sender)
            await asyncio.sleep(0)
            busy.remove(sender)

    many = [asyncio.create_task(work("greedy")) for _ in range(20)]
    await asyncio.sleep(0)
    few = [asyncio.create_task(work(name)) for name in ("ana", "ben", "ana")]
    await asyncio.gather(*many, *few)
    assert order.index("ana") < 4
    assert order.index("ben") < 5
    assert len(order) == 23


async def test_an_account_of_many_senders_gets_no_more_turns_than_another_with_one():
    queue, order = FairQueue(1), list[str]()

    async def work(sender: str, account: str) -> None:
        async with queue.turn(sender, account):
            order.append(account)
            await asyncio.sleep(0)

    many = [asyncio.create_task(work(f"capture {number}", "greedy")) for number in range(20)]
    await asyncio.sleep(0)
    few = [asyncio.create_task(work(f"capture {number}", "small")) for number in range(3)]
    await asyncio.gather(*many, *few)
    assert order[:10].count("small") == 3
    assert len(order) == 23


async def test_who_leaves_the_queue_or_the_turn_leaves_no_trace():
    queue = FairQueue(1)
    async with queue.turn("first"):
        waiting = [asyncio.create_task(queue.turn(name).__aenter__()) for name in ("a", "a", "b")]
        await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert queue.waiting == 0
    async with asyncio.timeout(1), queue.turn("a"):
        pass


@pytest.mark.slow
async def test_the_pictures_of_a_sender_who_sent_a_bomb_wait_in_the_slow_lane():
    pool = Decoders(DecodingLimits(decoders=1, memory_mb=64))
    try:
        with pytest.raises(ImageRefused, match="too much time or memory"):
            await pool.decode(bombs.wide_png(), "bad")
        async with pool.turn(bombs.photo(64, 48), "good"), asyncio.timeout(5), pool.turn(bombs.photo(64, 48), "bad"):
            pass  # the one quick place is taken, and yet it got a turn
    finally:
        await pool.close()
