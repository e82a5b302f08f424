"""The queue of cases: who is given which one, for how long, and never the same to two."""

import asyncio
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from tests.support.reviews import ANA, BEN, CEM, Desk, choose, waiting_for_review
from tests.support.waiting import until
from truename.audit.read import Filters, read_lines
from truename.customers.reasons import opened_reason
from truename.plumbing.jobs.worker import run_pending
from truename.reviews import assign, queue
from truename.reviews.decide import held_by
from truename.reviews.model import NotTheirs, ReviewConflict, TooLateToUndo
from truename.reviews.samples import put_among_cases, settle_sample, waits_as_sample
from truename.wiring import load_jobs

load_jobs()

LOCKED_OUT = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


async def test_the_longest_waiting_case_is_handed_out_first_and_never_to_two(plumbing, an_account, ana, ben):
    first, second = await waiting_for_review(plumbing, an_account, 2)
    taken, other = await ana.next(), await ben.next()
    assert (taken.transaction_id, other.transaction_id) == (first, second)
    assert (await ana.next()).transaction_id == first, "whoever has a case gets that one again"
    assert await Desk(plumbing, an_account, CEM).next() is None
    async with ana.connection() as connection:
        held = await queue.leases(connection, an_account.account_id, [first, second])
        found = await queue.waiting(connection, an_account.account_id)
    assert {lease.holder for lease in held.values()} == {ANA, BEN}
    assert (found.count, found.held) == (2, 2)


async def test_a_double_click_hands_out_one_case(plumbing, an_account, ana, ben):
    first, second = await waiting_for_review(plumbing, an_account, 2)
    async with ana.connection() as connection:
        taken = await queue.take_next(connection, an_account.account_id, ANA)
        clicked = asyncio.create_task(ana.next())

        async def has_come_so_far() -> bool:
            with psycopg.connect(plumbing.database.url) as looking:
                return clicked.done() or looking.execute(LOCKED_OUT).fetchone() is not None

        await until(has_come_so_far, 20)
    assert taken is not None
    assert (taken.transaction_id, (await clicked).transaction_id) == (first, first)
    assert (await ben.next()).transaction_id == second


async def test_a_case_whose_decision_is_held_is_not_given_away(plumbing, an_account, ana, ben):
    (only,) = await waiting_for_review(plumbing, an_account)
    await ana.decide(await ana.next())
    async with ana.connection() as connection:
        for for_another in (False, True):
            own = an_account.account_id, ANA, only
            assert not await queue.release(connection, *own, for_another=for_another)
    assert await ben.next() is None
    async with ana.connection() as connection:
        assert [one.transaction_id for one in await held_by(connection, an_account.account_id, ANA)] == [only]
    assert (await ana.undo(only)).holder == ANA


async def test_a_lease_ends_and_a_decision_on_a_lost_one_says_who_has_it(plumbing, an_account, ana, ben):
    (only,) = await waiting_for_review(plumbing, an_account)
    lease = await ana.next()
    async with ana.connection() as connection:
        await connection.execute("UPDATE review_cases SET held_until = now() - interval '1 s'")
    taken = await ben.next()
    assert taken.transaction_id == only
    with pytest.raises(ReviewConflict) as conflict:
        await ana.decide(lease)
    assert (conflict.value.by, conflict.value.outcome) == (BEN, None)
    assert conflict.value.held_until > taken.held_until - timedelta(seconds=1)
    async with ana.connection() as connection:
        assert await queue.renew(connection, an_account.account_id, ANA, only, lease.version) is None
        assert await queue.renew(connection, an_account.account_id, BEN, only, taken.version) is not None


async def test_an_admin_takes_over_with_a_note_that_is_sealed(plumbing, an_account, ana):
    (only,) = await waiting_for_review(plumbing, an_account)
    lease = await ana.next()
    async with ana.connection() as connection:
        with pytest.raises(ReviewConflict):
            await queue.take(connection, an_account.account_id, BEN, only)
    async with ana.connection() as connection:
        await queue.take_over(connection, plumbing, an_account.account_id, BEN, only, "Ana is ill today")
    with pytest.raises(ReviewConflict):
        await ana.decide(lease)
    async with ana.connection() as connection:
        lines = await read_lines(connection, Filters(an_account.account_id, action="review.taken_over"))
        assert [(line.actor, line.details["from"]) for line in lines] == [(BEN, ANA)]
        assert await opened_reason(connection, plumbing.keys, lines[0]) == "Ana is ill today"


