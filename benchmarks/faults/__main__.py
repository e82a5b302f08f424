"""Kill everything at random while transactions run, then read the whole history.

    python -m benchmarks.faults [--transactions 10000] [--pictures 200] [--kills 90] [--freezes N] [--stops N]
                                [--seed N] [--plant FAULT] [--json]

Two API processes, two workers, a sender and a receiver of webhooks, PostgreSQL and an S3 server, each a process that is
killed with -9 at random and started again; our own may be frozen past their leases, too, or asked to end. The receiver
fails one in ten, half of them after it has processed. Exit status 1 when anything was lost, decided twice, told
wrongly, stuck, orphaned or altered.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.faults.house import PLANTS
from benchmarks.faults.run import AT_ONCE, Plan, Report, run


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__.partition("\n")[0])
    options.add_argument("--transactions", type=int, default=10_000)
    options.add_argument("--pictures", type=int, help="of these, with real pictures (one in fifty)")
    options.add_argument("--kills", type=int, default=90, help="of all parts; one in six is PostgreSQL's (90)")
    options.add_argument("--freezes", type=int, default=0, help="times that a process stands still past its leases (0)")
    options.add_argument("--stops", type=int, default=0, help="times that a process is asked to end (0)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--at-once", type=int, default=AT_ONCE, help="callers")
    options.add_argument("--plant", choices=PLANTS, help="a fault to build in, which must be found")
    options.add_argument("--forks", action="store_true", help="fork processes instead of starting them: for short runs")
    options.add_argument("--keep", type=Path, help="folder for data and logs, which is kept")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    pictures = -(-given.transactions // 50) if given.pictures is None else given.pictures
    plan = Plan(
        given.transactions,
        pictures,
        given.kills,
        given.seed,
        given.plant,
        given.at_once,
        given.freezes,
        given.stops,
        forks=given.forks,
    )
    began = time.monotonic()

    def say(words: str) -> None:
        print(f"{time.monotonic() - began:7.1f} s {words}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="truename-faults-") as scratch:
        Path(scratch).chmod(0o711)  # PostgreSQL runs as another user where we are root
        folder = given.keep or Path(scratch)
        report = asyncio.run(run(plan, folder, say))
    print(json.dumps(figures(report)) if given.json else written(report))
    return 1 if report.faults else 0


def figures(report: Report) -> dict[str, object]:
    """The report for a machine."""
    history, ledger = report.history, report.ledger
    times = Counter((one.transaction_id, one.sequence) for one in history.told)
    return {
        "transactions": report.plan.transactions,
        "with_pictures": report.plan.pictures,
        "seed": report.plan.seed,
        "plant": report.plan.plant,
        "kills": report.kills,
        "freezes": report.freezes,
        "stops": report.stops,
        "seconds": round(report.seconds, 1),
        "seconds_until_quiet": round(report.seconds_until_quiet, 1),
        "acknowledged": len(ledger.acknowledged),
        "asked_again": sum(ledger.asked_again.values()),
        "statuses": dict(Counter(one.status for one in history.transactions)),
        "events": len(history.events),
        "told": len(history.told),
        "told_more_than_once": sum(count > 1 for count in times.values()),
        "attempts_to_tell": history.attempts,
        "objects": len(history.objects),
        "orphans_swept": history.swept,
        "faults": report.faults,
    }


def written(report: Report) -> str:
    """The report for people."""
    told = figures(report)
    kinds = Counter(one.partition(":")[0] for one in report.faults)
    lines = [f"{name:22} {value}" for name, value in told.items() if name != "faults"]
    lines += [f"FAULT {count:6} × {kind}" for kind, count in kinds.most_common()]
    lines += [f"      {one}" for one in report.faults[:20]]
    return "\n".join(
        [*lines, f"{len(report.faults)} faults" if report.faults else "nothing was lost, nothing was said twice"]
    )


if __name__ == "__main__":
    sys.exit(main())
