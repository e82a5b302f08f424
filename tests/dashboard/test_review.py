"""A reviewer's screens: nothing shown before the blind answer, a decision that is held, and never one case for two."""

import asyncio
import re

import pytest

from tests.support.cases import a_case
from tests.support.dashboard import an_operator, signed_in
from tests.support.reviews import choose, waiting_for_review
from truename.operators.model import Role
from truename.plumbing.jobs.worker import run_pending
from truename.wiring import load_jobs

load_jobs()
REVIEW = "/dashboard/review"


@pytest.fixture
async def desks(plumbing, an_account, live_server):
    roles = {"Ana": Role.REVIEWER, "Ben": Role.REVIEWER, "Cem": Role.ADMIN}
    people = [await an_operator(plumbing, {an_account.account_id: role}, name=name) for name, role in roles.items()]
    async with (
        signed_in(plumbing, live_server, people[0]) as ana,
        signed_in(plumbing, live_server, people[1]) as ben,
        signed_in(plumbing, live_server, people[2]) as cem,
    ):
        yield ana, ben, cem


async def redirect_of(desk, path: str) -> str | None:
    async with desk.http.get(path, allow_redirects=False) as answer:
        return answer.headers.get("Location")


def version_on(page: str) -> str:
    found = re.search(r'name="version" value="(\d+)"', page)
    assert found, page[:2000]
    return found[1]


def picture_on(page: str) -> str:
    """The address of the first picture of a page, as its browser fetches it."""
    found = re.search(r'<img src="(/dashboard/media/[^"]+)"', page)
    assert found, page[:2000]
    return found[1].replace("&amp;", "&")


async def status_of(plumbing, account, transaction_id) -> str:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT status FROM transactions WHERE transaction_id = %s", (transaction_id,)
        )
        row = await cursor.fetchone()
        return row["status"]


async def test_a_day_of_two_reviewers_from_the_queue_to_the_final_decision(plumbing, an_account, desks):
    ana, ben, cem = desks
    await choose(plumbing, an_account, manual_review=True, review_hold_seconds=60)
    case = await a_case(plumbing, an_account)
    _, page = await ana.get(REVIEW)
    assert "1 waiting" in page
    here = await ana.post_for_location(f"{REVIEW}/next")
    assert here == f"{REVIEW}/{case}"

    assert await redirect_of(ana, f"/dashboard/transactions/{case}") == here, "nothing is shown before the answer"
    _, page = await ana.get(here)
    assert "Are these the same person?" in page
    for hidden in ("0.62", "MISMATCH", "PEREZ", "Germany", "needed", "AB-123"):
        assert hidden not in page, hidden
    answer = {"version": version_on(page), "question": "DOCUMENT_AND_LIVE_FACE", "answer": "DIFFERENT"}
    assert (await ana.post(f"{here}/answer", **answer))[0] == 400, "without a confidence"
    assert await ana.post_for_location(f"{here}/answer", confidence="HIGH", **answer) == here

    _, page = await ana.get(here)
    for shown in ("0.62, needed 0.85", "DOCUMENT_VS_LIVENESS_FACE_MISMATCH", "PEREZ", "Germany (DE)"):
        assert shown in page, shown
    assert "You answered" in page
    assert 'name="seen"' not in page, "the server knows what it served"
    async with ana.http.get(picture_on(page)) as picture:
        assert (picture.status, picture.headers["Cache-Control"]) == (200, "no-store, private")
        assert "/face?" in str(picture.url), "cut, with the eyes where they are in the other"
    assert await ana.post_for_location(f"{here}/answer", confidence="LOW", **answer) == here
    _, page = await ana.get(here)
    assert "high confidence, before the rest was shown" in page
    assert "low confidence, after the rest was shown" in page
    _, other = await ben.get(here)
    assert "<bdi>Ana</bdi> has this case until" in other
    assert "take-over" not in other
    _, other = await ben.get("/dashboard/transactions?status=IN_REVIEW")
    assert "Ana" in other, "the holder stands in every list"
    assert await ben.post_for_location(f"{REVIEW}/next") == f"{REVIEW}?none=1"

    decision = {"version": version_on(page), "outcome": "REJECTED", "reason": "OTHER", "note": "too short"}
    status, text = await ana.post(f"{here}/decide", **decision)
    assert (status, "at least 20 characters" in text) == (400, True)
    assert ">too short</textarea>" in text, "what was typed is kept"
    decision |= {"reason": "DIFFERENT_PERSON", "note": "The <b>ears</b> differ."}
    assert await ana.post_for_location(f"{here}/decide", seen="faces", **decision) == REVIEW
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT seen FROM review_opinions WHERE transaction_id = %s", (case,))
        assert (await cursor.fetchone())["seen"] == ["faces", "fields", "scores", "issues", "device"]
    _, page = await ana.get(REVIEW)
    assert "Until then nothing is sent." in page
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, case) == "IN_REVIEW"
    status, page = await cem.post(f"{here}/take-over", note="I know this man.")
    assert status == 409
    assert "<bdi>Ana</bdi> has decided this case" in page

    assert await ana.post_for_location(f"{here}/undo") == here
    _, page = await ana.get(here)
    stale = decision | {"note": "Kept for me to copy."}
    assert await cem.post_for_location(f"{here}/take-over", note="Ana is ill.") == here
    status, page = await ana.post(f"{here}/decide", **stale)
    assert status == 409
    assert "<bdi>Cem</bdi> has this case" in page
    assert "Kept for me to copy." in page
    await choose(plumbing, an_account, manual_review=True, review_hold_seconds=0, review_blind_first="off")
    _, page = await cem.get(here)
    assert await cem.post_for_location(f"{here}/decide", **(decision | {"version": version_on(page)})) == REVIEW
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, case) == "REJECTED"
    assert (await cem.post(f"{here}/undo"))[0] == 409
    _, page = await cem.get(f"/dashboard/transactions/{case}")
    assert "Rejected by a person, as the engine found" in page
    assert "The &lt;b&gt;ears&lt;/b&gt; differ." in page
    assert "taken back" in page


