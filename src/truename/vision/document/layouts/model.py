"""Every key that a layout file may have, and what it means."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field, StrictBool

from truename.rules.evidence import DocumentType, FieldName, MrzFormat
from truename.vision.captures import Side
from truename.vision.document.calendars import Calendar

CLOSED: Final = ConfigDict(extra="forbid")

Fraction = Annotated[float, Field(ge=0.0, le=1.0, strict=True)]
YEARS_OF: Final = {
    "YYYY": Calendar.GREGORIAN,
    "YY": Calendar.GREGORIAN,
    "BBBB": Calendar.BUDDHIST,
    "RRR": Calendar.MINGUO,
    "HHHH": Calendar.HIJRI,
    "JJJJ": Calendar.SOLAR_HIJRI,
    "EEEE": Calendar.ETHIOPIAN,
    "VVVV": Calendar.BIKRAM_SAMBAT,
}
"""The year of a date, and the calendar that counts it, its months and its days."""
DATE_FORM: Final = re.compile(rf"MONTH|MON|DD|MM|{'|'.join(YEARS_OF)}|(?:[ ./,\-]|[^\W\d_A-Z])+")
"""The parts that `dates` may be made of, and what stands between them, words in small letters too (`DD de MONTH`):
what a file may say is what is read."""
DateForm = Annotated[str, Field(max_length=40)]
Printed = Annotated[str, Field(max_length=200)]
"""What stands in one or two lines of print."""
NumberFormat = Annotated[str, Field(max_length=64)]
Lines = Annotated[int, Field(ge=0, le=6, strict=True)]
Years = Annotated[int, Field(ge=1, le=100, strict=True)]
Box = tuple[Fraction, Fraction, Fraction, Fraction]
"""Left, top, width and height, as fractions of the page laid flat."""


class LayoutField(StrEnum):
    """What a document may print: the fields of the evidence, and two that become others or are left alone."""

    FULL_NAME = "full_name"
    """Given names and surnames in one; `order` or `surname_lines` says how they part."""
    CARD_NUMBER = "card_number"
    """A number that counts the card where another one is "the document number"."""
    SURNAMES = FieldName.SURNAMES.value
    GIVEN_NAMES = FieldName.GIVEN_NAMES.value
    GENDER = FieldName.GENDER.value
    DOCUMENT_NUMBER = FieldName.DOCUMENT_NUMBER.value
    PERSONAL_NUMBER = FieldName.PERSONAL_NUMBER.value
    DATE_OF_BIRTH = FieldName.DATE_OF_BIRTH.value
    DATE_OF_ISSUE = FieldName.DATE_OF_ISSUE.value
    DATE_OF_EXPIRY = FieldName.DATE_OF_EXPIRY.value
    NATIONALITY = FieldName.NATIONALITY.value
    PLACE_OF_BIRTH = FieldName.PLACE_OF_BIRTH.value
    ADDRESS = FieldName.ADDRESS.value
    ISSUING_AUTHORITY = FieldName.ISSUING_AUTHORITY.value


FIELD_OF: Final = {LayoutField(name.value): name for name in FieldName}
"""The field of the evidence that a printed one becomes as it is."""
DATES: Final = frozenset({LayoutField.DATE_OF_BIRTH, LayoutField.DATE_OF_ISSUE, LayoutField.DATE_OF_EXPIRY})
NUMBERS: Final = frozenset({LayoutField.DOCUMENT_NUMBER, LayoutField.PERSONAL_NUMBER, LayoutField.CARD_NUMBER})


class KnownFrom(StrEnum):
    """What a layout was written from."""

    SPECIMEN = "specimen"
    """Pictures of such documents could be looked at."""
    DESCRIPTION = "description"
    """Public descriptions only: nobody here has held it against a picture."""


class Form(StrEnum):
    """The size of the page, by ISO/IEC 7810."""

    ID_1 = "ID-1"
    ID_2 = "ID-2"
    ID_3 = "ID-3"


class LabelsStand(StrEnum):
    """Where labels stand beside their values."""

    ABOVE = "ABOVE"
    LEFT = "LEFT"
    BELOW = "BELOW"


class NameOrder(StrEnum):
    """How a name in one piece parts into given names and surnames."""

    GIVEN_FIRST = "GIVEN_FIRST"
    """The last word is the surname."""
    SURNAME_COMMA = "SURNAME_COMMA"
    """The surname stands before a comma."""
    SURNAME_FIRST = "SURNAME_FIRST"
    """The first word is the surname; of a name in one word, as Korean is printed, its first letter or two (남궁)."""
    SURNAME_APART = "SURNAME_APART"
    """The first word is the surname; in one word, as of Japanese names, it is not known where that ends."""


class Script(StrEnum):
    """The script of the print, where it is not plain Latin."""

    LATIN = "Latin"
    GREEK = "Greek"
    CYRILLIC = "Cyrillic"
    ARABIC = "Arabic"
    HEBREW = "Hebrew"
    DEVANAGARI = "Devanagari"
    THAI = "Thai"
    HANGUL = "Hangul"
    HAN = "Han"
    """Chinese, simplified or traditional, and what Japanese writes."""
    GEORGIAN = "Georgian"
    ARMENIAN = "Armenian"
    VIETNAMESE = "Vietnamese"
    """Latin letters with marks upon marks, which need a reader of their own."""


@dataclass(frozen=True)
class FieldLayout:
    """One printed value."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    labels: tuple[Printed, ...] = ()
    """As printed; the first is drawn. Empty: the value stands without one."""
    second: tuple[Printed, ...] = ()
    """Labels whose value is added behind that of the first (a second surname)."""
    number: str | None = None
    """The number of a numbered field, such as 4b."""
    place: Box | None = None
    """Where the value stands. Only what was measured on pictures is given."""
    side: Side = Side.FRONT
    formats: Annotated[tuple[NumberFormat, ...], Field(max_length=100)] = ()
    """What a number looks like: # a digit, @ a letter, * either; {YYYY} {YYY} {YY} {MM} {DD} parts of the birth, {WM}
    its month with 50 and {WD} its day with 40 added for women, {HM} H for a man, M for a woman; all else is itself."""
    scheme: str | None = None
    """The rule of the number's check digit and of what it encodes, by its name in `rules/national_numbers`."""
    printed: tuple[str, ...] = ()
    """The very words: of a man and of a woman for the sex, the country's word for a nationality."""
    before: str = ""
    """What is printed in front of the value, in the same line."""
    beside: StrictBool = False
    """This one's label stands to its left, whatever the others do."""
    label_below: StrictBool = False
    """This one's label stands below it, whatever the others do."""
    again: str = ""
    """The label under which it stands a second time, in the country's language; a date then as `dates_again` says."""
    above: LayoutField | None = None
    """A value without a label that stands above that of another field."""
    below_title: Lines = 0
    """A value without a label: so many lines, right below the title of the document."""
    order: NameOrder | None = None
    surname_lines: Lines = 0
    """Of a full name in several lines: how many of the first are surnames."""
    year_only: StrictBool = False
    """The value is a year, or two of which the last counts, and means its last day."""
    dates: DateForm = ""
    """How this date is printed, where that is otherwise than the document's `dates` says."""
    without_end: str = ""
    """The words that stand here instead of a date."""
    since: StrictBool = False
    """Of the expiry: the day since when it is valid stands before it in the same line, a hyphen between them."""
    figures: str = ""
    """How this date is printed where it is figures without anything between them: DDMMYY. It needs a place."""
    script: Script = Script.LATIN
    latin_below: StrictBool = False
    """The value is printed again in Latin letters, below that in the script."""
    courtesy: tuple[str, ...] = ()
    """Words in front of a name that are no part of it (Mr, Ms)."""


