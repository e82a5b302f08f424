"""Does the document agree with itself? Its zone with its print, its numbers and dates with each other and the law."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

from truename.rules import documents
from truename.rules.contradictions import compared_fields, contradiction
from truename.rules.documents import WITHOUT_END
from truename.rules.evidence import DocumentField, DocumentType, FieldName, MrzReading, Source
from truename.rules.national_numbers import Agreement, NumberFinding
from truename.vision.document.authenticity.two_numbers import another_number
from truename.vision.document.layouts.phrases import documents_of
from truename.vision.document.number_findings import number_findings

SURE: Final = 0.6
"""How sure a value must be to be held against another; print alone is misread now and then."""
OLDEST: Final = 125
ELSEWHERE: Final = timedelta(days=1)
"""Somewhere on earth it may be tomorrow already."""
LONGEST_PASSPORT: Final = 10
SPARE: Final = 1
"""Years: some let validity end on a birthday, or add the months that were left on the old document."""
LICENCES_SINCE: Final = date(2013, 1, 19)
"""Older European licences may be valid until an age instead of for years (Directive 2006/126/EC)."""
OLD: Final = 65
"""Cards of people from this age on may be valid for longer, or without end."""

Fields = Mapping[FieldName, DocumentField]


def surest_contradiction(fields: Fields, country: str | None, kind: DocumentType | None) -> float:
    """How sure the other source is of what it says instead, where two say different things; 0 when none does."""
    compared = compared_fields(documents.find(country, kind) if country and kind else None)
    said = max((contradiction(name, fields[name]) for name in compared if name in fields), default=0.0)
    return max(said, another_number(fields, country, kind))


def wrong_check_digits(zone: MrzReading | None) -> float | None:
    """How many check digits of the zone are wrong, where both readers saw the same; None when that is not known."""
    if zone is None or not (zone.valid or zone.readers_agree):
        return None
    return float(sum(not right for right in zone.check_digits.values()))


def contradicting_numbers(fields: Fields, country: str | None, kind: DocumentType | None) -> float | None:
    """How many numbers break their own rule, or say another birth or sex; None when no number can be held to a rule.

    One digit of print that is misread breaks any rule: of a printed number no wrong check digit counts.
    """
    sure = {name: field for name, field in fields.items() if _is_sure(field)}
    born = sure.get(FieldName.DATE_OF_BIRTH)
    findings = [(one.finding, sure[one.field]) for one in number_findings(country, kind, sure)]
    held = [_contradicts(*one, born) for one in findings if _may_be_held(*one)]
    return float(sum(held)) if held else None


def _may_be_held(finding: NumberFinding, number: DocumentField) -> bool:
    """Is it known what number it is? A printed one that its check digit does not prove may be misread."""
    return number.source is not Source.VISUAL or (finding.check_digit is not False and not number.repaired)


def _contradicts(finding: NumberFinding, number: DocumentField, born: DocumentField | None) -> bool:
    """Does a number speak against itself, or against birth or sex?

    A figure of a printed birth may be misread, and one of a printed number that has no check digit.
    """
    is_proven = number.source is not Source.VISUAL or finding.check_digit is True
    least = 1 + (born is not None and born.source is Source.VISUAL) + (not is_proven)
    of_birth = finding.birth is Agreement.DIFFERS and finding.apart >= least
    of_sex = finding.sex is Agreement.DIFFERS and is_proven
    return finding.check_digit is False or of_birth or of_sex


def impossible_dates(fields: Fields, country: str | None, kind: DocumentType | None, today: date) -> float | None:
    """How many things its dates say that cannot be; None when fewer than two dates are known for sure."""
    born, issued, ends = (
        _date(fields.get(name)) for name in (FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY)
    )
    if sum(day is not None for day in (born, issued, ends)) < 2:
        return None
    wrong = 0
    if born is not None:
        wrong += born > today + ELSEWHERE or today.year - born.year > OLDEST
        wrong += ends is not None and ends <= born
    if issued is not None:
        wrong += issued > today + ELSEWHERE
        wrong += born is not None and issued < born
        wrong += ends is not None and ends <= issued
        if ends is not None and ends != WITHOUT_END:
            years = _longest_years(country, kind, issued, born)
            wrong += years is not None and ends.year - issued.year > years
    return float(wrong)


def _longest_years(country: str | None, kind: DocumentType | None, issued: date, born: date | None) -> int | None:
    """For how many years such a document can have been issued at the most; None when that is not known."""
    if kind is DocumentType.PASSPORT:
        return LONGEST_PASSPORT + SPARE
    if kind is DocumentType.DRIVER_LICENSE and issued < LICENCES_SINCE:
        return None
    if kind is DocumentType.NATIONAL_ID and born is not None and issued.year - born.year >= OLD:
        return None
    layouts = list(documents_of(country, kind))
    if not layouts or not all(layout.years for layout in layouts):
        return None
    return max(years for layout in layouts for years in layout.years) + SPARE


def _is_sure(field: DocumentField) -> bool:
    return field.confidence >= SURE and not field.others


def _date(field: DocumentField | None) -> date | None:
    if field is None or not _is_sure(field):
        return None
    try:
        return date.fromisoformat(field.value)
    except ValueError:
        return None
