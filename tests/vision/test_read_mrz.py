"""Zones read from drawn documents: flat, turned, photographed; and nothing read where there is none."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from tests.support.seen_pages import seen_from_the_side
from truename.rules.evidence import FieldName, MrzFormat
from truename.sandbox.drawing import documents
from truename.sandbox.drawing.documents import SyntheticDocument
from truename.sandbox.drawing.mrz_lines import td1
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.sheet import Sheet
from truename.vision.captures import Picture
from truename.vision.document.limits import CHOSEN
from truename.vision.document.mrz.layouts import ALPHABET
from truename.vision.document.mrz.read import MrzRead, read_mrz
from truename.vision.document.print.read import TextLine, detect_lines

TODAY = date(2026, 11, 15)


@pytest.fixture(scope="module")
def passport() -> SyntheticDocument:
    return documents.passport(seed=3)


@pytest.fixture(scope="module")
def read(passport: SyntheticDocument) -> MrzRead:
    """The zone of that page as it lies."""
    found = read_mrz(passport.front)
    assert found is not None
    return found


@pytest.mark.parametrize("turns", [0, 1, *(pytest.param(one, marks=pytest.mark.slow) for one in (2, 3))])
def test_a_flat_passport_is_read_exactly_in_any_orientation(passport: SyntheticDocument, turns: int) -> None:
    read = read_mrz(np.ascontiguousarray(np.rot90(passport.front, turns)))
    assert read is not None
    assert read.reading.lines == passport.mrz
    assert read.reading.valid
    assert read.reading.format is MrzFormat.TD3


def test_both_readers_agree_on_a_clean_page_and_that_gives_high_confidence(read: MrzRead) -> None:
    assert read.reading.readers_agree
    assert read.reading.confidence >= 0.95
    assert read.reading.repaired_fields == ()


def test_the_fields_come_out_as_evidence_wants_them(passport: SyntheticDocument, read: MrzRead) -> None:
    values = read.values(TODAY)
    for name in (FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DATE_OF_BIRTH, FieldName.DOCUMENT_NUMBER):
        assert values[name].value == passport.fields[name]
        assert values[name].confidence >= 0.9


def test_right_check_digits_prove_nothing_where_the_readers_are_not_so_sure(passport: SyntheticDocument) -> None:
    found = read_mrz(passport.front, limits=replace(CHOSEN, zone_believed=1.0))
    assert found is not None
    assert all(found.reading.check_digits.values())
    assert not found.reading.valid
    assert not found.reading.has_wrong_digits


@pytest.mark.parametrize(("chance", "confidence"), [(0.9, 0.95), (0.5, 0.01)])
def test_a_right_check_digit_speaks_for_a_field_whose_characters_were_seen(
    read: MrzRead, chance: float, confidence: float
) -> None:
    """Of a number that was guessed it was said to be sure: some characters with a right digit are always found."""
    scores = [np.full((len(line), len(ALPHABET)), np.log((1 - chance) / 36)) for line in read.reading.lines]
    for line, text in zip(scores, read.reading.lines, strict=True):
        line[np.arange(len(text)), [ALPHABET.index(character) for character in text]] = np.log(chance)
    guessed = replace(
        read,
        reading=read.reading.model_copy(update={"confidence": 0.01, "readers_agree": False}),
        characters=tuple(line.astype(np.float32) for line in scores),
    )
    assert guessed.values(TODAY)[FieldName.DOCUMENT_NUMBER].confidence == confidence


@pytest.mark.slow
def test_known_lines_are_used_and_a_zone_that_they_miss_is_still_found(passport: SyntheticDocument) -> None:
    lines = [TextLine("", 0.0, quad) for quad in detect_lines(passport.front)]
    for known in (lines, []):
        read = read_mrz(passport.front, known)
        assert read is not None
        assert read.reading.lines == passport.mrz


def test_the_zone_is_found_where_it_lies(passport: SyntheticDocument, read: MrzRead) -> None:
    height = passport.front.shape[0]
    assert read.corners[:, 1].min() > 0.6 * height


@pytest.mark.slow
def test_a_tilted_photo_is_read_without_being_flattened_first(passport: SyntheticDocument) -> None:
    photo, _ = photograph(passport.front, seed=5, rotation=7, perspective=0.15, size=(2000, 1500), fill=0.85)
    read = read_mrz(photo)
    assert read is not None
    assert read.reading.lines == passport.mrz


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "card", "width", "far", "turned"),
    [
        (3, False, 600, (0, 1), -12),
        (4, False, 600, (3, 0), 0),
        (4, True, 600, (3, 0), -12),
        (5, True, 900, (3, 0), -12),
    ],
)
def test_a_zone_that_is_seen_from_the_side_is_read(
    seed: int, card: bool, width: int, far: tuple[int, int], turned: float
) -> None:
    """Its lines converge: their letters were taken for taller than they are, and made too small to read."""
    drawn = documents.id_card(seed=seed) if card else documents.passport(seed=seed)
    page = drawn.back if card else drawn.front
    assert page is not None
    read = read_mrz(seen_from_the_side(page, width, far, turned))
    assert read is not None
    assert read.reading.lines == drawn.mrz


def test_a_card_with_three_lines_is_read_from_its_back() -> None:
    card = documents.id_card(seed=2)
    assert card.back is not None
    read = read_mrz(card.back)
    assert read is not None
    assert read.reading.lines == card.mrz
    assert read.reading.format is MrzFormat.TD1


def test_a_card_whose_first_line_is_full_of_numbers_is_read() -> None:
    """Fillers stand where names end; optional data may leave none in the line above."""
    birth, expiry = date(1988, 11, 26), date(2031, 3, 9)
    lines = td1("UTO", "SANTOS", "LUIZ", "893425106", "UTO", birth, "M", expiry, "123456789012345", code="ID")
    assert "<" not in lines[0]
    sheet = Sheet((1027, 648), 3)
    sheet.mrz(lines)
    read = read_mrz(sheet.picture())
    assert read is not None
    assert (read.reading.lines, read.reading.valid) == (lines, True)


def test_a_card_with_two_lines_of_36_is_read() -> None:
    card = documents.td2_card(seed=1)
    read = read_mrz(card.front)
    assert read is not None
    assert read.reading.lines == card.mrz


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [documents.eu_driver_licence, pytest.param(documents.us_driver_licence, marks=pytest.mark.slow)]
)
def test_nothing_is_read_from_a_document_without_a_zone(make) -> None:
    document = make(seed=1)
    for side in (document.front, document.back):
        if side is not None:
            assert read_mrz(side) is None


@pytest.mark.parametrize("picture", [np.zeros((40, 60, 3), np.uint8), np.full((700, 900, 3), 255, np.uint8)])
def test_empty_pictures_hold_no_zone(picture: Picture) -> None:
    assert read_mrz(picture) is None


def test_noise_holds_no_zone() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (600, 900, 3)).astype(np.uint8)
    assert read_mrz(noise) is None
