"""A page that is full of print costs no more than one that has as many lines as any document."""

import numpy as np

from tests.support.layout_files import line
from truename.vision.document.layouts.model import Script
from truename.vision.document.print.marked_names import MOST_SPELT, lines_that_bear
from truename.vision.document.print.read import MOST_LINES, tallest


def a_quad(at: int, tall: float) -> np.ndarray:
    top = 30.0 * at
    return np.array([[0, top], [200, top], [200, top + tall], [0, top + tall]], np.float32)


def test_of_more_lines_than_any_document_bears_the_tallest_are_read_in_their_order() -> None:
    talls = [10 + at % 20 for at in range(2 * MOST_LINES)]
    kept = tallest([a_quad(at, tall) for at, tall in enumerate(talls)])
    assert len(kept) == MOST_LINES
    tops = [float(quad[0, 1]) for quad in kept]
    assert tops == sorted(tops)
    assert min(float(quad[3, 1] - quad[0, 1]) for quad in kept) >= sorted(talls)[MOST_LINES]


def test_no_line_of_a_document_is_left_out() -> None:
    quads = [a_quad(at, 10) for at in range(MOST_LINES)]
    assert [quad.tolist() for quad in tallest(quads)] == [quad.tolist() for quad in quads]


def test_a_name_that_a_page_says_all_over_is_spelt_from_the_first_of_its_lines() -> None:
    """Half of the time of a page with 500 lines, which repeated a few words, went into spelling them anew."""
    page = [line(f"LEON {'MÜLLER' if at % 2 else 'SCHMIDT'} {at}", 10, 30 * at) for at in range(200)]
    bearing = lines_that_bear({"MULLER"}, page, {}, Script.LATIN)
    assert bearing == page[1 : 2 * MOST_SPELT : 2]
    assert lines_that_bear({"WEBER"}, page, {}, Script.LATIN) == []
