"""Where the back of a card bears its zone, the front is not searched for one; the page of a passport still is."""

from datetime import date

import pytest

from truename.sandbox.drawing import documents as drawn
from truename.vision import runtime
from truename.vision.captures import Side
from truename.vision.document.mrz.finder import NETWORK as ZONE_FINDER
from truename.vision.document.read import read_document
from truename.vision.document.side import bears_zone_of_card, read_side

TODAY = date(2026, 11, 15)


@pytest.mark.slow
def test_the_front_of_a_card_whose_back_bears_the_zone_is_searched_for_none() -> None:
    card = drawn.id_card(country="NL")
    assert card.back is not None
    front, back = drawn.photograph(card.front, seed=2)[0], drawn.photograph(card.back, seed=11)[0]

    with runtime.models_used() as used:
        evidence = read_document(front, back, TODAY).evidence

    assert ZONE_FINDER not in used
    assert evidence.mrz is not None
    assert evidence.mrz.lines == card.mrz
    assert {name: evidence.value(name) for name in card.fields} == card.fields


@pytest.mark.slow
def test_the_page_of_a_passport_is_read_whatever_lies_behind_it() -> None:
    passport, card = drawn.passport(country="TR"), drawn.id_card(country="NL")
    assert card.back is not None
    behind = read_side(drawn.photograph(card.back, seed=11)[0], Side.BACK, TODAY)
    assert bears_zone_of_card(behind)

    page = read_side(drawn.photograph(passport.front, seed=1)[0], Side.FRONT, TODAY, zone_behind=True)

    assert page.mrz is not None
    assert page.mrz.reading.lines == passport.mrz
    assert not bears_zone_of_card(page)
