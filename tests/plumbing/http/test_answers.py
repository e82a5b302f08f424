"""Is every time written in UTC, with microseconds, wherever it comes from?"""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from truename.plumbing.http.answers import encode, instant

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    [
        NOON,
        NOON.astimezone(ZoneInfo("UTC")),
        NOON.astimezone(ZoneInfo("Europe/London")),
        NOON.astimezone(ZoneInfo("America/Argentina/Buenos_Aires")),
        NOON.astimezone(timezone(timedelta(hours=5, minutes=45, seconds=3))),
        NOON.astimezone().replace(tzinfo=None),
    ],
    ids=["UTC", "named UTC", "London in winter", "Buenos Aires", "an odd offset", "this machine's own"],
)
def test_an_instant_is_in_utc_with_microseconds(moment):
    assert instant(moment) == "2026-11-16T12:00:00.000000Z"
    assert encode({"at": moment}) == b'{"at":"2026-11-16T12:00:00.000000Z"}'


def test_the_two_halves_past_one_of_an_october_night_stay_apart():
    first = datetime(2026, 10, 25, 1, 30, tzinfo=ZoneInfo("Europe/London"))
    for moment in (first, first.replace(fold=1), first):
        assert instant(moment) == instant(moment.astimezone(UTC))
    assert instant(first) != instant(first.replace(fold=1))


def test_no_moment_is_none():
    assert instant(None) is None
