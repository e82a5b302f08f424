"""In which order cases and the quality sample are handed out, and what is counted of those that wait."""

from datetime import datetime
from uuid import UUID

import pytest

from tests.support.reviews import ANA, BEN, CEM, Desk, choose, waiting_for_review
from truename.plumbing.jobs.worker import run_pending
from truename.reviews import assign, queue
from truename.reviews.model import ReviewConflict
from truename.reviews.samples import put_among_cases, settle_sample
from truename.wiring import load_jobs

load_jobs()


async def make_samples(desk: Desk, *transaction_ids: UUID) -> None:
    """Make approvals of the engine of these, and draw them for the quality sample."""
    async with desk.connection() as connection:
        for one in transaction_ids:
            await connection.execute(
                "UPDATE transactions SET status = 'APPROVED', decided_by = 'ENGINE', issues = '[]' "
                "WHERE transaction_id = %s",
                (one,),
            )
            await put_among_cases(connection, desk.account_id, one)


async def test_a_sample_is_in_one_persons_hands_too_and_goes_to_whom_it_is_passed_on(plumbing, an_account, ana, ben):
    (only,) = await waiting_for_review(plumbing, an_account)
    await make_samples(ana, only)
    assert (await ana.next()).transaction_id == only
    assert await ben.next() is None
    async with ana.connection() as connection:
        assert await queue.release(connection, an_account.account_id, ANA, only, for_another=True)
    assert await ana.next() is None
    await ben.decide(await ben.next(), reason="NOTHING_AGAINST")
    for desk in (ana, ben, Desk(plumbing, an_account, CEM)):
        assert await desk.next() is None, "a decision on it is held"
    assert (await ben.undo(only)).holder == BEN
    async with ana.connection() as connection:
        await connection.execute("UPDATE review_cases SET held_until = now() - interval '1 s'")
    other = await Desk(plumbing, an_account, CEM).next()
    assert other is not None
    assert other.transaction_id == only


async def test_cases_and_samples_are_handed_out_in_one_order_by_how_long_they_wait(plumbing, an_account, ana):
    first, second, third, fourth = every = await waiting_for_review(plumbing, an_account, 4)
    await make_samples(ana, fourth, second)
    async with ana.connection() as connection:
        listed = await queue.longest_waiting(connection, an_account.account_id, 3)
    assert [case.transaction_id for case in listed] == [first, second, third]
    desks = [Desk(plumbing, an_account, f"operator:{number}") for number in range(5)]
    assert [lease and lease.transaction_id for lease in [await desk.next() for desk in desks]] == [*every, None]


async def test_what_was_assigned_to_somebody_comes_before_samples_for_them_alone_and_for_its_day(
    plumbing, an_account, ana, ben
):
    sample, assigned = await waiting_for_review(plumbing, an_account, 2)
    await make_samples(ana, sample)
    account_id = an_account.account_id
    async with ana.connection() as connection:
        await assign.assign(connection, account_id, [assigned], ANA, actor=CEM)
    assert (await ben.next()).transaction_id == sample
    assert (await ana.next()).transaction_id == assigned
    async with ana.connection() as connection:
        for holder, case in ((ANA, assigned), (BEN, sample)):
            assert await queue.release(connection, account_id, holder, case)
    assert (await ana.next()).transaction_id == assigned, "her own comes before what waits longer"
    async with ana.connection() as connection:
        await connection.execute("UPDATE review_cases SET held_until = NULL, holder = NULL, assigned_until = now()")
    assert (await ana.next()).transaction_id == sample


async def test_a_case_that_was_assigned_and_is_decided_keeps_no_sample_back(plumbing, an_account, ana):
    sample, assigned, later = await waiting_for_review(plumbing, an_account, 3)
    await make_samples(ana, sample)
    async with ana.connection() as connection:
        await assign.assign(connection, an_account.account_id, [assigned], ANA, actor=CEM)
        await connection.execute("UPDATE transactions SET status = 'REJECTED' WHERE transaction_id = %s", (assigned,))
    assert (await ana.next()).transaction_id == sample
    other = await Desk(plumbing, an_account, CEM).next()
    assert other is not None
    assert other.transaction_id == later


