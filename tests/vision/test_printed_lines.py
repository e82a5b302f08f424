"""Is a printed line read at a glance where that is enough, and carefully where it is not?"""

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw

from truename.sandbox.drawing.sheet import print_font
from truename.vision.captures import Picture
from truename.vision.document.limits import CHOSEN
from truename.vision.document.print.read import Quad, TextLine
from truename.vision.document.printed_lines import Enough, read_line
from truename.vision.runtime import models_used

QUICK, CAREFUL = "text_glance", "text_recogniser"


def printed(text: str, blur: float = 0.0) -> tuple[Picture, Quad]:
    """A page with one line, and where it stands."""
    page = Image.new("RGB", (30 + 26 * len(text), 90), (236, 232, 220))
    ImageDraw.Draw(page).text((20, 22), text, (40, 40, 60), print_font(36))
    pixels = np.asarray(page, np.uint8)
    if blur:
        pixels = np.asarray(cv2.GaussianBlur(pixels, (0, 0), blur), np.uint8)
    dark = np.argwhere(np.asarray(page.convert("L")) < 128)
    (top, left), (bottom, right) = dark.min(0) - 4, dark.max(0) + 4
    return pixels, np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def read(text: str, blur: float = 0.0, enough: Enough | None = None) -> tuple[TextLine, set[str]]:
    with models_used() as used:
        line = read_line(*printed(text, blur), enough=enough)
    return line, set(used)


@pytest.mark.parametrize("text", ["MUSTERMANN", "K7B02S85D", "12.08.1984"])
def test_a_clear_line_is_read_at_a_glance(text: str) -> None:
    line, used = read(text)
    assert (line.text, used) == (text, {QUICK})


def test_a_label_is_known_again_though_it_is_blurred() -> None:
    line, used = read("Date of expiry", blur=6.0)
    assert used == {QUICK}
    assert line.confidence < CHOSEN.glance_sure


def test_a_number_in_doubt_is_read_carefully_unless_no_more_need_be_known() -> None:
    assert read("K7B02S85D", blur=5.0)[1] == {QUICK, CAREFUL}
    assert read("K7B02S85D", blur=5.0, enough=lambda _: True)[1] == {QUICK}


def test_a_narrow_letter_that_may_be_lost_is_looked_for() -> None:
    line, used = read("VIINIKKA", blur=3.0)
    assert line.text == "VIINIKKA"
    assert CAREFUL in used


def test_accents_are_read_carefully() -> None:
    line, used = read("JANKOVIĆ")
    assert (line.text, used) == ("JANKOVIĆ", {QUICK, CAREFUL})


def test_a_single_letter_is_read_carefully_at_once() -> None:
    line, used = read("M")
    assert (line.text, used) == ("M", {CAREFUL})
