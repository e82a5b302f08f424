"""Which documents can be read, how, and from which sides. What is not in this table is not supported, unless a layout
file of the operator's own describes it (`support_also`).

Sources: ICAO Doc 9303 (every machine-readable passport is a TD3 book with its zone on the data page; the national
cards and permits listed here carry a TD1 or TD2 zone, TD1 on the back); Regulation (EC) 1030/2002 for the residence
permits of the Union; Directive 2006/126/EC for its driving licences with numbered fields; the AAMVA card standard for
the PDF417 barcode of licences and cards of the United States and Canada.
"""

from collections.abc import Iterable
from datetime import date
from typing import Final, NamedTuple

from truename.rules.countries import COUNTRIES
from truename.rules.document_words import Expiry as Expiry
from truename.rules.document_words import OwnKind
from truename.rules.evidence import DocumentEvidence, DocumentType, FieldName, Source

ID, PASSPORT, LICENCE = DocumentType.NATIONAL_ID, DocumentType.PASSPORT, DocumentType.DRIVER_LICENSE
PERMIT, TEMPORARY = DocumentType.RESIDENT_PERMIT, DocumentType.TEMP_PERMIT_ID
MRZ, BARCODE, PRINT = (Source.MRZ,), (Source.BARCODE,), (Source.VISUAL,)


WITHOUT_END: Final = date(9999, 12, 31)
"""How a document that says it has no end gives its date of expiry."""


class SupportedDocument(NamedTuple):
    """One kind of document that can be read: its sides, its sources and what it says of its end."""

    country: str
    type: DocumentType
    read_by: tuple[Source, ...]
    """The most trusted source first."""
    back: bool
    """The back must be captured as well: the zone or the barcode stands there."""
    expiry: Expiry = Expiry.BEARS_DATE
    number: tuple[FieldName, ...] = (FieldName.DOCUMENT_NUMBER,)
    """The fields that people may mean by the number of this document, the best known first."""
    dated_since: date | None = None
    """Those issued before this day may bear no date of expiry; None where the day of issue makes no difference."""

    def expiry_if_issued(self, issued: date | None) -> Expiry:
        """What a document of this kind says of its end that was issued on this day; None where the day is not known."""
        undated = self.dated_since is not None and issued is not None and issued < self.dated_since
        return Expiry.MAY_BEAR_NONE if undated else self.expiry


def _codes(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


LICENCES_DATED_SINCE: Final = date(2013, 1, 19)
"""Licences of the Union that were issued before bear a date in field 4b, or a dash where they are valid without end
(Directive 91/439/EEC, annex Ia); they are exchanged until 2033 (Directive 2006/126/EC, article 3)."""

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
    "AE IQ JO KH KW VN "
    "CI DZ GH MA NG SN UG"
)

PERMITS_WITH_ZONE: Final = _codes("AE AL AR BA BR CA CL CO EC GB GE KW MA MD ME MK MX PE RS TR UA US UY")

