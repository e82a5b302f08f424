"""How good reviews are, counted: pure functions of what people answered and decided.

Nobody knows the truth of a case. So of cases there are no error rates, but what can be counted honestly: how often a
second look overturned an approval, how often two people agreed, how often the others decided otherwise. Only of control
cases, whose truth somebody said, it is counted how often people err.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from uuid import UUID

from truename.reviews.model import Answer, Decided, Question

NORMAL_95: Final = 1.959964
FEWEST_CASES: Final = 30
"""Below so many cases a person's numbers are chance, and are not shown."""
FEWEST_PAIRS: Final = 20
"""A first session of control pairs: from then on a person's errors are shown."""


@dataclass(frozen=True, slots=True)
class OpinionCounted:
    """One decision of one person, as far as it is counted."""

    transaction_id: UUID
    reviewer: str
    outcome: Decided
    machine: Decided
    """What the engine had judged."""
    final: Decided | None
    """How the case ended; None while it is open, and for decisions by another way."""
    sampled: bool = False
    """It was an approval of the engine, drawn for the quality sample."""
    took_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerCounted:
    """One answer to one question, in the order in which they were given."""

    transaction_id: UUID
    reviewer: str
    question: Question
    answer: Answer
    blind: bool
    truth: Answer | None = None
    """What is true of the faces of a control case; None of all others."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, with the interval in which the true share lies in 95 of 100 samples (Wilson)."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        return self.part / self.whole if self.whole else None

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.part, self.whole)


@dataclass(frozen=True, slots=True)
class Changed:
    """Blind answers, and what became of them when the rest was shown."""

    blind: int
    when_right: int
    """Changed where the engine's judgement became the final decision."""
    when_wrong: int
    """Changed where the final decision was another."""
    undecided: int
    """Changed, and the case is still open."""

    @property
    def all(self) -> Share:
        return Share(self.when_right + self.when_wrong + self.undecided, self.blind)


@dataclass(frozen=True, slots=True)
class Handling:
    """How long people had a case in hand before they decided."""

    cases: int
    median: float | None
    p90: float | None


@dataclass(frozen=True, slots=True)
class Errors:
    """What one reviewer answered to control pairs, blind and at first."""

    accepted: Share
    """Of pairs of two people: how many were taken for one person."""
    refused: Share
    """Of pairs of one person: how many were taken for two."""
    cannot_tell: Share

    @property
    def enough(self) -> bool:
        """Are there pairs enough to say anything?"""
        return self.cannot_tell.whole >= FEWEST_PAIRS


@dataclass(frozen=True, slots=True)
class PersonCounted:
    """The numbers of one reviewer."""

    reviewer: str
    decided: int
    overruled: Share
    """Of the decisions whose case has ended: how many ended otherwise."""
    cannot_tell: Share
    """Of the blind answers: how many were "cannot tell"."""
    changed: Changed
    handling: Handling
    errors: Errors

    @property
    def enough(self) -> bool:
        """Are there cases enough to say anything?"""
        return self.decided >= FEWEST_CASES


@dataclass(frozen=True, slots=True)
class ReviewNumbers:
    """The numbers of all reviews of an account in some range."""

    overturned: Share
    """Of the approvals in the quality sample: how many a person would have rejected."""
    agreed: Share
    """Of the cases that two people decided without knowing of each other: how many they decided alike."""
    kappa: float | None
    """Cohen's kappa of those pairs: agreement beyond chance; None where it is not defined."""
    changed: Changed
    handling: Handling
    people: tuple[PersonCounted, ...]


def count(opinions: Sequence[OpinionCounted], answers: Sequence[AnswerCounted]) -> ReviewNumbers:
    """All numbers; both in the order of time."""
    samples = [one for one in opinions if one.sampled]
    pairs = first_pairs(opinions)
    people = sorted({one.reviewer for one in opinions} | {one.reviewer for one in answers if one.truth})
    return ReviewNumbers(
        overturned=Share(sum(one.outcome is Decided.REJECTED for one in samples), len(samples)),
        agreed=Share(sum(first is second for first, second in pairs), len(pairs)),
        kappa=cohens_kappa(pairs),
        changed=changed(opinions, answers),
        handling=handling(opinions),
        people=tuple(_person(name, opinions, answers) for name in people),
    )


