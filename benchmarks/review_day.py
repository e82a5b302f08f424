"""A reviewer's day: two people in two real browsers decide a queue of cases by the keyboard, at once.

    python -m benchmarks.review_day [--cases 200] [--samples 5] [--json]

An installation of its own on loopback, cases with real pictures, some approvals of the quality sample among them. It
says how many each of the two decided, that no case was decided twice, and how long a case took from asking for it to
having decided it, pictures and all, without a moment of thought. Exit status 1 when a case was decided twice or left.
"""

import argparse
import asyncio
import json
import secrets
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

from rich.console import Console
from rich.progress import track
from rich.table import Table
from tests.support.browser import DESKTOP, a_browser
from tests.support.cases import a_case, mismatch
from tests.support.dashboard import an_operator, sign_in_browser
from tests.support.loopback import serving
from tests.support.review_day import Day, work
from tests.support.waiting import free_port

from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings, NewAccount
from truename.cli.doors import application
from truename.operators.model import Role
from truename.plumbing.http.server import server_config
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.reviews.samples import draw_sample
from truename.wiring import load_jobs, wired


@dataclass(frozen=True)
class Result:
    """What the day came to."""

    cases: int
    samples: int
    shares: tuple[int, int]
    decided_twice: int
    left: int
    conflicts: int
    seconds_p50: float
    seconds_p95: float
    minutes: float


async def furnish(plumbing: Plumbing, account: NewAccount, cases: int, samples: int) -> list[UUID]:
    """Cases that wait, and approvals among them that were drawn for the quality sample."""
    made = []
    every = cases // samples if samples else cases + 1
    for number in track(range(cases), "drawing cases", console=Console(stderr=True)):
        is_sample = number % every == every - 1
        transaction_id = await a_case(plumbing, account, mismatch(0.97 if is_sample else 0.62))
        if is_sample:
            own = {"account_id": str(account.account_id), "transaction_id": str(transaction_id)}
            await draw_sample(plumbing, **own)
        made.append(transaction_id)
    return made


async def settled(plumbing: Plumbing, account: NewAccount) -> list[UUID]:
    """Every transaction whose review has ended, once for each opinion that ended it."""
    await run_pending(plumbing)
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT o.transaction_id FROM review_opinions o JOIN transactions t USING (transaction_id) "
            "LEFT JOIN review_samples s USING (transaction_id) WHERE o.state = 'FINAL' "
            "AND (t.status = 'REJECTED' OR s.state = 'DONE')"
        )
        return [row["transaction_id"] for row in await cursor.fetchall()]


async def the_day(plumbing: Plumbing, account: NewAccount, address: str) -> tuple[Day, Day]:
    """Both at once, each in a browser of their own."""
    people = [await an_operator(plumbing, {account.account_id: Role.REVIEWER}, name=name) for name in ("Ana", "Ben")]

    async def one(place: int) -> Day:
        async with a_browser() as browser:
            context = await browser.new_context(**DESKTOP)
            await sign_in_browser(context, address, plumbing, people[place])
            return await work(await context.new_page(), address)

    return await asyncio.gather(one(0), one(1))


async def measure(cases: int, samples: int) -> Result:
    """The whole day, in an installation that is thrown away."""
    load_jobs()
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        settings = load_settings(data_dir=Path(folder), port=port, public_url=f"http://127.0.0.1:{port}")
        async with wired(settings, may_create=True) as plumbing:
            chosen = AccountSettings(manual_review=True, review_hold_seconds=0)
            account = await create_account(plumbing, f"day {secrets.token_hex(3)}", settings=chosen)
            made = await furnish(plumbing, account, cases, samples)
            config = server_config(application(plumbing), settings, host="127.0.0.1", port=port)
            async with serving(config) as address:
                began = time.perf_counter()
                days = await the_day(plumbing, account, address)
                took = time.perf_counter() - began
            ended = Counter(await settled(plumbing, account))
    seconds = sorted([*days[0].seconds, *days[1].seconds])
    return Result(
        cases=len(made),
        samples=samples,
        shares=(len(days[0].decided), len(days[1].decided)),
        decided_twice=sum(count > 1 for count in ended.values()),
        left=len(set(made) - set(ended)),
        conflicts=len(days[0].conflicts) + len(days[1].conflicts),
        seconds_p50=round(statistics.median(seconds), 2),
        seconds_p95=round(seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))], 2),
        minutes=round(took / 60, 1),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--samples", type=int, default=5, help="how many of the cases are approvals of the sample")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if not 0 <= chosen.samples < chosen.cases:
        parser.error("--samples must be less than --cases")
    result = asyncio.run(measure(chosen.cases, chosen.samples))
    if chosen.json:
        print(json.dumps(asdict(result)))
    else:
        table = Table("what", "number", title="A reviewer's day, two at once")
        for name, value in asdict(result).items():
            table.add_row(name.replace("_", " "), str(value))
        Console().print(table)
    return 1 if result.decided_twice or result.left else 0


if __name__ == "__main__":
    sys.exit(main())
