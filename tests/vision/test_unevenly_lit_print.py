"""Lines of print upon a part of which a shadow or a lamp's glare lies, read in their own script."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from truename.sandbox.drawing.sheet import print_font
from truename.vision.captures import Picture
from truename.vision.document.layouts.model import Script
from truename.vision.document.likeliest_script import PrintReader
from truename.vision.document.own_script import read_again
from truename.vision.document.print.read import TextLine, recognise
from truename.vision.document.print.scripts import READERS, evenly_lit, read_in, tidy


def a_line(text: str, size: int = 28) -> Picture:
    font = print_font(size)
    page = Image.new("RGB", (round(font.getlength(text)) + 24, size + 16), (226, 234, 228))
    ImageDraw.Draw(page).text((12, 4), text, fill=(24, 26, 40), font=font)
    return np.asarray(page)[..., ::-1].copy()


def in_shadow(line: Picture, first: float, last: float, light: float) -> Picture:
    """With so much light on a part of it, from and to a share of its width, and a soft edge."""
    x = np.linspace(0, 1, line.shape[1])
    part = 1 / (1 + np.exp(-(x - first) * 80)) - 1 / (1 + np.exp(-(x - last) * 80))
    return np.asarray(line * (1 - (1 - light) * part)[None, :, None], np.uint8)


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (Script.GREEK, "ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ"),
        (Script.CYRILLIC, "ЕКАТЕРИНА ЮРЬЕВНА"),
        (Script.GEORGIAN, "გიორგი ბერიძე"),
    ],
)
@pytest.mark.parametrize(("first", "last"), [(0.5, 1.1), (-0.1, 0.5)])
def test_the_half_of_a_line_that_lies_in_a_shadow_is_read_with_the_other(
    script: Script, text: str, first: float, last: float
) -> None:
    """Of a name on which the edge of a shadow fell the half in it was lost, and the surname was a given name."""
    [read] = read_in(READERS[script], [in_shadow(a_line(text), first, last, 0.35)])
    assert read.text == text


def test_a_line_whose_ground_is_told_from_its_ink_by_one_threshold_stays_as_it_is() -> None:
    grey = in_shadow(a_line("ΠΑΠΑΔΟΠΟΥΛΟΣ"), 0.5, 1.1, 0.8)[..., 1]
    assert evenly_lit(grey) is grey
    darker = in_shadow(a_line("ΠΑΠΑΔΟΠΟΥΛΟΣ"), 0.5, 1.1, 0.3)[..., 1]
    light, shade = np.percentile(evenly_lit(darker), 90, axis=0)[[30, -30]]
    assert abs(light - shade) < 0.05 * light


def test_glare_between_the_figures_of_a_date_makes_no_label_of_the_first_ones() -> None:
    """A birth on the 12th was stated to be on the 2nd, at 0.9: the first figure was taken for the end of the label."""
    line = a_line("Ngày sinh/Date of Birth: 12/08/1985", 24)
    font = print_font(24)
    [left, right] = (
        12 + round(font.getlength(text)) for text in ("Ngày sinh/Date of Birth: 12", "Ngày sinh/Date of Birth: 12/")
    )
    line[:, left - 1 : right + 1] = 228
    torn = np.concatenate([line[:, :left], np.full((line.shape[0], 24, 3), 228, np.uint8), line[:, left:]], 1)
    page = np.full((80, torn.shape[1] + 40, 3), 228, np.uint8)
    page[20 : 20 + torn.shape[0], 20 : 20 + torn.shape[1]] = torn
    [seen] = recognise([torn])
    x, y = 20 + torn.shape[1], 20 + torn.shape[0]
    corners = np.array([[20, 20], [x, 20], [x, y], [20, y]], np.float32)
    reader = PrintReader(Script.VIETNAMESE, READERS[Script.VIETNAMESE])
    again = read_again(page, [TextLine(seen.text, seen.confidence, corners)], reader)
    assert not any(one.text.startswith(("2", "08", "/08")) for one in again), [one.text for one in again]


def test_an_upright_stroke_before_the_letter_of_the_article_is_its_other_letter() -> None:
    """Of الرحمن the reader of Arabic makes | لرحمن, two words."""
    assert tidy("عبد | لرحمن") == "عبد الرحمن"
    assert tidy("|لخطيب |") == "الخطيب"