_SPECIAL: Final = (
    # The barcode bears the data; yellow cédulas bear no zone and no expiry, digital ones have both.
    SupportedDocument("CO", ID, (Source.BARCODE, Source.MRZ, Source.VISUAL), back=True, expiry=Expiry.MAY_BEAR_NONE),
    # Old identity cards of the states never expire; the national card (CIN) bears a zone.
    SupportedDocument("BR", ID, (Source.MRZ, Source.VISUAL), back=True, expiry=Expiry.MAY_BEAR_NONE),
    # Laminated cards bear no date of expiry and no zone; the smart card (2016) bears both.
    SupportedDocument("BD", ID, (Source.MRZ, Source.VISUAL), back=True, expiry=Expiry.MAY_BEAR_NONE),
    # The internal passport has a zone (PNRUS, names in code) since 2011 and no date of expiry.
    SupportedDocument("RU", ID, (Source.MRZ, Source.VISUAL), back=False, expiry=Expiry.BEARS_NONE),
    # MyKad and Aadhaar have neither zone nor expiry.
    SupportedDocument("MY", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    SupportedDocument("IN", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    # The KTP of Indonesia says that it is valid for life; PhilID and the smart card of South Africa bear no date.
    SupportedDocument("ID", ID, PRINT, back=False, expiry=Expiry.MAY_SAY_WITHOUT_END),
    SupportedDocument("PH", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    SupportedDocument("ZA", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    # Printed in their own script throughout: older cards of Israel bear no date of expiry, those of old people in
    # Thailand are valid for life, the resident card of Korea has no end.
    SupportedDocument("IL", ID, PRINT, back=False, expiry=Expiry.MAY_BEAR_NONE),
    SupportedDocument("TH", ID, PRINT, back=False, expiry=Expiry.MAY_SAY_WITHOUT_END),
    SupportedDocument("KR", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    # China prints the end on the back; from 46 years on cards say that they have none.
    SupportedDocument("CN", ID, PRINT, back=True, expiry=Expiry.MAY_SAY_WITHOUT_END),
    # The identity cards of Hong Kong and Taiwan have no end.
    SupportedDocument("HK", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    SupportedDocument("TW", ID, PRINT, back=False, expiry=Expiry.BEARS_NONE),
    SupportedDocument("JP", LICENCE, PRINT, back=False),
    # Egypt prints the end on the back.
    SupportedDocument("EG", ID, PRINT, back=True),
    # Cards of before 2023 bear no date of expiry, the Maisha card does.
    SupportedDocument("KE", ID, (Source.MRZ, Source.VISUAL), back=True, expiry=Expiry.MAY_BEAR_NONE),
    # State and provincial identity cards follow the licences' standard; some are issued without expiry.
    SupportedDocument("US", ID, BARCODE, back=True, expiry=Expiry.MAY_BEAR_NONE),
    SupportedDocument("CA", ID, BARCODE, back=True, expiry=Expiry.MAY_BEAR_NONE),
    SupportedDocument("US", LICENCE, BARCODE, back=True),
    SupportedDocument("CA", LICENCE, BARCODE, back=True),
    SupportedDocument("GB", LICENCE, PRINT, back=False),
    SupportedDocument("MY", LICENCE, PRINT, back=False),
    SupportedDocument("IN", LICENCE, PRINT, back=False),
    SupportedDocument("BR", LICENCE, PRINT, back=False),
    SupportedDocument("PH", LICENCE, PRINT, back=False),
    # The employment authorisation card of the United States.
    SupportedDocument("US", TEMPORARY, MRZ, back=True),
    # The temporary protection permit of Colombia.
    SupportedDocument("CO", TEMPORARY, PRINT, back=False),
)

READ_ALSO: Final = {("AR", ID): (Source.BARCODE, Source.MRZ, Source.VISUAL)}
"""Where a card with a zone is read in a further way: the Argentine DNI bears a PDF417 barcode on its front."""


MAY_SAY_WITHOUT_END: Final = frozenset(_codes("BA BG ES HR HU LT PE PL RO RS SI SK UY VN"))
"""Whose identity cards are, for the old, issued without end: ES writes 01 01 9999 and 990101, VN 991231 in the zone,
the others words or fillers. (Regulation (EU) 2019/1157, article 4, lets the Union's cards of people over 70 be so.)"""

HOLDERS_NUMBER_FIRST: Final = {
    ID: _codes("BR CL CO EC ES KE MX UY VN"),
    PERMIT: _codes("CL ES US"),
    TEMPORARY: _codes("US"),
}
"""Whose documents are known by the holder's number (DNI, NIE, RUN, CPF, cédula, CURP, USCIS#): the zone's document
number counts the card. The layout files say the same of each of their documents."""


def _numbers(code: str, kind: DocumentType) -> tuple[FieldName, ...]:
    own = (FieldName.PERSONAL_NUMBER,) if code in HOLDERS_NUMBER_FIRST.get(kind, ()) else ()
    return (*own, FieldName.DOCUMENT_NUMBER)


def _card(code: str) -> SupportedDocument:
    return SupportedDocument(
        code,
        ID,
        READ_ALSO.get((code, ID), (Source.MRZ, Source.VISUAL)),
        back=True,
        expiry=Expiry.MAY_SAY_WITHOUT_END if code in MAY_SAY_WITHOUT_END else Expiry.BEARS_DATE,
        number=_numbers(code, ID),
    )


def _rows() -> list[SupportedDocument]:
    zone_or_print = (Source.MRZ, Source.VISUAL)
    rows = [SupportedDocument(code, PASSPORT, zone_or_print, back=False) for code in COUNTRIES]
    rows = [row for row in rows if row.country not in WITHOUT_PASSPORTS]
    rows += [_card(code) for code in ID_CARDS_WITH_ZONE]
    rows += [
        SupportedDocument(code, PERMIT, zone_or_print, back=True, number=_numbers(code, PERMIT))
        for code in FREE_MOVEMENT + PERMITS_WITH_ZONE
    ]
    rows += [
        # Swiss ones bear no date whenever they were issued, but for those on probation.
        SupportedDocument(
            code,
            LICENCE,
            PRINT,
            back=False,
            expiry=Expiry.MAY_BEAR_NONE if code == "CH" else Expiry.BEARS_DATE,
            dated_since=None if code == "CH" else LICENCES_DATED_SINCE,
        )
        for code in FREE_MOVEMENT
    ]
    rows += [row._replace(number=_numbers(row.country, row.type)) for row in _SPECIAL]
    return sorted(rows, key=_in_order)


def _in_order(row: SupportedDocument) -> tuple[str, int]:
    return row.country, list(DocumentType).index(row.type)


_TABLE: Final = {(row.country, row.type): row for row in _rows()}


_ALSO: Final[dict[tuple[str, DocumentType], SupportedDocument]] = {}


def support_also(rows: Iterable[SupportedDocument]) -> None:
    """Add kinds that this installation's own layout files describe, once per process, before anything is judged.

    What was added before is forgotten; a kind of the table stays as the table says.
    """
    _ALSO.clear()
    _ALSO.update({(row.country, row.type): row for row in rows if (row.country, row.type) not in _TABLE})


def find(country: str, kind: DocumentType) -> SupportedDocument | None:
    """The row of this kind of document; None when it is not supported."""
    return _TABLE.get((country, kind)) or _ALSO.get((country, kind))


def own_kind(country: str | None, kind: DocumentType | None) -> OwnKind | None:
    """What only a layout file of the operator's own says of this kind, to be stored with what is read by it."""
    row = _ALSO.get((country, kind)) if country and kind else None
    return OwnKind(read_by=row.read_by, back=row.back, expiry=row.expiry, number=row.number) if row else None


def kind_of(document: DocumentEvidence) -> SupportedDocument | None:
    """The row of a document that was read; None when it is not supported.

    By the table and what is stored with the document, never by the layout files that this process happens to have: who
    judges again, elsewhere or later, comes to the same.
    """
    country, kind, own = document.country, document.type, document.own_kind
    if country is None or kind is None:
        return None
    if own is None:
        return _TABLE.get((country, kind))
    return _TABLE.get((country, kind)) or SupportedDocument(
        country, kind, own.read_by, own.back, own.expiry, own.number
    )


def is_supported(country: str, kind: DocumentType) -> bool:
    """Whether documents of this country and type can be read."""
    return find(country, kind) is not None


def needs_back(country: str, kind: DocumentType) -> bool:
    """Must the back be captured? False for what is not supported."""
    row = find(country, kind)
    return row is not None and row.back


def expiry_of(country: str, kind: DocumentType) -> Expiry:
    """What documents of this kind say of their end; of what is not supported, nothing is excused."""
    row = find(country, kind)
    return row.expiry if row else Expiry.BEARS_DATE


def may_be_without_end(country: str | None, kind: DocumentType | None) -> bool:
    """May a document of this kind say that it has no end?"""
    return country is not None and kind is not None and expiry_of(country, kind) is not Expiry.BEARS_DATE


def number_fields(country: str | None, kind: DocumentType | None) -> tuple[FieldName, ...]:
    """The fields that the interface's "document number" may mean for this kind, the best known first."""
    row = find(country, kind) if country and kind else None
    return row.number if row else (FieldName.DOCUMENT_NUMBER,)


def supported() -> tuple[SupportedDocument, ...]:
    """The whole table, by country and type, with what was added to it."""
    return tuple(sorted((*_TABLE.values(), *_ALSO.values()), key=_in_order)) if _ALSO else tuple(_TABLE.values())
