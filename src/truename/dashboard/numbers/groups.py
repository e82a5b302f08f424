"""For whom is it worse, and does the model drift? Shares by group with their intervals, and the scores of last week."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from truename.dashboard.numbers.plots import (
    BOTTOM,
    HEIGHT,
    LEFT,
    LIST,
    RIGHT,
    TOP,
    WIDTH,
    Mark,
    Shape,
    percent,
)
from truename.dashboard.numbers.range import Days
from truename.dashboard.words import per_cent
from truename.plumbing.crypto.vault import Vault
from truename.reviews.agreement import wilson
from truename.rules.score_words import shown_limit
from truename.rules.strangers import STEP_EDGES, STEPS, step_bounds, step_words
from truename.statistics.model import Step
from truename.transactions.traits import Dimension, Trait, every_trait, trait_key

FEWEST: Final = 30
"""Of fewer than these nothing is told: the interval would be wider than any finding."""
BEYOND_CHANCE: Final = 3.0
"""In standard errors: of the many groups that are compared, hardly one then stands out by chance alone."""
DECIDED: Final = ("APPROVED", "REJECTED")
TITLES: Final = {
    Dimension.COUNTRY: "Country of the document",
    Dimension.TYPE: "Type of the document",
    Dimension.AGE: "Age by the document",
    Dimension.DEVICE: "Device",
}


@dataclass(frozen=True, slots=True)
class Group:
    """One group: how many were decided, and which share of them was approved."""

    words: str
    decided: int
    approved: int
    href: str
    stands_out: bool = False
    """The share of all is further away than chance would have it, also among so many groups."""

    @property
    def told(self) -> bool:
        return self.decided >= FEWEST

    @property
    def share(self) -> str:
        return percent(self.approved, self.decided)

    @property
    def interval(self) -> str:
        low, high = wilson(self.approved, self.decided)
        return f"{per_cent(low)}–{per_cent(high)} %"


@dataclass(frozen=True, slots=True)
class Fairness:
    """The groups of each dimension, those of whom most were decided first."""

    title: str
    dimensions: tuple[tuple[str, tuple[Group, ...]], ...]


@dataclass(frozen=True, slots=True)
class StopRow:
    """One kind of device: where its people stopped."""

    words: str
    counts: tuple[tuple[int, str], ...]
    """Of each step of the capture: how many, and the list of them."""
    stopped: int
    decided: int

    @property
    def share(self) -> str:
        """Which share of those who began came to no end."""
        return percent(self.stopped, self.stopped + self.decided)


@dataclass(frozen=True, slots=True)
class Drift:
    """Two histograms over the steps of the scale of strangers: the last week, and the 90 days before."""

    title: str
    shapes: tuple[Shape, ...]
    line: str
    labels: tuple[Mark, ...]
    threshold_x: float
    threshold: float
    rows: tuple[tuple[str, int, str, int, str, str], ...]
    """Step in words, count and share of the week, count and share before, link of the week."""
    width: int = WIDTH
    height: int = HEIGHT


def known_groups(vault: Vault, account_id: UUID) -> dict[bytes, Trait]:
    """Which hash stands for which group in this account."""
    return {trait_key(vault, account_id, trait): trait for trait in every_trait()}


def fairness(groups: Mapping[bytes, Counter[str]], known: Mapping[bytes, Trait], days: Days) -> Fairness:
    """The share of approvals in each group, with the range in which chance alone would leave it."""
    found: dict[Dimension, list[Group]] = {dimension: [] for dimension in Dimension}
    overall: dict[Dimension, Counter[str]] = {dimension: Counter() for dimension in Dimension}
    for key, became in groups.items():
        if key in known:
            overall[known[key].dimension].update({name: became[name] for name in DECIDED})
    for key, became in groups.items():
        decided, trait = sum(became[name] for name in DECIDED), known.get(key)
        if trait is None or not decided:
            continue
        whole = overall[trait.dimension]
        low, high = wilson(became["APPROVED"], decided, BEYOND_CHANCE)
        out = decided >= FEWEST and not low <= whole["APPROVED"] / sum(whole.values()) <= high
        statuses = "&".join(f"status={status}" for status in DECIDED)
        href = f"{LIST}?{statuses}&ended_from={days.first}&ended_to={days.last}&group={key.hex()}"
        found[trait.dimension].append(Group(trait.words, decided, became["APPROVED"], href, out))
    shown = tuple(
        (TITLES[dimension], tuple(sorted(rows, key=lambda group: -group.decided)))
        for dimension, rows in found.items()
        if rows
    )
    return Fairness(_finding(shown), shown)


def _finding(shown: Sequence[tuple[str, Sequence[Group]]]) -> str:
    told = [group for _, rows in shown for group in rows if group.told]
    worst = min((group for group in told if group.stands_out), key=lambda g: g.approved / g.decided, default=None)
    if not told:
        return f"No group has {FEWEST} decisions in these days: nothing can be told yet"
    if worst is None:
        return "No group differs from the rest by more than chance would make it"
    return f"Approval is lowest for {worst.words}: {worst.share}, with chance between {worst.interval}"


def stops_by_device(groups: Mapping[bytes, Counter[str]], known: Mapping[bytes, Trait], days: Days) -> list[StopRow]:
    """Where people stopped, by the kind of their device; those who never opened the capture have none."""
    rows = []
    steps = [step for step in Step if step is not Step.LINK]
    for key, became in groups.items():
        trait = known.get(key)
        if trait is None or trait.dimension is not Dimension.DEVICE:
            continue
        ended = f"ended_from={days.first}&ended_to={days.last}&group={key.hex()}"
        counts = tuple((became[step], f"{LIST}?stopped={step.value}&{ended}") for step in steps)
        stopped, decided = sum(count for count, _ in counts), sum(became[name] for name in DECIDED)
        rows.append(StopRow(trait.words, counts, stopped, decided))
    return sorted(rows, key=lambda row: -(row.stopped + row.decided))


def drift(week: Sequence[int], before: Sequence[int], threshold: float, days: Days) -> Drift | None:
    """The scores of the last week over those before; None when either has too few to compare."""
    if sum(week) < FEWEST or sum(before) < FEWEST:
        return None
    wide = (WIDTH - LEFT - RIGHT) / STEPS
    most = max(*(count / sum(week) for count in week), *(count / sum(before) for count in before))

    def y(share: float) -> float:
        return round(HEIGHT - BOTTOM - share / most * (HEIGHT - TOP - BOTTOM), 1)

    shapes, points, rows = [], [], []
    for step in range(STEPS):
        share, was = week[step] / sum(week), before[step] / sum(before)
        left = LEFT + step * wide
        href = f"{LIST}?status=APPROVED&status=REJECTED&score={step}&ended_from={days.first}&ended_to={days.last}"
        shares = percent(week[step], sum(week)), percent(before[step], sum(before))
        words = f"{step_words(step)}: {shares[0]} last week, {shares[1]} before"
        tall = HEIGHT - BOTTOM - y(share)
        shapes.append(
            Shape(round(left + 4, 1), y(share), round(wide - 8, 1), round(max(tall, 1), 1), "past", words, href)
        )
        points += [f"{left:.1f},{y(was)}", f"{left + wide:.1f},{y(was)}"]
        rows.append((step_words(step), week[step], shares[0], before[step], shares[1], href))
    labels = tuple(Mark(round(LEFT + (place + 1) * wide, 1), f"{edge:.2f}") for place, edge in enumerate(STEP_EDGES))
    at = next(step for step in range(STEPS) if threshold < step_bounds(step)[1])
    low, high = step_bounds(at)
    line_x = LEFT + (at + (threshold - low) / (high - low)) * wide
    title = _drift_title(week, before, threshold)
    return Drift(title, tuple(shapes), " ".join(points), labels, round(line_x, 1), threshold, tuple(rows))


def _drift_title(week: Sequence[int], before: Sequence[int], threshold: float) -> str:
    """Did the share below the step of the threshold move by more than chance?"""
    below = [step for step in range(STEPS) if step_bounds(step)[1] <= threshold]
    now, was = sum(week[step] for step in below), sum(before[step] for step in below)
    low, high = wilson(now, sum(week))
    old_low, old_high = wilson(was, sum(before))
    then, since, needed = percent(was, sum(before)), percent(now, sum(week)), shown_limit(threshold)
    if low > old_high:
        return f"More faces score below {needed} than before: from {then} to {since}"
    if high < old_low:
        return f"Fewer faces score below {needed} than before: from {then} to {since}"
    return f"Scores are where they were: {since} below {needed}, {then} before"
