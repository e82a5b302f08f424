"""Two photographs of two documents: whose portrait, whose zone, and what says that they do not belong together."""

from collections.abc import Callable
from datetime import date

import numpy as np
import pytest

from truename.rules.authenticity_signs import AuthenticitySign, speaking
from truename.rules.contradictions import contradiction
from truename.rules.evidence import DocumentEvidence, DocumentField, DocumentType, FieldName, Quality, ReadValue, Source
from truename.sandbox.drawing import documents as drawn
from truename.sandbox.drawing.from_layout import can_draw, draw
from truename.sandbox.drawing.sheet import Sheet
from truename.sandbox.drawing.subjects import Issue, Person, Portrait, SyntheticDocument
from truename.vision.captures import Picture
from truename.vision.document.classify import Classified
from truename.vision.document.layouts.load import countries
from truename.vision.document.print.date_forms import ANY_FORM
from truename.vision.document.print.read import TextLine
from truename.vision.document.read import read_document
from truename.vision.document.reconcile import reconcile
from truename.vision.document.side import SideReading
from truename.vision.document.sides import names_another, names_the_same

TODAY = date(2026, 11, 15)
OTHER = Person("SCHNEIDER", "ANNA LENA", "F", date(1991, 12, 24), "ULM")
NO_MATCH = AuthenticitySign.SIDES_DO_NOT_MATCH


def read(front: Picture, back: Picture | None) -> DocumentEvidence:
    behind = None if back is None else drawn.photograph(back, seed=11)[0]
    return read_document(drawn.photograph(front, seed=2)[0], behind, TODAY).evidence


def signs(found: DocumentEvidence) -> list[AuthenticitySign]:
    return list(speaking(found.authenticity or {}))


def portrait_alone(card: SyntheticDocument) -> Picture:
    """The card without anything but its portrait."""
    picture = np.full_like(card.front, 228)
    height, width = picture.shape[:2]
    part = slice(int(0.12 * height), int(0.95 * height)), slice(0, int(0.36 * width))
    picture[part] = card.front[part]
    return picture


@pytest.mark.slow
@pytest.mark.parametrize(("portrait", "has_one"), [(Portrait.OWN, True), (Portrait.NONE, False)])
def test_behind_an_own_card_a_passport_keeps_its_own_portrait(portrait: Portrait, has_one: bool) -> None:
    passport = drawn.passport(OTHER, seed=4, issue=Issue(portrait=portrait))
    found = read(drawn.id_card(country="NL").front, passport.front)
    assert found.type is DocumentType.PASSPORT
    assert {name: found.value(name) for name in passport.fields} == passport.fields
    assert found.has_portrait is has_one, "the portrait of the card is that of somebody else"


@pytest.mark.slow
def test_a_copy_of_a_passport_is_noticed_also_where_it_was_captured_as_the_back() -> None:
    grey = drawn.photograph(drawn.passport(OTHER).front, seed=11)[0].mean(axis=2, keepdims=True).astype(np.uint8)
    front = drawn.photograph(drawn.id_card().front)[0]
    found = read_document(front, np.repeat(grey, 3, axis=2), TODAY).evidence
    assert AuthenticitySign.PHOTOCOPY in signs(found)


@pytest.mark.slow
def test_of_two_passports_the_front_counts_and_the_other_contradicts() -> None:
    own = drawn.passport()
    found = read(own.front, drawn.passport(OTHER, seed=4).front)
    assert {name: found.value(name) for name in own.fields} == own.fields
    assert [one.value for one in found.fields[FieldName.SURNAMES].others] == ["SCHNEIDER"]
    assert AuthenticitySign.SOURCES_CONTRADICT in signs(found)


def back_of_card() -> Picture | None:
    return drawn.id_card(OTHER).back


def printed_licence() -> Picture | None:
    return drawn.eu_driver_licence(OTHER).front


