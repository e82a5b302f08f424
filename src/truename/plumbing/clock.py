"""What time is it? For logs and tokens only: deadlines are judged by the database's clock."""

import time
from datetime import UTC, date, datetime, timedelta


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


_ahead = timedelta(0)


def note_database_time(at: datetime) -> None:
    """The database has just said what time it is: by how much it is ahead of this machine."""
    global _ahead
    _ahead = at - now()


def database_now() -> datetime:
    """The present moment by the database's clock, as it was last heard of; before that, by ours."""
    return now() + _ahead


def date_at_utc_minus_12(moment: datetime) -> date:
    """The date of a moment at the place on earth where the day ends last: before it no document expires anywhere."""
    return (moment.astimezone(UTC) - timedelta(hours=12)).date()


def date_at_utc_plus_14(moment: datetime) -> date:
    """The date of a moment at the place on earth where the day begins first: after it lies the future everywhere."""
    return (moment.astimezone(UTC) + timedelta(hours=14)).date()


def seconds() -> int:
    """Whole seconds since 1970, as tokens count them."""
    return int(time.time())
