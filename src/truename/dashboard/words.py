"""How pages say things: times with their zone, durations, statuses with a shape and a word, short ids."""

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from markupsafe import Markup

from truename.plumbing import clock
from truename.rules.issues import Severity

UNITS: Final = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
RECENT: Final = timedelta(days=7)
STATUS: Final[Mapping[str, tuple[str, str, str]]] = {
    "APPROVED": ("✓", "Approved", "good"),
    "REJECTED": ("✕", "Rejected", "danger"),
    "IN_REVIEW": ("◔", "In review", "warn"),
    "PROCESSING": ("…", "Processing", "plain"),
    "CREATED": ("○", "Created", "plain"),
    "IN_PROGRESS": ("▷", "In progress", "plain"),
    "EXPIRED": ("⌛", "Expired", "plain"),
    "CANCELLED": ("⊘", "Cancelled", "plain"),
    "FAILED": ("!", "Failed", "danger"),
    "ACTIVE": ("✓", "Active", "good"),
    "SUSPICIOUS": ("▲", "Suspicious", "warn"),
    "BLOCKED": ("⊘", "Blocked", "danger"),
    "ERASED": ("∅", "Erased", "plain"),
    "DELIVERED": ("✓", "Delivered", "good"),
    "PENDING": ("…", "Waiting", "plain"),
    "EXHAUSTED": ("✕", "Given up", "danger"),
}
"""Of each status: a shape of its own, its word and its colour; without the colour it can still be told."""


@lru_cache
def zone(name: str) -> tzinfo:
    """A time zone by its name; UTC when there is none of that name."""
    return ZoneInfo(name) if name in zones() else UTC


@lru_cache
def zones() -> tuple[str, ...]:
    """Every time zone that a person may choose."""
    return (*sorted(one for one in available_timezones() if "/" in one and not one.startswith("Etc/")), "UTC")


