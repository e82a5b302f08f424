"""The screens of a reviewer: take the next case, answer blind, see the rest, decide, take back."""

from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from truename.dashboard.case.model import Case, Comparison
from truename.dashboard.case.read import read_case
from truename.dashboard.case.screens import page_values
from truename.dashboard.guard import Screen
from truename.dashboard.listing.filters import Filters
from truename.dashboard.listing.rows import read_page
from truename.dashboard.listing.screens import today, zone_of
from truename.dashboard.people import called
from truename.dashboard.review.act import (
    PATH,
    answer_question,
    decide_case,
    next_case,
    release_case,
    renew_case,
    take_back,
    take_case,
    take_over_case,
)
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.plumbing.http.queries import path_id
from truename.reviews import queue
from truename.reviews.answer import answers, questions
from truename.reviews.decide import Seen, held_by
from truename.reviews.model import COUNTED_TO, Answer, Confidence, Decided, GivenAnswer, Lease, Question
from truename.reviews.reasons import Findings, findings_of, offered
from truename.rules.evidence import FacePair
from truename.transactions.lifecycle import Status

PAIR_OF: Final = {
    Question.DOCUMENT_AND_LIVE_FACE: FacePair.DOCUMENT_AND_LIVENESS,
    Question.LIVE_AND_REFERENCE_FACE: FacePair.LIVENESS_AND_REFERENCE,
}
ANSWER_WORDS: Final = {
    Question.DOCUMENT_AND_LIVE_FACE: ("same", "cannot tell", "different"),
    Question.LIVE_AND_REFERENCE_FACE: ("same", "cannot tell", "different"),
    Question.LIVENESS: ("yes", "cannot tell", "no"),
    Question.DOCUMENT: ("yes", "cannot tell", "no"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer, with the key that gives it."""

    value: Answer
    words: str
    key: str


async def show_queue(visit: Visit) -> Response:
    """What waits, who has what, and my decisions that can still be taken back."""
    async with visit.connection() as connection:
        found = await queue.waiting(connection, visit.account_id)
        held = await held_by(connection, visit.account_id, visit.actor)
    filters = Filters(status=(Status.IN_REVIEW,), oldest_first=True)
    own = visit.plumbing, visit.account_id, visit.actor, filters, today(visit), zone_of(visit)
    page = await read_page(*own)
    holders = [row.lease.holder if row.lease else None for row in page.rows]
    return visit.page(
        "review_queue.html",
        waiting=found,
        counted_to=COUNTED_TO,
        held=held,
        rows=page.rows[:20],
        who=await called(visit.plumbing, holders),
        none_left=visit.request.query_params.get("none") == "1",
    )


async def show_review(visit: Visit) -> Response:
    """One case: blind while a question is open, whole afterwards; for others who has it."""
    transaction_id = path_id(visit.request, "transaction_id")
    async with visit.connection() as connection:
        held = await queue.leases(connection, visit.account_id, [transaction_id])
        mine = await held_by(connection, visit.account_id, visit.actor)
        asked = await questions(connection, visit.account_id, transaction_id, visit.settings)
        given = await answers(connection, visit.account_id, transaction_id, visit.actor)
    lease = held.get(transaction_id)
    case = await read_case(visit.plumbing, visit.account_id, transaction_id, actor=visit.actor)
    is_mine = lease is not None and lease.holder == visit.actor and case.status == Status.IN_REVIEW
    if lease is None or not is_mine or any(one.transaction_id == transaction_id for one in mine):
        who = await called(visit.plumbing, [lease.holder if lease else None])
        return visit.page("review_taken.html", case=case, lease=lease, who=who, held=mine)
    done = {one.question for one in given if one.blind}
    open_questions = [question for question in asked if question not in done]
    if open_questions:
        return _blind(visit, case, lease, open_questions[0], asked, mine_held=mine)
    return await _whole(visit, case, lease, given)


def _blind(
    visit: Visit, case: Case, lease: Lease, question: Question, asked: tuple[Question, ...], *, mine_held: object
) -> Response:
    """Only the question and the pictures that it asks about: no score, no name, no issue, no history."""
    pair = next((one for one in case.comparisons if one.pair is PAIR_OF.get(question)), None)
    return visit.page(
        "review_blind.html",
        transaction_id=case.transaction_id,
        lease=lease,
        held=mine_held,
        question=question,
        number=asked.index(question) + 1,
        of=len(asked),
        comparison=pair or _pair_of(case, question),
        document=case.picture("DOCUMENT_FRONT", "DOCUMENT_FRONT_RECTIFIED") if question is Question.DOCUMENT else None,
        flat=case.picture("DOCUMENT_FRONT_RECTIFIED") if question is Question.DOCUMENT else None,
        frames=case.frames[:12] if question is Question.LIVENESS else (),
        choices=choices_of(question),
        confidences=tuple(Confidence),
    )


def choices_of(question: Question) -> list[Choice]:
    """The answers that a question has."""
    answers_and_words = zip(Answer, ANSWER_WORDS[question], strict=True)
    return [Choice(value, words, str(key)) for key, (value, words) in enumerate(answers_and_words, 1)]


def _pair_of(case: Case, question: Question) -> Comparison | None:
    """The two pictures of a question whose faces the engine did not compare."""
    if question not in PAIR_OF:
        return None
    left = case.picture("DOCUMENT_PORTRAIT" if question is Question.DOCUMENT_AND_LIVE_FACE else "LIVENESS_FACE")
    right = case.picture("LIVENESS_FACE") if question is Question.DOCUMENT_AND_LIVE_FACE else None
    return Comparison(PAIR_OF[question], "", left, right, None, 0.0, None, "")


async def _whole(visit: Visit, case: Case, lease: Lease, given: list[GivenAnswer]) -> Response:
    explanation = case.explanation
    findings = Findings(frozenset(), False)
    if explanation is not None:
        issues = [{"code": issue.code.name} for issue in explanation.issues]
        checks = [{"check": check.check.value, "result": check.outcome.value} for check in explanation.checks]
        findings = findings_of(issues, checks)
    values = await page_values(visit, case)
    values |= {
        "lease": lease,
        "given": given,
        "approve": offered(findings, Decided.APPROVED),
        "reject": offered(findings, Decided.REJECTED),
        "hold": visit.settings.review_hold_seconds,
        "blocked": case.customer_status == "BLOCKED",
        "choices": {question: choices_of(question) for question in Question},
        "confidences": tuple(Confidence),
        "seen": seen_on(case),
    }
    return visit.page("review_case.html", 200, **values)


def seen_on(case: Case) -> list[Seen]:
    """What of a case stands on the page of its decision."""
    there = {
        Seen.FACES: any(one.left or one.right for one in case.comparisons),
        Seen.DOCUMENT: case.picture("DOCUMENT_FRONT_RECTIFIED", "DOCUMENT_FRONT") is not None,
        Seen.FIELDS: bool(case.fields),
        Seen.SCORES: any(one.score is not None for one in case.comparisons),
        Seen.ISSUES: case.explanation is not None,
        Seen.DEVICE: bool(case.device),
    }
    return [name for name, is_there in there.items() if is_there]


ONE: Final = PATH + "/{transaction_id}"
screens: Final = (
    Screen("GET", PATH, show_queue, Role.REVIEWER),
    Screen("POST", PATH + "/next", next_case, Role.REVIEWER),
    Screen("GET", ONE, show_review, Role.REVIEWER),
    Screen("POST", ONE + "/take", take_case, Role.REVIEWER),
    Screen("POST", ONE + "/take-over", take_over_case, Role.ADMIN),
    Screen("POST", ONE + "/renew", renew_case, Role.REVIEWER),
    Screen("POST", ONE + "/release", release_case, Role.REVIEWER),
    Screen("POST", ONE + "/answer", answer_question, Role.REVIEWER),
    Screen("POST", ONE + "/decide", decide_case, Role.REVIEWER),
    Screen("POST", ONE + "/undo", take_back, Role.REVIEWER),
)
