"""Days of a calendar that goes by the moon, beside those of a zone or a barcode: a day or two off is no contradiction.

The tables of Umm al-Qura are the law in Saudi Arabia. A birth that was registered by the moon, or in another country,
may be a day or two from them, and the zone of the same document has the day that the register holds. Nor does a year
alone contradict a day in it.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from truename.rules.evidence import FieldName, ReadValue
from truename.vision.document.layouts.model import DATES, DocumentLayout
from truename.vision.document.print.date_forms import date_forms, is_same_day

Printed = Mapping[FieldName, Sequence[ReadValue]]


def as_machine_says(
    printed: Printed, machine: Sequence[Mapping[FieldName, ReadValue]], layouts: Sequence[DocumentLayout]
) -> dict[FieldName, list[ReadValue]]:
    """The printed values, a day that is the zone's or the barcode's but for the moon being given as theirs."""
    found = {name: list(values) for name, values in printed.items()}
    for name in sorted(DATES):
        forms = (*date_forms(layouts, name).foreign, *date_forms(layouts, name, again=True).foreign)
        field = FieldName(name.value)
        said = [values[field].value for values in machine if field in values]
        found |= {field: [_settled(one, said, forms) for one in found[field]]} if field in found and said else {}
        if layouts and field in found and all(name in one.fields and one.fields[name].year_only for one in layouts):
            found[field] = [_in_its_year(one, said) for one in found[field]]
    return found


def _settled(value: ReadValue, said: Sequence[str], forms: Sequence[str]) -> ReadValue:
    printed = date.fromisoformat(value.value)
    same = (day for day in said if any(is_same_day(form, printed, date.fromisoformat(day)) for form in forms))
    day = next(same, value.value)
    return value if day == value.value else value.model_copy(update={"value": day})


def _in_its_year(value: ReadValue, said: Sequence[str]) -> ReadValue:
    """The day that the zone or the barcode has in the year that is printed; its last one where they have none."""
    day = next((day for day in said if day[:4] == value.value[:4]), value.value)
    return value if day == value.value else value.model_copy(update={"value": day})
