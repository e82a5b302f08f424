"""The blind first answer: taken before anything of the machine is shown, locked, and kept beside a later one."""

from uuid import UUID

from psycopg.rows import DictRow

from truename.accounts.model import AccountSettings
from truename.audit.model import Action, Detail, Entry
from truename.audit.record import write
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound
from truename.reviews import store
from truename.reviews.model import Answer, AnswerLocked, Confidence, GivenAnswer, Question
from truename.reviews.queue import conflict, standing
from truename.transactions.lifecycle import Status


async def questions(
    connection: Connection, account_id: UUID, transaction_id: UUID, settings: AccountSettings
) -> tuple[Question, ...]:
    """What is asked blind about this transaction. It depends on the pictures, never on what the machine found.

    Otherwise the question itself would tell the verdict.
    """
    if settings.review_blind_first == "off":
        return ()
    cursor = await connection.execute(store.PICTURES, {"account_id": account_id, "transaction_id": transaction_id})
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    asked = []
    if row["portrait"] and row["live"]:
        asked.append(Question.DOCUMENT_AND_LIVE_FACE)
    if row["live"] and row["reference"]:
        asked.append(Question.LIVE_AND_REFERENCE_FACE)
    if settings.review_blind_first == "all" and row["live"]:
        asked.append(Question.LIVENESS)
    if settings.review_blind_first == "all" and row["document"]:
        asked.append(Question.DOCUMENT)
    return tuple(asked)


async def answer(
    connection: Connection,
    account_id: UUID,
    reviewer: str,
    transaction_id: UUID,
    version: int,
    question: Question,
    given: Answer,
    confidence: Confidence,
    *,
    blind: bool,
) -> None:
    """Lock an answer. Raises ReviewConflict when the case is not the reviewer's, AnswerLocked for a second blind one.

    One that is not blind is a change after the rest was shown; the blind one stays beside it.
    """
    row = await standing(connection, account_id, transaction_id)
    if row["status"] != Status.IN_REVIEW or row["holder"] != reviewer or row["version"] != version:
        raise conflict(transaction_id, row)
    details: dict[str, Detail] = {"question": question, "answer": given, "confidence": confidence, "blind": blind}
    own = {"account_id": account_id, "transaction_id": transaction_id, "reviewer": reviewer, "answer_id": new_id()}
    cursor = await connection.execute(store.ANSWER, {**own, **details})
    if await cursor.fetchone() is None:
        raise AnswerLocked(f"{question} was answered already.")
    write(connection, Entry(account_id, reviewer, Action.REVIEW_ANSWERED, f"transaction:{transaction_id}", details))


async def answers(
    connection: Connection, account_id: UUID, transaction_id: UUID, reviewer: str | None = None
) -> list[GivenAnswer]:
    """All answers about a transaction in the order in which they were given, or one reviewer's own."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(store.ANSWERS, own)
    return [_given(row) for row in await cursor.fetchall() if reviewer in (None, row["reviewer"])]


async def unanswered(
    connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID, settings: AccountSettings
) -> tuple[Question, ...]:
    """The questions that this reviewer must still answer blind."""
    asked = await questions(connection, account_id, transaction_id, settings)
    if not asked:
        return ()
    done = {one.question for one in await answers(connection, account_id, transaction_id, reviewer) if one.blind}
    return tuple(question for question in asked if question not in done)


def _given(row: DictRow) -> GivenAnswer:
    return GivenAnswer(
        Question(row["question"]),
        Answer(row["answer"]),
        Confidence(row["confidence"]),
        row["blind"],
        row["reviewer"],
        row["answered_at"],
    )
