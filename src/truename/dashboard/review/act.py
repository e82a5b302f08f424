"""What a reviewer does; each act goes through the room `reviews`, and a conflict says who did what when."""

from typing import Final

from starlette.responses import Response

from truename.dashboard.people import called
from truename.dashboard.review.page import Typed, review_page
from truename.dashboard.visit import Notice, Visit
from truename.plumbing.errors import Invalid, WrongState
from truename.plumbing.http.answers import instant
from truename.plumbing.http.queries import path_id
from truename.reviews import queue
from truename.reviews.answer import answer, unanswered
from truename.reviews.decide import decide, undo
from truename.reviews.model import (
    LONGEST_NOTE,
    Answer,
    AnswerFirst,
    AnswerLocked,
    Confidence,
    Decided,
    NotTheirs,
    Question,
    ReviewConflict,
    TooLateToUndo,
)
from truename.reviews.reasons import BadReason

PATH: Final = "/dashboard/review"


async def next_case(visit: Visit) -> Response:
    """Hand out one case."""
    async with visit.connection() as connection:
        lease = await queue.take_next(connection, visit.account_id, visit.actor)
    return visit.redirect(f"{PATH}?none=1" if lease is None else f"{PATH}/{lease.transaction_id}")


async def take_case(visit: Visit) -> Response:
    """Take this very case."""
    transaction_id = path_id(visit.request, "transaction_id")
    try:
        async with visit.connection() as connection:
            await queue.take(connection, visit.account_id, visit.actor, transaction_id)
    except ReviewConflict as conflict:
        return await _conflict(visit, conflict)
    except NotTheirs as refused:
        raise WrongState(str(refused)) from None
    return visit.redirect(f"{PATH}/{transaction_id}")


async def take_over_case(visit: Visit) -> Response:
    """Take a case out of another's hands; the note says why."""
    transaction_id = path_id(visit.request, "transaction_id")
    note = visit.form.text("note", LONGEST_NOTE)
    if not note:
        raise Invalid(detail="Say why you take the case over.")
    try:
        async with visit.connection() as connection:
            own = visit.plumbing, visit.account_id, visit.actor, transaction_id
            await queue.take_over(connection, *own, note)
    except ReviewConflict as conflict:
        return await _conflict(visit, conflict, note)
    except NotTheirs as refused:
        raise WrongState(str(refused)) from None
    return visit.redirect(f"{PATH}/{transaction_id}")


async def renew_case(visit: Visit) -> Response:
    """The page saw a sign of work: the lease begins anew. The answer says until when, or that the case is gone."""
    transaction_id = path_id(visit.request, "transaction_id")
    async with visit.connection() as connection:
        lease = await queue.renew(connection, visit.account_id, visit.actor, transaction_id, _version(visit))
    if lease is None:
        return visit.part("review_lost.html")
    return visit.part("review_lease.html", lease=lease, until=instant(lease.held_until))


async def release_case(visit: Visit) -> Response:
    """Put the case back, for anybody or for another pair of eyes."""
    transaction_id = path_id(visit.request, "transaction_id")
    async with visit.connection() as connection:
        for_another = visit.form.ticked("for_another")
        await queue.release(connection, visit.account_id, visit.actor, transaction_id, for_another=for_another)
    return visit.redirect(PATH, Notice.RELEASED)


async def answer_question(visit: Visit) -> Response:
    """Lock the blind answer, or keep a later one beside it: which of them it is follows from what was answered."""
    transaction_id = path_id(visit.request, "transaction_id")
    form = visit.form
    try:
        given = Question(form.text("question")), Answer(form.text("answer")), Confidence(form.text("confidence"))
    except ValueError:
        raise Invalid(detail="Choose an answer and say how sure you are.") from None
    try:
        async with visit.connection() as connection:
            own = visit.account_id, visit.actor, transaction_id
            open_questions = await unanswered(connection, *own, visit.settings)
            if open_questions and given[0] not in open_questions:
                return visit.redirect(f"{PATH}/{transaction_id}")  # sent twice: the first answer stands
            await answer(connection, *own, _version(visit), *given, blind=bool(open_questions))
    except ReviewConflict as conflict:
        return await _conflict(visit, conflict)
    except AnswerLocked:
        pass  # sent twice at once: the first answer stands
    return visit.redirect(f"{PATH}/{transaction_id}")


async def decide_case(visit: Visit) -> Response:
    """Store the decision, which is held before it is final."""
    transaction_id = path_id(visit.request, "transaction_id")
    form = visit.form
    try:
        outcome = Decided(form.text("outcome"))
    except ValueError:
        raise Invalid(detail="Choose approve or reject.") from None
    reason, note = form.text("reason"), form.text("note")
    try:
        async with visit.connection() as connection:
            own = visit.account_id, visit.actor, transaction_id, _version(visit)
            await decide(connection, visit.plumbing, *own, outcome, reason, note)
    except ReviewConflict as conflict:
        return await _conflict(visit, conflict, note)
    except BadReason as bad:
        return await review_page(visit, transaction_id, Typed(str(bad), outcome, reason, note))
    except AnswerFirst:
        return visit.redirect(f"{PATH}/{transaction_id}")
    return visit.redirect(PATH, Notice.DECIDED)


async def take_back(visit: Visit) -> Response:
    """Undo a decision that is still held."""
    transaction_id = path_id(visit.request, "transaction_id")
    try:
        async with visit.connection() as connection:
            await undo(connection, visit.account_id, visit.actor, transaction_id)
    except TooLateToUndo:
        raise WrongState("It is too late: the decision is final, and the integrator was told.") from None
    return visit.redirect(f"{PATH}/{transaction_id}", Notice.UNDONE)


def _version(visit: Visit) -> int:
    text = visit.form.text("version", 12)
    if not text.isascii() or not text.isdigit():
        raise Invalid(detail="The form says not which version of the case it saw. Load the page again.")
    return int(text)


async def _conflict(visit: Visit, conflict: ReviewConflict, note: str = "") -> Response:
    """What happened meanwhile, and what was typed, so that nothing is lost."""
    who = await called(visit.plumbing, [conflict.by])
    return visit.page("review_conflict.html", 409, conflict=conflict, who=who, note=note)
