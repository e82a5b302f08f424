"""What is counted, by the hour; and how times are read back from buckets."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Final

BUCKETS_PER_DOUBLING: Final = 4
"""Times are kept in buckets, each about 19 % wider than the one before: close enough for a median, and they add up."""


class Measure(StrEnum):
    """Everything that is counted. STARTED by the hour of creation, all others by the hour of the end."""

    STARTED = "STARTED"
    ENDED = "ENDED"
    """By the final status."""
    ISSUE = "ISSUE"
    """By code, of those that ended."""
    STOPPED = "STOPPED"
    """By the step at which people stopped, of those that expired or were cancelled."""
    ENGINE_SECONDS = "ENGINE_SECONDS"
    """By bucket: from the submission to a decision that the engine took."""
    REVIEWER_SECONDS = "REVIEWER_SECONDS"
    """By bucket: from the submission to a decision that a person took."""
    QUEUED = "QUEUED"
    """What went to a person, by the hour of its submission."""
    SCORE = "SCORE"
    """By step of the scale of strangers: how alike the faces of document and camera were, of those decided."""
    GROUP = "GROUP"
    """By the keyed hash of a group and what became of it: `HASH:APPROVED`, `HASH:DOCUMENT` (where it stopped)."""


APART: Final = (Measure.SCORE, Measure.GROUP)
"""Read by themselves: there are many, and only some pages need them."""


class Step(StrEnum):
    """Where somebody stopped, in the order of the capture."""

    LINK = "LINK"
    CONSENT = "CONSENT"
    DOCUMENT = "DOCUMENT"
    FACE = "FACE"
    SUBMIT = "SUBMIT"

    @property
    def words(self) -> str:
        """As a person says it."""
        return STEP_WORDS[self]


STEP_WORDS: Final = {
    Step.LINK: "never opened the capture",
    Step.CONSENT: "stopped at the consent",
    Step.DOCUMENT: "stopped at the document",
    Step.FACE: "stopped at the face",
    Step.SUBMIT: "captured all, did not send",
}


@dataclass(frozen=True, slots=True)
class Day:
    """One day, in the zone of whoever looks."""

    day: date
    started: int = 0
    ended: Mapping[str, int] = field(default_factory=dict)

    @property
    def decided(self) -> int:
        return self.ended.get("APPROVED", 0) + self.ended.get("REJECTED", 0)

    @property
    def approved(self) -> int:
        return self.ended.get("APPROVED", 0)

    @property
    def approval_share(self) -> float | None:
        """None on a day without a decision."""
        return self.approved / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile of some times, in seconds; None where there were none."""

    count: int
    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A range of days and the sums over it."""

    days: tuple[Day, ...]
    """Each day of the range, also those on which nothing happened, the oldest first."""
    issues: Mapping[str, int]
    """By code, the most frequent first."""
    stopped: Mapping[Step, int]
    """In the order of the capture."""
    engine: Spread
    reviewer: Spread
    daily_times: Mapping[date, tuple[Spread, Spread]]
    """Of each day that has any: engine, reviewer."""
    queued: Mapping[date, int] = field(default_factory=dict)
    """How many went to a person, by the day of their submission."""

    @property
    def started(self) -> int:
        return sum(day.started for day in self.days)

    @property
    def ended(self) -> int:
        return sum(sum(day.ended.values()) for day in self.days)


def spread(buckets: Mapping[int, int]) -> Spread:
    """Median and 95th percentile of counts by bucket."""
    return Spread(sum(buckets.values()), percentile(buckets, 0.5), percentile(buckets, 0.95))


def percentile(buckets: Mapping[int, int], share: float) -> float | None:
    """The time below which this share of the counts lies; the middle of its bucket."""
    wanted, passed = share * sum(buckets.values()), 0
    for bucket in sorted(buckets):
        passed += buckets[bucket]
        if passed >= wanted and passed:
            return float(2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING))
    return None


def bucket_of(seconds: float) -> int:
    """The bucket of a time; all under an eighth of a second share one."""
    return math.floor(BUCKETS_PER_DOUBLING * math.log2(max(seconds, 0.125)))


def usual(values: list[float]) -> tuple[float, float] | None:
    """The band in which four of five of these values lie; None of fewer than seven, which tell no habit."""
    if len(values) < 7:
        return None
    ordered = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

    return at(0.1), at(0.9)
