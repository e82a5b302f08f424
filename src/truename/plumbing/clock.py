"""What time is it? All processes go by the database's clock, wherever they run.

Deadlines, leases and retries are judged in the database. What a process must tell by itself (until when a token is
good, when a webhook was signed, in which month an identifier was made) it tells by the same clock, as it last heard of
it, carried on by a clock of its own that nobody can set. So a machine whose time is wrong, or jumps, changes nothing.
"""

import time
from datetime import UTC, date, datetime, timedelta
from typing import Final

NEVER_SO_FAR_AHEAD: Final = timedelta(hours=1)
"""No lease, retry or time to take a decision back reaches so far: what does was put off by a clock that was ahead."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SLOW: Final = 2_000_000_000
"""An answer of the database that took so many nanoseconds no longer tells the time, unless nothing better is known."""

_began = time.time_ns() - time.monotonic_ns()
"""When the clock that cannot be set stood at 0: by this machine's time at first, then by the database's."""
_heard = False


def note_database_time(at: datetime, asked: int, answered: int) -> None:
    """The database has just said what time it is; it was asked and has answered at these `ticks()`."""
    global _began, _heard
    if _heard and answered - asked > _SLOW:
        return
    _began = (at - _EPOCH) // timedelta(microseconds=1) * 1000 - (asked + answered) // 2
    _heard = True


def ticks() -> int:
    """Nanoseconds of the clock that cannot be set."""
    return time.monotonic_ns()


def nanoseconds() -> int:
    """The present moment, in nanoseconds since 1970; until the database's clock was heard of, by this machine's."""
    return time.monotonic_ns() + _began


def now() -> datetime:
    """The same moment, in UTC."""
    return datetime.fromtimestamp(nanoseconds() / 1e9, UTC)


def seconds() -> int:
    """The same moment in whole seconds, as tokens count them."""
    return nanoseconds() // 1_000_000_000


def machine_now() -> datetime:
    """What this machine takes for the present moment, right or wrong."""
    return datetime.now(UTC)


def date_at_utc_minus_12(moment: datetime) -> date:
    """The date of a moment at the place on earth where the day ends last: before it no document expires anywhere."""
    return (moment.astimezone(UTC) - timedelta(hours=12)).date()


def date_at_utc_plus_14(moment: datetime) -> date:
    """The date of a moment at the place on earth where the day begins first: after it lies the future everywhere."""
    return (moment.astimezone(UTC) + timedelta(hours=14)).date()
