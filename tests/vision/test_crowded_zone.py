"""Characters of a zone that stand too near to each other for the reader are read again with room between them."""

import cv2
import numpy as np
import pytest

from truename.sandbox.drawing import documents
from truename.sandbox.drawing.documents import SyntheticDocument
from truename.vision.captures import Picture
from truename.vision.document.mrz.decode import DecodedLine
from truename.vision.document.mrz.read import read_mrz
from truename.vision.document.mrz.strips import STEP, crowded, spread_out


def line_with_pitch(pixels: float) -> DecodedLine:
    middles = (np.arange(44) * pixels / STEP).astype(np.float32)
    return DecodedLine("<" * 44, 0.0, np.zeros((44, 37), np.float32), middles)


@pytest.mark.parametrize(("pixels", "near"), [(11.5, True), (14.0, True), (15.0, False), (19.0, False)])
def test_characters_nearer_than_the_reader_was_taught_are_crowded(pixels: float, near: bool) -> None:
    assert crowded(line_with_pitch(pixels)) is near


def test_a_crowded_line_is_stretched_until_its_characters_stand_as_they_should() -> None:
    line = line_with_pitch(12)
    wider = spread_out(np.full((32, 600), 200, np.uint8), line)
    assert wider.shape == (32, 900)
    assert not crowded(line_with_pitch(12 * wider.shape[1] / 600))


def narrow(drawn: SyntheticDocument, width: int, share: float) -> Picture:
    """The page as it is seen from its side: as tall as if it were so many pixels wide, and a share as wide."""
    page = drawn.front if drawn.back is None else drawn.back
    size = round(width * share), round(page.shape[0] * width / page.shape[1])
    return np.asarray(cv2.resize(page, size, interpolation=cv2.INTER_AREA), np.uint8)


@pytest.mark.parametrize(("seed", "width"), [(3, 700), pytest.param(4, 600, marks=pytest.mark.slow)])
def test_both_readers_agree_on_a_zone_that_is_seen_from_its_end(seed: int, width: int) -> None:
    drawn = documents.passport(seed=seed) if seed % 2 else documents.id_card(seed=seed)
    read = read_mrz(narrow(drawn, width, 0.6))
    assert read is not None
    assert read.reading.lines == drawn.mrz
    assert read.reading.readers_agree
    assert read.unlike_ocr_b is None, "letters that were stretched show no font"
