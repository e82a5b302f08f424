"""Is the queue healthy? Open cases by their age, and what came against what went."""

from dataclasses import dataclass
from datetime import date
from typing import Final, LiteralString
from uuid import UUID

from truename.dashboard.listing.filters import WAITS_WORDS
from truename.dashboard.listing.store import HELD_DECISION
from truename.dashboard.numbers.plots import (
    BOTTOM,
    EMPTY,
    HEIGHT,
    LEFT,
    LIST,
    RIGHT,
    TOP,
    WIDTH,
    Columns,
    Row,
    Shape,
    day_marks,
    level_marks,
    nice,
    percent,
)
from truename.plumbing.database.pool import Connection
from truename.statistics.model import Numbers

MOST: Final = 10_000
AGES: LiteralString = f"""
SELECT count(*) FILTER (WHERE age < interval '1 hour') AS "1h",
       count(*) FILTER (WHERE age >= interval '1 hour' AND age < interval '4 hours') AS "4h",
       count(*) FILTER (WHERE age >= interval '4 hours' AND age < interval '24 hours') AS "24h",
       count(*) FILTER (WHERE age >= interval '24 hours') AS more
FROM (SELECT clock_timestamp() - t.submitted_at AS age FROM transactions t
      WHERE t.account_id = %(account_id)s AND t.status = 'IN_REVIEW' AND NOT {HELD_DECISION} LIMIT %(most)s) AS w
"""  # noqa: S608 - put together from constants of this house


@dataclass(frozen=True, slots=True)
class QueueDay:
    """What came to people on one day, and what they decided."""

    day: date
    came: int
    went: int


async def read_ages(connection: Connection, account_id: UUID) -> dict[str, int]:
    """How many cases wait for how long, by the names that the list's filter has."""
    row = await (await connection.execute(AGES, {"account_id": account_id, "most": MOST})).fetchone()
    return {name: row[name] if row else 0 for name in ("1h", "4h", "24h", "more")}


def ages(found: dict[str, int]) -> tuple[str, list[Row]]:
    """Bars of the open cases by age, the freshest first."""
    total, most = sum(found.values()), max(found.values(), default=0)
    if not total:
        return "Nothing waits for a person", []
    old = found["24h"] + found["more"]
    title = (
        f"{old:,} of {total:,} open cases wait for more than 4 h" if old else f"All {total:,} wait for less than 4 h"
    )
    rows = [
        Row(
            WAITS_WORDS[name].removeprefix("waits for "),
            count,
            percent(count, total),
            round(100 * count / most, 1),
            f"{LIST}?waits={name}&sort=oldest",
        )
        for name, count in found.items()
    ]
    return title, rows


def queue_days(numbers: Numbers) -> list[QueueDay]:
    """Each day of the range."""
    times = numbers.daily_times
    return [
        QueueDay(day.day, numbers.queued.get(day.day, 0), times.get(day.day, (EMPTY, EMPTY))[1].count)
        for day in numbers.days
    ]


def flow(days: list[QueueDay], today: date) -> Columns | None:
    """Two columns for each day: what came to people, and what they decided. None when nothing did."""
    came, went = sum(day.came for day in days), sum(day.went for day in days)
    if not came and not went:
        return None
    top = nice(max(max(day.came, day.went) for day in days))
    step = (WIDTH - LEFT - RIGHT) / max(1, len(days))
    shapes = []
    for place, day in enumerate(days):
        so_far = " (so far)" if day.day == today else ""
        span = f"{day.day}"
        for half, (kind, count, words, href) in enumerate(
            (
                ("approved", day.came, "came to people", f"{LIST}?queued_from={span}&queued_to={span}"),
                (
                    "rejected",
                    day.went,
                    "decided by people",
                    f"{LIST}?decided_by=REVIEWER&ended_from={span}&ended_to={span}",
                ),
            )
        ):
            if not count:
                continue
            tall = count / top * (HEIGHT - TOP - BOTTOM)
            wide = max(1.0, step / 2 - 1)
            x = LEFT + place * step + half * step / 2
            y = HEIGHT - BOTTOM - tall
            said = f"{day.day}{so_far}: {count:,} {words}"
            shapes.append(Shape(round(x, 1), round(y, 1), round(wide, 1), max(1.0, round(tall, 1)), kind, said, href))
    title = (
        f"As many were decided as came: {went:,} and {came:,}"
        if abs(came - went) <= max(1, came // 50)
        else f"{'Fewer' if went < came else 'More'} were decided than came: {went:,} against {came:,}"
    )
    return Columns(title, tuple(shapes), day_marks([day.day for day in days], step), level_marks(top))
