"""Who is on a document, and what is known to be printed on it."""

from dataclasses import dataclass, field
from datetime import date
from enum import Enum

from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.sheet import Picture


@dataclass(frozen=True)
class Person:
    """Someone who does not exist."""

    surnames: str = "MUSTERMANN"
    given_names: str = "ERIKA"
    sex: str = "F"
    born: date = date(1985, 8, 12)
    place_of_birth: str = "BERLIN"


class Portrait(Enum):
    """Whose face is on the document."""

    OWN = "that of who stands before the camera"
    ANOTHERS = "somebody else's"
    NONE = "nobody's: its place is empty"


@dataclass(frozen=True)
class Issue:
    """What one copy of a document says of itself, where it is not left to the seed."""

    number: str | None = None
    expires: date | None = None
    portrait: Portrait = Portrait.OWN


AS_USUAL = Issue()


@dataclass(frozen=True)
class SyntheticDocument:
    """Both sides, and the truth about what is printed on them."""

    country: str
    type: DocumentType
    front: Picture
    back: Picture | None = None
    fields: dict[FieldName, str] = field(default_factory=dict)
    mrz: tuple[str, ...] = ()
    barcode: bytes | None = None
    back_fields: dict[FieldName, str] = field(default_factory=dict)
    """What is printed on the back; `fields` is what is printed on the front."""