async def test_the_second_pair_of_eyes_sees_nothing_of_the_first(plumbing, an_account, desks):
    ana, ben, _ = desks
    await choose(
        plumbing, an_account, manual_review=True, review_four_eyes=True, review_hold_seconds=0, review_blind_first="off"
    )
    case = await a_case(plumbing, an_account, pictures=False)
    here = f"{REVIEW}/{case}"
    decision = {"outcome": "APPROVED", "reason": "SAME_PERSON", "note": "I know the nose."}
    for desk in (ana, ben):
        await desk.post_for_location(f"{here}/take")
        _, page = await desk.get(here)
        assert "nose" not in page
        assert "Ana</" not in page or desk is ana
        _, whole = await desk.get(f"/dashboard/transactions/{case}")
        assert "nose" not in whole
        assert "final: approved" not in whole  # neither in the timeline
        assert "before it is final <span" not in whole  # nor who it was
        assert ">by <bdi>Ana</bdi><" not in whole or desk is ana  # not even who had it in hand
        await desk.post_for_location(f"{here}/decide", version=version_on(page), **decision)
        await run_pending(plumbing)
    assert await status_of(plumbing, an_account, case) == "APPROVED"
    assert (await ana.post(f"{here}/take"))[0] == 409


@pytest.mark.slow
async def test_two_reviewers_at_once_over_http_decide_two_hundred_cases_and_none_twice(plumbing, an_account, desks):
    made = await waiting_for_review(plumbing, an_account, 200)
    await choose(plumbing, an_account, manual_review=True, review_hold_seconds=0)
    decided: list[str] = []

    async def day(desk) -> int:
        count = 0
        while (place := await desk.post_for_location(f"{REVIEW}/next")) != f"{REVIEW}?none=1":
            _, page = await desk.get(place)
            form = {"version": version_on(page), "outcome": "APPROVED", "reason": "SAME_PERSON"}
            assert await desk.post_for_location(f"{place}/decide", **form) == REVIEW
            decided.append(place.rpartition("/")[2])
            count += 1
        return count

    ana, ben, _ = desks
    shares = await asyncio.gather(day(ana), day(ben))
    assert min(shares) > 0
    assert sorted(decided) == sorted(str(one) for one in made)
    await run_pending(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT status, count(*) AS n, max(sequence) AS moves FROM transactions GROUP BY status"
        )
        assert await cursor.fetchall() == [{"status": "APPROVED", "n": 200, "moves": 4}]


async def test_a_viewer_reviews_nothing(plumbing, an_account, live_server):
    (case,) = await waiting_for_review(plumbing, an_account)
    viewer = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    async with signed_in(plumbing, live_server, viewer) as desk:
        assert (await desk.get(REVIEW))[0] == 403
        for act in ("take", "answer", "decide", "undo", "release", "renew", "take-over"):
            assert (await desk.post(f"{REVIEW}/{case}/{act}", note="x", version="1"))[0] == 403
        _, page = await desk.get(f"/dashboard/transactions/{case}")
        assert "Review this case" not in page
