"""Dates as documents of many countries print them."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from enum import StrEnum
from itertools import product
from typing import Final, NamedTuple

from anyascii import anyascii

from truename.vision.document.calendars import AHEAD, Calendar
from truename.vision.document.folding import fold
from truename.vision.document.layouts.phrases import month_names, without_end_words


class Order(StrEnum):
    """Which comes first where both readings are possible."""

    DAY_FIRST = "DAY_FIRST"
    MONTH_FIRST = "MONTH_FIRST"


_BY_YEAR: Final = re.compile(r"(?<!\d)((?:19|20)\d{2})[\s./\-]{1,2}(\d{1,2})[\s./\-]{1,2}(\d{1,2})(?!\d)")
_BY_DAY: Final = re.compile(r"(?<!\d)(\d{1,2})[\s./\-,]{1,3}(\d{1,2})[\s./\-,]{1,3}((?:19|20)\d{2}|\d{2})(?!\d)")
_COMPACT: Final = re.compile(r"(?<!\d)(\d{2})(\d{2})((?:19|20)\d{2})(?!\d)")
_NAMED: Final = re.compile(
    r"(?<!\d)(\d{1,2})[\s.\-/]*(?:DE\s+)?([A-Z]{2,14}|[A-Z]{1,3}\.\s?[A-Z]{1,2})\.?(?:\s*/\s*([A-Z]{3,12})\.?)?[\s.\-/]*(?:DE\s+)?((?:19|20)\d{2}|\d{2})(?!\d)"
)
_MONTH_TWICE: Final = re.compile(
    r"(?<!\d)(\d{2}|\d(?=\s))\s*(\d{1,2})[\s.]*([A-Z]{0,4})[\s.]*/\s*([A-Z]{3,12})\.?\s*((?:19|20)\d{2}|\d{2})(?!\d)"
)
"""The month in figures and again by its name: `06 2月/FEB 2012`, whose sign, `月` or `월`, may be lost."""
_NAMED_BY_YEAR: Final = re.compile(
    r"(?<!\d)((?:19|20)\d{2})[\s./\-]{0,2}([A-Z]{3,12})\.?[\s./\-]{0,2}(\d{1,2})(?!\d|,?\s+(?:19|20)\d{2}\s*$)"
)
"""A year that ends the line belongs to the month and the day before it: `APR 05 2031 MAY 06 2041`."""
_NAMED_FIRST: Final = re.compile(r"([A-Z]{3,12})\.?\s+(\d{1,2}),?\s+((?:19|20)\d{2})(?!\d)")

_NOUGHT_IN_WORD: Final = re.compile(r"(?<![0-9A-Z])0(?=[A-Z]{2})|(?<=[A-Z])0(?![0-9])")
"""The O of a month that was taken for a nought: `07 0CT 1969`, `23 N0V 1979`."""
_YEAR_WITHOUT_END: Final = re.compile(r"(?<!\d)(?:01[\s./\-]{0,2}01|31[\s./\-]{0,2}12)[\s./\-]{0,2}9999(?!\d)")

_OTHER_YEARS: Final = re.compile(
    r"(?<!\d)(?:1[2-5]\d{2}[./\-]\d{1,2}[./\-]\d{1,2}|\d{1,2}[./\-]\d{1,2}[./\-]1[2-5]\d{2})(?!\d)"
)
_THAI: Final = re.compile("[\u0e00-\u0e7f]")
_BUDDHIST_YEAR: Final = re.compile(r"(?<!\d)2[4-6]\d{2}(?!\d)")

LONGEST_VALIDITY: Final = 20
OLDEST_PAPER: Final = 30
OLDEST_HOLDER: Final = 100
"""Years; they bound what a year of two digits can mean where no label says which date it is."""
MOST_DATES: Final = 5
LAST_TODAY: Final = date(2090, 12, 29)
ELSEWHERE: Final = timedelta(days=2)
"""So far ahead of today, where the day ends last, the calendar may be where a document was issued."""


class PrintedDate(NamedTuple):
    """A date as it stands on the page: a year of two digits leaves its century open."""

    year: int
    month: int
    day: int
    short: bool

    def days(self) -> tuple[date, ...]:
        """What it can mean, the latest first."""
        years = (2000 + self.year, 1900 + self.year) if self.short else (self.year,)
        found = (_day(year, self.month, self.day) for year in years)
        return tuple(day for day in found if day is not None)

    def on(self, today: date, future: bool) -> date | None:
        """The day that is meant when it must lie in the past of `today`, or may lie up to 40 years ahead."""
        if not self.short:
            return _day(self.year, self.month, self.day)
        year, last = 2000 + self.year, min(today, LAST_TODAY) + ELSEWHERE
        lies_ahead = (
            year > last.year + 40 if future else (year, self.month, self.day) > (last.year, last.month, last.day)
        )
        return _day(year - 100 if lies_ahead else year, self.month, self.day)


def find_dates(text: str, order: Order = Order.DAY_FIRST, future: bool = False, today: date = date.max) -> list[date]:
    """Every date in a line, in the order of the line.

    A two-digit year lies in the past of `today`, or where `future` is set (an expiry) up to 40 years ahead.
    """
    return [day for printed in printed_dates(text, order) if (day := printed.on(today, future))]


def has_date(text: str) -> bool:
    """Does a line bear a date, of our calendar or of one that counts its years from 1200 to 1599 or to 2600 now?"""
    if find_dates(text, future=True) or _OTHER_YEARS.search(anyascii(text)):
        return True
    return bool(find_dates(_in_our_years(text), future=True))


def _in_our_years(text: str) -> str:
    """The same with years of the Buddhist era as years of ours."""
    return _BUDDHIST_YEAR.sub(lambda year: str(int(year[0]) - AHEAD[Calendar.BUDDHIST]), text)


def printed_dates(text: str, order: Order = Order.DAY_FIRST) -> list[PrintedDate]:
    """Every date in a line as it is printed, in the order of the line.

    A line in Thai letters counts years in the Buddhist era. Years of other calendars (1447, 1405) are dates only where
    a layout file says so (`date_forms.py`).
    """
    # The soft sign, the hamza and their like become apostrophes, which are no letters of a month.
    plain = with_letters_in_words(anyascii(text).upper().replace("'", "").replace("`", ""))
    if _THAI.search(text):
        plain = _in_our_years(plain)
    found: list[tuple[int, PrintedDate]] = []
    taken: list[tuple[int, int]] = []
    for pattern, reading in (
        (_BY_YEAR, _year_first), (_MONTH_TWICE, _month_twice), (_NAMED, _named), (_NAMED_BY_YEAR, _named_by_year),
        (_NAMED_FIRST, _month_name_first), (_BY_DAY, _day_first), (_COMPACT, _day_first),
    ):  # fmt: skip
        for match in pattern.finditer(plain):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            printed = next((one for one in reading(match, order) if one.days()), None)
            if printed:
                found.append((match.start(), printed))
                taken.append(match.span())
    return [printed for _, printed in sorted(found)]


def with_letters_in_words(plain: str) -> str:
    """A line in plain capitals with an O for each nought that stands in a word."""
    return _NOUGHT_IN_WORD.sub("O", plain) if "0" in plain else plain


def date_in_figures(text: str, form: str, today: date, future: bool = False) -> date | None:
    """The day in a line that is nothing but its figures, in the order of a form such as DDMMYY; None where it is none.

    A two-digit year is understood as by `find_dates`.
    """
    figures = text.replace(" ", "")
    if len(figures) != len(form) or not (figures.isascii() and figures.isdigit()):
        return None
    year, month, day = (
        "".join(figure for figure, part in zip(figures, form, strict=True) if part == wanted) for wanted in "YMD"
    )
    return as_printed(year, month, day).on(today, future)


def is_date_without_end(text: str) -> bool:
    """Does a line bear the day that stands for no end, `01 01 9999` or `31 12 9999`?"""
    return _YEAR_WITHOUT_END.search(anyascii(text)) is not None


def says_without_end(text: str) -> bool:
    """Does a line that stands in the place of a date of expiry say, by such a day or in words, that there is none?"""
    folded = fold(text)
    return is_date_without_end(text) or any(words in folded for words in without_end_words())


def in_order_of_life(printed: Sequence[PrintedDate], today: date) -> list[date]:
    """The days meant by the dates of one page whose labels are not known: birth first, issue, expiry last.

    Years of two digits are read so that a life and a document come of it. Where that can be done in two ways, or in
    none, the list is empty: a guess would make an expired document valid.
    """
    distinct = sorted(set(printed))
    if not any(one.short for one in distinct):
        return sorted(day for one in distinct for day in one.days())
    if not 2 <= len(distinct) <= MOST_DATES:
        return []
    readings = {tuple(sorted(days)) for days in product(*(one.days() for one in distinct))}
    possible = [list(days) for days in readings if _is_a_life(days, today)]
    return possible[0] if len(possible) == 1 else []


def _is_a_life(days: Sequence[date], today: date) -> bool:
    birth, *between, last = days
    issued = between[-1] if between else min(last, today)
    return (
        birth < today
        and all(day <= today for day in between)
        and last.year <= issued.year + LONGEST_VALIDITY
        and last.year >= today.year - OLDEST_PAPER
        and issued.year - birth.year <= OLDEST_HOLDER
    )


def _year_first(match: re.Match[str], order: Order) -> Iterator[PrintedDate]:
    yield as_printed(match[1], match[2], match[3])


def _day_first(match: re.Match[str], order: Order) -> Iterator[PrintedDate]:
    day_month = as_printed(match[3], match[2], match[1])
    month_day = as_printed(match[3], match[1], match[2])
    yield from (month_day, day_month) if order is Order.MONTH_FIRST else (day_month, month_day)


def _named(match: re.Match[str], order: Order) -> Iterator[PrintedDate]:
    # Of a month in two languages the one that is known counts: the other may be in letters that are not read.
    if month := month_names().get(fold(match[2])) or month_names().get(match[3] or ""):
        yield as_printed(match[4], str(month), match[1])


def _named_by_year(match: re.Match[str], order: Order) -> Iterator[PrintedDate]:
    if month := month_names().get(match[2]):
        yield as_printed(match[1], str(month), match[3])


def _month_twice(match: re.Match[str], order: Order) -> Iterator[PrintedDate]:
    # The figure before the name is the month's only where both say the same: else it is the day, behind something else.
    # So it is where its sign is another name: `31 JAN /JAN 06`.
    names = month_names()
    if (month := names.get(match[4])) and month == int(match[2]) and match[3] not in names:
        yield as_printed(match[5], str(month), match[1])


def _month_name_first(match: re.Match[str], order: Order) -> Iterator[PrintedDate]:
    if month := month_names().get(match[1]):
        yield as_printed(match[3], str(month), match[2])


def as_printed(year: str, month: str, day: str) -> PrintedDate:
    """The parts of a date in figures."""
    return PrintedDate(int(year), int(month), int(day), short=len(year) == 2)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if 1880 <= year <= 2120 else None
    except ValueError:
        return None
