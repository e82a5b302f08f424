"""Home: numbers from the sums, and behind each of them exactly its rows."""

import re
from datetime import date, timedelta

import pytest

from tests.support.dashboard import an_operator, signed_in
from tests.support.dashboard_numbers import history
from tests.support.reviews import waiting_for_review
from truename.dashboard.numbers.plots import EMPTY, approval, nice, percent
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.statistics.model import Day, Numbers

HOME = "/dashboard"


@pytest.fixture
async def desk(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.REVIEWER}, name="Ana")
    async with signed_in(plumbing, live_server, ana) as desk:
        yield desk


async def test_an_empty_account_says_what_will_come(desk):
    status, page = await desk.get(HOME)
    assert status == 200
    assert "Nothing happened yet" in page
    assert "0 waiting" in page


async def test_each_bar_leads_to_exactly_the_rows_that_it_counts(plumbing, an_account, desk):
    await history(plumbing, an_account, count=400, days=20)
    await waiting_for_review(plumbing, an_account, 3)
    _, page = await desk.get(f"{HOME}?days=30")
    assert "3 waiting" in page
    assert "of decisions approved" in page
    yesterday = now().date() - timedelta(days=1)
    shown = re.findall(rf'<a href="([^"]+)" aria-label="{yesterday}: ([\d,]+) ([^"]+)"><rect', page)
    assert {words for _, _, words in shown} == {"approved", "rejected", "not finished"}
    for href, count, words in shown:
        _, counted = await desk.get(href.replace("&amp;", "&").replace("transactions?", "transactions/count?"))
        assert counted.strip() == count, words
    bars = re.findall(r'<a href="(/dashboard/transactions\?(?:issue|stopped)=[^"]+)">.*?"number">([\d,]+)<', page)
    assert len(bars) > 6
    for href, count in bars:
        _, counted = await desk.get(href.replace("&amp;", "&").replace("transactions?", "transactions/count?"))
        assert counted.strip() == count, href
    for days in ("7", "90", "nonsense"):
        assert (await desk.get(f"{HOME}?days={days}"))[0] == 200


def test_each_days_approvals_stand_beside_what_is_usual_on_that_weekday():
    first = date(2026, 8, 3)  # a Monday
    ended = [
        {"APPROVED": 50, "REJECTED": 50} if place % 7 == 0 else {"APPROVED": 9, "REJECTED": 1} for place in range(56)
    ]
    days = tuple(Day(first + timedelta(days=place), 100, each) for place, each in enumerate(ended))
    plot = approval(Numbers(days, {}, {}, EMPTY, EMPTY, {}))
    assert plot is not None
    assert plot.dots[0].words.endswith("50 of 100; usual on a Monday 50–50 %")
    assert plot.dots[1].words.endswith("9 of 10; usual on a Tuesday 90–90 %")
    assert len(plot.usual.split()) == 2 * len(days)
    short = approval(Numbers(days[:30], {}, {}, EMPTY, EMPTY, {}))
    assert short is not None
    assert (short.usual, "usual" in short.dots[0].words) == ("", False), "four weeks tell no habit"


def test_shares_and_axes():
    assert (percent(326, 371), percent(3, 371), percent(0, 9), percent(0, 0)) == ("88 %", "0.8 %", "0 %", "–")


def test_a_share_is_none_or_all_only_where_it_is():
    assert (percent(9996, 10_000), percent(1999, 2000), percent(995, 1000)) == ("99.96 %", "99.95 %", "99.5 %")
    assert (percent(4, 10_000), percent(1, 100_000), percent(9, 9)) == ("0.04 %", "0.001 %", "100 %")
    assert (percent(1, 10**9), percent(10**9 - 1, 10**9), percent(99, 100)) == ("0 %", "100 %", "99 %")
    assert [nice(most) for most in (0, 5, 41, 99, 100, 101)] == [4, 5, 50, 100, 100, 200]
