"""Dates whose labels could not be read: birth, issue and expiry by their order in time."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from truename.rules import documents
from truename.rules.document_words import DATES
from truename.rules.evidence import FieldName, ReadValue, Source
from truename.vision.document.layouts.model import DATES as DATE_FIELDS
from truename.vision.document.layouts.model import DocumentLayout, LayoutField
from truename.vision.document.print.date_forms import ANY_FORM, DateForms, date_forms, date_in_form
from truename.vision.document.print.dates import (
    Order,
    PrintedDate,
    find_dates,
    in_order_of_life,
    is_date_without_end,
    printed_dates,
)
from truename.vision.document.print.read import TextLine

SHORTEST_SPAN: Final = 10 * 365
"""Days between the first and the last date below which the first is rather no birth."""

YEAR: Final = 365.2425
LONGEST_SPAN: Final = 15.5 * YEAR
"""Days for which documents are issued at the most."""
OF_WHOLE_YEARS: Final = 2.5
"""Days by which they end before or after whole years."""


@dataclass(frozen=True)
class Dating:
    """How dates of this document are to be understood."""

    order: Order
    today: date
    may_be_without_end: bool
    forms: DateForms = ANY_FORM
    """How the document's own layouts write dates."""
    of_fields: Mapping[LayoutField, DateForms] = field(default_factory=dict)
    """How they write each of them."""
    of_again: Mapping[LayoutField, DateForms] = field(default_factory=dict)
    """The same where it stands a second time."""
    years: frozenset[int] = frozenset()
    """For how many years its layouts say that it may be issued."""
    prints_issue: bool = False
    """Do all of its layouts print the day of issue?"""
    has_start: bool = False
    """Does the day since when it is valid stand before the expiry, in one of its layouts?"""

    def days(self, text: str, name: LayoutField | None = None, future: bool = False, again: bool = False) -> list[date]:
        """The days in a line, as this field or any other writes them; of days in a form of its own the first."""
        forms = (self.of_again if again else self.of_fields).get(name, self.forms) if name else self.forms
        own = (date_in_form(text, form, self.today, future) for form in forms.own)
        found = [day for day in own if day]
        return found or (find_dates(text, self.order, future, self.today) if forms.ours else [])


def dating_of(layouts: Sequence[DocumentLayout], order: Order, today: date, may_be_without_end: bool) -> Dating:
    """How the dates of these versions are to be understood."""
    return Dating(
        order,
        today,
        may_be_without_end,
        date_forms(layouts),
        {name: date_forms(layouts, name) for name in DATE_FIELDS},
        {name: date_forms(layouts, name, again=True) for name in DATE_FIELDS},
        frozenset(years for layout in layouts for years in layout.years),
        all(LayoutField.DATE_OF_ISSUE in layout.fields for layout in layouts),
        any(end.since for layout in layouts if (end := layout.fields.get(LayoutField.DATE_OF_EXPIRY))),
    )


def unlabelled_dates(
    lines: Sequence[TextLine], found: Mapping[FieldName, Sequence[ReadValue]], dating: Dating
) -> dict[FieldName, list[ReadValue]]:
    """What three dates on a card mean, whatever their labels looked like; fields that were found are left alone.

    A day that has a label of its own is no other field's: a card whose birth stands on the other side was not born
    on the day of its issue.
    """
    added: dict[FieldName, list[ReadValue]] = {}
    wanted = {FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY} - set(found)
    if dating.forms.is_ambiguous:
        return added
    if not wanted:
        return _issue_left_over(lines, found, dating)
    if dating.may_be_without_end and any(is_date_without_end(line.text) for line in lines):
        added[FieldName.DATE_OF_EXPIRY] = [_value(documents.WITHOUT_END, 0.54)]
    days = in_order_of_life([day for line in lines for day in _printed(line.text, dating)], dating.today)
    if len(days) >= 2 and (days[-1] - days[0]).days >= SHORTEST_SPAN:
        first, last = days[0], days[-1]
        if first < dating.today and not (len(days) == 2 and _is_a_validity(first, last, dating.years)):
            added[FieldName.DATE_OF_BIRTH] = [_value(first, 0.54)]
        if len(days) >= 3 or last > dating.today:
            added.setdefault(FieldName.DATE_OF_EXPIRY, [_value(last, 0.54)])
        if len(days) == 3:
            added[FieldName.DATE_OF_ISSUE] = [_value(days[1], 0.45)]
    labelled = {value.value for name in DATES & set(found) for value in found[name][:1]}
    return {name: values for name, values in added.items() if name not in found and values[0].value not in labelled}


def _issue_left_over(
    lines: Sequence[TextLine], found: Mapping[FieldName, Sequence[ReadValue]], dating: Dating
) -> dict[FieldName, list[ReadValue]]:
    """The one day that no label names beside birth and expiry, on a document that prints when it was issued.

    It must be as many whole years before the expiry as the document may be valid: whatever else stands there is not.
    """
    if FieldName.DATE_OF_ISSUE in found or not dating.years or not dating.prints_issue:
        return {}
    labelled = {found[name][0].value for name in (FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY)}
    printed = in_order_of_life([day for line in lines for day in _printed(line.text, dating)], dating.today)
    left = [day for day in printed if day.isoformat() not in labelled]
    ends = date.fromisoformat(found[FieldName.DATE_OF_EXPIRY][0].value)
    if len(left) != 1 or left[0] > dating.today or not _is_a_validity(left[0], ends):
        return {}
    years = round((ends - left[0]).days / YEAR)
    return {FieldName.DATE_OF_ISSUE: [_value(left[0], 0.45)]} if years in dating.years else {}


def _is_a_validity(first: date, last: date, known: Set[int] = frozenset()) -> bool:
    """Are two days so many whole years apart as documents are valid? Then neither is a birth: that was not read.

    `known`: for how many years the layouts of this document say that it is.
    """
    days, years = (last - first).days, round((last - first).days / YEAR)
    return (days < LONGEST_SPAN or years in known) and abs(days - YEAR * years) <= OF_WHOLE_YEARS


def _printed(text: str, dating: Dating) -> list[PrintedDate]:
    """The dates of a line; of one that is written in another calendar, the day in ours."""
    days = [date_in_form(text, form, dating.today) for form in dating.forms.foreign]
    whole = [PrintedDate(day.year, day.month, day.day, short=False) for day in days if day]
    return whole or (printed_dates(text, dating.order) if dating.forms.ours else [])


def _value(day: date, confidence: float) -> ReadValue:
    return ReadValue(value=day.isoformat(), source=Source.VISUAL, confidence=confidence)
