"""What the delivery log and the rotation of secrets answer."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import Field

from truename.plumbing.http.bodies import Shown


class EventState(StrEnum):
    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    EXHAUSTED = "EXHAUSTED"
    STOPPED = "STOPPED"


class ShownEvent(Shown):
    event_id: str = Field(description="The `webhook-id` of every attempt, also of a redelivery.")
    transaction_id: UUID
    type: str
    url: str
    state: EventState = Field(
        description="PENDING while attempts go on; EXHAUSTED after the last; STOPPED when the receiver said 410."
    )
    attempts: int
    next_attempt_at: datetime | None = Field(description="Null unless the event is pending.")
    created_at: datetime


class ShownAttempt(Shown):
    number: int
    at: datetime
    took_ms: int | None
    status_code: int | None
    outcome: str = Field(
        description="DELIVERED, REFUSED_BY_RECEIVER, GONE, TIMED_OUT, ADDRESS_FORBIDDEN, TLS_FAILED, UNREACHABLE."
    )
    error: str | None


class ShownEventWhole(ShownEvent):
    body: dict[str, Any]
    log: list[ShownAttempt]


class EventList(Shown):
    data: list[ShownEvent]
    has_more: bool
    next_cursor: str | None


class SecretRotated(Shown):
    webhook_secret: str = Field(description="Shown once. Both secrets sign until the old one expires.")
    previous_expires_at: datetime | None
