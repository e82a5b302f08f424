"""Photographed documents are found, judged and read."""

from datetime import date

import cv2
import numpy as np
import pytest

from truename.rules.evidence import DocumentType, FieldName, QualityReason, Source
from truename.sandbox.drawing import documents as drawn
from truename.sandbox.drawing import mrz_lines
from truename.sandbox.drawing.photography import Quad
from truename.vision.captures import Side
from truename.vision.document.page.locate import find_page, locate
from truename.vision.document.page.quality import measure_quality
from truename.vision.document.preview import preview_document
from truename.vision.document.print.read import characters, crop_line, detect_lines, read_text, recognise
from truename.vision.document.read import DocumentReading, read_document

TODAY = date(2026, 11, 15)


def overlap(one: Quad, other: Quad) -> float:
    common = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))[0]
    return float(common / (cv2.contourArea(one) + cv2.contourArea(other) - common))


@pytest.mark.parametrize(
    ("rotation", "background"),
    [
        (200, "cloth"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((290, "clutter"), (15, "dark"), (170, "white"))),
    ],
)
def test_a_document_is_found_and_turned_upright_on_any_table(rotation: float, background: str) -> None:
    card = drawn.id_card(country="PL")
    photo, truth = drawn.photograph(card.front, seed=7, rotation=rotation, background=background, perspective=0.5)
    page = find_page(photo)
    assert page is not None
    assert overlap(page.located.quad, truth) > 0.95
    assert int(np.linalg.norm(page.located.quad[0] - truth, axis=1).argmin()) == 0


def test_an_empty_table_holds_no_document() -> None:
    assert locate(np.full((900, 1200, 3), 128, np.uint8)) is None


def test_a_scan_that_shows_nothing_but_the_page_is_taken_whole() -> None:
    page = drawn.passport(country="TR").front
    found = locate(page)
    assert found is not None
    height, width = page.shape[:2]
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    assert overlap(found.quad, frame) > 0.9


@pytest.mark.slow
def test_printed_lines_are_read_with_accents_and_places() -> None:
    page = drawn.id_card(country="FR").front
    texts = {line.text.replace(" ", ""): line for line in read_text(page)}
    assert "RÉPUBLIQUEFRANÇAISE" in texts
    name = texts["MUSTERMANN"]
    assert 330 < name.left < 380
    assert 120 < name.top < 180


@pytest.mark.slow
def test_the_readers_probabilities_are_open_to_other_decoders() -> None:
    page = drawn.passport(country="TR").front
    quads = detect_lines(page)
    widest = max(quads, key=lambda quad: float(np.linalg.norm(quad[1] - quad[0])))
    (found,) = recognise([crop_line(page, widest)], keep_probabilities=True)
    assert found.probabilities is not None
    assert found.probabilities.shape[1] == len(characters())
    assert "<<" in found.text


# ── quality and the quick look ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"blur": 4.0}, QualityReason.BLURRED),
        pytest.param({"glare": 0.6}, QualityReason.GLARE, marks=pytest.mark.slow),
        pytest.param({"light": 0.2}, QualityReason.TOO_DARK, marks=pytest.mark.slow),
        pytest.param({"fill": 0.24}, QualityReason.TOO_SMALL, marks=pytest.mark.slow),
    ],
)
def test_what_is_wrong_with_a_photo_is_said(how: dict[str, float], reason: QualityReason) -> None:
    photo, _ = drawn.photograph(drawn.id_card(country="DE").front, seed=1, **how)  # type: ignore[arg-type]
    look = preview_document(photo)
    assert reason in look.reasons
    assert not look.usable


@pytest.mark.slow
def test_a_good_photo_is_usable_and_its_guess_asks_for_the_back() -> None:
    photo, truth = drawn.photograph(drawn.id_card(country="DE").front, seed=1, rotation=90)
    look = preview_document(photo, Side.FRONT)
    assert look.usable
    assert look.reasons == ()
    assert (look.country_guess, look.type_guess) == ("DE", DocumentType.NATIONAL_ID)
    assert look.back_needed
    corners = np.array(look.quad, np.float32) * np.array([photo.shape[1], photo.shape[0]], np.float32)
    assert overlap(corners, truth) > 0.95


@pytest.mark.slow
def test_a_passport_needs_no_back() -> None:
    photo, _ = drawn.photograph(drawn.passport(country="PL").front, seed=2)
    look = preview_document(photo)
    assert look.usable
    assert look.type_guess is DocumentType.PASSPORT
    assert not look.back_needed


