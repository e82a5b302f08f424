"""Groups, scores and the queue on the pages of numbers: each number leads to exactly its rows."""

import re
from collections import Counter
from datetime import date, timedelta
from urllib.parse import parse_qsl

import pytest
from starlette.datastructures import QueryParams

from tests.support.cases import a_case, mismatch
from tests.support.dashboard import an_operator, signed_in
from tests.support.reviews import choose, waiting_for_review
from truename.dashboard.numbers.groups import drift, fairness
from truename.dashboard.numbers.range import Days, days_of
from truename.operators.model import Role
from truename.rules.strangers import STEP_EDGES, STEPS, step_bounds, step_words
from truename.statistics.count import count_again
from truename.statistics.store import EDGES
from truename.transactions.traits import Dimension, Trait, age_band, every_trait, one_line

TODAY = date(2026, 11, 16)


@pytest.fixture
async def desk(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.REVIEWER})
    async with signed_in(plumbing, live_server, ana) as desk:
        yield desk


async def count_of(desk, href: str) -> str:
    _, counted = await desk.get(href.replace("&amp;", "&").replace("transactions?", "transactions/count?"))
    return counted.strip()


async def test_groups_scores_and_the_queue_lead_to_exactly_their_rows(plumbing, an_account, desk, monkeypatch):
    monkeypatch.setattr("truename.dashboard.numbers.groups.FEWEST", 2)
    await a_case(plumbing, an_account, pictures=False)
    await a_case(plumbing, an_account, mismatch(0.97), pictures=False)
    await choose(plumbing, an_account, manual_review=True)
    await a_case(plumbing, an_account, pictures=False)
    await waiting_for_review(plumbing, an_account, 2)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET submitted_at = submitted_at - interval '5 hours' "
            "WHERE status = 'IN_REVIEW' AND issues @> '[{\"details\": {\"score\": 0.62}}]'"
        )
        await count_again(connection, an_account.account_id, everything=True)
    _, page = await desk.get("/dashboard/groups")
    rows = re.findall(
        r'<th scope="row"[^>]*>([^<]*?)(?: <span.*?)?</th>.*?<a href="([^"]+group=[0-9a-f]{32})">(\d+)</a>', page
    )
    assert {words for words, _, _ in rows} >= {"Germany (DE)", "passport"}
    for words, href, number in rows:
        assert await count_of(desk, href) == number, words
    assert "Too few scores to compare: 2 in the last 7 days, 0 in the 90 days before" in page
    for step, number in ((2, "1"), (STEPS - 1, "1"), (0, "0")):
        href = f"/dashboard/transactions?status=APPROVED&status=REJECTED&score={step}"
        assert await count_of(desk, href) == number
    status, part = await desk.get("/dashboard/groups", headers={"HX-Request": "true"})
    assert status == 200
    assert "<html" not in part
    _, home = await desk.get("/dashboard")
    assert "3 waiting" in home
    found = dict(re.findall(r'<th scope="row"[^>]*><a href="([^"]+\?waits=[^"]+)">.*?"number"[^>]*>([\d,]+)<', home))
    assert sum(int(number) for number in found.values()) == 3
    for href, number in found.items():
        assert await count_of(desk, href) == number, href
    bars = re.findall(r'<a href="([^"]+queued_from=[^"]+)" aria-label="[^"]*: ([\d,]+) came to people', home)
    assert sum(int(number) for _, number in bars) == 3
    for href, number in bars:
        assert await count_of(desk, href) == number, href


def test_the_steps_of_the_scale_are_the_same_in_the_sums():
    assert tuple(float(edge) for edge in EDGES.split(",")) == STEP_EDGES
    assert [step_bounds(step)[0] for step in range(STEPS)] == [0.0, *STEP_EDGES]
    assert step_words(0) == "more than 1 in 10"
    assert step_words(2) == "1 in 100 to 1 in 1,000"
    assert step_words(STEPS - 1) == "under 1 in 1,000,000"


def test_a_group_is_told_only_from_thirty_and_stands_out_only_beyond_chance():
    known = {
        b"d": Trait(Dimension.COUNTRY, "DE"),
        b"f": Trait(Dimension.COUNTRY, "FR"),
        b"m": Trait(Dimension.COUNTRY, "MC"),
    }
    groups = {
        b"d": Counter(APPROVED=900, REJECTED=100),
        b"f": Counter(APPROVED=60, REJECTED=40),
        b"m": Counter(APPROVED=0, REJECTED=29),
        b"unknown": Counter(APPROVED=5),
    }
    found = fairness(groups, known, Days(TODAY, TODAY, None))
    assert found.title.startswith("Approval is lowest for France (FR): 60 %, with chance between 50–69 %")
    ((_, rows),) = found.dimensions
    assert [(row.words, row.told, row.stands_out) for row in rows] == [
        ("Germany (DE)", True, True),
        ("France (FR)", True, True),
        ("Monaco (MC)", False, False),
    ]


def test_drift_is_told_beyond_chance_only():
    before = [0, 10, 20, 30, 40, 400, 500]
    days = Days(TODAY - timedelta(days=6), TODAY, None)
    assert drift([1] * STEPS, before, 0.85, days) is None, "too few"
    steady = drift([0, 1, 2, 3, 4, 40, 50], before, 0.85, days)
    assert steady is not None
    assert steady.title == "Scores are where they were: 6.0 % below 0.85, 6.0 % before"
    moved = drift([0, 10, 10, 10, 10, 30, 30], before, 0.85, days)
    assert moved is not None
    assert moved.title == "More faces score below 0.85 than before: from 6.0 % to 30 %"
    assert len(moved.shapes) == len(moved.rows) == STEPS
    assert all(dict(parse_qsl(shape.href))["ended_to"] == str(TODAY) for shape in moved.shapes)


def test_a_range_is_a_preset_or_what_one_chooses_within_reason():
    def ends(query):
        days = days_of(QueryParams(query), TODAY)
        return days.first, days.last, days.preset, days.corrected

    assert ends("days=7") == (date(2026, 11, 10), TODAY, "7", False)
    assert ends("days=8")[2] == "30"
    assert ends("from=2026-03-01&to=2026-03-31") == (date(2026, 3, 1), date(2026, 3, 31), None, False)
    assert ends("from=2026-11-01") == (date(2026, 11, 1), TODAY, None, False)
    assert ends("from=2026-03-31&to=2026-03-01") == (date(2026, 3, 1), date(2026, 3, 31), None, True)
    assert ends("from=2026-11-15&to=2026-12-24") == (date(2026, 11, 15), TODAY, None, True)
    assert ends("from=2001-01-01&to=2026-11-16") == (date(2025, 11, 16), TODAY, None, True)
    assert ends("from=soon&to=later")[2] == "30"


def test_ages_and_addresses_are_grouped():
    assert age_band(date(2008, 11, 16), TODAY) == "18–24"
    assert age_band(date(2008, 11, 17), TODAY) == "under 18"
    assert age_band(date(1900, 1, 1), TODAY) == "65 and over"
    assert one_line("192.0.2.7") == "192.0.2.7"
    assert one_line("2001:db8:1:2:3:4:5:6") == one_line("2001:db8:1:2::9") == "2001:db8:1:2::/64"
    assert one_line("somewhere") is None
    assert len({trait.words for trait in every_trait()}) == len(every_trait())
