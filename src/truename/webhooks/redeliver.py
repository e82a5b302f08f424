"""Deliver an event again: it is due now, whatever became of it, and keeps its id."""

from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import EventNotFound
from truename.plumbing.jobs.queue import enqueue
from truename.webhooks import store
from truename.webhooks.model import ShownEvent


async def redeliver(connection: Connection, account_id: UUID, event_id: str, *, actor: str) -> ShownEvent:
    """Start the event's schedule anew and write down who asked for it; raises EventNotFound."""
    event = await store.renew_event(connection, event_id)
    if event is None:
        raise EventNotFound
    await enqueue(connection, "webhooks.deliver", {"account_id": str(account_id), "event_id": event_id})
    subject = f"webhook_event:{event_id}"
    await record(connection, account_id, actor=actor, action=Action.WEBHOOK_REDELIVERED, subject=subject)
    return event
