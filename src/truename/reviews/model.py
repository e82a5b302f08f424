"""What a review is made of: a case that somebody holds, blind answers, and opinions that become a decision.

take ──▶ answer blind (locked) ──▶ decide ──▶ PENDING ──hold──▶ FINAL            (one pair of eyes)
                                     ▲           │        └───▶ GIVEN ──▶ the next person … FINAL  (four eyes)
                                     └── undo ───┘
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

LEASE: Final = timedelta(minutes=5)
"""How long a case stays with whoever took it, counted from the last sign of work."""
SHORTEST_OTHER: Final = 20
"""Characters that the note of the reason OTHER has at least."""
LONGEST_NOTE: Final = 500


class Question(StrEnum):
    """What the eye alone can answer, asked without the machine's view."""

    DOCUMENT_AND_LIVE_FACE = "DOCUMENT_AND_LIVE_FACE"
    LIVE_AND_REFERENCE_FACE = "LIVE_AND_REFERENCE_FACE"
    LIVENESS = "LIVENESS"
    DOCUMENT = "DOCUMENT"

    @property
    def words(self) -> str:
        """The question as a person is asked it: neutral, without a verdict in it."""
        return QUESTION_WORDS[self]

    def answered(self, answer: "Answer") -> str:
        """An answer in the words of this question."""
        about_faces = self in (Question.DOCUMENT_AND_LIVE_FACE, Question.LIVE_AND_REFERENCE_FACE)
        return ANSWER_WORDS[answer][0 if about_faces else 1]


QUESTION_WORDS: Final = {
    Question.DOCUMENT_AND_LIVE_FACE: "Are these the same person?",
    Question.LIVE_AND_REFERENCE_FACE: "Are these the same person?",
    Question.LIVENESS: "Was a living person in front of the camera?",
    Question.DOCUMENT: "Is this an original document, photographed directly?",
}


class Answer(StrEnum):
    """Yes, no, or the honest third."""

    SAME = "SAME"
    CANNOT_TELL = "CANNOT_TELL"
    DIFFERENT = "DIFFERENT"


ANSWER_WORDS: Final = {
    Answer.SAME: ("same", "yes"),
    Answer.CANNOT_TELL: ("cannot tell", "cannot tell"),
    Answer.DIFFERENT: ("different", "no"),
}
"""Of each answer: its words where faces are compared, and where something is asked with yes or no."""


class Confidence(StrEnum):
    """How sure somebody is of an answer."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


class Decided(StrEnum):
    """What a review can end with."""

    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


class OpinionState(StrEnum):
    """What became of one person's decision."""

    PENDING = "PENDING"
    """Held: its author may take it back until `finalise_at`."""
    WITHDRAWN = "WITHDRAWN"
    GIVEN = "GIVEN"
    """Stands, and waits for another person's."""
    FINAL = "FINAL"
    SUPERSEDED = "SUPERSEDED"
    """Somebody decided by another way, such as the API, while it was held."""
    REFUSED = "REFUSED"
    """It could not be carried out: the customer was blocked meanwhile."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds a case, and until when unless there is a sign of work."""

    transaction_id: UUID
    holder: str
    """As the audit log names people: `operator:ID`."""
    held_until: datetime
    version: int
    """Grows whenever the case changes hands or state: a decision names the one that its author saw."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One person's decision about one case."""

    opinion_id: UUID
    transaction_id: UUID
    reviewer: str
    state: OpinionState
    outcome: Decided
    reason: str
    note: str | None
    """None when there is none, or when it was erased with the customer."""
    decided_at: datetime
    finalise_at: datetime


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer to one question; the blind one stays when its author answers otherwise later."""

    question: Question
    answer: Answer
    confidence: Confidence
    blind: bool
    reviewer: str
    answered_at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """The queue at a glance."""

    count: int
    """Stops at `COUNTED_TO`."""
    oldest: datetime | None
    """When the one that waits longest was submitted."""
    held: int
    """How many of them somebody has in hand."""


@dataclass(frozen=True, slots=True)
class WaitingCase:
    """One case of the queue, as far as somebody may know who has not answered yet."""

    transaction_id: UUID
    transaction_type: str
    created_at: datetime
    lease: Lease | None


COUNTED_TO: Final = 1000
"""Nobody needs to know whether 1,204 or 1,310 wait; "1,000+" is told at once."""


class ReviewConflict(Exception):
    """Somebody else has the case, or decided it. Says who did what when; nothing was changed."""

    def __init__(
        self,
        transaction_id: UUID,
        *,
        status: str,
        by: str | None,
        outcome: str | None = None,
        at: datetime | None = None,
        held_until: datetime | None = None,
    ) -> None:
        self.transaction_id = transaction_id
        self.status = status
        self.by = by
        """The actor, as the audit log names it; None when nobody holds it."""
        self.outcome = outcome
        self.at = at
        self.held_until = held_until
        super().__init__(f"Transaction {transaction_id} is {status}, in the hands of {by}.")


class NotTheirs(Exception):
    """This person may not give an opinion on this case: they gave one already, or passed it on."""


class AnswerFirst(Exception):
    """A question must be answered blind before the case can be decided."""

    def __init__(self, missing: tuple[Question, ...]) -> None:
        self.missing = missing
        super().__init__(f"Not answered yet: {', '.join(missing)}.")


class AnswerLocked(Exception):
    """The question was answered blind already: that answer stays."""


class TooLateToUndo(Exception):
    """The decision is final, or was taken back before."""