def zone_words(name: str, moment: datetime | None = None) -> str:
    """A zone with its present offset: Europe/Berlin (UTC+1)."""
    if name == "UTC":
        return "UTC"
    offset = (moment or clock.now()).astimezone(zone(name)).utcoffset() or timedelta(0)
    minutes = round(offset.total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"{name} (UTC{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''})"


def exact(moment: datetime, name: str) -> str:
    """Date, time and zone: 2026-11-15 14:02:31 CET."""
    return moment.astimezone(zone(name)).strftime("%Y-%m-%d %H:%M:%S %Z")


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago a moment of the last days is, in whole units; in how long one of the next; others by their date."""
    gone = (now or clock.now()) - moment
    if abs(gone) >= RECENT:
        return moment.strftime("%Y-%m-%d")
    if gone < timedelta(0):
        return f"in {duration(-gone)}"
    size, unit = next(((size, unit) for unit, size in UNITS if gone.total_seconds() >= size), (1, "s"))
    whole = int(gone.total_seconds() // size)
    return f"{whole} {unit} ago" if whole else "now"


def duration(span: timedelta | float) -> str:
    """A span in at most two units: 1 min 12 s, 3 h 5 min, 2 d 4 h."""
    seconds = int(span.total_seconds() if isinstance(span, timedelta) else span)
    for place, (unit, size) in enumerate(UNITS):
        whole, rest = divmod(seconds, size)
        if whole or unit == "s":
            smaller = UNITS[place + 1] if place + 1 < len(UNITS) else None
            more = rest // smaller[1] if smaller else 0
            return f"{whole} {unit}" + (f" {more} {smaller[0]}" if smaller and more else "")
    return "0 s"


def seconds_left(moment: datetime) -> str:
    """Seconds from now, so that a browser whose clock is wrong counts rightly."""
    return f"{max(0.0, (moment - clock.now()).total_seconds()):.1f}"


def per_cent(share: float) -> str:
    """A share of one as a figure without its sign: 88, 0.8, and neither 0 nor 100 where it is not."""
    figure = 100 * share
    if share in (0, 1):
        return f"{figure:.0f}"
    texts = (f"{figure:.{digits}f}" for digits in range(0 if figure >= 10 else 1, 6))
    return next((text for text in texts if 0 < float(text) < 100), f"{figure:.0f}")


def count(number: int) -> str:
    """A number with its thousands apart: 88,412."""
    return f"{number:,}"


def change(number: int) -> str:
    """A difference with its sign: +3, −1,204, ±0."""
    return f"{number:+,}".replace("-", "−") if number else "±0"


def short(identity: UUID | str) -> str:
    """The last eight characters of an id: the first ones of ours are the time and alike in a list."""
    return str(identity)[-8:]


class Graded(Protocol):
    """Something with a severity."""

    @property
    def severity(self) -> str: ...


def gravest_first(issues: Iterable[Graded]) -> list[Graded]:
    """Issues by severity, those that reject first."""
    return sorted(issues, key=lambda issue: list(Severity).index(Severity(issue.severity)))


def person(name: str) -> Markup:
    """A name amid a sentence: one that is written from right to left would turn the figures behind it around."""
    return Markup("<bdi>{}</bdi>").format(name)


def with_code(text: str) -> Markup:
    """A sentence in which what stands between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one backtick too many, so none of them means anything
        return Markup("{}").format(text)
    shown = (Markup("<code>{}</code>").format(part) if place % 2 else part for place, part in enumerate(parts))
    return Markup("").join(shown)


def with_pointers(text: str) -> Markup:
    """A sentence in which JSON pointers are code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else part for place, part in enumerate(_POINTER.split(text))
    )


def yes_no(value: object) -> str:
    """A value of a setting in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == ():
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


@dataclass(frozen=True)
class Times:
    """Writes times for one person: in their zone, with UTC beside it on hover and focus."""

    zone_name: str

    def today(self) -> date:
        """The date of this moment, as retention counts days."""
        return clock.now().date()

    def once(self) -> str:
        """A random word for a form that may be sent once only."""
        return secrets.token_urlsafe(12)

    def seconds_left(self, moment: datetime) -> str:
        """For a countdown."""
        return seconds_left(moment)

    def relative(self, moment: datetime | None) -> Markup | str:
        """For lists: how long ago, with the exact time on hover."""
        return "–" if moment is None else self._element(moment, ago(moment))

    def due(self, moment: datetime | None) -> Markup | str:
        """For what is yet to come: in how long; what is due and not done yet is due now, and not some time ago."""
        if moment is None:
            return "–"
        return self._element(moment, "now" if moment <= clock.now() else ago(moment))

    def exact(self, moment: datetime | None) -> Markup | str:
        """For logs and timelines: the exact time with its zone."""
        return "–" if moment is None else self._element(moment, exact(moment, self.zone_name))

    def _element(self, moment: datetime, text: str) -> Markup:
        both = f"{exact(moment, self.zone_name)} · {moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        iso = moment.astimezone(UTC).isoformat()
        return Markup('<time datetime="{}" title="{}">{}</time>').format(iso, both, text)


def status(name: str) -> Markup:
    """A status as shape, word and colour."""
    shape, word, colour = STATUS.get(name, ("·", name.replace("_", " ").capitalize(), "plain"))
    return Markup('<span class="status {}"><span aria-hidden="true">{}</span> {}</span>').format(colour, shape, word)


def day_of(text: str | None, zone_name: str) -> datetime | None:
    """The beginning of a day in the person's zone, from a date field; None for anything else or other centuries."""
    try:
        found = datetime.strptime(text or "", "%Y-%m-%d").replace(tzinfo=zone(zone_name))
    except ValueError:
        return None
    return found if 2000 <= found.year < 2200 else None


_POINTER: Final = re.compile(r"((?<![^\s(])(?:/\w+){2,})")
_FORMULA: Final = re.compile(r"(^)(?=[\t\r\n])|((?:^|[;\t\r\n]) {0,8})(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Where a formula may begin: a cell, or what another country's spreadsheet takes for the next cell."""


def plain_cell(text: str) -> str:
    """A cell of a CSV file that no spreadsheet takes for a formula, whatever it takes for a separator."""
    return _FORMULA.sub(lambda found: f"{found[0]}'", text)
