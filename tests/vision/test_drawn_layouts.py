"""Every layout can be drawn, and what is drawn from it is recognised and read."""

from datetime import date

import numpy as np
import pytest

from tests.support.dossiers import a_dossier, issues_of
from truename.rules import documents
from truename.rules.evidence import DocumentType, FieldName
from truename.rules.national_numbers import examine_number
from truename.rules.text import normal_number
from truename.sandbox.drawing.from_layout import PEOPLE, can_draw, draw
from truename.sandbox.drawing.number_making import make_number
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.performance import perform
from truename.vision.captures import Side
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import DocumentLayout, LayoutField, Script
from truename.vision.document.print.scripts import letters_of
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)
ALL = [(code, layout) for code, country in countries().items() for layout in country.documents]
DRAWN = [(code, layout) for code, layout in ALL if can_draw(layout)]
LATIN = [one for one in DRAWN if one[1].script is Script.LATIN]
OFTEN = {("ES", "DNI 2006")}
"""Read in every run."""
SAMPLED = (
    OFTEN
    | {("MX", "INE 2014, 2019"), ("GB", "European model")}
    | {(code, layout.version) for code, layout in LATIN[::18]}
)
"""Read where there is time. All of them: `python -m benchmarks.layouts`, which says what of each is missed."""


def named(one: tuple[str, DocumentLayout]) -> str:
    return f"{one[0]}-{one[1].kind.value}-{one[1].version}"


@pytest.mark.parametrize("sex", ["F", "M"])
def test_every_number_of_every_layout_can_be_made_and_agrees_with_its_holder(sex: str) -> None:
    for code, layout in ALL:
        for name, field in layout.fields.items():
            if field.scheme:
                number = make_number(field, PEOPLE[sex], np.random.default_rng(3))
                found = examine_number(field.scheme, number, PEOPLE[sex].born, sex)
                assert found is not None, (code, name, number)
                assert not found.contradicts, (code, name, number, found)


@pytest.mark.parametrize(
    ("code", "layout"),
    [pytest.param(*one, id=named(one), marks=() if (one[0], one[1].version) in OFTEN else pytest.mark.slow)
     for one in LATIN if (one[0], one[1].version) in SAMPLED],
)  # fmt: skip
def test_a_drawn_document_is_recognised_and_read(code: str, layout: DocumentLayout) -> None:
    drawn = draw(code, layout)
    photo, _ = photograph(drawn.front, rotation=3, perspective=0.2, background="wood")
    found = read_document(photo, None, TODAY).evidence
    assert (found.country, found.type) == (code, layout.kind)
    main = {FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_EXPIRY, FieldName.SURNAMES,
            FieldName.GIVEN_NAMES} & set(drawn.fields)  # fmt: skip
    wrong = {name: (found.value(name), drawn.fields[name]) for name in main
             if fold(found.value(name) or "") != fold(drawn.fields[name])}  # fmt: skip
    assert wrong == {}


IN_SCRIPTS = [one for one in DRAWN if one[1].script is not Script.LATIN]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "layout"), [pytest.param(*one, id=named(one)) for one in IN_SCRIPTS])
def test_a_drawn_document_is_read_in_its_own_script(code: str, layout: DocumentLayout) -> None:
    drawn = draw(code, layout)
    photo, _ = photograph(drawn.front, rotation=3, perspective=0.2, background="wood")
    found = read_document(photo, None, TODAY).evidence
    assert (found.country, found.type) == (code, layout.kind)
    for name in {FieldName.DOCUMENT_NUMBER, FieldName.DATE_OF_BIRTH} & set(drawn.fields):
        assert fold(found.value(name) or "") == fold(drawn.fields[name])
    for name in (FieldName.SURNAMES, FieldName.GIVEN_NAMES):
        read = found.value(name)
        # Marks above marks are lost in print so small: NGUYÊN is NGUYỄN.
        assert read is not None
        assert fold(read) == fold(drawn.fields[name])
        # Cards of Thailand and Hong Kong print names in Latin letters too, which are read first.
        assert letters_of(Script.LATIN if code in ("TH", "HK") else layout.script, read) == 1.0


def test_both_sides_are_drawn_where_the_zone_stands_on_the_back() -> None:
    layout = next(layout for layout in countries()["EE"].documents if layout.kind is DocumentType.NATIONAL_ID)
    drawn = draw("EE", layout)
    assert drawn.back is not None
    assert drawn.mrz[0].startswith("IDEST")


def test_layouts_and_the_table_of_supported_documents_say_the_same_of_the_back_and_of_the_number() -> None:
    """A zone on the back calls for it; a number of the holder's that comes first is one that the layouts print."""
    for code, layout in ALL:
        row = documents.find(code, layout.kind)
        if row is None:
            continue
        if layout.zone is not None and layout.zone_side is Side.BACK:
            assert row.back, (code, layout.version)
        if layout.zone_number is LayoutField.CARD_NUMBER:
            assert row.number[0] is FieldName.PERSONAL_NUMBER, (code, layout.version)
        if row.number[0] is FieldName.PERSONAL_NUMBER:
            versions = [one for country, one in ALL if (country, one.kind) == (code, layout.kind)]
            assert any(one.zone_number is LayoutField.CARD_NUMBER or bears_holders(one) for one in versions), code
        if row.expiry is documents.Expiry.BEARS_NONE:
            assert LayoutField.DATE_OF_EXPIRY not in layout.fields, (code, layout.version)


def bears_holders(layout: DocumentLayout) -> bool:
    return LayoutField.PERSONAL_NUMBER in layout.fields


COUNTED = [one for one in DRAWN if one[1].zone_number is LayoutField.CARD_NUMBER]
"""Whose zone counts the card, while people know another number."""


@pytest.mark.slow
@pytest.mark.parametrize("one", COUNTED, ids=named)
def test_the_number_that_people_know_matches_also_where_the_zone_counts_the_card(
    one: tuple[str, DocumentLayout],
) -> None:
    code, layout = one
    document = draw(code, layout, seed=7)
    evidence = read_document(document.front, document.back, TODAY).evidence
    assert evidence.mrz is not None
    expected = {"document_number": normal_number(document.fields[FieldName.DOCUMENT_NUMBER])}
    dossier = a_dossier(config={"document_policy": {"data_matching": expected}}, document=evidence)
    assert "DOCUMENT_NUMBER_MISMATCH" not in issues_of(dossier)
    doubted = [name for name in documents.number_fields(code, layout.kind) if evidence.fields[name].others]
    assert doubted == []


def test_the_simulation_shows_a_document_that_only_a_layout_knows() -> None:
    shown = perform("approved", [("MX", DocumentType.NATIONAL_ID)], None, TODAY, seed=5)
    assert (shown.document.country, shown.document.type) == ("MX", DocumentType.NATIONAL_ID)
    assert shown.document.fields[FieldName.DATE_OF_EXPIRY] > TODAY.isoformat()
    assert shown.document.mrz[0].startswith("IDMEX")
