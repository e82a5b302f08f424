"""Do two sources of one document say different things for sure? Print is misread, names are spelt freely."""

from typing import Final

from truename.rules.documents import Expiry, SupportedDocument
from truename.rules.evidence import DocumentField, FieldName, ReadValue, Source
from truename.rules.text import is_part_of_name, name_similarity

SURE: Final = 0.8
"""How sure a reading must be to contradict another."""
SAME_NAME: Final = 0.8
OTHER_NAME: Final = 0.5
NAMES: Final = (FieldName.SURNAMES, FieldName.GIVEN_NAMES)
_ALWAYS: Final[tuple[FieldName, ...]] = (*NAMES, FieldName.GENDER, FieldName.DATE_OF_BIRTH, FieldName.DOCUMENT_NUMBER)


def compared_fields(known: SupportedDocument | None) -> tuple[FieldName, ...]:
    """The fields that every source of such a document must agree on: those that tell who somebody is, and its end."""
    if known is not None and known.expiry in (Expiry.BEARS_DATE, Expiry.MAY_SAY_WITHOUT_END):
        return (*_ALWAYS, FieldName.DATE_OF_EXPIRY)
    return _ALWAYS


def contradiction(name: FieldName, field: DocumentField) -> float:
    """How sure the surest other source is of another value; 0 when none has one that is not the same thing.

    Print that bears every word of a name, and more (a patronymic, the whole name in one line), contradicts nothing; nor
    does print of which every word is one of the name's (the patronymic, or its second line, stands elsewhere).
    """
    if name is FieldName.DOCUMENT_NUMBER:
        return 0.0  # several numbers may rightly stand on one document
    return max(
        (
            other.confidence
            for other in field.others
            if not (other.source is field.source is Source.VISUAL)
            and is_another(name, field, other, OTHER_NAME)
            and not (name in NAMES and _one_is_part(field.value, other.value))
        ),
        default=0.0,
    )


def _one_is_part(one: str, other: str) -> bool:
    return is_part_of_name(one, other) or is_part_of_name(other, one)


def differs(name: FieldName, field: DocumentField) -> bool:
    """Does any other reading, sure or not, say something else?"""
    return any(is_another(name, field, other, SAME_NAME) for other in field.others)


def is_another(name: FieldName, field: DocumentField, other: ReadValue, alike: float) -> bool:
    """Is it another value? Names are, when less alike than this."""
    if name in NAMES:
        return name_similarity(field.value, other.value) < alike
    return field.value != other.value
