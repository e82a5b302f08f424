"""Run a back-test over a range, page by page, with a word on how far it is."""

import asyncio
from collections.abc import Awaitable, Callable

from truename.backtest.policy import OtherPolicy
from truename.backtest.stored import Page, Position, Range, Reader
from truename.backtest.tally import BacktestResult, Tally
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing

Progress = Callable[[int], Awaitable[None]]
"""Told, after each page, how many transactions were looked at."""


async def backtest(plumbing: Plumbing, range_: Range, policy: OtherPolicy, progress: Progress) -> BacktestResult:
    """Judge the whole range again; each page is one short database transaction."""

    async def next_page(after: Position | None) -> Page:
        async with plumbing.database.account(range_.account_id) as connection:
            return await reader.next_page(connection, after)

    reader = Reader(plumbing, range_)
    return await _run(next_page, policy, progress)


async def backtest_at_once(
    connection: Connection, plumbing: Plumbing, range_: Range, policy: OtherPolicy
) -> BacktestResult:
    """The same inside a database transaction that is under way: for small ranges."""
    reader = Reader(plumbing, range_)
    return await _run(lambda after: reader.next_page(connection, after), policy, _nobody)


async def _nobody(done: int) -> None:
    """Nobody wants to know."""


async def _run(
    next_page: Callable[[Position | None], Awaitable[Page]], policy: OtherPolicy, progress: Progress
) -> BacktestResult:
    tally, done, after = Tally(policy), 0, None
    while True:
        page = await next_page(after)
        # Beside the event loop: a page takes a tenth of a second.
        await asyncio.to_thread(tally.add, page.parsed())
        tally.cannot_be_judged += page.cannot_be_judged
        done += page.size
        await progress(done)
        if page.after is None:
            return tally.result()
        after = page.after
