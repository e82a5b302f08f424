"""Days as other calendars count them, and the same days in ours.

Five of them are arithmetic. The Hijri calendar of Saudi Arabia (Umm al-Qura) and Nepal's Bikram Sambat are published
tables, which two libraries keep; each knows the years of people who live and of documents that they hold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

Counted = tuple[int, int, int]
"""Year, month and day as a calendar counts them."""


class Calendar(StrEnum):
    """What counts the years of a printed date."""

    GREGORIAN = "gregorian"
    BUDDHIST = "buddhist"
    """Of Thailand: 2530 is 1987."""
    MINGUO = "minguo"
    """Of Taiwan: 76 is 1987."""
    HIJRI = "hijri"
    """The lunar one of Saudi Arabia, by the tables of Umm al-Qura: from 1 Muharram 1343 to the end of 1500."""
    SOLAR_HIJRI = "solar_hijri"
    """Of Iran and Afghanistan, also called Jalali: 1366 begins in March 1987."""
    ETHIOPIAN = "ethiopian"
    """Of twelve months of thirty days and a thirteenth of five or six: 1980 begins in September 1987."""
    BIKRAM_SAMBAT = "bikram_sambat"
    """Of Nepal, by the tables of 1975 to 2100: 2044 begins in April 1987."""


AHEAD: Final = {Calendar.GREGORIAN: 0, Calendar.BUDDHIST: 543, Calendar.MINGUO: -1911}
"""Calendars that are ours but for the number of the year, and how many years they count ahead."""
MONTHS: Final = {one: 13 if one is Calendar.ETHIOPIAN else 12 for one in Calendar}
BY_SIGHT: Final = frozenset({Calendar.HIJRI})
"""Calendars whose months begin, outside their tables, when the moon is seen."""

_FARVARDIN: Final = date(2021, 3, 21).toordinal()
_FARVARDIN_YEAR: Final = 1400
_FARVARDIN_LONGEST: Final = 6
"""So many months of the Iranian year have 31 days, those behind them 30, the last of them 29 but in leap years."""
_EXACT_FROM, _EXACT_TO = 1178, 1633
"""Years in which the rule of 33 years and the sun over Tehran agree."""
_MESKEREM: Final = 1724221 - 1721425
"""The ordinal of 1 Meskerem of the year 1, a Julian day less that of the day before ours begin."""


@dataclass(frozen=True)
class _Way:
    """From and to a calendar; None where it has no such day, or knows nothing of so old or late a one."""

    to_ours: Callable[[int, int, int], date | None]
    from_ours: Callable[[date], Counted | None]


def to_ours(calendar: Calendar, year: int, month: int, day: int) -> date | None:
    """The day of our calendar; None where theirs has no such day, or its tables do not reach so far."""
    if calendar in AHEAD:
        return _ours(year - AHEAD[calendar], month, day)
    return _WAYS[calendar].to_ours(year, month, day) if 1 <= month <= MONTHS[calendar] and 1 <= day <= 32 else None


def from_ours(calendar: Calendar, day: date) -> Counted | None:
    """Year, month and day as the calendar counts them; None where its tables do not reach so far."""
    if calendar in AHEAD:
        return day.year + AHEAD[calendar], day.month, day.day
    return _WAYS[calendar].from_ours(day)


def last_day(calendar: Calendar, year: int) -> date | None:
    """The last day of a year; None where its tables do not reach so far."""
    first = to_ours(calendar, year + 1, 1, 1)
    return first - timedelta(days=1) if first is not None else None


def _ours(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# ── the sun over Iran ──────────────────────────────────────────────────────────────────────────────────────


def _first_of_farvardin(year: int) -> int:
    """The ordinal of the first day of a year: eight years of every 33 are leap years."""
    leaps = (8 * year + 21) // 33 - (8 * _FARVARDIN_YEAR + 21) // 33
    return _FARVARDIN + 365 * (year - _FARVARDIN_YEAR) + leaps


def _from_solar(year: int, month: int, day: int) -> date | None:
    if not _EXACT_FROM <= year <= _EXACT_TO or day > (31 if month <= _FARVARDIN_LONGEST else 30):
        return None
    ordinal = _first_of_farvardin(year) + 30 * (month - 1) + min(month - 1, _FARVARDIN_LONGEST) + day - 1
    return date.fromordinal(ordinal) if ordinal < _first_of_farvardin(year + 1) else None


def _to_solar(day: date) -> Counted | None:
    ordinal = day.toordinal()
    year = day.year - 621 - (ordinal < _first_of_farvardin(day.year - 621))
    if not _EXACT_FROM <= year <= _EXACT_TO:
        return None
    past = ordinal - _first_of_farvardin(year)
    long = 31 * _FARVARDIN_LONGEST
    month, at = divmod(past, 31) if past < long else divmod(past - long, 30)
    return year, month + 1 + (0 if past < long else _FARVARDIN_LONGEST), at + 1


# ── Ethiopia ───────────────────────────────────────────────────────────────────────────────────────────────


def _first_of_meskerem(year: int) -> int:
    return _MESKEREM + 365 * (year - 1) + year // 4


def _from_ethiopian(year: int, month: int, day: int) -> date | None:
    ordinal = _first_of_meskerem(year) + 30 * (month - 1) + day - 1
    is_there = day <= 30 and year > 0 and ordinal < _first_of_meskerem(year + 1)
    return date.fromordinal(ordinal) if is_there and ordinal <= date.max.toordinal() else None


def _to_ethiopian(day: date) -> Counted | None:
    ordinal = day.toordinal()
    year = day.year - 7
    year -= ordinal < _first_of_meskerem(year)
    if year < 1:
        return None
    month, at = divmod(ordinal - _first_of_meskerem(year), 30)
    return year, month + 1, at + 1


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────────────


def _from_hijri(year: int, month: int, day: int) -> date | None:
    from hijridate import Hijri

    try:
        gregorian = Hijri(year, month, day).to_gregorian()
    except (ValueError, OverflowError):
        return None
    return date(gregorian.year, gregorian.month, gregorian.day)


def _to_hijri(day: date) -> Counted | None:
    from hijridate import Gregorian

    try:
        hijri = Gregorian(day.year, day.month, day.day).to_hijri()
    except (ValueError, OverflowError):
        return None
    return hijri.year, hijri.month, hijri.day


def _from_bikram_sambat(year: int, month: int, day: int) -> date | None:
    import nepali_datetime

    try:
        gregorian = nepali_datetime.date(year, month, day).to_datetime_date()
    except (ValueError, OverflowError):
        return None
    return date(gregorian.year, gregorian.month, gregorian.day)


def _to_bikram_sambat(day: date) -> Counted | None:
    import nepali_datetime

    try:
        nepali = nepali_datetime.date.from_datetime_date(day)
    except (ValueError, OverflowError):
        return None
    return nepali.year, nepali.month, nepali.day


_WAYS: Final = {
    Calendar.HIJRI: _Way(_from_hijri, _to_hijri),
    Calendar.SOLAR_HIJRI: _Way(_from_solar, _to_solar),
    Calendar.ETHIOPIAN: _Way(_from_ethiopian, _to_ethiopian),
    Calendar.BIKRAM_SAMBAT: _Way(_from_bikram_sambat, _to_bikram_sambat),
}