@pytest.mark.slow
def test_the_wrong_side_is_noticed_both_ways() -> None:
    card = drawn.id_card(country="DE")
    assert card.back is not None
    front, back = drawn.photograph(card.front, seed=3)[0], drawn.photograph(card.back, seed=4)[0]
    assert QualityReason.WRONG_SIDE in preview_document(back, Side.FRONT).reasons
    assert QualityReason.WRONG_SIDE in preview_document(front, Side.BACK).reasons
    assert preview_document(back, Side.BACK).usable


def test_no_document_is_said_and_never_usable() -> None:
    look = preview_document(np.full((900, 1200, 3), 128, np.uint8))
    assert look.reasons == (QualityReason.NO_DOCUMENT,)
    assert not look.usable


def test_a_colourless_copy_is_hinted_at_on_a_front_only() -> None:
    photo, _ = drawn.photograph(drawn.id_card(country="DE").front, seed=1, background="dark")
    grey = np.repeat(cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY)[..., None], 3, 2).astype(np.uint8)
    page = find_page(grey)
    assert QualityReason.PHOTOCOPY in measure_quality(grey, page).reasons
    assert QualityReason.PHOTOCOPY not in measure_quality(grey, page, expects_colour=False).reasons


def test_a_document_that_runs_out_of_the_picture_is_cropped() -> None:
    photo, truth = drawn.photograph(drawn.passport(country="DE").front, seed=5, perspective=0.0, fill=0.9)
    cut = np.ascontiguousarray(photo[:, : int(truth[:, 0].max() - 0.22 * np.ptp(truth[:, 0]))])
    page = find_page(cut)
    assert page is not None
    assert QualityReason.CROPPED in measure_quality(cut, page).reasons


def test_stripes_of_a_screen_are_hinted_at() -> None:
    photo, _ = drawn.photograph(drawn.id_card(country="DE").front, seed=1)
    y, x = np.mgrid[0 : photo.shape[0], 0 : photo.shape[1]].astype(np.float32)
    third = 2 * np.pi / 3
    stripes = [8 * np.sin(1.3 * x + 0.45 * y + colour * third) for colour in range(3)]
    screen = np.clip(photo + np.stack(stripes, axis=2), 0, 255).astype(np.uint8)
    assert QualityReason.SCREEN in measure_quality(screen, find_page(screen)).reasons
    assert QualityReason.SCREEN not in measure_quality(photo, find_page(photo)).reasons


# ── reading ────────────────────────────────────────────────────────────────────────────────────────────────


def read(document: drawn.SyntheticDocument, seed: int, rotation: float = 0.0, back: bool = True) -> DocumentReading:
    front = drawn.photograph(document.front, seed=seed, rotation=rotation)[0]
    other = (
        drawn.photograph(document.back, seed=seed + 9, rotation=180)[0] if back and document.back is not None else None
    )
    return read_document(front, other, TODAY)


def assert_read(reading: DocumentReading, document: drawn.SyntheticDocument) -> None:
    evidence = reading.evidence
    assert evidence.recognised
    assert (evidence.country, evidence.type) == (document.country, document.type)
    assert {name: evidence.value(name) for name in document.fields} == document.fields
    assert evidence.has_portrait
    assert reading.portrait is not None
    assert reading.front_rectified is not None


def test_a_passport_is_read_by_zone_and_print_together() -> None:
    document = drawn.passport(country="TR")
    reading = read(document, seed=1, rotation=180)
    assert_read(reading, document)
    assert reading.evidence.mrz is not None
    assert reading.evidence.mrz.lines == document.mrz
    assert reading.evidence.mrz.valid
    number = reading.evidence.fields[FieldName.DOCUMENT_NUMBER]
    assert number.source is Source.MRZ
    assert number.others == ()
    assert reading.evidence.fields[FieldName.DATE_OF_ISSUE].source is Source.VISUAL


@pytest.mark.slow
def test_a_card_is_read_from_both_sides() -> None:
    document = drawn.id_card(country="NL")
    assert_read(read(document, seed=2, rotation=90), document)


@pytest.mark.slow
def test_a_residence_permit_is_told_from_an_identity_card() -> None:
    document = drawn.id_card(country="FR", residence=True)
    assert_read(read(document, seed=3), document)


@pytest.mark.slow
def test_a_card_with_two_long_lines_on_its_front_is_read() -> None:
    document = drawn.td2_card()
    assert_read(read(document, seed=4), document)


@pytest.mark.slow
def test_a_european_licence_is_read_by_its_numbers() -> None:
    document = drawn.eu_driver_licence(country="IT")
    assert_read(read(document, seed=5), document)


@pytest.mark.slow
def test_an_american_licence_is_read_by_its_barcode() -> None:
    document = drawn.us_driver_licence()
    reading = read(document, seed=6)
    assert_read(reading, document)
    assert reading.evidence.barcode_kind == "AAMVA"
    assert reading.evidence.fields[FieldName.DOCUMENT_NUMBER].source is Source.BARCODE


