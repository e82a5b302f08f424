"""Deliver an event again: it is due now, whatever became of it, and keeps its id."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import EventNotFound
from truename.webhooks import store
from truename.webhooks.model import ShownEvent
from truename.webhooks.outbox import ask_for_delivery


async def redeliver(connection: Connection, account_id: UUID, event_id: str, *, actor: str) -> ShownEvent:
    """Start the event's schedule anew and write down who asked for it; raises EventNotFound."""
    event = await store.renew_event(connection, event_id)
    if event is None:
        raise EventNotFound
    await ask_for_delivery(connection, account_id, event_id)
    subject = f"webhook_event:{event_id}"
    await record(connection, account_id, actor=actor, action=Action.WEBHOOK_REDELIVERED, subject=subject)
    return event


async def redeliver_last(
    connection: Connection, account_id: UUID, transaction_ids: Sequence[UUID], *, actor: str
) -> int:
    """Deliver the newest event of each of these transactions again; says how many have one."""
    events = await store.last_events(connection, account_id, transaction_ids)
    for event_id in events:
        await redeliver(connection, account_id, event_id, actor=actor)
    return len(events)


MOST: Final = 500
"""Events of a range that are sent again at once: a receiver that was down shall not be flooded."""


async def redeliver_range(
    connection: Connection, account_id: UUID, since: datetime, until: datetime, *, failed_only: bool, actor: str
) -> int:
    """Deliver the events again that were made in this range, the oldest first and at most MOST; says how many."""
    events = await store.events_between(connection, account_id, since, until, failed_only, MOST)
    for event_id in events:
        await redeliver(connection, account_id, event_id, actor=actor)
    return len(events)
