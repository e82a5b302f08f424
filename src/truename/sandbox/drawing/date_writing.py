"""A day as a document of a layout prints it, in the words and the calendar of its country."""

from datetime import date

from truename.sandbox.drawing.number_making import CannotMake
from truename.vision.document.calendars import AHEAD, Calendar, Counted, from_ours
from truename.vision.document.layouts.load import countries, languages
from truename.vision.document.layouts.model import DATE_FORM, YEARS_OF, Script, calendar_of
from truename.vision.document.print.scripts import letters_of


def written(day: date, form: str, country: str, own: bool = False) -> str:
    """A day in the form of a layout; `own`: with the month in the country's own script.

    Raises CannotMake where the tables of the form's calendar do not reach so far.
    """
    calendar = calendar_of(form)
    year, month, at = counted(calendar, day)
    figures = {"DD": f"{at:02}", "MM": f"{month:02}", "YY": f"{year % 100:02}", "RRR": f"{year:03}"}
    names = {"MONTH": -1, "MON": 0}
    return "".join(
        _month(calendar, month, names[part], country, own)
        if part in names
        else figures.get(part, f"{year:04}" if part in YEARS_OF else part)
        for part in DATE_FORM.findall(form)
    )


def counted(calendar: Calendar, day: date) -> Counted:
    """Year, month and day of a calendar; raises CannotMake where its tables do not reach so far."""
    parts = from_ours(calendar, day)
    if parts is None:
        raise CannotMake(f"The {calendar} calendar is not known for {day}.")
    return parts


def _month(calendar: Calendar, month: int, which: int, country: str, own: bool) -> str:
    """The short (0) or the long (−1) name of the month, in the country's first language that has names, or English."""
    spoken = [languages()[code] for code in (*countries()[country].languages, "en")]
    known = [one.months if calendar in AHEAD else one.months_of.get(calendar, ()) for one in spoken]
    written_out = (months for months in known if months and all(months))
    names = next(months for months in written_out if own or letters_of(Script.LATIN, months[0][0]) > 0)
    return names[month - 1][which]