@pytest.mark.slow
@pytest.mark.parametrize("page_of_other", [back_of_card, printed_licence])
def test_a_bare_portrait_before_a_page_of_somebody_elses_is_nobodys(
    page_of_other: Callable[[], Picture | None],
) -> None:
    found = read(portrait_alone(drawn.id_card()), page_of_other())
    assert found.value(FieldName.SURNAMES) == "SCHNEIDER"
    assert signs(found) == [NO_MATCH]
    assert not found.has_portrait


@pytest.mark.slow
def test_a_zone_that_is_none_below_a_bare_portrait_changes_nothing() -> None:
    page = Sheet((1500, 1056), seed=1)
    page.portrait((50, 180, 420, 660))
    page.mrz(("P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<", "C258684221D<<8508122F3103094<<<<<<<<<<<<<<<9"))
    found = read(page.picture(), drawn.id_card(OTHER).back)
    assert found.value(FieldName.SURNAMES) == "SCHNEIDER"
    assert NO_MATCH in signs(found)
    assert not found.has_portrait


@pytest.mark.slow
def test_an_own_card_before_the_barcode_of_another_document_gives_it_no_portrait() -> None:
    found = read(drawn.id_card(country="NL").front, drawn.us_driver_licence(OTHER, seed=5).back)
    assert found.barcode_kind == "AAMVA"
    assert signs(found) == [AuthenticitySign.SOURCES_CONTRADICT, NO_MATCH]
    assert not found.has_portrait


@pytest.mark.slow
def test_an_own_licence_before_the_barcode_of_anothers_contradicts() -> None:
    found = read(drawn.us_driver_licence().front, drawn.us_driver_licence(OTHER, seed=5).back)
    assert found.value(FieldName.SURNAMES) == "SCHNEIDER"
    assert signs(found) == [AuthenticitySign.SOURCES_CONTRADICT]
    assert not found.has_portrait


@pytest.mark.slow
def test_an_own_card_before_the_back_of_anothers_of_the_same_country_gives_it_no_portrait() -> None:
    found = read(drawn.id_card().front, drawn.id_card(OTHER, seed=5).back)
    assert found.value(FieldName.SURNAMES) == "SCHNEIDER"
    assert AuthenticitySign.SOURCES_CONTRADICT in signs(found)
    assert not found.has_portrait


@pytest.mark.slow
@pytest.mark.parametrize("card", [drawn.id_card, drawn.us_driver_licence])
def test_the_front_of_one_card_says_what_its_back_says(card: Callable[[], SyntheticDocument]) -> None:
    document = card()
    found = read(document.front, document.back)
    assert signs(found) == []
    assert (found.authenticity or {})[NO_MATCH] >= 4
    assert found.has_portrait


@pytest.mark.slow
def test_a_front_that_cannot_be_read_for_the_values_of_its_back_keeps_its_portrait_where_it_names_the_country() -> None:
    card = drawn.id_card()
    front = card.front.copy()
    height, width = front.shape[:2]
    front[int(0.2 * height) :, int(0.36 * width) :] = 228
    found = read(front, card.back)
    assert NO_MATCH in signs(found)
    assert found.has_portrait


JORDAN = countries()["JO"].documents[0]


@pytest.mark.slow
@pytest.mark.skipif(not can_draw(JORDAN), reason="no library here sets what is written from right to left")
def test_a_front_names_its_country_in_its_own_script_too() -> None:
    own, other = (draw("JO", JORDAN, seed=seed) for seed in (301, 304))
    assert other.back is not None
    found = read(own.front, other.back)
    assert (found.authenticity or {})[NO_MATCH] == 0
    assert found.has_portrait


def side_that_says(*texts: str) -> SideReading:
    photo = np.zeros((600, 900, 3), np.uint8)
    quads = [np.array([[50, y], [600, y], [600, y + 40], [50, y + 40]], np.float32) for y in range(40, 560, 60)]
    lines = [TextLine(text, 0.95, quad) for text, quad in zip(texts, quads, strict=False)]
    return SideReading(photo, None, Quality(), lines, found=lines)


