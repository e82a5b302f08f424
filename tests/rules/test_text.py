"""Names as people write them on different papers, and numbers as they are printed."""

import time
import unicodedata
from random import Random

import pytest
from anyascii import anyascii
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from truename.rules import text
from truename.rules.text import (
    EXACT,
    LONGEST,
    _latin,
    _one_reading,
    _readings,
    _words,
    is_name,
    name_similarity,
    normal_name,
    normal_number,
)

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
        ("Юлия", "IULIIA"),
        ("Сергей", "SERGEI"),
        ("Григорій", "HRYHORII"),
        ("Ђорђе", "DORDE"),
        ("Müller", "MUELLER"),
        ("Müller", "MULLER"),
        ("Bjørn Åge", "BJOERN AAGE"),
        ("خالد", "XKHALD"),
    ],
)
def test_names_that_differ_only_in_writing_are_equal(one: str, other: str) -> None:
    assert name_similarity(one, other) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("Juan Perez", "Juan Peres", 0.9),
        ("Ana", "Ana Maria", 6 / 11),
        ("Daniel", "Daniela", 11 / 13),
        ("Jan", "Jana", 5 / 7),
        ("Mohamed", "Mohammed", 14 / 15),
        ("Ana", "", 0.0),
        ("xyz", "abc", 0.0),
    ],
)
def test_names_that_differ_score_by_the_letters_they_share(one: str, other: str, score: float) -> None:
    assert name_similarity(one, other) == pytest.approx(score)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Muster Mann", "MUSTERMANN"),
        ("Min-jun", "MINJUN"),
        ("De la Cruz", "DELACRUZ"),
        ("Van der Berg", "VANDERBERG"),
        ("Mc Donald", "MCDONALD"),
        ("O'Neill", "O NEILL"),
    ],
)
def test_the_same_letters_in_other_words_are_nearly_equal(one: str, other: str) -> None:
    assert name_similarity(one, other) == 0.99


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("Katherine Joan", "CATHERINE JOAN", 0.92),
        ("Isabel Juana", "YSABEL JUANA", 0.91),
        ("محمد", "MOHAMMED", 0.8),
        ("يوسف", "YOUSSEF", 0.77),
        ("علي", "ALI", 0.9),
        ("سارة", "SARA", 0.9),
        ("ليلى", "LEILA", 0.79),
        ("נועה", "NOA", 0.9),
        ("אורי", "URI", 0.75),
        ("כהן", "COHEN", 0.7),
        ("רחל", "RACHEL", 0.75),
    ],
)
def test_a_letter_that_changes_the_order_of_words_or_vowels_that_a_script_leaves_out_cost_little(
    one: str, other: str, least: float
) -> None:
    assert least <= name_similarity(one, other) < 1.0


@pytest.mark.parametrize(("one", "other"), [("علي", "OMAR"), ("لؤي", "ALI"), ("דוד", "DINA"), ("سارة", "SAMIR")])
def test_short_names_without_vowels_do_not_become_each_other(one: str, other: str) -> None:
    assert name_similarity(one, other) < 0.65


def test_a_script_without_vowels_still_tells_the_nearer_name() -> None:
    assert name_similarity("محمد", "MOHAMMED") > name_similarity("محمد", "MAHMOUD") > name_similarity("محمد", "KARIM")


@pytest.mark.parametrize(("text", "is_one"), [("---", False), ("1 2", False), ("", False), ("Ng", True), ("王", True)])
def test_a_name_has_a_letter(text: str, is_one: bool) -> None:
    assert is_name(text) is is_one


@pytest.mark.parametrize("letter", ["\ufdfa", "a", "و", "ё", "ß "])
def test_no_more_of_a_name_is_compared_than_any_document_prints(letter: str) -> None:
    longest = letter * LONGEST
    begun = time.process_time()
    assert name_similarity(longest * 100, "Ana") == name_similarity(longest, "Ana")
    assert time.process_time() - begun < 5, "ten seconds, when all of it was compared"
    assert name_similarity(longest * 100, longest * 100) == EXACT
    assert name_similarity(longest + "x", longest + "y") < EXACT


def test_letters_that_stand_for_many_are_written_out_only_as_far_as_any_document_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An explanation judges again thirty times: with names of ﷺ alone it took six seconds of the event loop."""
    lengths: list[int] = []

    def watched(letters: str) -> str:
        lengths.append(len(letters))
        return anyascii(letters)

    monkeypatch.setattr(text, "anyascii", watched)
    expected, read = "a" + "\ufdfa" * (LONGEST - 1), "ё" * 100 + "\ufdfa" * 100
    assert 0 < name_similarity(expected, read) < EXACT
    assert max(lengths) <= LONGEST
    assert name_similarity(expected, expected) == name_similarity(read, read) == EXACT
    assert name_similarity("\ufdfa", "\ufdfa") == EXACT


def test_one_letter_in_a_very_long_name_is_still_a_difference() -> None:
    assert name_similarity("a" * 200_000, "a" * 200_000 + "b") < 1.0


@given(NAMES, NAMES)
def test_similarity_is_symmetric_and_one_only_for_equals(one: str, other: str) -> None:
    score = name_similarity(one, other)
    assert score == name_similarity(other, one)
    assert 0.0 <= score <= 1.0
    if normal_name(one) == normal_name(other):
        assert score == 1.0


ALIKE = st.text("aàаvв ", min_size=1, max_size=3)
"""Unlike of all letters that there are, two of these are often one name, or nearly, in two writings."""


@given(NAMES | ALIKE, NAMES | ALIKE)
def test_names_of_other_letters_never_score_one(one: str, other: str) -> None:
    """Equal means: the same words in one of the ways to write each in Latin letters."""
    if name_similarity(one, other) == 1.0:
        assert {tuple(sorted(way)) for way in _readings(one)} & {tuple(sorted(way)) for way in _readings(other)}


@given(st.text("abc xyz", max_size=12), st.text("abc xyz", max_size=12))
def test_no_comparison_of_the_three_is_lost_and_only_another_ending_costs_more(one: str, other: str) -> None:
    plain = Indel.normalized_similarity("".join(one.split()), "".join(other.split()))
    score = name_similarity(one, other)
    assert score <= 1.0
    if len(one.split()) != len(other.split()):
        assert score >= min(plain, 0.99) - 1e-9


@given(st.lists(NAMES, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_words_does_not_matter(words: list[str], random: Random) -> None:
    shuffled = random.sample(words, len(words))
    assert name_similarity(" ".join(words), " ".join(shuffled)) == 1.0


@given(st.text(alphabet=st.characters(min_codepoint=0xC0, max_codepoint=0x17F), max_size=20))
def test_accents_are_left_out_as_the_library_does_it(name: str) -> None:
    assert _latin(name) == anyascii(unicodedata.normalize("NFKC", name))


@given(st.text(alphabet=st.characters(max_codepoint=0xFF), max_size=20))
def test_the_short_way_of_western_names_comes_to_the_same(name: str) -> None:
    plain = _one_reading(name)
    if plain is not None:
        assert _readings(name) == (_words(plain),)


@given(NAMES)
def test_a_normal_name_is_its_own_normal_form(name: str) -> None:
    assert normal_name(normal_name(name)) == normal_name(name)


@pytest.mark.parametrize(
    ("printed", "normal"),
    [("12.345.678", "12345678"), ("ab-12 3", "AB123"), ("ΑΒ 123", "AB123"), ("１２", "12"), ("-", "")],
)
def test_a_number_is_compared_without_dots_hyphens_and_spaces(printed: str, normal: str) -> None:
    assert normal_number(printed) == normal
