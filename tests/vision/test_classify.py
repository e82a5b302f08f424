"""Of which country and kind is this document? By its zone, its titles, and what it calls itself."""

from datetime import date

import numpy as np
import pytest

from tests.support.layout_files import line
from tests.support.sdk import photographed
from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing import documents
from truename.vision.document import classify
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries, states
from truename.vision.document.layouts_seen import from_numbers
from truename.vision.document.print.read import TextLine, crop_line, recognise
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("first_line", "country", "kind"),
    [
        ("P<LVALAZDINS<<EGIJA<<<<<<<<<<<<<<<<<<<<<<<<<", "LV", DocumentType.PASSPORT),
        ("IDD<<L258684226<<<<<<<<<<<<<<<", "DE", DocumentType.NATIONAL_ID),
        ("IRFRAL258684226<<<<<<<<<<<<<<<", "FR", DocumentType.RESIDENT_PERMIT),
        ("C1USA0000000000<<<<<<<<<<<<<<<", "US", DocumentType.RESIDENT_PERMIT),
        ("IAUSA0000000000<<<<<<<<<<<<<<<", "US", DocumentType.TEMP_PERMIT_ID),
        ("V<UTOERIKSSON<<ANNA<<<<<<<<<<<<<<<<<<<<<<<<<", None, None),
        ("PNRUSW2GOLEVA<<7LI8<SERGEEVNA<<<<<<<<<<<<<<<", "RU", DocumentType.NATIONAL_ID),
        ("P<RUSIVANOV<<IVAN<<<<<<<<<<<<<<<<<<<<<<<<<<<", "RU", DocumentType.PASSPORT),
        ("ACDEUL258684226<<<<<<<<<<<<<<<", "DE", None),
    ],
)
def test_the_zone_says_country_and_kind(first_line: str, country: str | None, kind: DocumentType | None) -> None:
    found = classify.from_mrz([first_line], valid=True)
    assert (found.country, found.type) == (country, kind)


def test_an_issuer_that_is_no_country_keeps_its_code() -> None:
    found = classify.from_mrz(["P<UTOERIKSSON<<ANNA<<<<<<<<<<<<<<<<<<<<<<<<<"], valid=True)
    assert (found.country, found.issuer_code) == (None, "UTO")


def test_a_zone_whose_beginning_was_misread_says_neither_country_nor_kind() -> None:
    """Under a finger `P<IND` was read as `D5MPR`: a passport of India was a driving licence of MPR."""
    misread = ["D5MPRHARMA<<CHANDRA<PRAKASH<<<<<<<<<<<<<<<<<"]
    assert classify.from_mrz(misread, valid=False) == classify.Classified()
    assert classify.from_mrz(misread, valid=True).issuer_code == "MPR"
    of_a_card = classify.from_mrz(["I<CMW100058132<<<<<<<<<<<<<<<<"], valid=False)
    assert (of_a_card.issuer_code, of_a_card.type) == ("CMW", DocumentType.NATIONAL_ID)
    assert classify.from_mrz(["P<UTOERIKSSON<<ANNA<<<<<<<<<<<<<<<<<<<<<<<<<"], valid=False).issuer_code == "UTO"


@pytest.mark.parametrize(
    ("titles", "country", "kind"),
    [
        (("RZECZPOSPOLITA POLSKA", "DOWOD OSOBISTY"), "PL", DocumentType.NATIONAL_ID),
        (("BUNDESREPUBLIK DEUTSCHLAND", "FUHRERSCHEIN"), "DE", DocumentType.DRIVER_LICENSE),
        (("Arizona", "DRIVER LICENSE", "USA"), "US", DocumentType.DRIVER_LICENSE),
        (("UNITED STATES OF AMERICA", "PERMANENT RESIDENT"), "US", DocumentType.RESIDENT_PERMIT),
        (("REPUBLICA DE COLOMBIA", "PERMISO POR PROTECCION TEMPORAL"), "CO", DocumentType.TEMP_PERMIT_ID),
        (("REPUBLIC OF ZAMBIA", "NATIONAL REGISTRATION CARD"), "ZM", DocumentType.NATIONAL_ID),
        (("SOMETHING", "ELSE"), None, None),
    ],
)
def test_titles_say_country_and_kind(titles: tuple[str, ...], country: str | None, kind: DocumentType | None) -> None:
    found = classify.from_print([line(title, 100, 30 + 40 * row, 30) for row, title in enumerate(titles)])
    assert (found.country, found.type) == (country, kind)


@pytest.mark.parametrize(("issuer", "country"), [("REPUBLIQUE DE MADAGASCAR", "MG"), ("SOMETHING", "FR")])
def test_a_state_that_names_itself_is_believed_before_words_by_which_another_is_known(
    issuer: str, country: str
) -> None:
    lines = [line(issuer, 100, 20, 30), line("CARTE NATIONALE D'IDENTITE", 100, 60, 30), line("x", 100, 500)]
    assert classify.from_print(lines).country == country


