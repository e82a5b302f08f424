"""Kill everything at random while transactions run: none is lost, none decided twice, every change is told (S13).

A short run of benchmarks/faults; then, in the same house, two faults are built in that the check must find.
"""

import asyncio
import random
from collections import Counter

import pytest
from benchmarks.faults.house import ASYNCHRONOUS_COMMIT, WEBHOOK_BEFORE_COMMIT, a_house
from benchmarks.faults.run import Plan, Report, drive, targets

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

        await asyncio.to_thread(house.plant_now, WEBHOOK_BEFORE_COMMIT)
        few = Plan(transactions=40, pictures=0, kills=4, seed=12, kill_only="postgres", until_quiet=False)
        early = kinds(await drive(house, few, print))
        assert early["one change told under two ids"] + early["told of a change that never was"] > 0, early

        await asyncio.to_thread(house.plant_now, ASYNCHRONOUS_COMMIT)
        lazy = await drive(house, Plan(60, 0, 4, seed=13, kill_only="postgres", until_quiet=False), print)
        lost = [one for one in lazy.faults if " lost: " in one or one.startswith("an answer that no kill excuses: ")]
        assert lost, kinds(lazy)


def test_ninety_kills_hold_fifteen_of_the_database():
    chosen = Counter(targets(Plan(10_000, 200, 90, 1), random.Random(1)))
    assert (sum(chosen.values()), chosen["postgres"]) == (90, 15)
    assert set(chosen) == {"api-1", "api-2", "worker-1", "worker-2", "sender", "receiver", "postgres", "s3"}
