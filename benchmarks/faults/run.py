"""One run: start everything, let callers work while parts die, wait until all is quiet, read the history."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import aiohttp
import psycopg

from benchmarks.faults.callers import Callers, Ledger
from benchmarks.faults.check import faults
from benchmarks.faults.history import History, let_time_run, read_history, transactions_of, unsettled
from benchmarks.faults.house import OURS, House, a_house

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
FROZEN_SECONDS: Final = (9.0, 25.0)
"""Longer than a worker's lease (8); some longer than the database waits for whoever says nothing (20)."""
CALM: Final = 5
"""Transactions with pictures before the first kill. Kills may leave orphans, so that only these tell of a leak."""
CALM_SEED: Final = 1_000_000_007
PROGRESS_EVERY_SECONDS: Final = 10.0
QUIET_WITHIN_SECONDS: Final = 600.0

Say = Callable[[str], None]


def silently(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Plan:
    """What a run consists of."""

    transactions: int
    pictures: int
    kills: int
    seed: int
    plant: str | None = None
    at_once: int = AT_ONCE
    freezes: int = 0
    """Times that a process of ours stands still for longer than its leases last."""
    stops: int = 0
    """Times that one is asked to end, and ends in its own time."""
    kill_only: str | None = None
    """The one part that is killed, where the others are not on trial."""
    until_quiet: bool = True
    """Else the history is read at once, as far as the callers, the receiver and the database tell it."""
    forks: bool = False
    """Processes are forks of one that has loaded the service: for short runs."""


@dataclass(frozen=True)
class Report:
    """What came of it."""

    plan: Plan
    kills: dict[str, int]
    freezes: dict[str, int]
    stops: dict[str, int]
    faults: list[str]
    history: History
    ledger: Ledger
    seconds: float
    seconds_until_quiet: float


@dataclass(frozen=True)
class Blow:
    """What is done to which part."""

    kind: str
    part: str


def blows(plan: Plan, chance: random.Random) -> list[Blow]:
    """Everything that happens to the parts, in an order by chance."""
    chosen = [Blow("kill", part) for part in targets(plan, chance)]
    chosen += [Blow("freeze", chance.choice(OURS)) for _ in range(plan.freezes)]
    chosen += [Blow("stop", chance.choice(OURS)) for _ in range(plan.stops)]
    return chance.sample(chosen, len(chosen))


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


class Killer:
    """Tends a house and kills, freezes or stops its parts one after another, as the work goes on."""

    def __init__(self, house: House, plan: Plan, ledger: Ledger, say: Say) -> None:
        self.house, self.plan, self.ledger, self.say = house, plan, ledger, say
        self.chance = random.Random(plan.seed)
        self.waiting = blows(plan, self.chance)
        self.blows = len(self.waiting)
        # By the work that is done, not by the clock: so that the kills are spread over all of it, however slow.
        self.moments = sorted(self.chance.uniform(0, plan.transactions) for _ in self.waiting)
        self.stopped = asyncio.Event()

    async def run(self) -> None:
        """Until told to stop; what has ended is started again, at the end once more."""
        while not self.stopped.is_set():
            await asyncio.to_thread(self.house.tend)
            await asyncio.sleep(self.chance.uniform(0.05, 0.4))
            if self.waiting and self.ledger.done >= self.moments[-len(self.waiting)]:
                blow = self.waiting[0]
                await asyncio.to_thread(self._strike, blow)
                self.waiting = self.waiting[1:]
                self.say(f"{self.ledger.done:6} done, {self.blows - len(self.waiting):3}: {blow.kind} {blow.part}")
        for part in list(self.house.frozen):
            self.house.wake(part)
        await asyncio.to_thread(self.house.tend)

    def _strike(self, blow: Blow) -> None:
        if blow.kind == "kill":
            self.house.kill(blow.part)
        elif blow.kind == "stop":
            self.house.stop(blow.part)
        else:
            self.house.freeze(blow.part, self.chance.uniform(*FROZEN_SECONDS))


def calm_before(plan: Plan) -> Plan:
    """What comes first; by a seed of its own, else its people, keys and frames would be those of the run's first."""
    seed = plan.seed + CALM_SEED
    return replace(plan, transactions=CALM, pictures=CALM, seed=seed, kills=0, freezes=0, stops=0)


async def run(plan: Plan, folder: Path, say: Say = silently) -> Report:
    """The whole thing; nothing of it is left running."""
    with a_house(folder, plan.seed, plan.plant, are_forks=plan.forks) as house:
        say("starting PostgreSQL, S3, two API processes, three workers and a receiver")
        await asyncio.to_thread(house.first_start)
        if not plan.pictures:
            return await drive(house, plan, say)
        say(f"{CALM} transactions with pictures while nothing is killed: not one orphan may come of them")
        calm = await drive(house, calm_before(plan), say)
        report = await drive(house, plan, say)
        return replace(report, faults=[*(f"with nothing killed, {one}" for one in calm.faults), *report.faults])


async def drive(house: House, plan: Plan, say: Say = silently) -> Report:
    """Let callers work in a house that runs while its parts die; read the history when all is quiet."""
    earlier = await asyncio.to_thread(transactions_of, house)
    began = time.monotonic()
    timeout = aiohttp.ClientTimeout(total=20)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=100)) as http:
        callers = Callers(http, house.apis, house.webhook, plan.seed)
        killer = Killer(house, plan, callers.ledger, say)
        tending = asyncio.create_task(killer.run())
        telling = asyncio.create_task(_tell_progress(callers.ledger, plan, say))
        try:
            await callers.sign_in(house.credentials["client_id"], house.credentials["client_secret"])
            await _unless_ended(tending, _all(callers, plan))
            took = time.monotonic() - began
            say("every transaction was asked for; waiting until all is quiet")
            await _quiet(house, killer, tending, QUIET_WITHIN_SECONDS if plan.until_quiet else 0, say)
        finally:
            telling.cancel()
            killer.stopped.set()
            await tending
    until_quiet = time.monotonic() - began
    say("all is quiet; reading the history")
    history = await asyncio.to_thread(
        read_history, house, callers.ledger, earlier, kills=plan.kills, all_of_it=plan.until_quiet
    )
    words = faults(history)
    return Report(plan, house.kills, house.freezes, house.stops, words, history, callers.ledger, took, until_quiet)


