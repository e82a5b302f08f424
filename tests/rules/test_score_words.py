"""Is a score just under its limit shown as what it is, and the limit as somebody set it?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.dossiers import a_dossier, a_selfie
from truename.dashboard.case.ruler import ruler_of
from truename.dashboard.rendering import templates
from truename.rules.evidence import FacePair
from truename.rules.explain import explain
from truename.rules.score_words import shown_limit, shown_score, shown_years
from truename.rules.verdict import evaluate
from truename.rules.what_if import WhatIfKind


@pytest.mark.parametrize(
    ("score", "needed", "shown"),
    [
        (0.849, 0.85, "0.84"),
        (0.8499, 0.85, "0.84"),
        (0.85, 0.85, "0.85"),
        (0.999, 1.0, "0.99"),
        (0.1234, 0.123, "0.123"),
        (0.8505, 0.851, "0.85"),
    ],
)
def test_a_score_is_never_rounded_across_its_limit(score: float, needed: float, shown: str) -> None:
    assert shown_score(score, needed) == shown


@pytest.mark.parametrize(
    ("needed", "shown"),
    [(0.85, "0.85"), (0.9, "0.90"), (1.0, "1.00"), (0.851, "0.851"), (0.8549, "0.8549"), (0.1, "0.10")],
)
def test_a_limit_is_shown_as_it_was_set(needed: float, shown: str) -> None:
    assert shown_limit(needed) == shown


@given(st.floats(0, 1), st.floats(0.1, 1), st.integers(2, 3))
def test_whoever_reads_score_and_limit_sees_which_is_greater(score: float, needed: float, digits: int) -> None:
    assert float(shown_limit(needed)) == needed
    assert (float(shown_score(score, needed, digits)) < needed) == (score < needed)


@pytest.mark.parametrize(("age", "shown"), [(17.96, "17"), (18.0, "18"), (65.99, "65")])
def test_an_age_is_shown_in_whole_years_as_people_count_them(age: float, shown: str) -> None:
    assert shown_years(age) == shown


def test_a_limit_of_three_digits_is_explained_with_all_of_them() -> None:
    config = {"biometric_policy": {"liveness_min_score": 0.851, "face_comparison_min_score": 0.8549}}
    dossier = a_dossier(config=config, liveness=0.8505, face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.8546})
    found = explain(evaluate(dossier), dossier)
    assert {issue.limit for issue in found.issues} == {"0.851", "0.8549"}
    assert "0.85, needed 0.851" in found.sentence
    assert "0.85, needed 0.8549" in found.sentence
    assert {check.sentence for check in found.checks} >= {"failed: 0.85, needed 0.851", "failed: 0.85, needed 0.8549"}
    assert {(change.was, change.to) for what in found.what_if for change in what.changes} == {
        ("0.851", "0.85"),
        ("0.8549", "0.85"),
        ("0.85", "0.851 or more"),
        ("0.85", "0.8549 or more"),
    }


def test_what_would_have_approved_is_never_what_was_seen() -> None:
    dossier = a_dossier(
        config={"biometric_policy": {"expected_min_age": 18}}, selfie=a_selfie(age=17.96), liveness=0.8499
    )
    (seen,) = [one for one in explain(evaluate(dossier), dossier).what_if if one.kind is WhatIfKind.EVIDENCE]
    assert [(change.was, change.to) for change in seen.changes] == [("0.84", "0.85 or more"), ("17", "18")]


def test_the_pages_show_no_score_on_the_other_side_of_its_limit() -> None:
    ruler = ruler_of(0.8499, 0.85)
    assert (ruler.score_words, ruler.needed_words) == ("0.84", "needed 0.85")
    assert ruler_of(0.8505, 0.851).needed_words == "needed 0.851"
    shown = templates().from_string("{{ 0.8499|score(0.85) }} {{ 0.851|limit }} {{ 17.96|years }}")
    assert shown.render() == "0.84 0.851 17"


def test_no_template_rounds_a_score_beside_its_limit() -> None:
    sources = templates().loader
    assert sources is not None
    for name in templates().list_templates():
        source = sources.get_source(templates(), name)[0]
        for rounded in ("|format(one.score)", "|format(one.needed)", "|format(row.score)", 'needed {{ "%'):
            assert rounded not in source, name
