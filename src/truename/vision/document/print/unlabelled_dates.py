"""Dates whose labels could not be read: birth, issue and expiry by their order in time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from truename.rules import documents
from truename.rules.document_words import DATES
from truename.rules.evidence import FieldName, ReadValue, Source
from truename.vision.document.print.dates import Order, in_order_of_life, is_date_without_end, printed_dates
from truename.vision.document.print.read import TextLine

SHORTEST_SPAN: Final = 10 * 365
"""Days between the first and the last date below which the first is rather no birth."""


@dataclass(frozen=True)
class Dating:
    """How dates of this document are to be understood."""

    order: Order
    today: date
    may_be_without_end: bool
    forms: tuple[str, ...] = ()
    """How the document's own layouts write dates, where that is not one of the usual ways."""


def unlabelled_dates(
    lines: Sequence[TextLine], found: Mapping[FieldName, Sequence[ReadValue]], dating: Dating
) -> dict[FieldName, list[ReadValue]]:
    """What three dates on a card mean, whatever their labels looked like; fields that were found are left alone.

    A day that has a label of its own is no other field's: a card whose birth stands on the other side was not born
    on the day of its issue.
    """
    added: dict[FieldName, list[ReadValue]] = {}
    wanted = {FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY} - set(found)
    if not wanted:
        return added
    if dating.may_be_without_end and any(is_date_without_end(line.text) for line in lines):
        added[FieldName.DATE_OF_EXPIRY] = [_value(documents.WITHOUT_END, 0.54)]
    printed = [day for line in lines for day in printed_dates(line.text, dating.order)]
    days = in_order_of_life(printed, dating.today)
    if len(days) >= 2 and (days[-1] - days[0]).days >= SHORTEST_SPAN:
        first, last = days[0], days[-1]
        if first < dating.today:
            added[FieldName.DATE_OF_BIRTH] = [_value(first, 0.54)]
        if len(days) >= 3 or last > dating.today:
            added.setdefault(FieldName.DATE_OF_EXPIRY, [_value(last, 0.54)])
        if len(days) == 3:
            added[FieldName.DATE_OF_ISSUE] = [_value(days[1], 0.45)]
    labelled = {value.value for name in DATES & set(found) for value in found[name][:1]}
    return {name: values for name, values in added.items() if name not in found and values[0].value not in labelled}


def _value(day: date, confidence: float) -> ReadValue:
    return ReadValue(value=day.isoformat(), source=Source.VISUAL, confidence=confidence)
