"""One case as its reviewer sees it: blind while a question is open, whole afterwards; for others who has it."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from starlette.responses import Response

from truename.dashboard.case.film import film_of
from truename.dashboard.case.model import Case, Comparison
from truename.dashboard.case.read import read_case
from truename.dashboard.case.screens import page_values
from truename.dashboard.case.shown import PAIRS
from truename.dashboard.people import called
from truename.dashboard.visit import Visit
from truename.reviews import queue
from truename.reviews.answer import answers, questions
from truename.reviews.decide import held_by
from truename.reviews.model import Answer, Confidence, Decided, GivenAnswer, Lease, Opinion, Question
from truename.reviews.reasons import Findings, findings_of, offered
from truename.reviews.shown import Seen, record_shown
from truename.rules.evidence import FacePair

PAIR_OF: Final = {
    Question.DOCUMENT_AND_LIVE_FACE: FacePair.DOCUMENT_AND_LIVENESS,
    Question.LIVE_AND_REFERENCE_FACE: FacePair.LIVENESS_AND_REFERENCE,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer, with the key that gives it."""

    value: Answer
    words: str
    key: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A decision that could not be stored: why not, and what was typed, so that nothing is lost."""

    fault: str
    outcome: str
    reason: str
    note: str


async def review_page(visit: Visit, transaction_id: UUID, typed: Typed | None = None) -> Response:
    """The page; what it shows to the holder of the case is written down before it is handed out."""
    async with visit.connection() as connection:
        held = await queue.leases(connection, visit.account_id, [transaction_id])
        mine = await held_by(connection, visit.account_id, visit.actor)
        asked = await questions(connection, visit.account_id, transaction_id, visit.settings)
        given = await answers(connection, visit.account_id, transaction_id, visit.actor)
    lease = held.get(transaction_id)
    case = await read_case(visit.plumbing, visit.account_id, transaction_id, actor=visit.actor)
    is_mine = lease is not None and lease.holder == visit.actor and case.is_open
    if lease is None or not is_mine or any(one.transaction_id == transaction_id for one in mine):
        who = await called(visit.plumbing, [lease.holder if lease else None])
        return visit.page("review_taken.html", case=case, lease=lease, who=who, held=mine)
    done = {one.question for one in given if one.blind}
    open_questions = [question for question in asked if question not in done]
    if open_questions:
        return await _blind(visit, case, lease, open_questions[0], asked, mine)
    return await _whole(visit, case, lease, given, mine, typed)


async def _blind(
    visit: Visit, case: Case, lease: Lease, question: Question, asked: tuple[Question, ...], mine: list[Opinion]
) -> Response:
    """Only the question and the pictures that it asks about: no score, no name, no issue, no history."""
    await record_shown(visit.plumbing.database, visit.account_id, lease, (), question)
    of_document = question is Question.DOCUMENT
    return visit.page(
        "review_blind.html",
        transaction_id=case.transaction_id,
        lease=lease,
        held=mine,
        question=question,
        number=asked.index(question) + 1,
        of=len(asked),
        comparison=pair_of(case, question),
        document=case.picture("DOCUMENT_FRONT", "DOCUMENT_FRONT_RECTIFIED") if of_document else None,
        flat=case.picture("DOCUMENT_FRONT_RECTIFIED") if of_document else None,
        frames=film_of(case.frames) if question is Question.LIVENESS else (),
        choices=choices_of(question),
        confidences=tuple(Confidence),
    )


def choices_of(question: Question) -> list[Choice]:
    """The answers that a question has."""
    return [Choice(value, question.answered(value), str(key)) for key, value in enumerate(Answer, 1)]


def pair_of(case: Case, question: Question) -> Comparison | None:
    """The two pictures of a question about faces, whether the engine compared them or not; without its score."""
    pair = PAIR_OF.get(question)
    if pair is None:
        return None
    sides = {
        Question.DOCUMENT_AND_LIVE_FACE: (case.picture("DOCUMENT_PORTRAIT"), case.picture("LIVENESS_FACE")),
        Question.LIVE_AND_REFERENCE_FACE: (case.picture("LIVENESS_FACE"), case.reference),
    }
    return Comparison(pair, PAIRS[pair], *sides[question], None, 0.0, None, "")


async def _whole(
    visit: Visit, case: Case, lease: Lease, given: list[GivenAnswer], mine: list[Opinion], typed: Typed | None
) -> Response:
    explanation = case.explanation
    findings = Findings(frozenset(), False, rejects=False)
    if explanation is not None:
        issues = [{"code": issue.code.name, "severity": issue.severity.value} for issue in explanation.issues]
        checks = [{"check": check.check.value, "result": check.outcome.value} for check in explanation.checks]
        findings = findings_of(issues, checks)
    await record_shown(visit.plumbing.database, visit.account_id, lease, parts_of(case))
    values = await page_values(visit, case)
    values |= {
        "lease": lease,
        "given": given,
        "held": mine,
        "webhook": any(line.pointer == "/webhook/url" and line.value != "–" for line in case.config),
        "approve": offered(findings, Decided.APPROVED),
        "reject": offered(findings, Decided.REJECTED),
        "hold": visit.settings.review_hold_seconds,
        "blocked": case.customer_status == "BLOCKED",
        "choices": {question: choices_of(question) for question in Question},
        "confidences": tuple(Confidence),
        "typed": typed,
    }
    return visit.page("review_case.html", 400 if typed else 200, **values)


def parts_of(case: Case) -> list[Seen]:
    """What of a case stands in words on the page of its decision."""
    there = {
        Seen.FIELDS: bool(case.fields),
        Seen.SCORES: any(one.score is not None for one in case.comparisons),
        Seen.ISSUES: case.explanation is not None,
        Seen.DEVICE: bool(case.device),
    }
    return [name for name, is_there in there.items() if is_there]
