"""Read the sums of a range of days, in the zone of whoever looks."""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from truename.plumbing.database.pool import Connection
from truename.rules.strangers import STEPS
from truename.statistics import store
from truename.statistics.model import APART, Day, Measure, Numbers, Step, spread
from truename.statistics.settled import DaySum, keep_days, kept_days

DAY: Final = timedelta(days=1)


async def read_numbers(connection: Connection, account_id: UUID, first: date, last: date, zone: str) -> Numbers:
    """The days from `first` to `last`, both included, as they begin and end in the zone of that name."""
    started: Counter[date] = Counter()
    ended: defaultdict[date, dict[str, int]] = defaultdict(dict)
    issues: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    queued: Counter[date] = Counter()
    times: dict[Measure, defaultdict[date, Counter[int]]] = {
        Measure.ENGINE_SECONDS: defaultdict(Counter),
        Measure.REVIEWER_SECONDS: defaultdict(Counter),
    }
    for one in await _sums(connection, account_id, first, last, zone):
        day, measure, label, count = one.day, one.measure, one.label, one.count
        if measure is Measure.STARTED:
            started[day] += count
        elif measure is Measure.ENDED:
            ended[day][label] = count
        elif measure is Measure.ISSUE:
            issues[label] += count
        elif measure is Measure.STOPPED:
            stopped[label] += count
        elif measure is Measure.QUEUED:
            queued[day] += count
        else:
            times[measure][day][int(label)] += count
    days = tuple(Day(day, started[day], ended[day]) for day in _days(first, last))
    engine, reviewer = times[Measure.ENGINE_SECONDS], times[Measure.REVIEWER_SECONDS]
    return Numbers(
        days=days,
        issues=dict(issues.most_common()),
        stopped={step: stopped[step] for step in Step},
        engine=spread(sum(engine.values(), Counter())),
        reviewer=spread(sum(reviewer.values(), Counter())),
        daily_times={day: (spread(engine[day]), spread(reviewer[day])) for day in sorted({*engine, *reviewer})},
        queued=dict(queued),
    )


async def read_totals(
    connection: Connection, account_id: UUID, measure: Measure, first: date, last: date, zone: str
) -> dict[str, int]:
    """The sums of one measure over these days, by label: for a comparison."""
    since, until = bounds(first, last, zone)
    own = {"account_id": account_id, "measure": measure, "since": since, "until": until}
    cursor = await connection.execute(store.TOTALS, own)
    return {row["label"]: row["count"] for row in await cursor.fetchall()}


async def read_scores(connection: Connection, account_id: UUID, first: date, last: date, zone: str) -> list[int]:
    """How many decided transactions reach each step of the scale of strangers, the lowest first."""
    found = await read_totals(connection, account_id, Measure.SCORE, first, last, zone)
    return [found.get(str(step), 0) for step in range(STEPS)]


async def read_groups(
    connection: Connection, account_id: UUID, first: date, last: date, zone: str
) -> dict[bytes, Counter[str]]:
    """What became of each group, by its hash: APPROVED, REJECTED, or the step at which people stopped."""
    groups: defaultdict[bytes, Counter[str]] = defaultdict(Counter)
    for label, count in (await read_totals(connection, account_id, Measure.GROUP, first, last, zone)).items():
        key, _, became = label.partition(":")
        groups[bytes.fromhex(key)][became] += count
    return groups


def last_days(numbers: Numbers, count: int) -> Numbers:
    """The same numbers, less the days before the last so many; sums over the range stay those of the whole."""
    return replace(numbers, days=numbers.days[-count:])


def bounds(first: date, last: date, zone: str) -> tuple[datetime, datetime]:
    """The moments at which the first day begins and the last one ends."""
    place = ZoneInfo(zone)
    return datetime.combine(first, time(), place), datetime.combine(last + timedelta(days=1), time(), place)


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


async def _sums(connection: Connection, account_id: UUID, first: date, last: date, zone: str) -> list[DaySum]:
    """The sums of these days: those that are settled from memory, where they are known."""
    cursor = await connection.execute(store.SETTLED, {"account_id": account_id})
    row = await cursor.fetchone()
    settled = _days(first, min(last, row["settled"].astimezone(ZoneInfo(zone)).date() - DAY)) if row else []
    known = kept_days(connection.database, account_id, zone, settled)
    missing = [day for day in settled if day not in known]
    begin = missing[0] if missing else settled[-1] + DAY if settled else first
    found = await _read(connection, account_id, begin, last, zone) if begin <= last else []
    keep_days(connection.database, account_id, zone, [day for day in settled if day >= begin], found)
    return [*(one for day, sums in known.items() if day < begin for one in sums), *found]


async def _read(connection: Connection, account_id: UUID, first: date, last: date, zone: str) -> list[DaySum]:
    since, until = bounds(first, last, zone)
    own = {"account_id": account_id, "since": since, "until": until, "zone": zone, "apart": list(APART)}
    cursor = await connection.execute(store.BY_DAY, own)
    return [DaySum(row["day"], Measure(row["measure"]), row["label"], row["count"]) for row in await cursor.fetchall()]
