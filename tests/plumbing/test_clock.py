"""Days on earth: where they end last and begin first."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from truename.plumbing.clock import date_at_utc_minus_12, date_at_utc_plus_14

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "last", "first"),
    [
        (NOON, date(2026, 11, 15), date(2026, 11, 16)),
        (NOON - timedelta(seconds=1), date(2026, 11, 14), date(2026, 11, 16)),
        (NOON - timedelta(hours=2, seconds=1), date(2026, 11, 14), date(2026, 11, 15)),
        (NOON.astimezone(timezone(timedelta(hours=-5))), date(2026, 11, 15), date(2026, 11, 16)),
    ],
)
def test_a_day_lasts_until_it_is_over_everywhere_and_begins_when_it_has_begun_anywhere(
    moment: datetime, last: date, first: date
) -> None:
    assert date_at_utc_minus_12(moment) == last
    assert date_at_utc_plus_14(moment) == first
