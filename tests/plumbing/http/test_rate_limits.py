"""Are calls counted exactly, also when many come at once and from several processes?"""

import asyncio
import secrets
import time

import pytest

from truename.plumbing.http.rate_limits import Charged, Limit, RateLimiter, charging, close_bucket
from truename.plumbing.resources import Plumbing


@pytest.fixture
def limiter(plumbing: Plumbing) -> RateLimiter:
    return RateLimiter(charging(plumbing.database))


async def test_a_burst_is_let_through_and_the_next_call_is_not(limiter: RateLimiter) -> None:
    bucket, limit = secrets.token_hex(8), Limit("test", per_minute=1, burst=5)
    began = time.monotonic()
    standings = [await limiter.take(bucket, limit) for _ in range(6)]
    took = time.monotonic() - began
    assert [one.allowed for one in standings] == [True] * 5 + [False]
    assert [one.remaining for one in standings] == [4, 3, 2, 1, 0, 0]
    assert 59 - took < standings[-1].retry_after <= 60


async def test_simultaneous_calls_are_counted_one_by_one(plumbing: Plumbing) -> None:
    """Two limiters stand for two processes: together they let no more through than one."""
    bucket, limit = secrets.token_hex(8), Limit("test", per_minute=1, burst=40)
    limiters = [RateLimiter(charging(plumbing.database)) for _ in range(2)]
    standings = await asyncio.gather(*(one.take(bucket, limit) for one in limiters for _ in range(50)))
    assert sum(one.allowed for one in standings) == 40


async def test_what_was_used_comes_back_with_time(limiter: RateLimiter, plumbing: Plumbing) -> None:
    """No machine is so slow that two calls are a minute apart; so the minute is taken from what the bucket owes."""
    bucket, limit = secrets.token_hex(8), Limit("test", per_minute=1, burst=1)
    assert (await limiter.take(bucket, limit)).allowed
    assert not (await limiter.take(bucket, limit)).allowed
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE rate_limits SET tat = tat - interval '1 minute' WHERE bucket = %s", (bucket,))
    assert (await limiter.take(bucket, limit)).allowed
    assert not (await limiter.take(bucket, limit)).allowed


async def test_a_refused_call_costs_nothing(limiter: RateLimiter) -> None:
    bucket, limit = secrets.token_hex(8), Limit("test", per_minute=1, burst=1)
    first = [await limiter.take(bucket, limit) for _ in range(20)]
    assert [one.allowed for one in first] == [True] + [False] * 19
    assert first[-1].retry_after <= 60


async def test_a_clock_that_was_ahead_and_is_set_back_keeps_nobody_out_for_longer_than_the_window(
    limiter: RateLimiter, plumbing: Plumbing
) -> None:
    """As a database leaves it whose clock was ten days ahead when the last call was counted."""
    bucket, limit = secrets.token_hex(8), Limit("test", per_minute=6000, burst=20)
    await limiter.take(bucket, limit)
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE rate_limits SET tat = tat + interval '10 days' WHERE bucket = %s", (bucket,))
    assert (await limiter.take(bucket, limit)).retry_after <= limit.window
    await asyncio.sleep(limit.window)
    assert (await limiter.take(bucket, limit)).allowed


async def test_a_bucket_is_closed_in_every_process_once_somebody_closes_it_and_no_other_with_it(
    limiter: RateLimiter, plumbing: Plumbing
) -> None:
    name, limit = secrets.token_hex(8), Limit("test", per_minute=60, burst=5)
    bucket, other = f"test:{name}", f"test:another-{name}"
    assert [(await limiter.take(one, limit)).closed for one in (bucket, other)] == [False, False]
    async with plumbing.database.system() as connection:
        await close_bucket(connection, "test", name)
        await close_bucket(connection, "test", name)
    for one in (limiter, RateLimiter(charging(plumbing.database))):
        assert (await one.take(bucket, limit)).closed
        assert not (await one.take(other, limit)).closed


async def test_a_charge_that_fails_fails_for_all_who_wait() -> None:
    async def broken(bucket: str, limit: Limit, wanted: int) -> Charged:
        raise OSError("no database")

    limiter, limit = RateLimiter(broken), Limit("test", 60, 60)
    found = await asyncio.gather(*(limiter.take("a", limit) for _ in range(3)), return_exceptions=True)
    assert all(isinstance(one, OSError) for one in found)
