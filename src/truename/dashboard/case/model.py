"""What stands on the page of one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from truename.reviews.model import GivenAnswer, Lease, Opinion
from truename.rules.dossier import Dossier
from truename.rules.evidence import FacePair, FieldName
from truename.rules.explain import Explanation


@dataclass(frozen=True, slots=True)
class Picture:
    """A stored picture; `media_id` leads to it by an address that is audited."""

    media_id: UUID
    kind: str
    title: str
    width: int
    height: int
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of the liveness challenge, in order."""

    picture: Picture
    step: str
    """The movement that was asked for, by its name."""
    at_ms: int
    """Since the challenge was given."""


@dataclass(frozen=True, slots=True)
class ShownField:
    """One value read from the document."""

    name: FieldName
    label: str
    value: str
    source: str
    certainty: str
    """How far it can be trusted: `proved` by check digits, `agreed`, `read once`, `repaired` or `doubted`."""
    others: tuple[str, ...]
    expected: str | None


@dataclass(frozen=True, slots=True)
class FieldMark:
    """The outline of a value on the page laid flat."""

    name: str
    label: str
    style: str
    """`solid` when check digits or two places agree, `once` when read once, `repaired` or `doubted`."""
    quad: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two faces and what came of comparing them."""

    pair: FacePair
    title: str
    left: Picture | None
    right: Picture | None
    score: float | None
    needed: float
    passed: bool | None
    """None when they were not compared."""
    words: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to deliver a webhook."""

    number: int
    at: datetime
    took_ms: int | None
    status_code: int | None
    outcome: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Event:
    """One webhook event and its attempts."""

    event_id: str
    type: str
    url: str
    state: str
    next_attempt_at: datetime | None
    created_at: datetime
    log: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of the timeline."""

    at: datetime
    words: str
    by: str | None = None
    """The actor as the audit log names it; None when nobody in particular."""


@dataclass(frozen=True, slots=True)
class ConfigLine:
    """One field of the config: what was effective, and what it would have been by default."""

    pointer: str
    value: str
    default: str
    is_default: bool
    origin: str
    """Who said it: sent, the account's default policy, or nobody; empty where that was not kept."""


@dataclass(frozen=True, slots=True)
class SampleVerdict:
    """What a person said of an approval that was drawn for the quality sample."""

    outcome: str
    reviewer: str
    settled_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything about one transaction."""

    transaction_id: UUID
    customer_id: UUID
    external_customer_id: str | None
    customer_status: str
    transaction_type: str
    status: str
    outcome: str | None
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime
    submitted_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime
    redacted_at: datetime | None
    erased_at: datetime | None
    other_transactions: int
    """Of the same customer; counted to 100."""
    dossier: Dossier | None
    explanation: Explanation | None
    """None before there is anything to explain."""
    pictures: Sequence[Picture]
    reference: Picture | None
    """The customer's reference face, unless it comes from this very transaction."""
    frames: Sequence[Frame]
    challenge: Sequence[str]
    comparisons: Sequence[Comparison]
    fields: Sequence[ShownField]
    device: Sequence[tuple[str, str]]
    events: Sequence[Event]
    timeline: Sequence[Moment]
    config: Sequence[ConfigLine]
    config_sent: str | None
    """The config as the integrator gave it, as JSON, without whom they expected; None where that was not kept."""
    engine: Sequence[Mapping[str, str]]
    opinions: Sequence[Opinion]
    """What people decided; of an open case only the reader's own."""
    answers: Sequence[GivenAnswer]
    others_answered: bool
    """Others have answered or decided, and it is hidden while the case is open."""
    lease: Lease | None
    sample_waits: bool
    """Approved by the engine, and drawn for the quality sample: it waits for a look, unmarked."""
    sample: SampleVerdict | None

    @property
    def is_open(self) -> bool:
        """Does it wait for a person?"""
        return self.status == "IN_REVIEW" or self.sample_waits

    @property
    def question(self) -> str:
        """What waits for a person, in words that do not tell a case from a sample."""
        return f"Waiting for a person: {self.explanation.reason}." if self.explanation else "Waiting for a person."

    def picture(self, *kinds: str) -> Picture | None:
        """The first stored picture of one of these kinds."""
        for kind in kinds:
            for one in self.pictures:
                if one.kind == kind and not one.redacted:
                    return one
        return None

    @property
    def sentence(self) -> str:
        """The decision as one sentence, with its reason; before there is one, how far it is."""
        return _sentence(self)


WAITING_FOR = {
    "CREATED": "Waiting for the person to open the capture.",
    "IN_PROGRESS": "The person is capturing now.",
    "PROCESSING": "Submitted; the analysis is under way.",
    "EXPIRED": "Nothing was submitted in time.",
    "CANCELLED": "Cancelled before anything was submitted.",
    "FAILED": "The analysis could not be finished, after several attempts. Nothing was decided.",
}


def _sentence(case: Case) -> str:
    if case.explanation is None:
        return WAITING_FOR.get(case.status, case.status)
    if case.status == "IN_REVIEW":
        return case.question
    if case.decided_by == "REVIEWER":
        person = f"{(case.outcome or '').capitalize()} by a person"
        if case.outcome == case.explanation.decision.value:
            return f"{person}, as the engine found: {case.explanation.reason}."
        return f"{person}, although {case.explanation.reason}."
    return case.explanation.sentence
