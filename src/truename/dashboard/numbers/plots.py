"""Plots as shapes for SVG: every bar says its number in words and leads to exactly its rows; none needs a colour."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from truename.dashboard.words import per_cent
from truename.reviews.agreement import wilson
from truename.statistics.model import Day, Numbers, Spread, usual

WIDTH: Final = 720
HEIGHT: Final = 220
LEFT: Final = 44
RIGHT: Final = 8
TOP: Final = 14
BOTTOM: Final = 30
UNFINISHED: Final = ("EXPIRED", "CANCELLED", "FAILED")
LIST: Final = "/dashboard/transactions"


@dataclass(frozen=True, slots=True)
class Shape:
    """One bar or segment: where it stands, what it says, where it leads."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    words: str
    href: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A label on an axis."""

    at: float
    words: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Stacked columns, one for each day."""

    title: str
    shapes: tuple[Shape, ...]
    days: tuple[Mark, ...]
    levels: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class Row:
    """One bar of a list of bars."""

    label: str
    count: int
    share: str
    width: float
    href: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Points of a line, and the band around it."""

    title: str
    line: str
    dots: tuple[Shape, ...]
    band: str
    days: tuple[Mark, ...]
    levels: tuple[Mark, ...]
    second: str = ""
    usual: str = ""
    """Outline of what is usual on the weekday of each point; empty where too few weeks tell it."""
    width: int = WIDTH
    height: int = HEIGHT


def decisions(numbers: Numbers, today: date) -> Columns:
    """How many ended each day, and how."""
    top = nice(max((sum(day.ended.values()) for day in numbers.days), default=0))
    step = (WIDTH - LEFT - RIGHT) / max(1, len(numbers.days))
    shapes = []
    for place, day in enumerate(numbers.days):
        floor = float(HEIGHT - BOTTOM)
        parts = (
            ("approved", day.approved),
            ("rejected", day.ended.get("REJECTED", 0)),
            ("unfinished", unfinished(day)),
        )
        for kind, count in parts:
            if not count:
                continue
            tall = count / top * (HEIGHT - TOP - BOTTOM)
            words = f"{day.day}{' (so far)' if day.day == today else ''}: {count:,} {WORDS[kind]}"
            x, wide = LEFT + place * step + 1, max(1.0, step - 2)
            shown = max(1.0, round(tall - 1, 1))
            shapes.append(
                Shape(round(x, 1), round(floor - tall, 1), round(wide, 1), shown, kind, words, link_of(day, kind))
            )
            floor -= tall
    return Columns(
        _decided_title(numbers), tuple(shapes), day_marks([day.day for day in numbers.days], step), level_marks(top)
    )


WORDS: Final = {"approved": "approved", "rejected": "rejected", "unfinished": "not finished"}


def unfinished(day: Day) -> int:
    """Those that ended without a decision."""
    return sum(day.ended.get(status, 0) for status in UNFINISHED)


def decided_on(day: date) -> str:
    """The list of what was decided on this day."""
    return f"{LIST}?status=APPROVED&status=REJECTED&ended_from={day}&ended_to={day}"


def link_of(day: Day, kind: str) -> str:
    """The list of what ended so on this day."""
    statuses = {"approved": ("APPROVED",), "rejected": ("REJECTED",), "unfinished": UNFINISHED}[kind]
    asked = "&".join(f"status={status}" for status in statuses)
    return f"{LIST}?{asked}&ended_from={day.day}&ended_to={day.day}"


def _decided_title(numbers: Numbers) -> str:
    decided = sum(day.decided for day in numbers.days)
    if not decided:
        return "Nothing was decided in these days"
    approved = sum(day.approved for day in numbers.days)
    return f"{percent(approved, decided)} of decisions approved, {approved:,} of {decided:,}"


def approval(numbers: Numbers) -> Line | None:
    """The share of approvals each day, with the range in which chance alone would leave it (Wilson, 95 %)."""
    days = [(place, day) for place, day in enumerate(numbers.days) if day.decided]
    if len(days) < 2:
        return None
    step = (WIDTH - LEFT - RIGHT) / max(1, len(numbers.days))
    points, upper, lower, dots = [], [], [], []
    habits = _weekdays([day for _, day in days])
    most, least = [], []
    for place, day in days:
        x = round(LEFT + (place + 0.5) * step, 1)
        share = day.approval_share or 0.0
        low, high = wilson(day.approved, day.decided)
        points.append(f"{x},{_share_y(share)}")
        upper.append(f"{x},{_share_y(high)}")
        lower.append(f"{x},{_share_y(low)}")
        words = f"{day.day}: {percent(day.approved, day.decided)} approved, {day.approved:,} of {day.decided:,}"
        if (habit := habits[day.day.weekday()]) is not None:
            words += f"; usual on a {day.day:%A} {per_cent(habit[0])}–{per_cent(habit[1])} %"
            least.append(f"{x},{_share_y(habit[0])}")
            most.append(f"{x},{_share_y(habit[1])}")
        dots.append(Shape(x, _share_y(share), 0, 0, "dot", words, decided_on(day.day)))
    shares = [day.approval_share or 0.0 for _, day in days]
    half = max(1, len(shares) // 2)
    before, after = sum(shares[:half]) / half, sum(shares[half:]) / max(1, len(shares) - half)
    moved = after - before
    title = (
        "The approval share is steady"
        if abs(moved) < 0.03
        else (f"The approval share {'rose' if moved > 0 else 'fell'} from {per_cent(before)} % to {per_cent(after)} %")
    )
    levels = tuple(Mark(_share_y(share), f"{share:.0%}") for share in (0.0, 0.5, 1.0))
    band = " ".join([*upper, *reversed(lower)])
    marks = day_marks([day.day for day in numbers.days], step)
    known = " ".join([*most, *reversed(least)]) if len(most) == len(days) else ""
    return Line(title, " ".join(points), tuple(dots), band, marks, levels, usual=known)


def _weekdays(days: Sequence[Day]) -> dict[int, tuple[float, float] | None]:
    """What share of approvals is usual on each weekday, as far as enough weeks tell it."""
    shares: dict[int, list[float]] = {number: [] for number in range(7)}
    for day in days:
        shares[day.day.weekday()].append(day.approval_share or 0.0)
    return {number: usual(found) for number, found in shares.items()}


def times(numbers: Numbers) -> Line | None:
    """Median and 95th percentile from submission to the engine's decision, by day, on a log axis."""
    days = [
        (place, spread)
        for place, day in enumerate(numbers.days)
        if (spread := numbers.daily_times.get(day.day, (EMPTY, EMPTY))[0]).p50 is not None
    ]
    if len(days) < 2:
        return None
    step = (WIDTH - LEFT - RIGHT) / max(1, len(numbers.days))
    most = max(spread.p95 or 0.0 for _, spread in days)
    low, high = 0.5, max(10.0, most * 1.3)

    def y(seconds: float) -> float:
        part = (math.log(max(seconds, low)) - math.log(low)) / (math.log(high) - math.log(low))
        return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)

    medians, tails, dots = [], [], []
    for place, spread in days:
        day, x = numbers.days[place].day, round(LEFT + (place + 0.5) * step, 1)
        medians.append(f"{x},{y(spread.p50 or low)}")
        tails.append(f"{x},{y(spread.p95 or low)}")
        words = f"{day}: half within {spread.p50:.1f} s, 95 % within {spread.p95:.1f} s"
        dots.append(
            Shape(
                x, y(spread.p95 or low), 0, 0, "dot", words, f"{LIST}?decided_by=ENGINE&ended_from={day}&ended_to={day}"
            )
        )
    title = f"Half of the analyses take {numbers.engine.p50:.1f} s, 95 % at most {numbers.engine.p95:.1f} s"
    levels = tuple(
        Mark(y(seconds), f"{seconds:g} s") for seconds in (1.0, 10.0, 100.0, 1000.0) if low <= seconds <= high
    )
    return Line(
        title,
        " ".join(medians),
        tuple(dots),
        "",
        day_marks([day.day for day in numbers.days], step),
        levels,
        second=" ".join(tails),
    )


EMPTY: Final = Spread(0, None, None)


def percent(part: int, whole: int) -> str:
    """A share with its sign; a dash where there is nothing to have a share of."""
    return f"{per_cent(part / whole)} %" if whole else "–"


def nice(most: int) -> int:
    """A round number at or above this one, to end an axis at."""
    if most <= 4:
        return 4
    unit = 10 ** math.floor(math.log10(most))
    return next(int(unit * step) for step in (1, 2, 4, 5, 8, 10) if unit * step >= most)


def _share_y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def level_marks(top: int) -> tuple[Mark, ...]:
    """Labels of an axis of counts: none, half, all."""
    return tuple(
        Mark(round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1), f"{round(top * part):,}")
        for part in (0, 0.5, 1)
    )


def day_marks(days: Sequence[date], step: float) -> tuple[Mark, ...]:
    """Labels of an axis of days, so many that they do not touch."""
    every = max(1, math.ceil(len(days) / 8))
    return tuple(
        Mark(round(LEFT + (place + 0.5) * step, 1), f"{day:%d %b}")
        for place, day in enumerate(days)
        if place % every == 0
    )
