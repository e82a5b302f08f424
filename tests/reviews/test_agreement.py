"""The numbers about reviews: pure functions, whose properties hold whatever people decide."""

import random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truename.reviews.agreement import (
    FEWEST_CASES,
    AnswerCounted,
    OpinionCounted,
    changed,
    cohens_kappa,
    count,
    errors,
    first_pairs,
    quantile,
    wilson,
)
from truename.reviews.model import Answer, Decided, Question

APPROVED, REJECTED = Decided.APPROVED, Decided.REJECTED
cases = st.integers(0, 5).map(lambda number: UUID(int=number))
people = st.sampled_from(["ana", "ben", "cem"])
decided = st.sampled_from(list(Decided))
opinions = st.lists(
    st.builds(
        OpinionCounted,
        transaction_id=cases,
        reviewer=people,
        outcome=decided,
        machine=decided,
        final=st.none() | decided,
        sampled=st.booleans(),
        took_seconds=st.none() | st.floats(0, 1e6),
    ),
    max_size=30,
)
answers = st.lists(
    st.builds(
        AnswerCounted, cases, people, st.sampled_from(list(Question)), st.sampled_from(list(Answer)), st.booleans()
    ),
    max_size=30,
)
pairs = st.lists(st.tuples(decided, decided), min_size=1, max_size=40)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_interval_holds_the_share_and_narrows_with_more_cases(part, rest):
    low, high = wilson(part, part + rest)
    share = part / (part + rest) if part + rest else 0.5
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    if part + rest:
        closer = wilson(4 * part, 4 * (part + rest))
        assert closer[1] - closer[0] < high - low


def test_the_interval_is_the_one_of_the_books():
    assert wilson(3, 75) == pytest.approx((0.01369, 0.11110), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(3, 75, 3.0) == pytest.approx((0.00840, 0.17018), abs=5e-5), "at three standard errors"


@given(pairs)
def test_kappa_is_one_when_all_agree_and_never_more(found):
    kappa = cohens_kappa(found)
    if kappa is not None:
        assert -1 - 1e-9 <= kappa <= 1 + 1e-9
        assert (kappa == pytest.approx(1)) == all(first is second for first, second in found)
    else:
        assert len({one for pair in found for one in pair}) == 1, "only where chance alone agrees is it not defined"


@given(pairs)
def test_kappa_does_not_depend_on_who_was_first_nor_on_the_order(found):
    turned = [(second, first) for first, second in found]
    mixed = random.Random(1).sample(found, len(found))
    assert cohens_kappa(found) == pytest.approx(cohens_kappa(turned), nan_ok=True)
    assert cohens_kappa(found) == pytest.approx(cohens_kappa(mixed), nan_ok=True)


def test_kappa_is_the_one_of_the_books():
    found = (
        [(APPROVED, APPROVED)] * 20 + [(APPROVED, REJECTED)] * 5 + [(REJECTED, APPROVED)] * 10 + [(REJECTED,) * 2] * 15
    )
    assert cohens_kappa(found) == pytest.approx(0.4)
    assert cohens_kappa([]) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(0, 1))
def test_a_quantile_lies_among_the_values_and_grows_with_its_share(values, share):
    found, above = quantile(values, share), quantile(values, min(1.0, share + 0.1))
    assert found is not None
    assert above is not None
    assert min(values) <= found <= max(values)
    assert quantile(values, 0) == min(values)
    assert quantile(values, 1) == max(values)
    assert found <= above + 1e-6


@given(opinions, answers)
def test_every_number_is_a_part_of_its_whole(given_opinions, given_answers):
    numbers = count(given_opinions, given_answers)
    shares = [numbers.overturned, numbers.agreed, numbers.changed.all]
    shares += [share for one in numbers.people for share in (one.overruled, one.cannot_tell, one.changed.all)]
    assert all(0 <= share.part <= share.whole for share in shares)
    assert sum(one.decided for one in numbers.people) == len(given_opinions)
    assert numbers.overturned.whole == sum(one.sampled for one in given_opinions)
    assert all(one.enough == (one.decided >= FEWEST_CASES) for one in numbers.people)


@given(opinions)
def test_a_pair_is_of_two_different_people(given_opinions):
    by_case: dict[UUID, set[str]] = {}
    for one in given_opinions:
        by_case.setdefault(one.transaction_id, set()).add(one.reviewer)
    assert len(first_pairs(given_opinions)) == sum(len(who) > 1 for who in by_case.values())


def test_a_changed_answer_is_counted_by_whether_the_engine_was_right():
    one, two, three = (UUID(int=number) for number in range(3))
    face = Question.DOCUMENT_AND_LIVE_FACE

    def answered(case, *given_answers):
        return [AnswerCounted(case, "ana", face, answer, place == 0) for place, answer in enumerate(given_answers)]

    seen = [
        *answered(one, Answer.SAME, Answer.DIFFERENT),
        *answered(two, Answer.SAME, Answer.DIFFERENT, Answer.CANNOT_TELL),
        *answered(three, Answer.SAME, Answer.DIFFERENT, Answer.SAME),
    ]
    ended = [
        OpinionCounted(one, "ana", REJECTED, REJECTED, REJECTED),
        OpinionCounted(two, "ana", APPROVED, REJECTED, APPROVED),
        OpinionCounted(three, "ana", APPROVED, REJECTED, None),
    ]
    found = changed(ended, seen)
    assert (found.blind, found.when_right, found.when_wrong, found.undecided) == (3, 1, 1, 0)


def test_only_first_blind_answers_to_control_pairs_are_counted_as_errors():
    """Of all other cases nobody knows the truth, and a second look is not what a person saw at first."""
    pair, same, two, case = (UUID(int=number) for number in range(4))
    face, same_person, different = Question.DOCUMENT_AND_LIVE_FACE, Answer.SAME, Answer.DIFFERENT
    found = errors(
        [
            AnswerCounted(pair, "ana", face, same_person, True, truth=different),
            AnswerCounted(pair, "ana", face, different, True, truth=different),
            AnswerCounted(same, "ana", face, different, False, truth=same_person),
            AnswerCounted(same, "ana", face, Answer.CANNOT_TELL, True, truth=same_person),
            AnswerCounted(two, "ana", Question.LIVENESS, same_person, True, truth=different),
            AnswerCounted(case, "ana", face, same_person, True),
            AnswerCounted(case, "ana", face, Answer.CANNOT_TELL, True),
        ]
    )
    counted = [(share.part, share.whole) for share in (found.accepted, found.refused, found.cannot_tell)]
    assert counted == [(1, 1), (0, 1), (1, 2)]
