"""Delivering an event: one attempt a job, the schedule in the event's own row, so that no kill can lose it."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog

from truename.accounts.webhook_secrets import secrets_in_force
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import job, periodic
from truename.plumbing.resources import Plumbing
from truename.webhooks import store
from truename.webhooks.addresses import AllowList
from truename.webhooks.allowed import addresses_open_to
from truename.webhooks.model import AttemptOutcome, EventState
from truename.webhooks.schedule import next_wait
from truename.webhooks.send import Attempt, shared_sender
from truename.webhooks.sign import signed_headers

log = structlog.get_logger()

SWEEP_AT_ONCE = 500


@job("webhooks.deliver")
async def deliver(plumbing: Plumbing, *, account_id: str, event_id: str) -> None:
    """Try once, if the event is due; the sweep brings it back for the next try."""
    account = UUID(account_id)
    async with plumbing.database.account(account) as connection:
        event = await store.claim_due_event(connection, event_id)
        if event is None:
            return
        secrets = await secrets_in_force(connection, plumbing.vault, account)
        allowed = await addresses_open_to(connection, plumbing.settings, account)
    attempt = await _attempt(plumbing, event, secrets, allowed)
    state, wait = _what_next(attempt, event.attempts + 1)
    async with plumbing.database.account(account) as connection:
        await store.record_attempt(connection, account, event_id, event.claimed_until, attempt, state, wait)
    log.info("webhook attempt", event_id=event_id, outcome=attempt.outcome, status=attempt.status_code, state=state)


@periodic(seconds=1)
async def bring_back_due_events(plumbing: Plumbing) -> None:
    """Queue what is due and not queued. The claim in `deliver` makes a double harmless."""
    async with plumbing.database.system() as connection:
        for event in await store.take_due_events(connection, SWEEP_AT_ONCE):
            arguments = {"account_id": str(event.account_id), "event_id": event.event_id}
            await enqueue(connection, "webhooks.deliver", arguments)


async def _attempt(plumbing: Plumbing, event: store.ClaimedEvent, secrets: list[str], allowed: AllowList) -> Attempt:
    if not secrets:
        return Attempt(AttemptOutcome.NO_SECRET, error="The account has no webhook secret in force.")
    headers = signed_headers(event.event_id, datetime.now(UTC), event.body, secrets)
    sender = await asyncio.to_thread(shared_sender, plumbing.settings.webhook_ca_file)
    return await sender.post(event.url, event.body, headers, allowed)


def _what_next(attempt: Attempt, attempts_made: int) -> tuple[EventState, timedelta | None]:
    if attempt.outcome is AttemptOutcome.DELIVERED:
        return EventState.DELIVERED, None
    if attempt.outcome is AttemptOutcome.GONE:
        return EventState.STOPPED, None
    wait = next_wait(attempts_made, attempt.retry_after)
    return (EventState.PENDING, wait) if wait is not None else (EventState.EXHAUSTED, None)
