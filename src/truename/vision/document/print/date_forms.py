"""Dates as the layout file of a document says that it writes them: in an order of its own, or in another calendar."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

from anyascii import anyascii

from truename.vision.document.calendars import AHEAD, BY_SIGHT, Calendar, to_ours
from truename.vision.document.folding import fold, fold_words, plain
from truename.vision.document.layouts.model import (
    DATE_FORM,
    DATES,
    YEARS_OF,
    DocumentLayout,
    LayoutField,
    Script,
    calendar_of,
)
from truename.vision.document.layouts.phrases import month_names
from truename.vision.document.print.dates import as_printed, with_letters_in_words

_YEARS: Final = {
    "YYYY": r"(?:19|20)\d{2}",
    "YY": r"\d{2}",
    "BBBB": r"2[4-6]\d{2}",
    "RRR": r"\d{2,3}",
    "HHHH": r"1[345]\d{2}",
    "JJJJ": r"1[234]\d{2}",
    "EEEE": r"(?:18|19|20)\d{2}",
    "VVVV": r"(?:19|20)\d{2}",
}
_PARTS: Final = {
    "DD": r"(?P<day>\d{1,2})",
    "MM": r"(?P<month>\d{1,2})",
    **{part: rf"(?P<year>{years})" for part, years in _YEARS.items()},
}
_ANY_MONTH: Final = r"(?P<month>[A-Z]{3,14}|[A-Z]{1,3}\.\s?[A-Z]{1,2})\.?"
"""A name, or the first letters of two parts of one: the Thai for August is shortened to `S.Kh.`"""
_BETWEEN: Final = r"[\s./\-,]{1,3}"
_SIGNS: Final = r"[\s./\-,]{0,3}"
_MONTHS: Final = frozenset({"MON", "MONTH"})
_IN_A_NAME: Final = "[^A-Z0-9]*"
"""What may stand between the letters of a month's name: `Dhu al-Hijjah`."""

USUAL_DATES: Final = re.compile(
    r"DD[ ./,-]*(?:MM[ ./,-]+(?:YYYY|YY)|MMYYYY|MON(?:TH)?[ ./,-]*(?:YYYY|YY))|YYYY[ ./-]+MM[ ./-]+DD"
)
"""Day before month before year, or a whole year before month and day: so dates are read wherever they stand."""
SPACES: Final = 2
"""That may be read at either end of a word between figures: `1985 年 8 月`."""
DAYS_BY_SIGHT: Final = 2
"""Days that the tables of a lunar calendar may be off: the moon is seen a day late, and its day begins at sunset."""
LIKE_OURS: Final = frozenset({Calendar.ETHIOPIAN, Calendar.BIKRAM_SAMBAT, Calendar.MINGUO})
"""Calendars whose years may be years of ours."""


@dataclass(frozen=True)
class DateForms:
    """How dates are written, as far as that is not the same on every document."""

    own: tuple[str, ...] = ()
    """Ways that are not the usual ones: `YY/MM/DD`, `YYYYMMDD`, `DD/MM/HHHH`."""
    ours: bool = True
    """A day in one of the usual ways is believed, where none is written in its own."""

    @property
    def foreign(self) -> tuple[str, ...]:
        """Those of other calendars."""
        return tuple(form for form in self.own if calendar_of(form) is not Calendar.GREGORIAN)

    @property
    def is_ambiguous(self) -> bool:
        """May one date be meant in two calendars, so that only its label tells in which?"""
        calendars = {calendar_of(form) for form in self.own} | ({Calendar.GREGORIAN} if self.ours else set())
        return len(calendars) > 1 and bool(calendars & LIKE_OURS)


ANY_FORM: Final = DateForms()


def date_forms(layouts: Sequence[DocumentLayout], name: LayoutField | None = None, again: bool = False) -> DateForms:
    """How these versions write the date of one field, or all of their dates.

    `again`: as it is written where it stands a second time.
    """
    said: list[str] = []
    for layout in layouts:
        for date_name, field in layout.fields.items():
            if date_name not in DATES or name not in (None, date_name):
                continue
            first, second = field.dates or layout.dates, layout.dates_again if field.again else ""
            own = [second] if again else [first, *((second,) if name is None else ())]
            said += [*own, *(_mirrored(form) for form in own if layout.script is Script.ARABIC)]
    forms = dict.fromkeys(form for form in said if form)
    if not forms:
        return ANY_FORM
    unusual = tuple(form for form in forms if not USUAL_DATES.fullmatch(form))
    return DateForms(unusual, any(calendar_of(form) is Calendar.GREGORIAN for form in forms))


