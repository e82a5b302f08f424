"""The quality sample: approvals among the cases, unmarked, and a verdict that changes nothing but the numbers."""

import pytest

from tests.support.cases import a_case, mismatch
from tests.support.reviews import ANA, BEN, Desk, choose, waiting_for_review
from truename.plumbing.clock import now
from truename.plumbing.jobs.worker import run_pending
from truename.reviews import queue
from truename.reviews.model import Decided
from truename.reviews.numbers import read_numbers
from truename.reviews.reasons import BadReason
from truename.reviews.samples import draw_sample
from truename.wiring import load_jobs

load_jobs()


async def an_approval(plumbing, account, **settings):
    return await a_case(plumbing, account, mismatch(0.97), pictures=False, **settings)


async def drawn(plumbing, account):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT transaction_id, state, outcome, reviewer FROM review_samples")
        return await cursor.fetchall()


async def events(connection) -> int:
    (row,) = await (await connection.execute("SELECT count(*) AS n FROM webhook_events")).fetchall()
    return row["n"]


async def test_without_the_setting_nothing_is_drawn_and_with_it_some_are(plumbing, an_account, monkeypatch):
    monkeypatch.setattr("truename.analysis.apply.secrets.randbelow", lambda _: 4)
    await an_approval(plumbing, an_account)
    await choose(plumbing, an_account, review_quality_percent=4)
    await an_approval(plumbing, an_account)
    await run_pending(plumbing)
    assert await drawn(plumbing, an_account) == []
    await choose(plumbing, an_account, review_quality_percent=5)
    chosen = await an_approval(plumbing, an_account)
    await a_case(plumbing, an_account, mismatch(0.1), pictures=False)
    await run_pending(plumbing)
    assert [row["transaction_id"] for row in await drawn(plumbing, an_account)] == [chosen], "rejections never are"


async def test_a_sample_is_handed_out_in_its_turn_and_its_verdict_changes_no_status(plumbing, an_account):
    sample = await an_approval(plumbing, an_account, config={"webhook": {"url": "https://127.0.0.1:9/hook"}})
    own = {"account_id": str(an_account.account_id), "transaction_id": str(sample)}
    await draw_sample(plumbing, **own)
    await draw_sample(plumbing, **own)
    (waits,) = await waiting_for_review(plumbing, an_account)
    await choose(plumbing, an_account, review_hold_seconds=60, review_four_eyes=True)
    ana, ben = Desk(plumbing, an_account, ANA), Desk(plumbing, an_account, BEN)
    async with ana.connection() as connection:
        assert (await queue.waiting(connection, an_account.account_id, samples=True)).count == 2
        assert (await queue.waiting(connection, an_account.account_id)).count == 1
        listed = await queue.longest_waiting(connection, an_account.account_id, 20)
        before = await events(connection)
    assert {one.transaction_id for one in listed} == {sample, waits}
    taken = [lease for desk in (ana, ben) if (lease := await desk.next()) is not None]
    assert {lease.transaction_id for lease in taken} == {sample, waits}
    desk = ana if taken[0].transaction_id == sample else ben
    lease = await desk.next()
    assert lease is not None
    assert lease.transaction_id == sample, "whoever has it gets it again"
    with pytest.raises(BadReason):
        await desk.decide(lease, Decided.APPROVED, "SAME_PERSON")  # answers no issue: there is none
    held = await desk.decide(lease, Decided.APPROVED, "NOTHING_AGAINST")
    assert (await desk.undo(sample)).transaction_id == held.transaction_id
    await choose(plumbing, an_account, review_hold_seconds=0, review_four_eyes=True)
    await desk.decide(await desk.next(), Decided.REJECTED, "DIFFERENT_PERSON")
    await run_pending(plumbing)
    async with ana.connection() as connection:
        cursor = await connection.execute(
            "SELECT status, decided_by, sequence FROM transactions WHERE transaction_id = %s", (sample,)
        )
        (row,) = await cursor.fetchall()
        after = await events(connection)
        numbers = await read_numbers(connection, an_account.account_id, now().replace(year=2020))
    assert (row["status"], row["decided_by"], after) == ("APPROVED", "ENGINE", before)
    (kept,) = await drawn(plumbing, an_account)
    assert (kept["state"], kept["outcome"], kept["reviewer"]) == ("DONE", "REJECTED", desk.name)
    assert (numbers.overturned.part, numbers.overturned.whole, numbers.handling.cases) == (1, 1, 1)
    other = ben if desk is ana else ana
    await other.decide(await other.next())
    assert await desk.next() is None, "the sample is settled by one look, also with four eyes"


async def test_what_was_deleted_meanwhile_is_handed_to_nobody(plumbing, an_account):
    sample = await an_approval(plumbing, an_account)
    await draw_sample(plumbing, account_id=str(an_account.account_id), transaction_id=str(sample))
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE transactions SET redacted_at = now() WHERE transaction_id = %s", (sample,))
    assert await Desk(plumbing, an_account, ANA).next() is None
