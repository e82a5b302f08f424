"""Days on earth: where they end last and begin first; and by whose clock a process goes."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from truename.plumbing import clock
from truename.plumbing.clock import date_at_utc_minus_12, date_at_utc_plus_14
from truename.plumbing.database.heard_time import hearing_time
from truename.plumbing.database.ids import new_id

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


@pytest.mark.parametrize("days", [10, -10])
async def test_a_process_whose_machine_is_ten_days_off_goes_by_the_databases_clock_once_it_has_heard_it(
    plumbing, monkeypatch, days
):
    truth = datetime.now(UTC)
    monkeypatch.setattr(clock, "_began", clock._began + days * 24 * 3600 * 10**9)
    async with hearing_time(plumbing.database):
        assert abs(clock.now() - truth) < timedelta(minutes=1)
        assert abs(clock.seconds() - truth.timestamp()) < 60
        assert abs((new_id().int >> 80) / 1000 - truth.timestamp()) < 60


def test_an_answer_that_was_long_on_its_way_does_not_tell_the_time(monkeypatch):
    monkeypatch.setattr(clock, "_began", clock._began)
    clock.note_database_time(NOON, clock.ticks(), clock.ticks())
    began = clock.ticks()
    clock.note_database_time(NOON - timedelta(days=1), began - 3 * 10**9, began)
    assert abs(clock.now() - NOON) < timedelta(minutes=1)
    clock.note_database_time(NOON + timedelta(days=1), began - 10**9, began + 10**9)
    assert abs(clock.now() - NOON - timedelta(days=1)) < timedelta(minutes=1)
