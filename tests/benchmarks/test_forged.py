"""Is what the accuracy report forges told by the sign that is there for it, and is a sign that never speaks shown?"""

from datetime import date

import numpy as np
import pytest
from benchmarks.accuracy_rows import LeftOut
from benchmarks.accuracy_sections import forged_texts, recaptures
from benchmarks.accuracy_sections.authenticity import _found
from benchmarks.accuracy_sections.forged import Forged

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.sandbox.drawing import documents
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 19)


def speaking(picture):
    found = read_document(picture, None, TODAY).evidence.authenticity or {}
    return {sign for sign, value in found.items() if LIMITS[sign].speaks(value)}


def on_a_scan(make):
    return next(make([documents.id_card(country="DE", seed=3).front]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "sign"),
    [
        (forged_texts.births_changed_in_print, AuthenticitySign.SOURCES_CONTRADICT),
        (forged_texts.names_changed_in_print, AuthenticitySign.SOURCES_CONTRADICT),
        (forged_texts.births_changed_everywhere, AuthenticitySign.CHECK_DIGITS_FAILED),
        (forged_texts.ends_put_off, AuthenticitySign.IMPOSSIBLE_DATES),
        (forged_texts.numbers_of_others, AuthenticitySign.NUMBER_CONTRADICTS),
    ],
)
def test_what_was_changed_is_told_by_its_sign_alone(make, sign):
    assert speaking(next(make())) == {sign}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "told"),
    [
        (recaptures.off_striped_screens, {AuthenticitySign.SCREEN}),
        (recaptures.off_black_prints, {AuthenticitySign.PHOTOCOPY}),
        (recaptures.off_colour_prints, set()),
    ],
)
def test_a_picture_taken_again_is_told_by_what_it_was_taken_off(make, told):
    copies = {AuthenticitySign.SCREEN, AuthenticitySign.PHOTOCOPY}
    assert speaking(on_a_scan(make)) & copies == told


@pytest.mark.slow
def test_every_screen_is_another_and_the_same_each_time():
    page = documents.id_card(country="DE", seed=3).front
    one, other = recaptures.off_diamond_screens([page, page])
    assert not np.array_equal(one, other)
    assert np.array_equal(one, next(recaptures.off_diamond_screens([page])))


def test_a_sign_that_never_speaks_where_it_should_has_a_row_that_says_so():
    paper = np.full((700, 1000, 3), 200, np.uint8)
    page = documents.photograph(documents.id_card(country="DE", seed=3).front, seed=3)[0]
    forged = Forged("a page", lambda: [page, paper], AuthenticitySign.SCREEN)
    rows = {row.measure: row for row in _found(forged, LeftOut("authenticity"))}
    assert (rows["a page: SCREEN speaks"].value, rows["a page: SCREEN speaks"].n) == (0.0, 2)