async def _unless_ended(tending: asyncio.Task[None], work: Coroutine[None, None, None]) -> None:
    """Do the work; where nobody tends the house any more, callers would ask for ever."""
    working = asyncio.create_task(work)
    await asyncio.wait({working, tending}, return_when=asyncio.FIRST_COMPLETED)
    if not working.done():
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        tending.result()
    await working


async def _all(callers: Callers, plan: Plan) -> None:
    with_pictures = set(random.Random(plan.seed).sample(range(plan.transactions), plan.pictures))
    numbers = iter(range(plan.transactions))

    async def one_after_another() -> None:
        for number in numbers:
            await callers.one(number, pictures=number in with_pictures)

    await asyncio.gather(*(one_after_another() for _ in range(plan.at_once)))


async def _tell_progress(ledger: Ledger, plan: Plan, say: Say) -> None:
    """Every few seconds: how far it is, and for how long it will go on like this."""
    began = time.monotonic()
    while ledger.done < plan.transactions:
        await asyncio.sleep(PROGRESS_EVERY_SECONDS)
        pace = ledger.done / (time.monotonic() - began)
        left = f"about {(plan.transactions - ledger.done) / pace:.0f} s to go" if pace else "nothing done yet"
        say(f"{ledger.done:6} of {plan.transactions} done, {pace:.1f} a second, {left}")


async def _quiet(house: House, killer: Killer, tending: asyncio.Task[None], within: float, say: Say) -> None:
    """Until everybody was killed and nothing is under way, asked twice; or until it has taken too long.

    What is still under way then, the check will tell.
    """
    last, until, told = False, time.monotonic() + within, time.monotonic()
    while not tending.done() and (killer.waiting or time.monotonic() < until):
        await asyncio.sleep(0.5)
        try:
            await asyncio.to_thread(let_time_run, house)
            left = await asyncio.to_thread(unsettled, house)
        except psycopg.OperationalError:
            left = 1
        if left and time.monotonic() > told + PROGRESS_EVERY_SECONDS:
            told = time.monotonic()
            say(f"{left} analyses, webhooks and jobs are under way")
        quiet = left == 0 and not killer.waiting and not house.frozen and await asyncio.to_thread(house.s3.answers)
        if quiet and last:
            return
        last = quiet
