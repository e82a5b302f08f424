"""The words in which documents are spoken of, and what a layout file says of a kind that no table knows."""

from enum import StrEnum
from typing import Final

from truename.rules.facts import Fact


class Word(StrEnum):
    """Base of enumerations that are keys of evidence: hashed as the text they are, which is also the quickest."""

    __hash__ = str.__hash__


class DocumentType(Word):
    """The types of document that the interface knows."""

    NATIONAL_ID = "NATIONAL_ID"
    PASSPORT = "PASSPORT"
    DRIVER_LICENSE = "DRIVER_LICENSE"
    RESIDENT_PERMIT = "RESIDENT_PERMIT"
    TEMP_PERMIT_ID = "TEMP_PERMIT_ID"


class Source(Word):
    """Where on the document a value was read."""

    MRZ = "MRZ"
    BARCODE = "BARCODE"
    VISUAL = "VISUAL"


class FieldName(Word):
    """The fields that can be read from a document."""

    GIVEN_NAMES = "given_names"
    SURNAMES = "surnames"
    GENDER = "gender"
    """`M`, `F` or `X`."""
    DOCUMENT_NUMBER = "document_number"
    PERSONAL_NUMBER = "personal_number"
    DATE_OF_BIRTH = "date_of_birth"
    """Dates are ISO-8601 `YYYY-MM-DD`."""
    DATE_OF_ISSUE = "date_of_issue"
    DATE_OF_EXPIRY = "date_of_expiry"
    NATIONALITY = "nationality"
    """ISO 3166-1 alpha-2."""
    PLACE_OF_BIRTH = "place_of_birth"
    ADDRESS = "address"
    ISSUING_AUTHORITY = "issuing_authority"


DATES: Final = frozenset({FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY})


class Expiry(StrEnum):
    """What documents of one kind say of their end."""

    BEARS_DATE = "BEARS_DATE"
    """Every one bears a date of expiry."""
    MAY_SAY_WITHOUT_END = "MAY_SAY_WITHOUT_END"
    """Some, mostly of the old, say in the place of the date that there is none: `01 01 9999`, `990101` or fillers in
    the zone, or words."""
    MAY_BEAR_NONE = "MAY_BEAR_NONE"
    """Some editions bear no date, so that an absent one proves nothing."""
    BEARS_NONE = "BEARS_NONE"
    """None bears a date: they are valid without end."""


class OwnKind(Fact):
    """A kind of document as a layout file of the operator's own describes it: what `SupportedDocument` says of others.

    It is stored with the evidence, because the file may be gone when somebody judges again.
    """

    read_by: tuple[Source, ...]
    back: bool
    expiry: Expiry
    number: tuple[FieldName, ...]
