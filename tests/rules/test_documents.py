"""The table of supported documents and of countries."""

import pycountry
import pytest

from truename.rules import documents
from truename.rules.countries import ALPHA_2_OF, COUNTRIES
from truename.rules.documents import Expiry
from truename.rules.evidence import DocumentType, Source

ID, PASSPORT, LICENCE = DocumentType.NATIONAL_ID, DocumentType.PASSPORT, DocumentType.DRIVER_LICENSE


def test_the_countries_are_those_that_iso_has_assigned() -> None:
    assigned = {country.alpha_2: country.alpha_3 for country in pycountry.countries}
    assert {code: country.alpha_3 for code, country in COUNTRIES.items()} == assigned
    assert {two: three for three, two in ALPHA_2_OF.items()} == assigned


def test_each_kind_of_document_stands_once_in_the_table_under_a_country_that_exists() -> None:
    rows = documents._rows()
    assert len({(row.country, row.type) for row in rows}) == len(rows) == len(documents.supported())
    assert {row.country for row in rows} <= set(COUNTRIES)


@pytest.mark.parametrize(
    ("country", "kind"),
    [
        *[(country, PASSPORT) for country in ("AZ", "GR", "LV", "RS", "US", "GB", "IN", "FR", "MY", "CA")],
        *[(country, ID) for country in ("AL", "ES", "EE", "FI", "RU", "SK", "IT", "FR", "MY", "IN", "AR", "CO")],
        *[(country, LICENCE) for country in ("US", "CA", "GB", "DE", "ES", "IT", "FR")],
        ("US", DocumentType.RESIDENT_PERMIT),
        ("DE", DocumentType.RESIDENT_PERMIT),
    ],
)
def test_common_documents_are_supported(country: str, kind: DocumentType) -> None:
    assert documents.is_supported(country, kind)


@pytest.mark.parametrize(
    ("country", "kind"), [("XK", PASSPORT), ("ZZ", PASSPORT), ("", ID), ("AQ", PASSPORT), ("JP", ID)]
)
def test_what_is_not_in_the_table_is_not_supported(country: str, kind: DocumentType) -> None:
    assert not documents.is_supported(country, kind)
    assert not documents.needs_back(country, kind)
    assert documents.find(country, kind) is None


@pytest.mark.parametrize(
    ("country", "kind", "back"),
    [("DE", ID, True), ("DE", PASSPORT, False), ("US", LICENCE, True), ("DE", LICENCE, False)],
)
def test_the_back_is_needed_where_the_zone_or_the_barcode_stands_there(
    country: str, kind: DocumentType, back: bool
) -> None:
    assert documents.needs_back(country, kind) is back


def test_a_passport_is_read_by_its_zone_first() -> None:
    for row in documents.supported():
        if row.type is PASSPORT:
            assert row.read_by[0] is Source.MRZ
            assert row.expiry is Expiry.BEARS_DATE
