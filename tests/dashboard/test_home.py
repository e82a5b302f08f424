"""Home: numbers from the sums, and behind each of them exactly its rows."""

import re
from datetime import timedelta

import pytest

from tests.support.dashboard import an_operator, signed_in
from tests.support.dashboard_numbers import history
from tests.support.reviews import waiting_for_review
from truename.dashboard.numbers.plots import nice, percent
from truename.operators.model import Role
from truename.plumbing.clock import now

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


def test_shares_and_axes():
    assert (percent(326, 371), percent(3, 371), percent(0, 9), percent(0, 0)) == ("88 %", "0.8 %", "0 %", "–")
    assert [nice(most) for most in (0, 5, 41, 99, 100, 101)] == [4, 5, 50, 100, 100, 200]