@pytest.mark.parametrize(
    ("number", "country", "kind"),
    [
        ("2341 2341 2346", "IN", DocumentType.NATIONAL_ID),
        ("2341 2341 2347", "IN", None),  # the check digit
        ("2341 2341 234G", "IN", None),
        ("2341 2341 2346 8127", "IN", None),
        ("2341 2341 2346", None, None),
        ("72483915-L", "ES", None),  # stands on licences, too
    ],
)
def test_a_number_without_a_label_tells_the_kind(number: str, country: str | None, kind: DocumentType | None) -> None:
    """Cards of Aadhaar call themselves so in the script of the state, and in Latin letters India's government alone."""
    found = from_numbers([line("Government of India", 300, 40), line(number, 300, 500, 40)], country)
    assert found.type is kind


def test_where_someone_was_born_does_not_make_the_issuer() -> None:
    lines = [line("UNITED STATES OF AMERICA", 100, 20, 30), line("PERMANENT RESIDENT", 100, 60, 40),
             line("Country of Birth", 100, 300, 20), line("Bahamas", 100, 330, 30), line("x", 100, 500)]  # fmt: skip
    assert classify.from_print(lines).country == "US"


def test_a_title_is_more_exact_than_the_zones_letter_i() -> None:
    zone = classify.Classified("ES", DocumentType.NATIONAL_ID, 0.98)
    title = classify.Classified("ES", DocumentType.RESIDENT_PERMIT, 0.8)
    assert classify.combine(zone, title).type is DocumentType.RESIDENT_PERMIT
    assert classify.combine(classify.Classified("ES", DocumentType.PASSPORT, 0.98), title).type is DocumentType.PASSPORT


def test_a_title_is_believed_over_the_letter_i_though_the_page_names_its_country_in_other_letters() -> None:
    zone = classify.Classified("GE", DocumentType.NATIONAL_ID, 0.98)
    page = classify.from_print([line("RESIDENCE PERMIT", 100, 60, 30), line("x", 100, 500)])
    assert page.country is None
    both = classify.combine(zone, page)
    assert (both.country, both.type) == ("GE", DocumentType.RESIDENT_PERMIT)
    assert both.confidence > 0.6


def test_the_russian_internal_passport_is_told_by_its_form() -> None:
    upright = TextLine("620940", 0.99, np.array([[900, 100], [930, 100], [930, 300], [900, 300]], np.float32))
    for word in ("KEH.", "MYXK.", "МУЖ.", "ЖЕН."):
        assert classify.from_layout([upright, line(word, 100, 100)]).country == "RU"
    assert classify.from_layout([upright]).country is None


@pytest.mark.slow
def test_each_value_is_outlined_where_it_stands_on_the_flat_page() -> None:
    reading = read_document(photographed(documents.passport().front), None, date(2026, 11, 15))
    page, front = reading.front_rectified, reading.evidence.front
    assert page is not None
    assert front is not None
    names = (FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DOCUMENT_NUMBER)
    for name in names:
        in_print, in_zone = front.places[name]
        assert in_zone[0][1] > 0.8 > in_print[3][1], "the zone stands at the foot of the page"
        for outline in (in_print, in_zone):
            quad = np.array(outline, np.float32) * np.array([page.shape[1], page.shape[0]], np.float32)
            (word,) = recognise([crop_line(page, quad)])
            assert fold(reading.evidence.fields[name].value) in fold(word.text), (name, word.text)
    assert len(front.places[FieldName.DATE_OF_BIRTH]) == 2
    assert len(front.places[FieldName.GENDER]) == 1


@pytest.mark.parametrize(
    ("state", "title", "country"),
    [
        ("RÉPUBLIQUE ALGÉRIENNE DÉMOCRATIQUE ET POPULAIRE", "CARTE NATIONALE D'IDENTITÉ", "DZ"),
        ("REPUBLIQUE GABONAISE", "CARTE NATIONALE D'IDENTITE", "GA"),
        ("REPUBLIQUE DEMOCRATIQUE DU CONGO", "CARTE NATIONALE D'IDENTITE", "CD"),
        ("REPUBLIQUE DU CONGO", "CARTE NATIONALE D'IDENTITE", "CG"),
        ("REPÚBLICA DE CUBA", "CARNÉ DE IDENTIDAD", "CU"),
        ("DEMOCRATIC PEOPLE'S REPUBLIC OF KOREA", "IDENTITY CARD", "KP"),
        ("REPUBLIC OF KOREA", "IDENTITY CARD", "KR"),
        ("FEDERAL REPUBLIC OF NIGERIA", "NATIONAL IDENTITY CARD", "NG"),
        ("RÉPUBLIQUE FRANÇAISE", "CARTE NATIONALE D'IDENTITÉ", "FR"),
    ],
)
def test_a_state_without_a_file_is_told_by_what_it_calls_itself(state: str, title: str, country: str) -> None:
    # France's card alone was known by such a title: an Algerian one was taken for it.
    lines = [line(state, 300, 20, 30), line(title, 300, 60, 28), line("Nom", 300, 120), line("BENALI", 300, 150, 27)]
    found = classify.from_print(lines)
    assert (found.country, found.type) == (country, DocumentType.NATIONAL_ID)


def test_a_state_that_names_itself_by_a_language_is_a_country_and_no_other_ones_file_says_the_same() -> None:
    issuers = {fold(issuer): code for code, country in countries().items() for issuer in country.issuers}
    assert states()
    assert set(states().values()) <= set(COUNTRIES)
    assert not {name for name, code in states().items() if issuers.get(name, code) != code}