async def test_a_case_is_in_hand_until_its_lease_ends_or_it_waits_no_longer(plumbing, an_account, ana):
    first, second, sample = await waiting_for_review(plumbing, an_account, 3)
    account_id = an_account.account_id
    async with ana.connection() as connection:
        await queue.take(connection, account_id, ANA, second)
    assert (await ana.next()).transaction_id == second
    async with ana.connection() as connection:
        await connection.execute("UPDATE review_cases SET held_until = now() - interval '1 s'")
    assert (await ana.next()).transaction_id == first, "what she held too long is nobody's, and others wait longer"
    async with ana.connection() as connection:
        await connection.execute(
            "UPDATE transactions SET status = 'REJECTED' WHERE transaction_id = ANY(%s)", ([first, second],)
        )
    await make_samples(ana, sample)
    assert (await ana.next()).transaction_id == sample
    async with ana.connection() as connection:
        await settle_sample(connection, account_id, sample, "APPROVED", BEN)
    assert await ana.next() is None


async def test_how_many_wait_and_since_when_leaves_out_what_is_decided_held_and_deleted(plumbing, an_account, ana, ben):
    first, second, third, sample, deleted = await waiting_for_review(plumbing, an_account, 5)
    await make_samples(ana, sample, deleted)
    account_id = an_account.account_id
    await ana.decide(await ana.next())
    async with ana.connection() as connection:
        await connection.execute("UPDATE transactions SET redacted_at = now() WHERE transaction_id = %s", (deleted,))
        await queue.take(connection, account_id, BEN, third)
        (oldest,) = await (
            await connection.execute("SELECT submitted_at FROM transactions WHERE transaction_id = %s", (second,))
        ).fetchall()
        found = await queue.waiting(connection, account_id)
        assert (found.count, found.oldest, found.held) == (2, oldest["submitted_at"], 1)
        assert (await queue.waiting(connection, account_id, samples=True)).count == 3
        listed = await queue.longest_waiting(connection, account_id, 20)
    assert [(case.transaction_id, case.lease and case.lease.holder) for case in listed] == [
        (second, None),
        (third, BEN),
        (sample, None),
    ]
    assert first not in {case.transaction_id for case in listed}
    await ben.decide(await ben.next())
    await ana.decide(await Desk(plumbing, an_account, ANA).next())
    await ana.decide(await ana.next(), reason="NOTHING_AGAINST")
    async with ana.connection() as connection:
        assert (await queue.waiting(connection, account_id, samples=True)).count == 0


async def test_who_comes_too_late_is_told_who_decided_this_case_last(plumbing, an_account, ana, ben):
    await choose(plumbing, an_account, review_hold_seconds=0)
    first, second = await waiting_for_review(plumbing, an_account, 2)
    for desk, case in ((ana, first), (ben, second)):
        await desk.decide(await desk.next())
        await run_pending(plumbing)
        async with ana.connection() as connection:
            with pytest.raises(ReviewConflict) as conflict:
                await queue.take(connection, an_account.account_id, CEM, case)
        assert (conflict.value.by, conflict.value.outcome) == (desk.name, "APPROVED")
    async with ana.connection() as connection:
        with pytest.raises(ReviewConflict) as conflict:
            await queue.take(connection, an_account.account_id, CEM, first)
    assert conflict.value.by == ANA


async def test_the_time_in_hand_begins_with_each_holder_and_each_taking_has_a_version_of_its_own(
    plumbing, an_account, ana, ben
):
    (only,) = await waiting_for_review(plumbing, an_account)
    account_id = an_account.account_id

    async def begun(desk: Desk) -> tuple[int, datetime]:
        lease = await desk.next()
        assert lease is not None
        async with ana.connection() as connection:
            return lease.version, (await queue.standing(connection, account_id, only))["taken_at"]

    version, at = await begun(ana)
    async with ana.connection() as connection:
        again = await queue.take(connection, account_id, ANA, only)
        assert (await queue.standing(connection, account_id, only))["taken_at"] == at
        assert again.version > version
        assert await queue.renew(connection, account_id, ANA, only, version) is None, "another tab of hers has it"
        await connection.execute("UPDATE review_cases SET held_until = now() - interval '1 s'")
    later, since = await begun(ben)
    assert later > again.version
    assert since > at
