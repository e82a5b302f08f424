"""A card that lies on a newspaper is cut out of it: the print around it is no part of it, and says nothing of it."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.layout_files import line
from tests.support.quads import overlap
from truename.sandbox.drawing.from_layout import draw
from truename.vision.captures import Picture
from truename.vision.document import classify
from truename.vision.document.layouts.load import countries
from truename.vision.document.page.locate import locate
from truename.vision.document.page.text_beside import stands_beyond_each_side, text_at

Quad = NDArray[np.float32]
WORDS = "the council met on Tuesday to hear of prices in the harbour and what might be done"


def a_newspaper(width: int, height: int) -> Picture:
    sheet = np.full((height, width, 3), 215, np.uint8)
    for row, y in enumerate(range(10, height, 23)):
        cv2.putText(
            sheet, (WORDS + " ") * 4, (-90 * (row % 7), y), cv2.FONT_HERSHEY_COMPLEX, 0.5, (60, 60, 60), 1, cv2.LINE_AA
        )
    return sheet


@pytest.mark.parametrize(
    "corners",
    [
        [[240, 300], [1330, 210], [1390, 890], [200, 1010]],
        [[400, 370], [1080, 340], [1090, 770], [390, 800]],
    ],
)
def test_a_card_on_a_newspaper_is_found(corners: list[list[float]]) -> None:
    """The print around it stood outside of its outline, which was not believed: the whole picture was the document.

    Of a smaller one the edges were too weak beside those of so much print.
    """
    card = draw("SE", countries()["SE"].documents[-1], seed=2).front
    quad = np.array(corners, np.float32)
    tall, wide = card.shape[:2]
    flat = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, quad)
    photo = cv2.warpPerspective(card, matrix, (1600, 1200), a_newspaper(1600, 1200), borderMode=cv2.BORDER_TRANSPARENT)
    found = locate(np.asarray(photo, np.uint8))
    assert found is not None
    assert overlap(found.quad, quad) > 0.93


def boxes(*corners: tuple[float, float]) -> list[Quad]:
    """Lines of text, 60 long and 10 high, by their upper left corners."""
    return [np.array([[x, y], [x + 60, y], [x + 60, y + 10], [x, y + 10]], np.float32) for x, y in corners]


@pytest.mark.parametrize("missing", range(4))
def test_print_stands_around_an_outline_only_where_it_stands_beyond_all_four_sides(missing: int) -> None:
    outline = np.array([[100, 100], [500, 100], [500, 350], [100, 350]], np.float32)
    around = boxes((250, 40), (540, 200), (250, 400), (20, 200))
    on_it = boxes((150, 150), (60, 200))
    assert stands_beyond_each_side(outline, text_at(around + on_it))
    assert not stands_beyond_each_side(outline, text_at([*around[:missing], *around[missing + 1 :], *on_it]))


def test_a_word_in_small_letters_is_no_country() -> None:
    """Many an `and` on a newspaper below a licence of Georgia made it one of Andorra."""
    words = [line("and", 40 + 90 * at, 600, 16) for at in range(8)]
    assert classify.from_print([line("DRIVING LICENCE", 40, 50, 22), *words]).country is None
    assert classify.from_print([line("DRIVING LICENCE", 40, 50, 22), *(line("AND", 40, 600, 16),) * 8]).country == "AD"
