"""Days whose sums never change any more, remembered by each process: home then reads days, and not months."""

import time
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from truename.plumbing.database.pool import Database
from truename.statistics.model import Measure

KEPT_SECONDS: Final = 600.0
"""After so long a day is read again: a rebuild of the sums by another process is seen by then."""
MOST_DAYS: Final = 20_000


@dataclass(frozen=True, slots=True)
class DaySum:
    """How many of one measure and label one day has."""

    day: date
    measure: Measure
    label: str
    count: int


_Key = tuple[UUID, str, date]
_KEPT: "weakref.WeakKeyDictionary[Database, dict[_Key, tuple[float, tuple[DaySum, ...]]]]" = weakref.WeakKeyDictionary()


def kept_days(database: Database | None, account_id: UUID, zone: str, days: Iterable[date]) -> dict[date, list[DaySum]]:
    """Those of these days that are remembered."""
    kept, moment = _KEPT.get(database, {}) if database is not None else {}, time.monotonic()
    found = {}
    for day in days:
        at, sums = kept.get((account_id, zone, day), (-KEPT_SECONDS, ()))
        if moment - at < KEPT_SECONDS:
            found[day] = list(sums)
    return found


def keep_days(
    database: Database | None, account_id: UUID, zone: str, days: Iterable[date], sums: Sequence[DaySum]
) -> None:
    """Remember these days, also those on which nothing happened."""
    if database is None:
        return
    kept, moment = _KEPT.setdefault(database, {}), time.monotonic()
    if len(kept) > MOST_DAYS:
        kept.clear()
    by_day: dict[date, list[DaySum]] = {day: [] for day in days}
    for one in sums:
        if one.day in by_day:
            by_day[one.day].append(one)
    for day, its in by_day.items():
        kept[(account_id, zone, day)] = (moment, tuple(its))


def forget_days(database: Database | None, account_id: UUID) -> None:
    """The sums of an account were made anew."""
    kept = _KEPT.get(database, {}) if database is not None else {}
    for key in [key for key in kept if key[0] == account_id]:
        del kept[key]