async def test_a_second_opinion_goes_to_somebody_else(plumbing, an_account, ana, ben):
    (only,) = await waiting_for_review(plumbing, an_account)
    await ana.next()
    async with ana.connection() as connection:
        assert await queue.release(connection, an_account.account_id, ANA, only, for_another=True)
    assert await ana.next() is None
    assert (await ben.next()).transaction_id == only


@pytest.mark.parametrize("cases", [12, pytest.param(200, marks=pytest.mark.slow)])
async def test_two_reviewers_at_once_decide_all_cases_and_none_twice(plumbing, an_account, ana, ben, cases):
    made = await waiting_for_review(plumbing, an_account, cases)
    await choose(plumbing, an_account, review_hold_seconds=0)
    decided: list[tuple[str, UUID]] = []

    async def day(desk):
        while (lease := await desk.next()) is not None:
            await desk.decide(lease)
            decided.append((desk.name, lease.transaction_id))

    await asyncio.gather(day(ana), day(ben))
    assert sorted(one for _, one in decided) == sorted(made)
    assert {name for name, _ in decided} == {ANA, BEN}
    await run_pending(plumbing)
    async with ana.connection() as connection:
        cursor = await connection.execute(
            "SELECT status, count(*) AS n, max(sequence) AS moves FROM transactions GROUP BY status"
        )
        assert await cursor.fetchall() == [{"status": "APPROVED", "n": cases, "moves": 4}]
        cursor = await connection.execute(
            "SELECT count(*) AS lines, count(DISTINCT subject) AS cases FROM audit_log "
            "WHERE account_id = %s AND action = 'transaction.reviewed'",
            (an_account.account_id,),
        )
        assert await cursor.fetchone() == {"lines": cases, "cases": cases}


async def test_only_the_holder_of_this_lease_renews_it_or_gives_it_back(plumbing, an_account, ana, ben):
    (only,) = await waiting_for_review(plumbing, an_account)
    lease = await ana.next()
    own = an_account.account_id, only
    async with ana.connection() as connection:
        assert await queue.renew(connection, own[0], BEN, only, lease.version) is None
        assert await queue.renew(connection, own[0], ANA, only, lease.version - 1) is None
        assert not await queue.release(connection, own[0], BEN, only)
        assert await queue.renew(connection, own[0], ANA, only, lease.version) is not None
        assert await queue.release(connection, own[0], ANA, only)
        assert await queue.renew(connection, own[0], ANA, only, lease.version) is None
        assert not await queue.release(connection, own[0], ANA, only), "once"
    assert (await ben.next()).transaction_id == only


async def test_a_held_decision_is_taken_back_by_its_author_alone_and_not_once_its_time_is_over(
    plumbing, an_account, ana, ben
):
    (only,) = await waiting_for_review(plumbing, an_account)
    await ana.decide(await ana.next())
    with pytest.raises(TooLateToUndo):
        await ben.undo(only)
    async with ana.connection() as connection:
        await connection.execute("UPDATE review_opinions SET finalise_at = clock_timestamp()")
    with pytest.raises(TooLateToUndo):
        await ana.undo(only)


async def test_what_was_taken_back_is_not_listed_as_held_and_a_case_in_hand_is_taken_but_once(
    plumbing, an_account, ana
):
    (only,) = await waiting_for_review(plumbing, an_account)
    await ana.decide(await ana.next())
    async with ana.connection() as connection:
        with pytest.raises(ReviewConflict):
            await queue.take(connection, an_account.account_id, BEN, only)
        with pytest.raises(ReviewConflict):
            await queue.take(connection, an_account.account_id, ANA, only)
    await ana.undo(only)
    async with ana.connection() as connection:
        assert await held_by(connection, an_account.account_id, ANA) == []
        assert (await queue.take(connection, an_account.account_id, ANA, only)).holder == ANA
    async with ana.connection() as connection:
        lines = await read_lines(connection, Filters(an_account.account_id, action="review.taken"))
    assert [line.actor for line in lines] == [ANA], "who has it already has taken nothing"