def _person(name: str, opinions: Sequence[OpinionCounted], answers: Sequence[AnswerCounted]) -> PersonCounted:
    own = [one for one in opinions if one.reviewer == name]
    given = [one for one in answers if one.reviewer == name]
    ended = [one for one in own if one.final is not None and not one.sampled]
    blind = [one for one in given if one.blind]
    return PersonCounted(
        name,
        len(own),
        Share(sum(one.outcome is not one.final for one in ended), len(ended)),
        Share(sum(one.answer is Answer.CANNOT_TELL for one in blind), len(blind)),
        changed(own, given),
        handling(own),
        errors(given),
    )


def errors(answers: Iterable[AnswerCounted]) -> Errors:
    """How often the first blind answers to control pairs of document and live face were wrong; of one person."""
    first: dict[UUID, AnswerCounted] = {}
    for one in answers:
        if one.truth and one.blind and one.question is Question.DOCUMENT_AND_LIVE_FACE:
            first.setdefault(one.transaction_id, one)
    of_two = [one.answer for one in first.values() if one.truth is Answer.DIFFERENT]
    of_one = [one.answer for one in first.values() if one.truth is Answer.SAME]
    unsure = [*of_two, *of_one].count(Answer.CANNOT_TELL)
    return Errors(
        Share(of_two.count(Answer.SAME), len(of_two)),
        Share(of_one.count(Answer.DIFFERENT), len(of_one)),
        Share(unsure, len(first)),
    )


def first_pairs(opinions: Iterable[OpinionCounted]) -> list[tuple[Decided, Decided]]:
    """What the first two different people decided about each case that two have decided."""
    by_case = sorted(opinions, key=lambda one: one.transaction_id)  # stable: in the order of time within a case
    pairs = []
    for _, group in groupby(by_case, key=lambda one: one.transaction_id):
        of_people: dict[str, Decided] = {}
        for one in group:
            of_people.setdefault(one.reviewer, one.outcome)
        if len(of_people) > 1:
            first, second, *_ = of_people.values()
            pairs.append((first, second))
    return pairs


def changed(opinions: Iterable[OpinionCounted], answers: Iterable[AnswerCounted]) -> Changed:
    """Answers that were changed once the rest was shown, split by whether the engine was right in the end."""
    right = {one.transaction_id: one.machine is one.final for one in opinions if one.final is not None}
    first: dict[tuple[UUID, str, Question], Answer] = {}
    last: dict[tuple[UUID, str, Question], Answer] = {}
    for one in answers:
        key = one.transaction_id, one.reviewer, one.question
        if one.blind:
            first.setdefault(key, one.answer)
        last[key] = one.answer
    moved = Counter(right.get(key[0]) for key, answer in first.items() if last[key] is not answer)
    return Changed(len(first), moved[True], moved[False], moved[None])


def handling(opinions: Iterable[OpinionCounted]) -> Handling:
    """Median and ninth decile of the time between taking and deciding; never the mean, which one lunch spoils."""
    times = [one.took_seconds for one in opinions if one.took_seconds is not None]
    return Handling(len(times), quantile(times, 0.5), quantile(times, 0.9))


def wilson(part: int, whole: int, errors: float = NORMAL_95) -> tuple[float, float]:
    """The interval of a share (Wilson): 95 %, or so many standard errors; from 0 to 1 when nothing was counted."""
    if not whole:
        return 0.0, 1.0
    square = errors**2
    middle = (part + square / 2) / (whole + square)
    half = errors / (whole + square) * math.sqrt(part * (whole - part) / whole + square / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def cohens_kappa(pairs: Sequence[tuple[object, object]]) -> float | None:
    """Agreement beyond chance: 1 when all agree, 0 when as often as by chance; None where chance alone agrees."""
    if not pairs:
        return None
    agreed = sum(first == second for first, second in pairs) / len(pairs)
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    by_chance = sum(firsts[name] * seconds[name] for name in firsts) / len(pairs) ** 2
    return None if by_chance >= 1 else (agreed - by_chance) / (1 - by_chance)


def quantile(values: Iterable[float], share: float) -> float | None:
    """The value below which this share of the values lies, between two of them by a straight line; None of none."""
    ordered = sorted(values)
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
