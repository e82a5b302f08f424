"""The numbers of a document held against their own rules, and against the birth and sex that the document says.

Which number follows which rule stands in the layout files; the rules in `rules/national_numbers.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from truename.rules.evidence import DocumentField, DocumentType, FieldName
from truename.rules.national_numbers import Agreement, NumberFinding, examine_number
from truename.vision.document.layouts.formats import birth_apart, settle
from truename.vision.document.layouts.model import FieldLayout, LayoutField
from truename.vision.document.layouts.phrases import documents_of


@dataclass(frozen=True)
class FieldFinding:
    """What was found about the number of one field."""

    field: FieldName
    finding: NumberFinding


def number_findings(
    country: str | None, kind: DocumentType | None, fields: Mapping[FieldName, DocumentField]
) -> tuple[FieldFinding, ...]:
    """One finding for each number that was read and has a rule, or a form that bears the birth; numbers of another form
    than that have none."""
    born, sex = _day(fields.get(FieldName.DATE_OF_BIRTH)), fields.get(FieldName.GENDER)
    found: dict[FieldName, FieldFinding] = {}
    for layout in documents_of(country, kind):
        # A zone may have the two numbers the other way round: each is held against either rule by its format.
        for name in (LayoutField.DOCUMENT_NUMBER, LayoutField.PERSONAL_NUMBER):
            rule = layout.fields.get(name)
            if rule is None:
                continue
            for field in (FieldName.DOCUMENT_NUMBER, FieldName.PERSONAL_NUMBER):
                value = fields.get(field)
                if value is None or field in found or not settle(value.value, rule.formats):
                    continue
                if field.value != name.value and _has_its_own_form(value.value, layout.fields.get(LayoutField(field))):
                    continue
                finding = (
                    examine_number(rule.scheme, value.value, born, sex.value if sex else None)
                    if rule.scheme is not None
                    else _by_its_form(value.value, rule, born)
                )
                if finding is not None:
                    found[field] = FieldFinding(field, finding)
    return tuple(found.values())


def _by_its_form(number: str, rule: FieldLayout, born: date | None) -> NumberFinding | None:
    """What a number without a rule says by its form alone, which bears the birth; None where it says nothing."""
    apart = birth_apart(number, rule.formats, born) if born is not None else None
    if apart is None:
        return None
    return NumberFinding("", None, Agreement.DIFFERS if apart else Agreement.AGREES, Agreement.NOT_SAID, apart)


def _has_its_own_form(number: str, rule: FieldLayout | None) -> bool:
    """Has a number the form of the field that it stands in? Then it is no other, whatever form that one has."""
    return rule is not None and settle(number, rule.formats) is not None


def _day(field: DocumentField | None) -> date | None:
    try:
        return date.fromisoformat(field.value) if field else None
    except ValueError:
        return None
