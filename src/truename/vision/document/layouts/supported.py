"""What a layout file says of the kinds it describes, as a row of the supported documents."""

from collections.abc import Iterable, Sequence
from typing import Final

from truename.rules.documents import Expiry, SupportedDocument
from truename.rules.evidence import FieldName, MrzFormat, Source
from truename.vision.captures import Side
from truename.vision.document.barcode.payloads import AAMVA, COLOMBIA_CEDULA
from truename.vision.document.layouts.model import Country, DocumentLayout, LayoutField

WITH_EXPIRY: Final = frozenset({MrzFormat.TD1, MrzFormat.TD2, MrzFormat.TD3, MrzFormat.MRV_A, MrzFormat.MRV_B})
"""Zones that bear a date of expiry."""
ON_THE_BACK: Final = frozenset({AAMVA, COLOMBIA_CEDULA})
"""Barcodes that stand on the back."""
BESIDES: Final = frozenset({LayoutField.ADDRESS, LayoutField.ISSUING_AUTHORITY, LayoutField.PLACE_OF_BIRTH})
"""Fields for which nobody is asked to capture the back."""


def supported_by(countries: Iterable[Country]) -> list[SupportedDocument]:
    """A row for each kind that these files describe: all versions of a kind together."""
    rows = []
    for country in countries:
        for kind in dict.fromkeys(document.kind for document in country.documents):
            versions = [document for document in country.documents if document.kind is kind]
            rows.append(
                SupportedDocument(
                    country.country,
                    kind,
                    _sources(versions),
                    back=any(map(_needs_back, versions)),
                    expiry=_expiry(versions),
                    number=_numbers(versions),
                )
            )
    return rows


def _sources(versions: Sequence[DocumentLayout]) -> tuple[Source, ...]:
    """The most trusted first."""
    has = {
        Source.BARCODE: any(version.barcode for version in versions),
        Source.MRZ: any(version.zone for version in versions),
        Source.VISUAL: any(version.fields for version in versions),
    }
    return tuple(source for source, there in has.items() if there)


def _needs_back(version: DocumentLayout) -> bool:
    zone = version.zone is not None and version.zone_side is Side.BACK
    fields = any(field.side is Side.BACK for name, field in version.fields.items() if name not in BESIDES)
    return zone or fields or version.barcode in ON_THE_BACK


def _expiry(versions: Sequence[DocumentLayout]) -> Expiry:
    """The mildest of what the versions say."""
    ends = [version.fields.get(LayoutField.DATE_OF_EXPIRY) for version in versions]
    bears = [end is not None or one.zone in WITH_EXPIRY for end, one in zip(ends, versions, strict=True)]
    if not all(bears):
        return Expiry.MAY_BEAR_NONE if any(bears) else Expiry.BEARS_NONE
    if any(end is not None and end.without_end for end in ends):
        return Expiry.MAY_SAY_WITHOUT_END
    return Expiry.BEARS_DATE


def _numbers(versions: Sequence[DocumentLayout]) -> tuple[FieldName, ...]:
    counted = any(version.zone_number is LayoutField.CARD_NUMBER for version in versions)
    return (*((FieldName.PERSONAL_NUMBER,) if counted else ()), FieldName.DOCUMENT_NUMBER)
