"""Does print say another number than the zone or the barcode, where both can only be the same one?"""

from collections.abc import Mapping, Sequence
from typing import Final

from truename.rules.evidence import DocumentField, DocumentType, FieldName, ReadValue, Source
from truename.rules.national_numbers import compact
from truename.vision.document.layouts.formats import settle
from truename.vision.document.layouts.model import NUMBERS, DocumentLayout, LayoutField
from truename.vision.document.layouts.phrases import documents_of

COMPARED: Final = (FieldName.DOCUMENT_NUMBER, FieldName.PERSONAL_NUMBER)
LEAST_DIFFERENT: Final = 3
"""Characters in which another number differs; fewer may have been misread."""


def another_number(fields: Mapping[FieldName, DocumentField], country: str | None, kind: DocumentType | None) -> float:
    """How sure print is of a number that contradicts the one of zone or barcode; 0 where nothing does.

    Several numbers may rightly stand on one document. Only where its layouts know the form of each of them, and both
    readings have the form of one and the same, are they the same number.
    """
    layouts = documents_of(country, kind)
    return max(
        (
            other.confidence
            for name in COMPARED
            if (field := fields.get(name)) is not None and field.source is not Source.VISUAL
            for other in field.others
            if other.source is Source.VISUAL and _is_another(field, other, layouts)
        ),
        default=0.0,
    )


def _is_another(field: DocumentField, other: ReadValue, layouts: Sequence[DocumentLayout]) -> bool:
    one, two = compact(field.value), compact(other.value)
    if len(one) != len(two) or sum(a != b for a, b in zip(one, two, strict=True)) < LEAST_DIFFERENT:
        return False
    meant = _meant(one, layouts)
    return len(meant) == 1 and meant == _meant(two, layouts)


def _meant(number: str, layouts: Sequence[DocumentLayout]) -> frozenset[LayoutField]:
    """The printed numbers that it may be by its form, read as it is; none where the form of any is not known."""
    printed = [(name, field.formats) for layout in layouts for name, field in layout.fields.items() if name in NUMBERS]
    if not all(formats for _, formats in printed):
        return frozenset()
    settled = ((name, settle(number, formats)) for name, formats in printed)
    return frozenset(name for name, found in settled if found is not None and not found.repaired)