@pytest.mark.slow
def test_a_licence_whose_back_is_missing_asks_for_it() -> None:
    reading = read(drawn.us_driver_licence(), seed=6, back=False)
    assert reading.evidence.front is not None
    assert QualityReason.BACK_NEEDED in reading.evidence.front.quality.reasons
    assert reading.evidence.back is None


@pytest.mark.slow
def test_the_argentine_card_is_read_by_barcode_zone_and_print() -> None:
    document = drawn.argentine_dni()
    reading = read(document, seed=8)
    assert_read(reading, document)
    assert reading.evidence.barcode_kind == "ARGENTINA_DNI"


@pytest.mark.slow
def test_a_permit_without_zone_or_barcode_is_read_by_its_labels() -> None:
    document = drawn.temporary_permit()
    assert_read(read(document, seed=9), document)


@pytest.mark.slow
def test_the_internal_passport_of_russia_is_read_by_its_coded_zone() -> None:
    lines = mrz_lines.russian_internal(
        "W2GOLEVA", "7LI8 SERGEEVNA", "4511123456", date(1985, 7, 12), "F", date(2012, 8, 15)
    )
    sheet = drawn.Sheet(drawn.PASSPORT_PAGE, 3)
    sheet.portrait((50, 180, 420, 660))
    sheet.mrz(lines)
    evidence = read_document(drawn.photograph(sheet.picture(), seed=3)[0], None, TODAY).evidence
    assert (evidence.country, evidence.type) == ("RU", DocumentType.NATIONAL_ID)
    assert evidence.mrz is not None
    assert (evidence.mrz.lines, evidence.mrz.valid) == (lines, True)
    assert evidence.value(FieldName.SURNAMES) == "ЩЁГОЛЕВА"
    assert evidence.value(FieldName.GIVEN_NAMES) == "ЮЛИЯ СЕРГЕЕВНА"
    assert evidence.value(FieldName.DOCUMENT_NUMBER) == "4511123456"
    assert evidence.value(FieldName.DATE_OF_ISSUE) == "2012-08-15"
    assert evidence.value(FieldName.DATE_OF_EXPIRY) == "9999-12-31"


@pytest.mark.slow
@pytest.mark.parametrize(("issuer", "expiry"), [("ESP", "9999-12-31"), ("D", "1999-01-01")])
def test_a_zone_without_end_is_believed_only_of_kinds_that_may_have_none(issuer: str, expiry: str) -> None:
    lines = mrz_lines.td1(
        issuer, "PRUEBA", "ANA", "AAA000000", issuer, date(1950, 1, 2), "F", date(1999, 1, 1), "12345678Z", code="ID"
    )
    sheet = drawn.Sheet(drawn.CARD, 4)
    sheet.mrz(lines)
    evidence = read_document(drawn.photograph(sheet.picture(), seed=4)[0], None, TODAY).evidence
    assert evidence.value(FieldName.DATE_OF_EXPIRY) == expiry
    assert evidence.value(FieldName.PERSONAL_NUMBER) == "12345678Z"


@pytest.mark.slow
def test_print_that_contradicts_the_zone_is_kept_as_evidence() -> None:
    document = drawn.passport(drawn.Person(surnames="LINDQVIST"), country="GB")
    forged = drawn.passport(drawn.Person(surnames="BERGSTROM"), country="GB").front.copy()
    forged[-260:] = document.front[-260:]
    reading = read_document(drawn.photograph(forged, seed=2)[0], None, TODAY)
    surname = reading.evidence.fields[FieldName.SURNAMES]
    assert surname.value == "LINDQVIST"
    assert [other.value for other in surname.others] == ["BERGSTROM"]


def test_nothing_readable_is_said_so() -> None:
    reading = read_document(np.full((900, 1200, 3), 128, np.uint8), None, TODAY)
    assert (reading.evidence.recognised, reading.evidence.reason) == (False, "NO_DOCUMENT")
    assert reading.portrait is None


@pytest.mark.slow
def test_an_unknown_paper_stays_unknown() -> None:
    sheet = drawn.Sheet(drawn.CARD, 3)
    sheet.text((60, 80), "LIBRARY MEMBER", 50, bold=True)
    sheet.text((60, 200), "Somewhere public library", 40)
    reading = read_document(drawn.photograph(sheet.picture(), seed=3)[0], None, TODAY)
    assert (reading.evidence.recognised, reading.evidence.reason) == (False, "UNKNOWN_LAYOUT")
    assert reading.evidence.type is None
