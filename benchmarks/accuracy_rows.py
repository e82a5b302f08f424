"""What the accuracy report is made of: figures with their intervals, and samples that had to be left out."""

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import ClassVar, TypeVar

from pydantic import ConfigDict

from truename.reviews.agreement import wilson

CHOSEN_HERE = "fitted to these very pictures"
"""In the note of a figure that is in fold only; the page on accuracy shows it as such."""
NOTHING_FITTED = "nothing is fitted here"
"""In the note of a figure that is the same in fold and out of it, because no limit was chosen by counting pictures."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Row:
    """One measured figure, with the interval it is known to and the target it has to meet."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")
    section: str
    """faces, age, mrz, documents or liveness."""
    measure: str
    value: float | None
    """None when it could not be measured; `note` then says why."""
    low: float | None = None
    """The 95 % interval."""
    high: float | None = None
    target: str = ""
    """As a person reads it, for example "≤ 2 %"; empty when the figure has no target."""
    meets: bool | None = None
    """None when there is no target or no figure."""
    n: int = 0
    """How many images or pairs the figure rests on."""
    note: str = ""
    unit: str = ""
    """ "%", "years", "s" … ; a share is given as a fraction from 0 to 1 with the unit "%"."""


def share(
    section: str,
    measure: str,
    hits: int,
    n: int,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    note: str = "",
) -> Row:
    """A row for `hits` of `n`, with its Wilson interval, and whether the measured value meets the target."""
    if n == 0:
        return Row(section, measure, None, note=note or "nothing to measure", unit="%")
    value = hits / n
    low, high = wilson(hits, n)
    meets: bool | None = None
    target = ""
    if at_most is not None:
        meets, target = value <= at_most, f"≤ {100 * at_most:g} %"
    elif at_least is not None:
        meets, target = value >= at_least, f"≥ {100 * at_least:g} %"
    return Row(section, measure, value, low, high, target, meets, n, note, "%")


def bounded(
    section: str,
    measure: str,
    value: float,
    *,
    at_most: float = inf,
    at_least: float = -inf,
    low: float | None = None,
    high: float | None = None,
    n: int = 0,
    unit: str = "",
    note: str = "",
) -> Row:
    """A row for a figure that is no share (years, seconds, ratios)."""
    target = f"≤ {at_most:g} {unit}" if at_most < inf else f"≥ {at_least:g} {unit}" if at_least > -inf else ""
    meets = at_least <= value <= at_most if target else None
    return Row(section, measure, value, low, high, target.strip(), meets, n, note, unit)


class LeftOut:
    """The samples of a section that could not be measured: each costs itself, and a row says how many and why."""

    def __init__(self, section: str) -> None:
        self.section = section
        self.tried = 0
        self.reasons: list[str] = []

    def measured(self, name: str, measure: Callable[[], Found]) -> Found | None:
        """What `measure` finds; None when it fails, be it a broken picture or a label that nobody knows."""
        self.tried += 1
        try:
            return measure()
        except Exception as fault:
            self.reasons.append(f"{name}: {type(fault).__name__}: {fault}")
            return None

    def rows(self) -> list[Row]:
        """One row, or none when nothing was left out."""
        if not self.reasons:
            return []
        shown = "; ".join(self.reasons[:3]) + ("; …" if len(self.reasons) > 3 else "")
        return [Row(self.section, "samples left out", len(self.reasons), n=self.tried, note=shown)]


def part(section: str, measure: str, make: Callable[[], Iterable[Row]]) -> list[Row]:
    """The rows of one part of a section; a part that cannot be measured is a row that says so, never a silent gap."""
    try:
        return list(make())
    except Exception as fault:
        traceback.print_exc()
        return [Row(section, measure, None, target="a figure", note=f"{type(fault).__name__}: {fault}")]
