"""Barcodes: the bytes, and what AAMVA, Argentine and Colombian payloads mean."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing import documents as drawn
from truename.vision.document.barcode import content as barcode_bytes
from truename.vision.document.barcode.aamva import parse_aamva
from truename.vision.document.barcode.payloads import understand
from truename.vision.document.barcode.read import read_barcode
from truename.vision.document.mrz.read import read_mrz
from truename.vision.document.page.locate import find_page
from truename.vision.document.side import may_bear_barcode

PERSON = drawn.Person("O'NEIL", "JAMIE LEE", "F", date(1990, 4, 7), "")


@pytest.mark.parametrize("version", range(1, 11))
def test_a_licence_of_every_version_of_the_standard_is_understood(version: int) -> None:
    payload = drawn.aamva_payload(PERSON, "T12345678", date(2022, 5, 2), date(2030, 4, 7), version)
    card = parse_aamva(payload)
    assert card is not None
    assert (card.country, card.version, card.type) == ("US", version, DocumentType.DRIVER_LICENSE)
    assert card.fields == {
        FieldName.SURNAMES: "O'NEIL",
        FieldName.GIVEN_NAMES: "JAMIE LEE",
        FieldName.GENDER: "F",
        FieldName.DOCUMENT_NUMBER: "T12345678",
        FieldName.DATE_OF_BIRTH: "1990-04-07",
        FieldName.DATE_OF_ISSUE: "2022-05-02",
        FieldName.DATE_OF_EXPIRY: "2030-04-07",
        FieldName.ADDRESS: "123 MAIN STREET, RICHMOND, VA, 23218",
    }


def _card(*elements: str, kind: str = "DL", issuer: str = "636000", version: str = "08") -> bytes:
    body = kind + "\n".join(elements) + "\r"
    return f"@\n\x1e\rANSI {issuer}{version}0001{kind}00310100{body}".encode("latin-1")


def test_canada_writes_the_year_first() -> None:
    card = parse_aamva(_card("DAQA1", "DCSROY", "DBB19900407", "DCGCAN", issuer="636012"))
    assert card is not None
    assert card.country == "CA"
    assert card.fields[FieldName.DATE_OF_BIRTH] == "1990-04-07"


def test_a_province_or_its_issuer_number_says_canada_where_the_card_does_not() -> None:
    by_province, by_issuer = parse_aamva(_card("DAQA1", "DAJON")), parse_aamva(_card("DAQA1", issuer="604428"))
    assert by_province is not None
    assert by_issuer is not None
    assert (by_province.country, by_issuer.country) == ("CA", "CA")


def test_an_identity_card_of_a_state_is_no_licence() -> None:
    card = parse_aamva(_card("DAQA1", "DCSROY", kind="ID"))
    assert card is not None
    assert card.type is DocumentType.NATIONAL_ID


def test_a_date_that_only_fits_the_other_order_is_read_so_and_nonsense_is_left_out() -> None:
    card = parse_aamva(_card("DAQA1", "DBB19901231", "DBA99999999", "DACNONE", "DBC7"))
    assert card is not None
    assert card.fields == {FieldName.DOCUMENT_NUMBER: "A1", FieldName.DATE_OF_BIRTH: "1990-12-31"}


@pytest.mark.parametrize(
    ("elements", "names"),
    [
        (("DAASMITH,JOHN,QUINCY",), ("SMITH", "JOHN QUINCY")),
        (("DAASMITH JOHN QUINCY",), ("SMITH", "JOHN QUINCY")),
        (("DCSSMITH", "DCTJOHN QUINCY"), ("SMITH", "JOHN QUINCY")),
        (("DCSSMITH,JOHN,QUINCY",), ("SMITH", "JOHN QUINCY")),
        (("DCSSMITH", "DACJOHN", "DADQUINCY"), ("SMITH", "JOHN QUINCY")),
    ],
)
def test_names_are_found_wherever_a_version_puts_them(elements: tuple[str, ...], names: tuple[str, str]) -> None:
    card = parse_aamva(_card("DAQA1", *elements))
    assert card is not None
    assert (card.fields[FieldName.SURNAMES], card.fields[FieldName.GIVEN_NAMES]) == names


@given(st.binary(max_size=300))
def test_no_payload_breaks_the_parsers(payload: bytes) -> None:
    understand(payload)
    understand(b"@\n\x1e\rANSI 636000080001DL" + payload)


def test_new_and_old_argentine_cards_say_the_same() -> None:
    new = understand(b"00100200300@GOMEZ@MARTA ALICIA@F@27000000@B@23/11/1979@03/06/2019@201")
    old = understand(
        b"@27000000    @A@1@GOMEZ@MARTA ALICIA@ARGENTINA@23/11/1979@F@03/06/2019@00100200300@7@03/06/2034@201"
    )
    assert new is not None
    assert old is not None
    assert new.kind == old.kind == "ARGENTINA_DNI"
    assert new.fields.items() <= old.fields.items()
    assert old.fields[FieldName.DATE_OF_EXPIRY] == "2034-06-03"


def test_something_else_between_at_signs_is_no_argentine_card() -> None:
    assert understand(b"a@b@c@d@e@f@g@h@i") is None


def test_the_colombian_card_is_read_at_fixed_places() -> None:
    record = bytearray(b"\x00" * 530)
    places = {24: b"PubDSK_1", 48: b"0012345678", 58: b"QUISPE", 81: b"ROJAS", 104: b"JUAN", 127: b"CARLOS"}
    for place, text in {**places, 151: b"M19940205"}.items():
        record[place : place + len(text)] = text
    found = understand(bytes(record))
    assert found is not None
    assert (found.country, found.type) == ("CO", DocumentType.NATIONAL_ID)
    assert found.fields == {
        FieldName.DOCUMENT_NUMBER: "12345678",
        FieldName.SURNAMES: "QUISPE ROJAS",
        FieldName.GIVEN_NAMES: "JUAN CARLOS",
        FieldName.GENDER: "M",
        FieldName.DATE_OF_BIRTH: "1994-02-05",
    }


def test_declared_character_sets_come_out_as_utf_8_and_plain_bytes_stay_as_they_are() -> None:
    assert barcode_bytes.join(["5D4C32" + b"A\x1e\xe9".hex()]) == b"A\x1e\xe9"
    assert barcode_bytes.join(["5D4C31" + rb"\000003A".hex() + rb"\000026".hex() + "é".encode().hex()]) == "Aé".encode()


def test_symbols_that_continue_each_other_carry_the_character_set_on() -> None:
    first = "5D4C31" + rb"\000003US:".hex() + rb"\000017DE:".hex()
    second = "5D4C32" + b"\xa4".hex()
    assert barcode_bytes.join([first, second]) == "US:DE:€".encode()


def test_the_barcode_of_a_photographed_licence_is_read_to_the_byte() -> None:
    licence = drawn.us_driver_licence()
    assert licence.back is not None
    photo, _ = drawn.photograph(licence.back, seed=4, rotation=100, perspective=0.5)
    page = find_page(photo)
    assert page is not None
    found = read_barcode(page.picture)
    assert found is not None
    assert found.payload == licence.barcode
    assert parse_aamva(found.payload) is not None


def test_a_small_soft_code_is_read_by_climbing_the_ladder() -> None:
    import cv2

    licence = drawn.us_driver_licence()
    assert licence.back is not None
    soft = cv2.GaussianBlur(cv2.resize(licence.back, None, fx=0.55, fy=0.55, interpolation=cv2.INTER_AREA), (0, 0), 0.9)
    found = read_barcode(np.asarray(soft, np.uint8))
    assert found is not None
    assert found.payload == licence.barcode


def test_a_page_without_a_code_gives_none() -> None:
    page = np.full((300, 400, 3), 200, np.uint8)
    assert read_barcode(page) is None
    assert read_barcode(page, persistent=False) is None


def test_a_zone_that_was_read_does_not_hide_the_code_beside_it() -> None:
    licence = drawn.us_driver_licence()
    assert licence.back is not None
    height, width = licence.back.shape[:2]
    foot = np.array([[0, 0.95 * height], [width, 0.95 * height], [width, height], [0, height]], np.float32)
    found = read_barcode(licence.back, persistent=False, zone=foot)
    assert found is not None
    assert found.payload == licence.barcode


@pytest.mark.parametrize(("kind", "may"), [("DE", False), ("AR", True)])
def test_no_barcode_is_looked_for_beside_a_zone_whose_issuer_has_none_that_we_understand(kind: str, may: bool) -> None:
    back = (drawn.argentine_dni() if kind == "AR" else drawn.id_card(country="DE")).back
    assert back is not None
    zone = read_mrz(back)
    assert zone is not None
    assert zone.reading.readers_agree
    assert may_bear_barcode(zone) is may
    assert may_bear_barcode(None)
