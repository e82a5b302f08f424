"""Does a caller that sends many requests at once wait for itself, and nobody for it?"""

import asyncio

import pytest

from tests.support.hand_clock import HandClock
from truename.plumbing.errors import TooManyAtOnce
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


async def test_who_leaves_in_the_moment_its_turn_comes_gives_it_to_the_next():
    """Else the turn is lost, and with it a share of all that its account ever sends to this process."""
    clock = HandClock()
    turns = Turns(at_once=1, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    clock.now += NEXT_SECONDS
    first, second, third = await begun(turns, GREEDY, 3)
    (await first).end()  # the turn is the second's now, which has not heard of it yet
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    (await asyncio.wait_for(third, 5)).end()
    assert not turns._callers


async def test_a_request_that_is_ended_twice_leaves_its_capture_once():
    turns, key = Turns(), CallerKey("account", "capture")
    one, other = await turns.take(key), await turns.take(key)
    one.end()
    one.end()
    assert turns._captures["capture"] == 1
    other.end()
    assert not turns._captures


async def test_who_has_two_under_way_has_few():
    clock = HandClock()
    turns = Turns(at_once=2, waiting=10, clock=clock)
    (await turns.take(QUIET)).end()
    clock.now += NEXT_SECONDS
    many = await begun(turns, GREEDY, 6)
    few = [await turns.take(QUIET), await turns.take(QUIET)]
    (await many[0]).end()
    (await many[1]).end()
    await asyncio.sleep(0)
    assert not many[2].done(), "it gives way to two"
    for one in few:
        one.end()
    clock.now += NEXT_SECONDS
    for task in many[2:]:
        (await asyncio.wait_for(task, 5)).end()
    assert not turns._callers


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
