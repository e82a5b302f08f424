"""A person decides: one case at a time, blind first, held before it is final, and never twice."""

import asyncio
from datetime import timedelta

import pytest

from tests.support.reviews import ANA, BEN, CEM, Desk, choose, waiting_for_review
from tests.support.transactions import a_customer
from truename.audit.read import Filters, read_lines
from truename.customers.change_status import change_status
from truename.customers.reasons import opened_reason
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.plumbing.jobs.worker import run_pending
from truename.privacy.erase import erase
from truename.reviews import queue
from truename.reviews.answer import answers, questions
from truename.reviews.decide import opinions
from truename.reviews.finalise import bring_back_from_the_future
from truename.reviews.model import (
    Answer,
    AnswerFirst,
    AnswerLocked,
    Decided,
    NotTheirs,
    OpinionState,
    Question,
    ReviewConflict,
    TooLateToUndo,
)
from truename.reviews.reasons import BadReason
from truename.rules.dossier import CustomerStatus
from truename.transactions.lifecycle import Status
from truename.transactions.review import review
from truename.wiring import load_jobs

load_jobs()


async def status_of(plumbing, account, transaction_id):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT status, decided_by FROM transactions WHERE transaction_id = %s", (transaction_id,)
        )
        row = await cursor.fetchone()
        assert row is not None
        return row["status"]


async def test_a_held_decision_changes_nothing_can_be_undone_and_is_final_afterwards(plumbing, an_account, ana, ben):
    (only,) = await waiting_for_review(plumbing, an_account)
    await choose(plumbing, an_account, review_hold_seconds=60)
    lease = await ana.next()
    held = await ana.decide(lease, Decided.REJECTED, note="The ears differ.")
    assert held.finalise_at - held.decided_at >= timedelta(seconds=59)
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.IN_REVIEW
    assert await ben.next() is None, "a case whose decision is held is not handed out"
    with pytest.raises(ReviewConflict) as conflict:
        await ben.decide(lease, version=lease.version + 1)
    assert (conflict.value.by, conflict.value.outcome, conflict.value.at) == (ANA, "REJECTED", held.decided_at)
    again = await ana.undo(only)
    with pytest.raises(TooLateToUndo):
        await ana.undo(only)
    await choose(plumbing, an_account, review_hold_seconds=0)
    await ana.decide(again, note="On a second look the same.")
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.APPROVED
    with pytest.raises(TooLateToUndo):
        await ana.undo(only)
    async with ana.connection() as connection:
        kept = await opinions(connection, plumbing, an_account.account_id, only)
        lines = await read_lines(connection, Filters(an_account.account_id, subject=f"transaction:{only}"))
        reason = await opened_reason(connection, plumbing.keys, lines[-1])
    assert [(one.state, one.outcome, one.note) for one in kept] == [
        (OpinionState.WITHDRAWN, Decided.REJECTED, "The ears differ."),
        (OpinionState.FINAL, Decided.APPROVED, "On a second look the same."),
    ]
    assert [line.action for line in lines] == [
        "review.taken",
        "review.decided",
        "review.undone",
        "review.decided",
        "transaction.status_changed",
        "transaction.reviewed",
    ]
    assert lines[1].details["seen"] == "", "nothing was served, whatever a form might claim"
    assert lines[-1].actor == ANA
    assert reason == "SAME_PERSON: The faces are of the same person. On a second look the same."


async def test_what_was_held_and_taken_by_a_clock_that_was_ahead_waits_no_longer_when_it_is_set_back(
    plumbing, an_account, ana, ben
):
    await waiting_for_review(plumbing, an_account, 2)
    await choose(plumbing, an_account, review_hold_seconds=60)
    held = await ana.decide(await ana.next())
    kept = await ana.next()
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE review_opinions SET finalise_at = finalise_at + interval '10 days'")
        await connection.execute("UPDATE review_cases SET held_until = held_until + interval '10 days'")
    async with plumbing.database.system() as connection:  # as a queue does that finds it far ahead
        await connection.execute(
            "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE task_name = 'reviews.finalise'"
        )
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, held.transaction_id) == Status.IN_REVIEW
    assert await ben.next() is None
    await bring_back_from_the_future(plumbing)
    taken = await ben.next()
    assert taken is not None
    assert taken.transaction_id == kept.transaction_id
    await bring_back_from_the_future(plumbing)
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, held.transaction_id) == Status.APPROVED
    async with ben.connection() as connection:
        renewed = await queue.renew(connection, an_account.account_id, BEN, taken.transaction_id, taken.version)
    assert renewed is not None, "a lease of this time goes on"


