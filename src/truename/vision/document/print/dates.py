"""Dates as documents of many countries print them."""

import re
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from typing import Final

from anyascii import anyascii


class Order(StrEnum):
    """Which comes first where both readings are possible."""

    DAY_FIRST = "DAY_FIRST"
    MONTH_FIRST = "MONTH_FIRST"


_MONTHS: Final = (
    "JAN JANUARY ENE ENERO JANVIER JANV JANUAR GEN GENNAIO OCAK OCA STY STYCZEN IAN IANUARIE JANUARI JANEIRO JAAN",
    "FEB FEBRUARY FEBRERO FEV FEVRIER FEVR FEBRUAR FEBBRAIO SUBAT SUB LUT LUTY FEBRUARIE FEBRUARI FEVEREIRO VEEBR",
    "MAR MARCH MARZO MARS MARZ MARZEC MRZ MART MARTIE MAART MRT MARCO MAERZ MAI2 BREZEN",
    "APR APRIL ABR ABRIL AVR AVRIL APRILE NISAN NIS KWI KWIECIEN APRILIE APRIL",
    "MAY MAYO MAI MAGGIO MAG MAYIS MAJ MEI MAIO",
    "JUN JUNE JUNIO JUIN JUNI GIUGNO GIU HAZIRAN HAZ CZE CZERWIEC IUN IUNIE JUNHO",
    "JUL JULY JULIO JUIL JUILLET JULI LUGLIO LUG TEMMUZ TEM LIP LIPIEC IUL IULIE JULHO",
    "AUG AUGUST AGO AGOSTO AOUT AOU AGUSTOS SIE SIERPIEN AUGUSTUS",
    "SEP SEPT SEPTEMBER SEPTIEMBRE SEPTEMBRE SETTEMBRE SET EYLUL EYL WRZ WRZESIEN SEPTEMBRIE SETEMBRO",
    "OCT OCTOBER OCTUBRE OCTOBRE OKT OKTOBER OTTOBRE OTT EKIM EKI PAZ PAZDZIERNIK OCTOMBRIE OUT OUTUBRO",
    "NOV NOVEMBER NOVIEMBRE NOVEMBRE KASIM KAS LIS LISTOPAD NOIEMBRIE NOVEMBRO NOI",
    "DEC DECEMBER DIC DICIEMBRE DECEMBRE DEZ DEZEMBER DICEMBRE ARALIK ARA GRU GRUDZIEN DECEMBRIE DEZEMBRO",
)
MONTHS: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_BY_YEAR: Final = re.compile(r"(?<!\d)((?:19|20)\d{2})[\s./\-]{1,2}(\d{1,2})[\s./\-]{1,2}(\d{1,2})(?!\d)")
_BY_DAY: Final = re.compile(r"(?<!\d)(\d{1,2})[\s./\-,]{1,3}(\d{1,2})[\s./\-,]{1,3}((?:19|20)\d{2}|\d{2})(?!\d)")
_COMPACT: Final = re.compile(r"(?<!\d)(\d{2})(\d{2})((?:19|20)\d{2})(?!\d)")
_NAMED: Final = re.compile(
    r"(?<!\d)(\d{1,2})[\s.\-/]*(?:DE\s+)?([A-Z]{3,12})\.?(?:\s*/\s*[A-Z]{3,12}\.?)?[\s.\-/]*(?:DE\s+)?((?:19|20)\d{2}|\d{2})(?!\d)"
)
_NAMED_FIRST: Final = re.compile(r"([A-Z]{3,12})\.?\s+(\d{1,2}),?\s+((?:19|20)\d{2})(?!\d)")


def find_dates(text: str, order: Order = Order.DAY_FIRST, future: bool = False, today: date = date.max) -> list[date]:
    """Every date in a line, in the order of the line.

    A two-digit year lies in the past of `today`, or where `future` is set (an expiry) up to 40 years ahead.
    """
    plain = anyascii(text).upper()
    found: list[tuple[int, date]] = []
    taken: list[tuple[int, int]] = []
    for pattern, reading in ((_BY_YEAR, _year_first), (_NAMED, _named), (_NAMED_FIRST, _month_name_first),
                             (_BY_DAY, _day_first), (_COMPACT, _day_first)):  # fmt: skip
        for match in pattern.finditer(plain):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            day = next((day for day in reading(match, order, future, today) if day), None)
            if day:
                found.append((match.start(), day))
                taken.append(match.span())
    return [day for _, day in sorted(found)]


def _year_first(match: re.Match[str], order: Order, future: bool, today: date) -> Iterator[date | None]:
    yield _date(match[1], match[2], match[3], future, today)


def _day_first(match: re.Match[str], order: Order, future: bool, today: date) -> Iterator[date | None]:
    day_month = _date(match[3], match[2], match[1], future, today)
    month_day = _date(match[3], match[1], match[2], future, today)
    yield from (month_day, day_month) if order is Order.MONTH_FIRST else (day_month, month_day)


def _named(match: re.Match[str], order: Order, future: bool, today: date) -> Iterator[date | None]:
    month = MONTHS.get(match[2])
    yield _date(match[3], str(month), match[1], future, today) if month else None


def _month_name_first(match: re.Match[str], order: Order, future: bool, today: date) -> Iterator[date | None]:
    month = MONTHS.get(match[1])
    yield _date(match[3], str(month), match[2], future, today) if month else None


def _date(year: str, month: str, day: str, future: bool, today: date) -> date | None:
    number = int(year)
    if len(year) == 2:
        number += 2000
        if number > min(today.year, 2090) + (40 if future else 0):
            number -= 100
    try:
        found = date(number, int(month), int(day))
    except ValueError:
        return None
    return found if 1880 <= found.year <= 2120 else None
