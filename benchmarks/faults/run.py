"""One run: start everything, let callers work while parts die, wait until all is quiet, read the history."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp
import psycopg

from benchmarks.faults.callers import Callers, Ledger
from benchmarks.faults.check import faults
from benchmarks.faults.history import History, let_time_run, read_history, unsettled
from benchmarks.faults.house import House, a_house

SHARES: Final = {
    "postgres": 15,
    "api-1": 16,
    "api-2": 16,
    "worker-1": 13,
    "worker-2": 13,
    "sender": 12,
    "receiver": 3,
    "s3": 2,
}
"""Of ninety kills."""
AT_ONCE: Final = 12
QUIET_WITHIN_SECONDS: Final = 600.0


@dataclass(frozen=True)
class Plan:
    """What a run consists of."""

    transactions: int
    pictures: int
    kills: int
    seed: int
    plant: str | None = None
    at_once: int = AT_ONCE
    kill_only: str | None = None
    """The one part that is killed, where the others are not on trial."""
    quiet_within: float = QUIET_WITHIN_SECONDS


@dataclass(frozen=True)
class Report:
    """What came of it."""

    plan: Plan
    kills: dict[str, int]
    faults: list[str]
    history: History
    ledger: Ledger
    swept: int
    seconds: float
    seconds_until_quiet: float


def targets(plan: Plan, chance: random.Random) -> list[str]:
    """So many parts to kill, in an order by chance, PostgreSQL never fewer than its share."""
    if plan.kill_only is not None:
        return [plan.kill_only] * plan.kills
    kills = plan.kills
    whole = sum(SHARES.values())
    chosen = [part for part, share in SHARES.items() for _ in range(-(-share * kills // whole))]
    first = [part for part in chosen if part == "postgres"]
    rest = [part for part in chosen if part != "postgres"]
    chosen = first + chance.sample(rest, max(kills - len(first), 0))
    return chance.sample(chosen, len(chosen))


async def run(plan: Plan, folder: Path, say: Callable[[str], None] = lambda _: None) -> Report:
    """The whole thing; nothing of it is left running."""
    with a_house(folder, plan.seed, plan.plant) as house:
        say("starting PostgreSQL, S3, two API processes, three workers and a receiver")
        await asyncio.to_thread(house.first_start)
        return await drive(house, plan, say)


async def drive(house: House, plan: Plan, say: Callable[[str], None] = lambda _: None) -> Report:
    """Let callers work in a house that runs while its parts die; read the history when all is quiet."""
    began = time.monotonic()
    timeout = aiohttp.ClientTimeout(total=20)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=100)) as http:
        callers = Callers(http, house.apis, house.webhook, plan.seed)
        stopped = asyncio.Event()
        tending = asyncio.create_task(_tend_and_kill(house, plan, callers.ledger, stopped, say))
        try:
            await callers.sign_in(house.credentials["client_id"], house.credentials["client_secret"])
            await _all(callers, plan)
            took = time.monotonic() - began
            say("every transaction was asked for; waiting until all is quiet")
            await _quiet(house, tending, plan.quiet_within)
        finally:
            stopped.set()
            await tending
            await asyncio.to_thread(house.tend)  # the last kill may have been a moment ago
    until_quiet = time.monotonic() - began
    history, swept = await asyncio.to_thread(read_history, house, callers.ledger)
    return Report(plan, house.kills, faults(history), history, callers.ledger, swept, took, until_quiet)


async def _all(callers: Callers, plan: Plan) -> None:
    with_pictures = set(random.Random(plan.seed).sample(range(plan.transactions), plan.pictures))
    numbers = iter(range(plan.transactions))

    async def one_after_another() -> None:
        for number in numbers:
            await callers.one(number, pictures=number in with_pictures)

    await asyncio.gather(*(one_after_another() for _ in range(plan.at_once)))


async def _tend_and_kill(
    house: House, plan: Plan, ledger: Ledger, stopped: asyncio.Event, say: Callable[[str], None]
) -> None:
    """Start again what has ended; kill the next as the work goes on, so that the kills are spread over all of it."""
    chance = random.Random(plan.seed)
    waiting, killed = targets(plan, chance), 0
    while not stopped.is_set() or waiting:
        await asyncio.to_thread(house.tend)
        await asyncio.sleep(chance.uniform(0.05, 0.4))
        if waiting and ledger.done >= plan.transactions * (killed + chance.random()) / (plan.kills + 1):
            part = waiting.pop()
            await asyncio.to_thread(house.kill, part)
            killed += 1
            say(f"{ledger.done:6} done, kill {killed:3}: {part}")


async def _quiet(house: House, tending: asyncio.Task[None], within: float) -> None:
    """Until nothing is under way, asked twice; or until it has taken too long, which the check will tell."""
    last, until = False, time.monotonic() + within
    while time.monotonic() < until and not tending.done():
        await asyncio.sleep(1)
        try:
            await asyncio.to_thread(let_time_run, house)
            quiet = await asyncio.to_thread(unsettled, house) == 0
        except psycopg.OperationalError:
            quiet = False
        if quiet and last:
            return
        last = quiet
