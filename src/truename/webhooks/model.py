"""What the delivery log and the rotation of secrets answer, and what a webhook tells its receiver."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from truename.plumbing.http.bodies import Marked, Shown, named
from truename.rules.config import TransactionType


class EventState(StrEnum):
    """What became of an event."""

    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    EXHAUSTED = "EXHAUSTED"
    STOPPED = "STOPPED"


class AttemptOutcome(StrEnum):
    """What can come of one attempt: NO_SECRET when the account has none to sign with, so that nothing was sent."""

    DELIVERED = "DELIVERED"
    REFUSED_BY_RECEIVER = "REFUSED_BY_RECEIVER"
    GONE = "GONE"
    TIMED_OUT = "TIMED_OUT"
    ADDRESS_FORBIDDEN = "ADDRESS_FORBIDDEN"
    TLS_FAILED = "TLS_FAILED"
    UNREACHABLE = "UNREACHABLE"
    NO_SECRET = "NO_SECRET"  # noqa: S105 (a word, no secret)


class StatusChange(Shown):
    """The change that the event tells of: no personal data beyond the integrator's own identifier."""

    transaction_id: UUID
    """The transaction whose status changed."""
    customer_id: UUID
    """Its customer."""
    external_customer_id: str | None
    """Your own identifier of the person; null once the customer was erased."""
    transaction_type: TransactionType
    """What is captured."""
    status: Annotated[str, named("Status")]
    """The status after the change."""
    previous_status: Annotated[str, named("Status")]
    """The status before it."""
    sequence: int
    """Counts the changes of this transaction from 1: an event that arrives late has a lower number."""


class WebhookEvent(Marked):
    """The body of every webhook: no personal data beyond your own identifier."""

    type: Annotated[str, named("EventType")]
    """`transaction.` and the status in lower case."""
    timestamp: datetime
    """When the status changed."""
    data: StatusChange
    """What changed."""


class ShownEvent(Marked):
    """One event: what it tells, to which address, and whether it arrived."""

    event_id: str
    """The `webhook-id` of every attempt, also of a redelivery."""
    transaction_id: UUID
    """The transaction that it tells of."""
    type: Annotated[str, named("EventType")]
    """`transaction.` and the status in lower case."""
    url: str
    """Where it is sent."""
    state: EventState
    """PENDING while attempts go on; EXHAUSTED after the last; STOPPED when the receiver said 410."""
    attempts: int
    """How many were made since it was recorded, or last asked to be delivered again."""
    next_attempt_at: datetime | None
    """Null unless the event is pending."""
    created_at: datetime
    """When the status changed."""


class ShownAttempt(Shown):
    """One attempt to deliver an event, and how it went."""

    number: int
    """Counts from 1."""
    at: datetime
    """When it began."""
    took_ms: int | None
    """How long the receiver took."""
    status_code: int | None
    """What the receiver answered, if it did."""
    outcome: AttemptOutcome
    """What came of it."""
    error: str | None
    """What went wrong, in words."""


class ShownEventWhole(ShownEvent):
    """An event with its body and every attempt to deliver it."""

    body: WebhookEvent
    """The very body that is sent."""
    log: list[ShownAttempt]
    """Every attempt, oldest first."""


class EventList(Marked):
    """One page of events."""

    data: list[ShownEvent]
    """Newest first."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


class SecretRotated(Shown):
    """The new signing secret, which is shown only here."""

    webhook_secret: str
    """Shown once. Both secrets sign until the old one expires."""
    previous_expires_at: datetime | None
    """Until then the old one signs as well."""