async def test_the_first_answer_is_blind_locked_and_kept_beside_a_later_one(plumbing, an_account, ana):
    (only,) = await waiting_for_review(plumbing, an_account, faces=True)
    lease = await ana.next()
    with pytest.raises(AnswerFirst) as missing:
        await ana.decide(lease)
    assert missing.value.missing == (Question.DOCUMENT_AND_LIVE_FACE,)
    await ana.answer(lease, Answer.DIFFERENT)
    with pytest.raises(AnswerLocked):
        await ana.answer(lease, Answer.SAME)
    await ana.answer(lease, Answer.SAME, blind=False)
    await ana.decide(lease)
    async with ana.connection() as connection:
        given = await answers(connection, an_account.account_id, only)
    assert [(one.answer, one.blind) for one in given] == [(Answer.DIFFERENT, True), (Answer.SAME, False)]


@pytest.mark.parametrize(("chosen", "asked"), [("off", 0), ("faces", 1), ("all", 2)])
async def test_what_is_asked_blind_follows_the_pictures_and_the_setting(plumbing, an_account, ana, chosen, asked):
    (only,) = await waiting_for_review(plumbing, an_account, faces=True)
    await choose(plumbing, an_account, review_blind_first=chosen)
    async with ana.connection() as connection:
        settings = await queue_settings(connection, an_account)
        assert len(await questions(connection, an_account.account_id, only, settings)) == asked


async def queue_settings(connection, account):
    from truename.accounts.store import account_settings

    return await account_settings(connection, account.account_id)


@pytest.mark.parametrize(
    ("outcome", "reason", "note"),
    [
        (Decided.APPROVED, "DIFFERENT_PERSON", ""),
        (Decided.APPROVED, "DOCUMENT_VALID", "it answers no issue of this case"),
        (Decided.REJECTED, "OTHER", "too short"),
        (Decided.REJECTED, "NOBODY", "There is no such reason."),
        (Decided.REJECTED, "NOT_LIVE", "x" * 501),
        (Decided.REJECTED, "NOT_LIVE", "bell\x07"),
    ],
)
async def test_a_reason_must_be_on_the_list_and_other_needs_words(plumbing, an_account, ana, outcome, reason, note):
    await waiting_for_review(plumbing, an_account)
    with pytest.raises(BadReason):
        await ana.decide(await ana.next(), outcome, reason, note)


async def test_four_eyes_need_two_alike_and_a_third_where_they_differ(plumbing, an_account, ana, ben):
    await choose(plumbing, an_account, review_four_eyes=True, review_hold_seconds=0)
    alike, disputed = await waiting_for_review(plumbing, an_account, 2)
    for desk, outcome in ((ana, Decided.APPROVED), (ben, Decided.APPROVED)):
        lease = await desk.next()
        assert lease.transaction_id == alike
        await desk.decide(lease, outcome)
        await run_pending(plumbing)
    assert await status_of(plumbing, an_account, alike) == Status.APPROVED
    for desk, outcome in ((ana, Decided.APPROVED), (ben, Decided.REJECTED)):
        lease = await desk.next()
        assert lease.transaction_id == disputed
        await desk.decide(lease, outcome)
        await run_pending(plumbing)
    assert await status_of(plumbing, an_account, disputed) == Status.IN_REVIEW
    assert await ana.next() is None, "nobody is asked twice about a case"
    async with ana.connection() as connection:
        with pytest.raises(NotTheirs):
            await queue.take(connection, an_account.account_id, ANA, disputed)
    third = Desk(plumbing, an_account, CEM)
    await third.decide(await third.next(), Decided.REJECTED)
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, disputed) == Status.REJECTED


async def test_an_opinion_that_was_taken_back_is_no_second_pair_of_eyes(plumbing, an_account, ana, ben):
    await choose(plumbing, an_account, review_four_eyes=True, review_hold_seconds=60)
    (only,) = await waiting_for_review(plumbing, an_account)
    await ana.decide(await ana.next())
    await ana.undo(only)
    async with ana.connection() as connection:
        assert await queue.release(connection, an_account.account_id, ANA, only)
    await choose(plumbing, an_account, review_four_eyes=True, review_hold_seconds=0)
    await ben.decide(await ben.next())
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.IN_REVIEW
    await ana.decide(await ana.next())
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.APPROVED