@dataclass(frozen=True)
class UprightNumber:
    """A number that stands along an edge, turned by a quarter, and tells the document by its form."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    digits_at_end: Annotated[int, Field(ge=1, le=20, strict=True)]
    sex_words: tuple[str, ...]
    """The words for the sex, folded: as they are, and what they look like to a reader of Latin letters."""


Fields = dict[LayoutField, FieldLayout]


@dataclass(frozen=True)
class DocumentLayout:
    """One version of one kind of document."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    kind: DocumentType
    version: Annotated[str, Field(min_length=1)]
    known_from: KnownFrom
    form: Form
    upright: StrictBool = False
    """Its front is higher than wide; its back lies as that of any other."""
    titles: tuple[Printed, ...] = ()
    """What it calls itself, as printed."""
    marks: tuple[str, ...] = ()
    """Words that stand on no other country's documents and on no other kind of this country's."""
    model: str | None = None
    """A file of `models/` whose fields it has."""
    zone: MrzFormat | None = None
    zone_side: Side = Side.FRONT
    zone_number: LayoutField = LayoutField.DOCUMENT_NUMBER
    """Which printed number the zone has in the place of its document number."""
    barcode: str | None = None
    years: tuple[Years, ...] = ()
    """For how many years it may be issued; empty where it has no date of expiry or nobody knows."""
    dates: DateForm = "DD.MM.YYYY"
    """How dates are printed: DD, MM, MON (three letters of the month), MONTH, YYYY, YY; HHHH, JJJJ and the like are
    years of other calendars."""
    dates_again: DateForm = ""
    """How dates are printed that stand a second time."""
    labels_stand: LabelsStand = LabelsStand.ABOVE
    plate: Annotated[str, Field(max_length=4)] = ""
    """The letters of the country on a licence."""
    number_formats: Annotated[tuple[NumberFormat, ...], Field(max_length=100)] = ()
    """The formats of the document number, where the fields come from a model."""
    script: Script = Script.LATIN
    upright_number: UprightNumber | None = None
    note: str = ""
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True)
class SharedModel:
    """Fields that documents of several countries have in common."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    fields: Fields
    note: str = ""


@dataclass(frozen=True)
class SexWords:
    """What documents print for a man, a woman, and for neither."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    M: tuple[str, ...] = ()
    F: tuple[str, ...] = ()
    X: tuple[str, ...] = ()


