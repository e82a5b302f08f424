"""Do the bodies of a caller that sends many wait for each other, and nobody for them?"""

import asyncio

import pytest

from tests.support.hand_clock import HandClock
from truename.plumbing.errors import TooManyAtOnce
from truename.plumbing.http.body_memory import (
    LONGEST_LINE,
    MEBIBYTE,
    PIECE_SECONDS,
    PROMISE_SECONDS,
    BodyMemory,
)
from truename.plumbing.http.turns import COMPANY_SECONDS, CallerKey, Turn, Turns

GREEDY, QUIET = CallerKey("greedy"), CallerKey("quiet")


async def test_a_body_waits_unread_until_its_account_has_room_and_others_do_not_wait_for_it():
    memory = BodyMemory(20 * MEBIBYTE, HandClock())
    first = await memory.hold("greedy", 12 * MEBIBYTE)
    second = asyncio.create_task(memory.hold("greedy", 12 * MEBIBYTE))
    async with asyncio.timeout(5):
        other = await memory.hold("quiet", 12 * MEBIBYTE)
    assert not second.done()
    assert memory.held("greedy") == 12 * MEBIBYTE
    memory.let_go("greedy", first)
    memory.let_go("greedy", await asyncio.wait_for(second, 5))
    memory.let_go("quiet", other)
    assert not memory._shares


async def test_a_slow_body_takes_only_the_room_of_what_has_come():
    clock = HandClock()
    memory = BodyMemory(20 * MEBIBYTE, clock)
    slow = await memory.hold("account", 20 * MEBIBYTE)
    memory.grow("account", slow, 1000)
    assert memory.held("account") == 20 * MEBIBYTE
    clock.now += PROMISE_SECONDS
    assert memory.held("account") == 1000
    async with asyncio.timeout(5):
        await memory.hold("account", 12 * MEBIBYTE)


async def test_slow_bodies_that_all_grow_at_last_are_refused():
    clock = HandClock()
    memory = BodyMemory(10 * MEBIBYTE, clock)
    bodies = []
    for _ in range(3):
        bodies.append(await memory.hold("account", 10 * MEBIBYTE))
        clock.now += PROMISE_SECONDS
    memory.grow("account", bodies[0], 10 * MEBIBYTE)
    memory.grow("account", bodies[1], 10 * MEBIBYTE)
    with pytest.raises(TooManyAtOnce):
        memory.grow("account", bodies[2], 1)


async def test_a_body_that_nobody_waits_for_any_more_leaves_the_line():
    memory = BodyMemory(10 * MEBIBYTE, HandClock())
    first = await memory.hold("account", 10 * MEBIBYTE)
    second = asyncio.create_task(memory.hold("account", 10 * MEBIBYTE))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    memory.let_go("account", first)
    assert not memory._shares


async def test_a_body_that_is_given_up_in_the_moment_there_is_room_leaves_no_trace():
    memory = BodyMemory(10 * MEBIBYTE, HandClock())
    first = await memory.hold("account", 10 * MEBIBYTE)
    second = asyncio.create_task(memory.hold("account", 10 * MEBIBYTE))
    await asyncio.sleep(0)
    memory.let_go("account", first)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    assert not memory._shares


async def test_who_waits_for_room_too_long_is_asked_to_come_back(monkeypatch):
    monkeypatch.setattr("truename.plumbing.http.body_memory.PATIENCE_SECONDS", 0.05)
    memory = BodyMemory(10 * MEBIBYTE, HandClock())
    first = await memory.hold("account", 10 * MEBIBYTE)
    async with asyncio.timeout(5):
        with pytest.raises(TooManyAtOnce):
            await memory.hold("account", 1)
    assert memory.held("account") == 10 * MEBIBYTE
    memory.let_go("account", first)
    assert not memory._shares


async def test_a_body_larger_than_the_whole_share_is_let_in_when_nothing_else_is_there():
    memory = BodyMemory(10 * MEBIBYTE, HandClock())
    async with asyncio.timeout(5):
        body = await memory.hold("account", 11 * MEBIBYTE)
    memory.let_go("account", body)
    assert not memory._shares


