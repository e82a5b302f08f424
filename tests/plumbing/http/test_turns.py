"""Does a caller that sends many requests at once wait for itself, and nobody for it?"""

import asyncio

import pytest

from truename.plumbing.errors import TooManyAtOnce
from truename.plumbing.http.body_memory import MEBIBYTE, PIECE_SECONDS, PROMISE_SECONDS, BodyMemory
from truename.plumbing.http.turns import (
    COMPANY_SECONDS,
    GIVE_WAY_SECONDS,
    NEXT_SECONDS,
    PER_CAPTURE,
    CallerKey,
    Turn,
    Turns,
)
from truename.plumbing.settings import Settings

GREEDY, QUIET = CallerKey("greedy"), CallerKey("quiet")


class HandClock:
    """A clock that stands still unless it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def begun(turns: Turns, key: CallerKey, count: int) -> list[asyncio.Task[Turn]]:
    """So many requests that have come as far as they can."""
    tasks = [asyncio.create_task(turns.take(key)) for _ in range(count)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_a_caller_with_company_has_a_few_under_way_and_the_rest_wait_in_their_order():
    clock = HandClock()
    turns = Turns(at_once=3, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    many = await begun(turns, GREEDY, 8)
    assert [one.done() for one in many] == [True] * 3 + [False] * 5
    async with asyncio.timeout(5):
        (await turns.take(QUIET)).end()
    clock.now += NEXT_SECONDS
    (await many[1]).end()
    await asyncio.sleep(0)
    assert [one.done() for one in many] == [True] * 4 + [False] * 4


async def test_of_a_flood_two_requests_are_worked_on_while_others_call():
    """Each that is under way when a quiet caller comes is worked on at every step of it: four took a quarter more."""
    turns = Turns(clock=HandClock())
    (await turns.take(QUIET)).end()
    many = await begun(turns, GREEDY, 5)
    assert [one.done() for one in many] == [True] * 2 + [False] * 3
    assert Settings.model_fields["account_requests_at_once"].default == 2


async def test_a_caller_that_is_alone_has_the_process_to_itself_until_another_one_calls():
    clock = HandClock()
    turns = Turns(at_once=2, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    clock.now += COMPANY_SECONDS + 1
    alone = await begun(turns, GREEDY, 6)
    assert all(one.done() for one in alone)
    (await turns.take(QUIET)).end()
    more = await begun(turns, GREEDY, 1)
    for one in alone[:4]:
        (await one).end()
    await asyncio.sleep(0)
    assert not more[0].done(), "two of its own are still under way"
    (await alone[4]).end()
    async with asyncio.timeout(5):
        await more[0]


async def test_more_than_may_wait_are_refused_and_told_when_to_come_back():
    turns = Turns(at_once=1, waiting=2, clock=HandClock())
    (await turns.take(QUIET)).end()
    await begun(turns, GREEDY, 3)
    with pytest.raises(TooManyAtOnce) as refused:
        await turns.take(GREEDY)
    assert (refused.value.status, refused.value.code) == (429, "too_many_at_once")
    assert refused.value.headers["Retry-After"] == "1"
    (await turns.take(QUIET)).end()


async def test_one_capture_cannot_fill_the_queue_of_its_account():
    turns = Turns(at_once=2, waiting=100, clock=HandClock())
    (await turns.take(QUIET)).end()
    await begun(turns, CallerKey("account", "capture"), PER_CAPTURE)
    with pytest.raises(TooManyAtOnce):
        await turns.take(CallerKey("account", "capture"))
    assert len(await begun(turns, CallerKey("account", "another"), 1)) == 1
    assert turns.waiting == PER_CAPTURE - 2 + 1


async def test_who_steps_aside_lets_the_next_one_work_and_comes_back_in_its_turn():
    turns = Turns(at_once=1, waiting=10, clock=HandClock())
    (await turns.take(QUIET)).end()
    first, second = await begun(turns, GREEDY, 2)
    one = await first
    one.give_back()
    other = await asyncio.wait_for(second, 5)
    back = asyncio.create_task(one.take())
    await asyncio.sleep(0)
    assert not back.done()
    other.end()
    await asyncio.wait_for(back, 5)
    one.end()
    assert turns.waiting == 0
    assert not turns._callers


async def test_who_leaves_the_queue_leaves_no_trace():
    turns = Turns(at_once=1, waiting=10, clock=HandClock())
    (await turns.take(QUIET)).end()
    first, *others = await begun(turns, CallerKey("greedy", "capture"), 4)
    for one in others:
        one.cancel()
    (await first).end()  # in the same moment
    await asyncio.gather(*others, return_exceptions=True)
    assert turns.waiting == 0
    assert not turns._callers
    assert not turns._captures


async def test_who_has_many_gives_way_while_one_of_who_has_few_is_worked_on():
    clock = HandClock()
    turns = Turns(at_once=2, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    clock.now += NEXT_SECONDS
    many = await begun(turns, GREEDY, 6)
    quiet = await turns.take(QUIET)
    (await many[0]).end()
    (await many[1]).end()
    await asyncio.sleep(0)
    assert [one.done() for one in many] == [True] * 2 + [False] * 4, "none begins beside the quiet one"
    quiet.end()
    clock.now += NEXT_SECONDS
    async with asyncio.timeout(5):
        await asyncio.gather(many[2], many[3])
    assert not many[4].done(), "two, as soon as it is over"
    for one in many[2:]:
        (await one).end()
    assert not turns._callers


async def test_who_calls_one_thing_after_another_does_not_meet_two_more_of_the_flood_each_time():
    clock = HandClock()
    turns = Turns(at_once=2, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    clock.now += NEXT_SECONDS
    many = await begun(turns, GREEDY, 6)
    first = await turns.take(QUIET)
    for one in many[:2]:
        (await one).end()
    first.end()
    await asyncio.sleep(2 * NEXT_SECONDS)
    clock.now += NEXT_SECONDS / 2
    second = await turns.take(QUIET)
    assert not any(one.done() for one in many[2:]), "none has begun between the two requests of the quiet one"
    second.end()
    assert turns._callers[GREEDY.account].look_again_at <= clock.now + NEXT_SECONDS, "not at the end of giving way"
    clock.now += NEXT_SECONDS
    for one in many[2:]:
        (await one).end()
    assert not turns._callers


async def test_nobody_waits_for_a_request_that_is_expected_of_itself():
    turns = Turns(at_once=2, waiting=10, clock=HandClock())
    (await turns.take(QUIET)).end()
    (await turns.take(GREEDY)).end()
    many = await begun(turns, GREEDY, 6)
    assert [one.done() for one in many] == [True] * 2 + [False] * 4
    for one in many:
        (await one).end()


async def test_who_gives_way_is_never_kept_out_for_long():
    clock = HandClock()
    turns = Turns(at_once=2, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    many = await begun(turns, GREEDY, 6)
    quiet = await turns.take(QUIET)
    (await many[0]).end()
    (await many[1]).end()
    await asyncio.sleep(2 * GIVE_WAY_SECONDS)
    assert not many[2].done(), "by this clock no time has passed"
    clock.now += 1.5 * GIVE_WAY_SECONDS
    async with asyncio.timeout(5):
        await many[2]
    assert not many[3].done(), "one at a time"
    for one in many[3:]:
        one.cancel()
    await asyncio.gather(*many[3:], return_exceptions=True)
    many[2].result().end()
    quiet.end()
    assert not turns._callers


async def test_two_that_both_have_many_give_way_to_nobody():
    clock = HandClock()
    turns = Turns(at_once=2, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    clock.now += NEXT_SECONDS
    many, others = await begun(turns, GREEDY, 6), await begun(turns, CallerKey("another"), 6)
    (await many[0]).end()
    (await others[0]).end()
    await asyncio.sleep(0)
    assert [one.done() for one in many] == [one.done() for one in others] == [True] * 3 + [False] * 3


# ── bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────


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
