"""The range of days that the numbers are about: a preset, or from and to as one chooses."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from starlette.datastructures import QueryParams

PRESETS: Final = {"7": "7 days", "30": "30 days", "90": "90 days"}
USUAL: Final = "30"
MOST_DAYS: Final = 366


@dataclass(frozen=True, slots=True)
class Days:
    """Some days, both ends included."""

    first: date
    last: date
    preset: str | None
    """Which of the presets it is; None when it was chosen by its ends."""
    corrected: bool = False
    """The ends that were asked for could not be taken as they were."""

    @property
    def count(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def before(self) -> tuple[date, date]:
        """As many days before."""
        return self.first - timedelta(days=self.count), self.first - timedelta(days=1)

    @property
    def words(self) -> str:
        """How long it is."""
        return PRESETS[self.preset] if self.preset else f"{self.count:,} day{'s' if self.count != 1 else ''}"

    @property
    def query(self) -> str:
        """The address's query for the same range."""
        return f"days={self.preset}" if self.preset else f"from={self.first}&to={self.last}"


def days_of(query: QueryParams, today: date) -> Days:
    """The range that an address asks for; what cannot be is made to fit, and said to be."""
    first, last = _day(query.get("from")), _day(query.get("to"))
    if first is None and last is None:
        preset = query.get("days", USUAL)
        preset = preset if preset in PRESETS else USUAL
        return Days(today - timedelta(days=int(preset) - 1), today, preset)
    asked = first, last
    last = min(last or today, today)
    first = first or last - timedelta(days=int(USUAL) - 1)
    if first > last:
        first, last = last, min(first, today)
    first = max(first, last - timedelta(days=MOST_DAYS - 1))
    return Days(first, last, None, corrected=(first, last) != (asked[0] or first, asked[1] or last))


def _day(text: str | None) -> date | None:
    try:
        day = date.fromisoformat(text or "")
    except ValueError:
        return None
    return day if 2000 <= day.year < 2200 else None