GERMAN_CARD = Classified("DE", DocumentType.NATIONAL_ID, 0.98)


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (("BUNDESREPUBLIK DEUTSCHLAND", "PERSONALAUSWEIS"), True),
        (("IDENTITY CARD",), True),
        (("KONINKRIJK DER NEDERLANDEN", "IDENTITEITSKAART"), False),
        (("MUSTERMANN", "ERIKA"), False),
        ((), False),
    ],
)
def test_a_side_names_its_document_by_country_or_without_one_by_kind(texts: tuple[str, ...], named: bool) -> None:
    assert names_the_same(side_that_says(*texts), GERMAN_CARD) is named


def stated_and_read(**values: tuple[str, str, float]) -> dict[FieldName, DocumentField]:
    """What a zone says of each field, and what print says instead, with how sure it was read."""
    return {
        FieldName(name): DocumentField(
            value=value,
            source=Source.MRZ,
            confidence=0.97,
            others=(ReadValue(value=instead, source=Source.VISUAL, confidence=sure),),
        )
        for name, (value, instead, sure) in values.items()
    }


OWN_NAME = ("SCHNEIDER", "MUSTERMANN", 0.8)
OWN_BIRTH = ("1991-12-24", "1985-08-12", 0.8)
OWN_END = ("2031-04-30", "2029-02-01", 0.8)
OWN_NUMBER = ("L01X00T47", "C01X06D82", 0.8)


@pytest.mark.parametrize(
    ("fields", "another"),
    [
        (stated_and_read(surnames=OWN_NAME, date_of_birth=OWN_BIRTH), True),
        (stated_and_read(surnames=OWN_NAME, date_of_expiry=OWN_END), True),
        (stated_and_read(given_names=("ANNA LENA", "ERIKA", 0.9), document_number=OWN_NUMBER), True),
        (
            stated_and_read(given_names=("ANNA LENA", "ERIKA", 0.9), document_number=("L01X00T47", "C01X06D83", 0.8)),
            False,
        ),
        (stated_and_read(surnames=OWN_NAME, given_names=("ANNA LENA", "ERIKA", 0.9)), False),
        (stated_and_read(surnames=OWN_NAME), False),
        (stated_and_read(surnames=OWN_NAME, date_of_birth=("1991-12-24", "1985-08-12", 0.79)), False),
        (stated_and_read(surnames=OWN_NAME, date_of_birth=("1991-12-24", "1985-08-13", 0.9)), False),
        ({}, False),
    ],
)
def test_a_side_names_another_holder_in_two_ways_that_it_says_for_sure(
    fields: dict[FieldName, DocumentField], another: bool
) -> None:
    """Names are one way; what no line of this side says was read on the other. A person may hold two cards."""
    front = side_that_says("BUNDESREPUBLIK DEUTSCHLAND", "MUSTERMANN", "ERIKA", "12.08.1985", "01.02.2029", "C01X06D82")
    assert names_another(front, fields, GERMAN_CARD, ANY_FORM) is another


def of_zone(value: str) -> ReadValue:
    return ReadValue(value=value, source=Source.MRZ, confidence=0.97)


@pytest.mark.parametrize(("second", "contradicts"), [("SCHNEIDER", 0.97), ("MUSTERMANN", 0.0), (None, 0.0)])
def test_a_second_zone_settles_nothing_and_contradicts(second: str | None, contradicts: float) -> None:
    name = FieldName.SURNAMES
    other = {} if second is None else {name: of_zone(second)}
    settled = reconcile({name: of_zone("MUSTERMANN")}, {}, {}, other_zone=other)
    assert settled[name].value == "MUSTERMANN"
    assert contradiction(name, settled[name]) == contradicts


def test_what_only_a_second_zone_says_is_not_stated() -> None:
    assert reconcile({}, {}, {}, other_zone={FieldName.SURNAMES: of_zone("SCHNEIDER")}) == {}
