"""Names as people write them on different papers, and numbers as they are printed."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truename.rules.text import name_similarity, normal_name, normal_number

NAMES = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana María", "MARIA ANA"),
        ("Ruíz-Gómez", "GOMEZ RUIZ"),
        ("O’Neill", "ONEILL"),
        ("Иван", "IVAN"),
        ("Ωμέγα", "Omega"),
        ("e\u0301", "é"),
        ("Straße", "STRASSE"),
        ("İbrahim", "IBRAHIM"),
        ("ＡＮＡ", "ana"),
        ("Łukasz,  Żak", "zak lukasz"),
    ],
)
def test_names_that_differ_only_in_writing_are_equal(one: str, other: str) -> None:
    assert name_similarity(one, other) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("Juan Perez", "Juan Peres", 0.9),
        ("Ana", "Ana Maria", 0.5),
        ("Christophers", "Christopher", 22 / 23),
        ("Ana", "", 0.0),
        ("xyz", "abc", 0.0),
    ],
)
def test_names_that_differ_score_by_the_letters_they_share(one: str, other: str, score: float) -> None:
    assert name_similarity(one, other) == pytest.approx(score)


def test_one_letter_in_a_very_long_name_is_still_a_difference() -> None:
    assert name_similarity("a" * 200_000, "a" * 200_000 + "b") < 1.0


@given(NAMES, NAMES)
def test_similarity_is_symmetric_and_one_only_for_equals(one: str, other: str) -> None:
    score = name_similarity(one, other)
    assert score == name_similarity(other, one)
    assert 0.0 <= score <= 1.0
    assert (score == 1.0) is (normal_name(one) == normal_name(other))


@given(st.lists(NAMES, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_words_does_not_matter(words: list[str], random: Random) -> None:
    shuffled = random.sample(words, len(words))
    assert name_similarity(" ".join(words), " ".join(shuffled)) == 1.0


@given(NAMES)
def test_a_normal_name_is_its_own_normal_form(name: str) -> None:
    assert normal_name(normal_name(name)) == normal_name(name)


@pytest.mark.parametrize(
    ("printed", "normal"),
    [("12.345.678", "12345678"), ("ab-12 3", "AB123"), ("ΑΒ 123", "AB123"), ("１２", "12"), ("-", "")],
)
def test_a_number_is_compared_without_dots_hyphens_and_spaces(printed: str, normal: str) -> None:
    assert normal_number(printed) == normal