async def test_nobody_approves_a_blocked_customer_not_even_by_a_held_decision(plumbing, an_account, ana):
    customer = await a_customer(plumbing, an_account)
    await choose(plumbing, an_account, review_hold_seconds=0)
    (only,) = await waiting_for_review(plumbing, an_account, customer_id=customer)
    lease = await ana.next()
    held = await ana.decide(lease)
    async with ana.connection() as connection:
        own = an_account.account_id, customer
        blocked = CustomerStatus.BLOCKED
        await change_status(connection, plumbing.keys, *own, blocked, actor="client:x", reason="fraud")
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.IN_REVIEW
    async with ana.connection() as connection:
        kept = await opinions(connection, plumbing, an_account.account_id, only)
    assert [(one.opinion_id, one.state) for one in kept] == [(held.opinion_id, OpinionState.REFUSED)]
    lease = await ana.next()
    with pytest.raises(WrongState) as refused:
        await ana.decide(lease)
    assert refused.value.code == "customer_blocked"
    await ana.decide(lease, Decided.REJECTED)
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.REJECTED


async def test_a_decision_by_the_api_supersedes_a_held_one(plumbing, an_account, ana):
    (only,) = await waiting_for_review(plumbing, an_account)
    await choose(plumbing, an_account, review_hold_seconds=1)
    await ana.decide(await ana.next())
    async with ana.connection() as connection:
        own = an_account.account_id, only
        await review(connection, plumbing, *own, Status.REJECTED, "by hand", actor="client:shop")
        await connection.execute("UPDATE review_opinions SET finalise_at = now()")
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE task_name LIKE 'reviews%'")
    await run_pending(plumbing)
    assert await status_of(plumbing, an_account, only) == Status.REJECTED
    async with ana.connection() as connection:
        kept = await opinions(connection, plumbing, an_account.account_id, only)
        with pytest.raises(ReviewConflict) as conflict:
            await queue.take(connection, an_account.account_id, BEN, only)
    assert [one.state for one in kept] == [OpinionState.SUPERSEDED]
    assert (conflict.value.by, conflict.value.outcome) == ("client:shop", "REJECTED")


async def test_notes_die_with_the_customer_and_other_accounts_see_no_case(plumbing, an_account, another_account, ana):
    customer = await a_customer(plumbing, an_account)
    (only,) = await waiting_for_review(plumbing, an_account, customer_id=customer)
    lease = await ana.next()
    await ana.decide(lease, note="The nose is hers.")
    stranger = Desk(plumbing, another_account, BEN)
    assert await stranger.next() is None
    with pytest.raises(TransactionNotFound):
        await stranger.decide(lease)
    async with ana.connection() as connection:
        await erase(connection, an_account.account_id, customer, actor="client:x")
        cursor = await connection.execute("SELECT sealed_note FROM review_opinions WHERE transaction_id = %s", (only,))
        assert [row["sealed_note"] for row in await cursor.fetchall()] == [None]


async def test_a_held_rejection_is_final_also_when_its_suspect_was_erased_meanwhile(plumbing, an_account, ana):
    customer = await a_customer(plumbing, an_account)
    *earlier, only = await waiting_for_review(plumbing, an_account, 3, customer_id=customer)
    await choose(plumbing, an_account, review_blind_first="off", review_hold_seconds=0)
    async with ana.connection() as connection:
        await connection.execute("UPDATE transactions SET fraud_signs = true")
        for one in earlier:
            await review(
                connection, plumbing, an_account.account_id, one, Status.REJECTED, "A print.", actor="client:shop"
            )
    await ana.decide(await ana.next(), Decided.REJECTED)
    async with ana.connection() as connection:
        await erase(connection, an_account.account_id, customer, actor="client:x")
    await run_pending(plumbing)
    async with ana.connection() as connection:
        kept = await opinions(connection, plumbing, an_account.account_id, only)
    assert [one.state for one in kept] == [OpinionState.FINAL]


async def test_a_decision_that_is_sent_twice_at_once_is_taken_once_and_the_other_is_told(plumbing, an_account, ana):
    (only,) = await waiting_for_review(plumbing, an_account)
    await choose(plumbing, an_account, review_blind_first="off")
    lease = await ana.next()
    sent = await asyncio.gather(*(ana.decide(lease) for _ in range(4)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in sent) == ["Opinion", *["ReviewConflict"] * 3]
    async with ana.connection() as connection:
        kept = await opinions(connection, plumbing, an_account.account_id, only)
    assert [one.state for one in kept] == [OpinionState.PENDING]