def _mirrored(form: str) -> str:
    """A date of another calendar as it is seen from left to right where its parts run from the right: `1405-11-26`.

    Whether they do depends on what parts them. Nothing where the year has few figures, so that day and year look alike.
    """
    if calendar_of(form) in AHEAD or "MON" in form:
        return ""
    return "".join(reversed(DATE_FORM.findall(form)))


def labels_again(layouts: Sequence[DocumentLayout]) -> frozenset[str]:
    """The labels, folded, under which dates of these versions stand a second time, where that is written otherwise."""
    fields = (field for layout in layouts if layout.dates_again for field in layout.fields.values())
    return frozenset(folded for field in fields if (folded := fold(field.again)))


def date_in_form(text: str, form: str, today: date, future: bool = False) -> date | None:
    """The first day in a line that is written as a layout's `dates` says, such as YY/MM/DD; None where there is none.

    A two-digit year is understood as by `find_dates`. A day of another calendar is given in ours.
    """
    calendar = calendar_of(form)
    names = month_names(calendar)
    for match in _pattern_of(form).finditer(with_letters_in_words(plain(text))):
        month = int(match["month"]) if match["month"].isdigit() else names.get(fold(match["month"]), 0)
        if calendar is Calendar.GREGORIAN:
            day = as_printed(match["year"], str(month), match["day"]).on(today, future)
        else:
            day = to_ours(calendar, int(match["year"]), month, int(match["day"]))
        if day is not None:
            return day
    return None


def is_same_day(form: str, printed: date | None, said: date) -> bool:
    """Is a printed day, read in this form, the day that another source says?

    Where the moon was seen a day later than the tables have it, an honest document is a day or two off.
    """
    if printed is None:
        return False
    return abs((printed - said).days) <= (DAYS_BY_SIGHT if calendar_of(form) in BY_SIGHT else 0)


def years_in(text: str, forms: DateForms) -> list[tuple[Calendar, int]]:
    """The years that a text names, in the calendar of the first form; in ours where there is none of another one."""
    form = next(iter(forms.foreign), "YYYY")
    year = next(part for part in DATE_FORM.findall(form) if part in YEARS_OF)
    return [(calendar_of(form), int(one)) for one in re.findall(rf"(?<!\d)({_YEARS[year]})(?!\d)", anyascii(text))]


@cache
def _pattern_of(form: str) -> re.Pattern[str]:
    """Where nothing parts its figures, each part has as many of them as the form says."""
    named = [*DATE_FORM.findall(form)]
    # What stands before the first part and behind the last (`ngày 12 tháng`, `1985. 08. 12.`) need not be read.
    ends = [at for at, part in enumerate(named) if part in _PARTS or part in _MONTHS]
    named = named[ends[0] : ends[-1] + 1]
    has_words = any(map(fold_words, set(named) - {*_PARTS, *_MONTHS}))
    parts = "".join(
        _month_pattern(calendar_of(form), has_words) if part in _MONTHS else _PARTS.get(part) or _between(part, named)
        for part in named
    )
    is_parted = any(part not in _PARTS for part in named)
    parts = parts if is_parted else parts.replace("{1,2}", "{2}").replace("{2,3}", "{3}")
    return re.compile(rf"(?<!\d){parts}(?!\d)")


def _between(part: str, named: Sequence[str]) -> str:
    """What may stand between two parts: signs, or the words of the form; between figures they may be misread."""
    words = fold_words(part)
    if not words:
        return _BETWEEN
    if not _MONTHS.isdisjoint(named):
        return rf"{_SIGNS}(?:{_SIGNS.join(words)})?{_SIGNS}"
    return rf"\D{{1,{len(part) + len(''.join(words)) + SPACES}}}"


def _month_pattern(calendar: Calendar, has_words: bool) -> str:
    """Any word where months are ours; one of the names that the calendar's months have, the longest first.

    So too where other words stand beside it, which may run into it: `12 deagosto de1985`.
    """
    if calendar in AHEAD and not has_words:
        return _ANY_MONTH
    names = sorted(month_names(calendar), key=lambda name: -len(name))
    return rf"(?P<month>{'|'.join(map(_IN_A_NAME.join, names))})\.?"
