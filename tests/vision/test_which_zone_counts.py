"""Of zones on both sides: which counts, and what the other says of the holder."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.evidence import DocumentField, DocumentType, FieldName, MrzReading, Quality, Source
from truename.sandbox.drawing import mrz_lines
from truename.vision.captures import Side
from truename.vision.document.classify import Classified
from truename.vision.document.mrz.fields import parse
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.page.locate import Located, Page
from truename.vision.document.page.portrait import Portrait
from truename.vision.document.print.date_forms import ANY_FORM
from truename.vision.document.side import SideReading
from truename.vision.document.sides import main_side, of_another_zone, page_of_holder, side_of_zone
from truename.vision.face.detect import Face

TODAY, BORN, ENDS = date(2026, 11, 15), date(1985, 8, 12), date(2031, 3, 9)
PASSPORT = mrz_lines.td3("D", "MUSTERMANN", "ERIKA", "C25868422", "D", BORN, "F", ENDS)
OTHERS = mrz_lines.td3("TUR", "SCHNEIDER", "ANNA LENA", "C70111173", "TUR", date(1991, 12, 24), "F", ENDS)
VISA = mrz_lines.mrv("D", "SCHNEIDER", "ANNA LENA", "C70111173", "TUR", date(1991, 12, 24), "F", ENDS, 44)
CARD = mrz_lines.td1("D", "SCHNEIDER", "ANNA LENA", "L70111173", "D", date(1991, 12, 24), "F", ENDS)


def side(lines: tuple[str, ...], confidence: float = 0.9, valid: bool = True) -> SideReading:
    mrz = parse(lines)
    assert mrz is not None
    assert mrz.valid
    reading = MrzReading(
        format=mrz.format, lines=lines, check_digits=mrz.check_digits, valid=valid, readers_agree=True,
        confidence=confidence,
    )  # fmt: skip
    photo, corners = np.zeros((60, 90, 3), np.uint8), np.zeros((4, 2), np.float32)
    return SideReading(photo, None, Quality(), mrz=MrzRead(reading, mrz, corners, 0.9, 0.1, 0.1))


BLANK = replace(side(PASSPORT), mrz=None)


@pytest.mark.parametrize(
    ("front", "back", "counts"),
    [
        (side(PASSPORT, 0.7), side(OTHERS, 0.99), Side.FRONT),
        (side(PASSPORT, 0.9, valid=False), side(OTHERS, 0.6), Side.BACK),
        (side(PASSPORT, 0.5, valid=False), side(OTHERS, 0.6, valid=False), Side.BACK),
        (BLANK, side(CARD), Side.BACK),
        (BLANK, BLANK, None),
    ],
)
def test_the_valid_zone_of_the_front_counts_else_the_surest(
    front: SideReading, back: SideReading, counts: Side | None
) -> None:
    assert side_of_zone({Side.FRONT: front, Side.BACK: back}) is counts


@pytest.mark.parametrize(
    ("back", "said"),
    [
        (side(OTHERS), "SCHNEIDER"),
        (side(CARD), "SCHNEIDER"),
        (side(OTHERS, valid=False), None),
        (side(VISA), None),
        (BLANK, None),
    ],
)
def test_another_zone_tells_of_its_holder_where_it_is_valid_and_no_visas(back: SideReading, said: str | None) -> None:
    told = of_another_zone({Side.FRONT: side(PASSPORT), Side.BACK: back}, Side.FRONT, TODAY)
    surname = told.get(FieldName.SURNAMES)
    assert (surname.value if surname else None) == said
    assert FieldName.DOCUMENT_NUMBER not in told
    assert FieldName.DATE_OF_EXPIRY not in told, "a person may hold two documents"


@pytest.mark.parametrize(
    ("back", "country", "kind", "page"),
    [
        (side(OTHERS), "TR", DocumentType.PASSPORT, Side.BACK),
        (side(OTHERS, valid=False), "TR", DocumentType.PASSPORT, Side.FRONT),
        (side(CARD), "DE", DocumentType.NATIONAL_ID, Side.FRONT),
        (side(CARD), None, None, Side.FRONT),
    ],
)
def test_a_passports_page_is_that_of_its_zone_and_a_cards_the_front(
    back: SideReading, country: str | None, kind: DocumentType | None, page: Side
) -> None:
    sides = {Side.FRONT: BLANK, Side.BACK: back}
    assert main_side(sides, Side.BACK, Classified(country, kind, 0.98)) is page


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ({FieldName.DATE_OF_BIRTH: "1985-08-12"}, True),
        ({FieldName.GENDER: "F", FieldName.NATIONALITY: "DE", FieldName.ADDRESS: "HAUPTSTRASSE 1"}, False),
        ({}, False),
    ],
)
def test_only_names_numbers_and_dates_are_missed_beside_a_portrait(told: dict[FieldName, str], counted: bool) -> None:
    face = Portrait(np.zeros((9, 9, 3), np.uint8), Face((1.0, 1.0, 5.0, 5.0), np.zeros((5, 2), np.float32), 0.9))
    page = Page(np.full((60, 90, 3), 200, np.uint8), Located(np.zeros((4, 2), np.float32), 1.0, "corners"))
    front, back = replace(BLANK, portrait=face, signs={AuthenticitySign.PHOTOCOPY: 9.0}), replace(BLANK, page=page)
    sides = {Side.FRONT: front, Side.BACK: back}
    stated = {name: DocumentField(value=value, source=Source.MRZ, confidence=0.97) for name, value in told.items()}
    portrait, signs = page_of_holder(sides, None, Classified("DE", DocumentType.NATIONAL_ID, 0.9), stated, ANY_FORM)
    assert (AuthenticitySign.SIDES_DO_NOT_MATCH in signs) is counted
    assert (portrait is None) is counted