async def test_so_many_bodies_wait_and_no_more():
    memory = BodyMemory(10 * MEBIBYTE, HandClock())
    first = await memory.hold("account", 10 * MEBIBYTE)
    waiting = [asyncio.create_task(memory.hold("account", 1)) for _ in range(LONGEST_LINE)]
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        with pytest.raises(TooManyAtOnce):
            await memory.hold("account", 1)
    await memory.hold("another", 1)
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    memory.let_go("account", first)
    assert "account" not in memory._shares


async def test_one_piece_of_an_accounts_bodies_is_read_in_each_round_of_the_loop():
    memory = BodyMemory(50 * MEBIBYTE, HandClock())
    read: list[str] = []

    async def read_a_body(account: str) -> None:
        body = await memory.hold(account, MEBIBYTE)
        for _ in range(3):
            await memory.next_piece(account)
            read.append(account)
        memory.let_go(account, body)

    reading = [asyncio.create_task(read_a_body(account)) for account in ("greedy",) * 5 + ("quiet",)]
    rounds = []
    while not all(one.done() for one in reading):
        before = list(read)
        await asyncio.sleep(0)
        rounds.append(read[len(before) :])
    assert max(one.count("greedy") for one in rounds) == 1
    assert max(one.count("quiet") for one in rounds) == 1
    assert (read.count("greedy"), read.count("quiet")) == (15, 3)
    assert read[:9].count("quiet") == 3, "who sends one body does not wait for who sends five"


async def test_pieces_of_one_account_come_at_intervals():
    memory = BodyMemory(50 * MEBIBYTE, HandClock())
    body = await memory.hold("greedy", MEBIBYTE)
    loop = asyncio.get_running_loop()
    began = loop.time()
    for _ in range(6):
        await memory.next_piece("greedy")
    assert loop.time() - began >= 4 * PIECE_SECONDS, "five intervals, of which a clock in whole milliseconds takes some"
    memory.let_go("greedy", body)


async def test_one_thread_at_a_time_works_on_the_large_bodies_of_a_caller_that_has_company():
    clock = HandClock()
    turns = Turns(clock=clock)
    (await turns.take(QUIET)).end()
    first, second = await turns.take(GREEDY), await turns.take(GREEDY)
    await first.hold_body(MEBIBYTE)
    await second.hold_body(MEBIBYTE)

    async def work(turn: Turn) -> None:
        async with turn.one_thread():
            await asyncio.sleep(0)

    async with first.one_thread():
        waiting = asyncio.create_task(work(second))
        for _ in range(3):
            await asyncio.sleep(0)
        assert not waiting.done()
        clock.now += COMPANY_SECONDS
        await asyncio.wait_for(work(second), 5)  # alone
    await asyncio.wait_for(waiting, 5)
    first.end()
    second.end()


async def test_a_body_that_is_given_up_takes_no_round_from_the_others():
    memory = BodyMemory(50 * MEBIBYTE, HandClock())
    body = await memory.hold("account", MEBIBYTE)
    waiting = [asyncio.create_task(memory.next_piece("account")) for _ in range(4)]
    await asyncio.sleep(0)
    for one in waiting[:3]:
        one.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert waiting[3].done(), "in the first round, not after an interval for each of them"
    memory.let_go("account", body)
    assert not memory._shares


async def test_a_caller_that_is_alone_reads_its_bodies_as_fast_as_they_come():
    clock = HandClock()
    turns = Turns(clock=clock)
    (await turns.take(QUIET)).end()
    turn = await turns.take(GREEDY)
    await turn.hold_body(MEBIBYTE)
    piece = asyncio.create_task(turn.next_piece())
    await asyncio.sleep(0)
    assert not piece.done()
    clock.now += COMPANY_SECONDS
    at_once = asyncio.create_task(turn.next_piece())
    await asyncio.sleep(0)
    assert at_once.done()
    await piece
    turn.end()
