"""Control cases: what people answer where the truth is known, and nowhere else."""

from uuid import uuid4

import pytest

from tests.support.cases import a_case, mismatch
from tests.support.dashboard import an_operator, signed_in
from tests.support.reviews import Desk, choose, waiting_for_review
from truename.cli.reviews import _control
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.reviews import queue
from truename.reviews.agreement import FEWEST_PAIRS, AnswerCounted, Share, errors
from truename.reviews.controls import NoSandbox, Truth, say_truth
from truename.reviews.model import Answer, Question
from truename.reviews.numbers import read_numbers

FACES = Question.DOCUMENT_AND_LIVE_FACE


def test_only_first_blind_answers_about_faces_of_control_cases_are_errors():
    def said(answer, truth, case=None, *, blind=True, question=FACES):
        return AnswerCounted(case or uuid4(), "operator:ana", question, answer, blind, truth)

    changed = uuid4()
    found = errors(
        [
            said(Answer.SAME, Answer.DIFFERENT, changed),
            said(Answer.DIFFERENT, Answer.DIFFERENT, changed, blind=False),
            said(Answer.DIFFERENT, Answer.DIFFERENT),
            said(Answer.CANNOT_TELL, Answer.DIFFERENT),
            said(Answer.DIFFERENT, Answer.SAME),
            said(Answer.SAME, Answer.SAME),
            said(Answer.SAME, None),
            said(Answer.DIFFERENT, Answer.SAME, question=Question.LIVENESS),
        ]
    )
    assert (found.accepted, found.refused, found.cannot_tell) == (Share(1, 3), Share(1, 2), Share(1, 5))
    assert not found.enough


async def test_a_session_of_control_pairs_gives_each_reviewer_their_own_errors(
    plumbing, settings, live_server, a_sandbox
):
    ana = await an_operator(plumbing, {a_sandbox.account_id: Role.REVIEWER}, name="Ana Muster")
    ben = await an_operator(plumbing, {a_sandbox.account_id: Role.REVIEWER}, name="Ben Okafor")
    made = await waiting_for_review(plumbing, a_sandbox, FEWEST_PAIRS + 1)
    await _control(settings, made[:12], Truth.DIFFERENT)
    await _control(settings, made[12:], Truth.SAME)
    await _control(settings, made[-1:], Truth.UNKNOWN)
    desk = Desk(plumbing, a_sandbox, ana.actor)
    for number in range(len(made)):
        lease = await desk.next()
        assert lease is not None
        await desk.answer(lease, Answer.SAME if number % 4 == 0 else Answer.DIFFERENT)
        await desk.decide(lease)
    async with desk.connection() as connection:
        (counted,) = (await read_numbers(connection, a_sandbox.account_id, now().replace(year=2020))).people
    assert (counted.errors.accepted, counted.errors.refused) == (Share(3, 12), Share(6, 8))
    async with signed_in(plumbing, live_server, ana) as screen:
        page = (await screen.get("/dashboard/review/numbers"))[1]
        assert "25 %, 3 of 12 (8.9 to 53 %)" in page
        assert "75 %, 6 of 8" in page
    async with signed_in(plumbing, live_server, ben) as screen:
        page = (await screen.get("/dashboard/review/numbers"))[1]
        assert "Ana Muster" not in page, "in private"
        assert "You have answered no control pair" in page
        assert "<code>truename review control</code>" in page


async def test_an_approval_that_becomes_a_control_case_waits_among_the_others(plumbing, a_sandbox):
    await choose(plumbing, a_sandbox, manual_review=True)
    approved = await a_case(plumbing, a_sandbox, mismatch(0.97), pictures=False)
    async with plumbing.database.account(a_sandbox.account_id) as connection:
        await say_truth(connection, a_sandbox.account_id, approved, Truth.SAME, actor="operator:ana")
        assert (await queue.waiting(connection, a_sandbox.account_id, samples=True)).count == 1
    async with plumbing.database.account(a_sandbox.account_id) as connection:
        cursor = await connection.execute("SELECT details FROM audit_log WHERE action = 'review.control_set'")
        assert [row["details"] for row in await cursor.fetchall()] == [{"answer": "same"}]


async def test_a_live_account_has_no_control_cases_and_nothing_is_half_done(plumbing, settings, an_account, a_sandbox):
    (live,) = await waiting_for_review(plumbing, an_account)
    (drawn,) = await waiting_for_review(plumbing, a_sandbox)
    with pytest.raises(NoSandbox, match="only a sandbox"):
        await _control(settings, [drawn, live], Truth.SAME)
    with pytest.raises(LookupError, match="There is no transaction"):
        await _control(settings, [drawn, uuid4()], Truth.SAME)
    async with plumbing.database.account(a_sandbox.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS n FROM review_controls")
        assert (await cursor.fetchone())["n"] == 0
