"""Which documents can be read, how, and from which sides. What is not in this table is not supported.

Sources: ICAO Doc 9303 (every machine-readable passport is a TD3 book with its zone on the data page; the national
cards and permits listed here carry a TD1 or TD2 zone, TD1 on the back); Regulation (EC) 1030/2002 for the residence
permits of the Union; Directive 2006/126/EC for its driving licences with numbered fields; the AAMVA card standard for
the PDF417 barcode of licences and cards of the United States and Canada.
"""

from typing import Final, NamedTuple

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType, Source

ID, PASSPORT, LICENCE = DocumentType.NATIONAL_ID, DocumentType.PASSPORT, DocumentType.DRIVER_LICENSE
PERMIT, TEMPORARY = DocumentType.RESIDENT_PERMIT, DocumentType.TEMP_PERMIT_ID
MRZ, BARCODE, PRINT = (Source.MRZ,), (Source.BARCODE,), (Source.VISUAL,)


class SupportedDocument(NamedTuple):
    country: str
    type: DocumentType
    read_by: tuple[Source, ...]
    """The most trusted source first."""
    back: bool
    """The back must be captured as well: the zone or the barcode stands there."""
    expires: bool = True
    """Documents of this kind bear a date of expiry; False when some of them bear none."""


def _codes(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


FREE_MOVEMENT: Final = _codes(
    "AT BE BG CH CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK",
)
"""The Union, the European Economic Area and Switzerland: one form of residence permit and of driving licence."""

WITHOUT_PASSPORTS: Final = frozenset(_codes("AQ BV GS HM IO SJ TF UM"))
"""Uninhabited, or without passports of their own."""

ID_CARDS_WITH_ZONE: Final = _codes(
    "AT BE BG CH CY CZ DE EE ES FI FR GR HR HU IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK "
    "AL AM AZ BA BY GE KG KZ MD ME MK RS TR UA UZ "
    "AR CL EC GT HN MX PE PY UY "
    "AE BD IQ JO KH KW VN "
    "CI DZ GH KE MA NG SN UG"
)

PERMITS_WITH_ZONE: Final = _codes("AE AL AR BA BR CA CL CO EC GB GE KW MA MD ME MK MX PE RS TR UA US UY")

_SPECIAL: Final = (
    # The barcode bears the data; yellow cédulas bear no zone and no expiry, digital ones have both.
    SupportedDocument("CO", ID, (Source.BARCODE, Source.MRZ, Source.VISUAL), back=True, expires=False),
    # Old identity cards of the states never expire; the national card (CIN) bears a zone.
    SupportedDocument("BR", ID, (Source.MRZ, Source.VISUAL), back=True, expires=False),
    # The internal passport has a zone since 2011 and no date of expiry.
    SupportedDocument("RU", ID, (Source.MRZ, Source.VISUAL), back=False, expires=False),
    # MyKad and Aadhaar have neither zone nor expiry.
    SupportedDocument("MY", ID, PRINT, back=False, expires=False),
    SupportedDocument("IN", ID, PRINT, back=False, expires=False),
    # State and provincial identity cards follow the licences' standard; some are issued without expiry.
    SupportedDocument("US", ID, BARCODE, back=True, expires=False),
    SupportedDocument("CA", ID, BARCODE, back=True, expires=False),
    SupportedDocument("US", LICENCE, BARCODE, back=True),
    SupportedDocument("CA", LICENCE, BARCODE, back=True),
    SupportedDocument("GB", LICENCE, PRINT, back=False),
    SupportedDocument("MY", LICENCE, PRINT, back=False),
    SupportedDocument("IN", LICENCE, PRINT, back=False),
    SupportedDocument("BR", LICENCE, PRINT, back=False),
    # The employment authorisation card of the United States.
    SupportedDocument("US", TEMPORARY, MRZ, back=True),
    # The temporary protection permit of Colombia.
    SupportedDocument("CO", TEMPORARY, PRINT, back=False),
)

READ_ALSO: Final = {("AR", ID): (Source.BARCODE, Source.MRZ, Source.VISUAL)}
"""Where a card with a zone is read in a further way: the Argentine DNI bears a PDF417 barcode on its front."""


def _rows() -> list[SupportedDocument]:
    zone_or_print = (Source.MRZ, Source.VISUAL)
    rows = [SupportedDocument(code, PASSPORT, zone_or_print, back=False) for code in COUNTRIES]
    rows = [row for row in rows if row.country not in WITHOUT_PASSPORTS]
    rows += [
        SupportedDocument(code, ID, READ_ALSO.get((code, ID), zone_or_print), back=True) for code in ID_CARDS_WITH_ZONE
    ]
    rows += [SupportedDocument(code, PERMIT, zone_or_print, back=True) for code in FREE_MOVEMENT + PERMITS_WITH_ZONE]
    # A few issued before 2013 bear no date in field 4b: those count as expired unless `allow_expired` is set.
    rows += [SupportedDocument(code, LICENCE, PRINT, back=False) for code in FREE_MOVEMENT]
    rows += _SPECIAL
    return sorted(rows, key=lambda row: (row.country, list(DocumentType).index(row.type)))


_TABLE: Final = {(row.country, row.type): row for row in _rows()}


def find(country: str, kind: DocumentType) -> SupportedDocument | None:
    return _TABLE.get((country, kind))


def is_supported(country: str, kind: DocumentType) -> bool:
    return (country, kind) in _TABLE


def needs_back(country: str, kind: DocumentType) -> bool:
    """Must the back be captured? False for what is not supported."""
    row = find(country, kind)
    return row is not None and row.back


def bears_expiry(country: str, kind: DocumentType) -> bool:
    """Does every document of this kind bear a date of expiry? False for what is not supported."""
    row = find(country, kind)
    return row is not None and row.expires


def supported() -> tuple[SupportedDocument, ...]:
    """The whole table, by country and type."""
    return tuple(_TABLE.values())