@dataclass(frozen=True)
class Language:
    """What documents print in one language."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    name: str
    titles: dict[DocumentType, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[LayoutField, tuple[str, ...]] = field(default_factory=dict)
    second_labels: dict[LayoutField, tuple[str, ...]] = field(default_factory=dict)
    states: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What states that have no file of their own call themselves in this language, by their two letters."""
    others: tuple[str, ...] = ()
    """Labels of what is not read, or is somebody else's (Father's name): what they point at is no value of ours."""
    sex: SexWords = field(default_factory=SexWords)
    months: tuple[tuple[str, ...], ...] = ()
    """Twelve lists of names and short forms, January first."""
    months_of: dict[Calendar, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """The same for other calendars, by their names."""
    without_end: tuple[str, ...] = ()
    """What stands in the place of a date of expiry that does not exist."""
    misread: dict[str, str] = field(default_factory=dict)
    """A capital, and the letters for which the reader of Latin print takes it; the language has none of those."""


@dataclass(frozen=True)
class Country:
    """One country's file."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED
    country: str
    languages: tuple[str, ...]
    issuers: tuple[str, ...]
    """What the state calls itself on its documents."""
    demonyms: tuple[str, ...] = ()
    """What it prints as a nationality."""
    marks: tuple[str, ...] = ()
    """Words that stand on no other country's documents."""
    regions: tuple[str, ...] = ()
    """Parts of the country that issue licences and cards in their own name."""
    month_first: StrictBool = False
    """Dates in figures name the month before the day."""
    sex: SexWords = field(default_factory=SexWords)
    """Words that mean something else here than in the language at large."""
    documents: tuple[DocumentLayout, ...] = ()


def calendar_of(form: str) -> Calendar:
    """The calendar that counts the year of a date's form; ours where the form says none."""
    return next((YEARS_OF[part] for part in DATE_FORM.findall(form) if part in YEARS_OF), Calendar.GREGORIAN)
