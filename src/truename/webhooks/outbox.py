"""An event for every change of status, written in the same database transaction as the change itself."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import encode
from truename.plumbing.jobs.queue import enqueue
from truename.rules.config import TransactionType
from truename.webhooks.model import StatusChange, WebhookEvent


@dataclass(frozen=True)
class ChangedStatus:
    """A transaction just after its status changed, as far as its event tells of it."""

    account_id: UUID
    transaction_id: UUID
    customer_id: UUID
    external_customer_id: str | None
    transaction_type: str
    status: str
    sequence: int
    changed_at: datetime
    """By the database's clock."""
    webhook_url: str | None
    """Where the event goes; None: nowhere."""
    livemode: bool = True
    """False: the account is a sandbox, and the event says so."""


async def record_event(connection: Connection, changed: ChangedStatus, previous_status: str) -> str | None:
    """Write the event of this change and the job that delivers it; nothing when the transaction has no webhook."""
    if changed.webhook_url is None:
        return None
    event_id, event = f"evt_{new_id()}", event_of(changed, previous_status)
    await connection.execute(
        """
        INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body, queued_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, NULL)
        """,
        (
            event_id,
            changed.account_id,
            changed.transaction_id,
            changed.sequence,
            event.type,
            changed.webhook_url,
            encode(event).decode(),
        ),
    )
    await ask_for_delivery(connection, changed.account_id, event_id)
    return event_id


async def ask_for_delivery(connection: Connection, account_id: UUID, event_id: str) -> None:
    """Queue the job that tries what the account has due, if none waits: one job tries all of it.

    Workers of versions up to 0.2 try only the event that the job names; their sweep finds the others.
    """
    arguments = {"account_id": str(account_id), "event_id": event_id}
    await enqueue(connection, "webhooks.deliver", arguments, unless_waiting=True)


def event_of(changed: ChangedStatus, previous_status: str) -> WebhookEvent:
    """The event of one change: no personal data beyond the integrator's own identifier."""
    return WebhookEvent(
        livemode=None if changed.livemode else False,
        type=f"transaction.{changed.status.lower()}",
        timestamp=changed.changed_at,
        data=StatusChange(
            transaction_id=changed.transaction_id,
            customer_id=changed.customer_id,
            external_customer_id=changed.external_customer_id,
            transaction_type=TransactionType(changed.transaction_type),
            status=changed.status,
            previous_status=previous_status,
            sequence=changed.sequence,
        ),
    )