async def test_who_has_given_an_opinion_neither_takes_the_case_again_nor_takes_it_over(plumbing, an_account, ana, ben):
    """With four eyes the second pair must be somebody else's, also by hand and as an admin."""
    await choose(plumbing, an_account, review_four_eyes=True, review_hold_seconds=0)
    (only,) = await waiting_for_review(plumbing, an_account)
    await ana.decide(await ana.next())
    await run_pending(plumbing)
    async with ana.connection() as connection:
        with pytest.raises(NotTheirs):
            await queue.take(connection, an_account.account_id, ANA, only)
        with pytest.raises(NotTheirs):
            await queue.take_over(connection, plumbing, an_account.account_id, ANA, only, "I want it")
        assert (await queue.take(connection, an_account.account_id, BEN, only)).holder == BEN


async def test_an_assigned_case_is_listed_as_that_persons_for_a_day_and_only_what_waits_is_handed_on(
    plumbing, an_account, ana, ben
):
    waiting, decided = await waiting_for_review(plumbing, an_account, 2)
    both, account_id = [waiting, decided], an_account.account_id
    async with ana.connection() as connection:
        await connection.execute("UPDATE transactions SET status = 'REJECTED' WHERE transaction_id = %s", (decided,))
        assert await assign.assign(connection, account_id, both, BEN, actor=CEM) == 1
        assert await assign.assigned(connection, account_id, both) == {waiting: BEN}
    assert await ana.next() is None
    async with ana.connection() as connection:
        await connection.execute(
            "UPDATE review_cases SET assigned_until = assigned_until - interval '24 hours' WHERE account_id = %s",
            (account_id,),
        )
        assert await assign.assigned(connection, account_id, both) == {}
    assert (await ana.next()).transaction_id == waiting


async def test_only_an_admin_frees_what_others_have_and_nobody_what_is_decided(plumbing, an_account, ana, ben):
    assigned, held, decided = await waiting_for_review(plumbing, an_account, 3)
    every, account_id = [assigned, held, decided], an_account.account_id
    async with ana.connection() as connection:
        for case in (held, decided):
            await queue.take(connection, account_id, ANA, case)
        await assign.assign(connection, account_id, [assigned], ANA, actor=CEM)
        lease = (await queue.leases(connection, account_id, [decided]))[decided]
    await ana.decide(lease)
    async with ana.connection() as connection:
        assert await assign.free(connection, account_id, every, actor=BEN, anybody=False) == 0
        assert await assign.free(connection, account_id, [assigned], actor=ANA, anybody=False) == 1, "her own"
        assert await assign.free(connection, account_id, every, actor=CEM, anybody=True) == 1
        assert list(await queue.leases(connection, account_id, every)) == [decided]
    assert (await ana.undo(decided)).holder == ANA


async def test_only_approvals_of_the_engine_that_are_still_there_are_put_among_cases(plumbing, an_account, ana):
    """Nobody looks twice at a person's decision, at a rejection, or at what has been deleted."""
    account_id = an_account.account_id
    engine, person, rejected, deleted = made = await waiting_for_review(plumbing, an_account, 4)
    decided = {engine: ("APPROVED", "ENGINE"), person: ("APPROVED", "REVIEWER"), rejected: ("REJECTED", "ENGINE")}
    async with ana.connection() as connection:
        for one in made:
            status, by = decided.get(one, ("APPROVED", "ENGINE"))
            await connection.execute(
                "UPDATE transactions SET status = %s, decided_by = %s, redacted_at = CASE WHEN %s THEN now() END "
                "WHERE transaction_id = %s",
                (status, by, one == deleted, one),
            )
            await put_among_cases(connection, account_id, one)
        assert [await waits_as_sample(connection, account_id, one) for one in made] == [True, False, False, False]
        await settle_sample(connection, account_id, engine, "APPROVED", ANA)
        await settle_sample(connection, account_id, engine, "REJECTED", BEN)
        cursor = await connection.execute("SELECT outcome, reviewer FROM review_samples")
        assert [tuple(row.values()) for row in await cursor.fetchall()] == [("APPROVED", ANA)], "said once"
