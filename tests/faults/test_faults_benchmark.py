"""Kill everything at random while transactions run: none is lost, none decided twice, every change is told (S13).

A short run of benchmarks/faults; then, in the same house, two faults are built in that the check must find.
"""

import asyncio
import random
import signal
import subprocess
import sys
from collections import Counter

import pytest
from benchmarks.faults.callers import A_PRIME
from benchmarks.faults.house import ASYNCHRONOUS_COMMIT, WEBHOOK_BEFORE_COMMIT, a_house, heeds
from benchmarks.faults.run import Plan, Report, blows, calm_before, drive, targets

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def kinds(report: Report) -> Counter[str]:
    return Counter(one.partition(":")[0] for one in report.faults)


async def test_nothing_is_lost_or_said_twice_under_kills_and_faults_that_are_built_in_are_found(tmp_path):
    with a_house(tmp_path, seed=11, are_forks=True) as house:
        await asyncio.to_thread(house.first_start)
        calm = await drive(house, Plan(transactions=2, pictures=2, kills=0, seed=10), print)
        assert calm.faults == [], "orphans, too, count where nothing was killed"
        assert calm.history.pictures
        honest = await drive(house, Plan(transactions=500, pictures=4, kills=10, seed=11), print)
        assert honest.faults == []
        assert sum(house.kills.values()) == 10
        assert house.kills["postgres"] >= 2
        assert len(honest.ledger.acknowledged) == len(honest.history.transactions) == 500
        assert {one.status for one in honest.history.transactions} == {"APPROVED", "REJECTED"}
        assert len(honest.history.told) > len(honest.history.events), "the receiver failed after it had processed"
        failed = sum(count for outcome, count in honest.history.attempts.items() if outcome != "DELIVERED")
        assert honest.history.attempts["REFUSED_BY_RECEIVER"] > 0, "the receiver failed before it had processed"
        assert failed > 0.05 * sum(honest.history.attempts.values()), "one in ten, and while it was dead"
        assert len(honest.history.pictures) >= 6

        # Frozen past every lease, within uploads, analyses and deliveries, or asked to end: not even an orphan is left.
        awake = await drive(house, Plan(60, 8, kills=0, seed=16, freezes=4, stops=4), print)
        assert awake.faults == []
        assert (sum(house.freezes.values()), sum(house.stops.values()) > 0) == (4, True)
        assert {one.status for one in awake.history.transactions} == {"APPROVED", "REJECTED"}

        await asyncio.to_thread(house.plant_now, WEBHOOK_BEFORE_COMMIT)
        few = Plan(transactions=40, pictures=0, kills=4, seed=12, kill_only="postgres", until_quiet=False)
        early = kinds(await drive(house, few, print))
        assert early["one change told under two ids"] + early["told of a change that never was"] > 0, early

        await asyncio.to_thread(house.plant_now, ASYNCHRONOUS_COMMIT)
        lazy = await drive(house, Plan(60, 0, 4, seed=13, kill_only="postgres", until_quiet=False), print)
        lost = [one for one in lazy.faults if " lost: " in one or one.startswith("an answer that no kill excuses: ")]
        assert lost, kinds(lazy)


def test_what_comes_before_the_kills_shares_nothing_with_the_run():
    """Its keys would be answered again, and its transactions be looked for in vain."""
    plan = Plan(10_000, 200, 90, seed=3)
    before = calm_before(plan)
    assert (before.kills, before.freezes, before.stops) == (0, 0, 0)
    of_both = [random.Random(one.seed) for one in (before, plan)]
    first = [{chance.getrandbits(64) for _ in range(1000)} for chance in of_both]
    assert not first[0] & first[1]
    assert not {before.seed * A_PRIME + number for number in range(before.transactions)} & {
        plan.seed * A_PRIME + number for number in range(plan.transactions)
    }


def test_ninety_kills_hold_fifteen_of_the_database():
    chosen = Counter(targets(Plan(10_000, 200, 90, 1), random.Random(1)))
    assert (sum(chosen.values()), chosen["postgres"]) == (90, 15)
    assert {one.kind for one in blows(Plan(10, 0, 0, 1, freezes=2, stops=2), random.Random(1))} == {"freeze", "stop"}
    assert set(chosen) == {"api-1", "api-2", "worker-1", "worker-2", "sender", "receiver", "postgres", "s3"}


@pytest.mark.parametrize("has_started", [True, False])
def test_who_is_asked_to_end_while_it_still_starts_may_die_of_it(has_started):
    """Seen: two such deaths counted as faults of the service."""
    handler = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); " if has_started else ""
    program = f"import signal, sys, time; {handler}print('up', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert heeds(process.pid, signal.SIGTERM) is has_started
        process.terminate()
        assert process.wait(30) == (0 if has_started else -signal.SIGTERM)
